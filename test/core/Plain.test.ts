/** `@treemark/core/plain` says the same as the functions the service is made of, in plain values. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { assetTreeOf, DagJson, decodeCommitRequest, NitTree, walletAddress } from "@treemark/core"
import { actChecksum, buildTree, checkRequest, parseCid, recoverSigner, toEip55 } from "@treemark/core/plain"
import { Effect } from "effect"
import { Wallet } from "ethers"
import { commitBody, plainBody } from "./Generators.ts"

const WALLET = new Wallet(`0x${"c8".repeat(32)}`)

describe("@treemark/core/plain", () => {
  it.prop("checks a request and builds its tree as the service does", [commitBody], ([body]) => {
    const request = Effect.runSync(decodeCommitRequest(body))
    const checked = checkRequest(body)
    assert(checked.ok)
    assert.deepStrictEqual(checked.request, request as never)
    for (const signedAt of ["daemon", "elsewhere"] as const) {
      const author = walletAddress(WALLET.address)
      const tree = assetTreeOf({ request, author, serviceName: "studio", signedAt })
      const options = { author: WALLET.address.toLowerCase(), serviceName: "studio", signedAt }
      assert.deepStrictEqual(buildTree(checked.request, options), { tree, ...DagJson.encode(tree) })
      if (NitTree.customProblems(tree).length > 0) {
        assert.throws(() => buildTree(checked.request, { ...options, format: "nit" }), RangeError, "/custom")
      } else {
        assert.deepStrictEqual(buildTree(checked.request, { ...options, format: "nit" }), {
          tree,
          ...NitTree.encode(tree)
        })
      }
    }
  })

  it("tells every broken rule, and never throws, whatever it is given", () => {
    assert.deepStrictEqual(checkRequest({ ...plainBody, assetSha256: "no", headline: 1 }), {
      ok: false,
      errors: [
        { path: "/assetSha256", message: "must be a sha256: 64 hexadecimal digits, without 0x" },
        { path: "/headline", message: "must be a string" }
      ]
    })
    for (const nothing of [undefined, null, 5, "x", [], new Date(), () => 1, Symbol("x"), 10n]) {
      const checked = checkRequest(nothing)
      assert(!checked.ok)
      assert.isNotEmpty(checked.errors)
    }
  })

  it("is enough for an author to sign tree and act", async () => {
    const checked = checkRequest({ ...plainBody, author: WALLET.address.toLowerCase(), commitMessage: "Lent" })
    assert(checked.ok)
    const { request } = checked
    assert.strictEqual(request.author, toEip55(WALLET.address))
    const { cid, sha256 } = buildTree(request, {
      author: WALLET.address,
      serviceName: "studio",
      signedAt: "elsewhere"
    })
    assert.isDefined(parseCid(cid))
    const act = actChecksum({
      abstract: "Lent",
      action: request.action.nid,
      assetTreeSha256: sha256,
      author: WALLET.address,
      chainID: 10507,
      contract: "0x7EC2F14ABE8b0Ea2F657bBb62b6fEfDe161c9001",
      timestampCreated: 1_795_000_000
    })
    for (const text of [sha256, act])
      assert.deepStrictEqual(recoverSigner(text, await WALLET.signMessage(text)), { ok: true, signer: WALLET.address })
    assert.throws(
      () => buildTree(request, { author: "0x12", serviceName: "studio", signedAt: "elsewhere" }),
      RangeError
    )
  })

  it("has nothing of Effect in what it declares", () => {
    const source = readFileSync(new URL("../../packages/core/src/plain.ts", import.meta.url), "utf8")
    const declared = [...source.matchAll(/^export (?:interface|type|const) [\s\S]*?(?:^\}|=>|$)/gmu)].map(
      ([text]) => text
    )
    assert.isAbove(declared.length, 6)
    for (const text of declared) assert.notMatch(text, /\b(?:Effect|Schema|Option|Result|CommitRequest)\b/u)
  })
})
