/**
 * The asset tree: one request has one tree, whatever the order of its members and whatever the network; any change of a member
 * gives another CID, and the signature over the first no longer holds.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type AssetTree, assetTreeOf, type SigningPlace } from "../../../packages/core/src/asset-tree/AssetTree.ts"
import {
  addressOfPrivateKey,
  recoverSigner,
  signPersonalMessage
} from "../../../packages/core/src/asset-tree/Signature.ts"
import { DagJson } from "../../../packages/core/src/asset-tree/TreeFormat.ts"
import { walletAddress } from "../../../packages/core/src/identity/WalletAddress.ts"
import { dagJsonText } from "../../../packages/core/src/json/CanonicalJson.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import { commitBody, type Json, type JsonObject, order, plainBody, privateKey, reordered } from "../Generators.ts"

const AUTHOR = walletAddress("0x51130dB91B91377A24d6Ebeb2a5fC02748b53ce1")

const treeOf = (body: Json, signedAt: SigningPlace = "daemon"): AssetTree => {
  const request = Effect.runSync(decodeCommitRequest(body))
  return assetTreeOf({ request, author: request.author ?? AUTHOR, serviceName: "capture", signedAt })
}

const cidOfBody = (body: Json): string => DagJson.encode(treeOf(body)).cid

describe("asset tree", () => {
  it("has the members of the specification, and null for a licence that was not given", () => {
    assert.deepStrictEqual(treeOf(plainBody), {
      ...plainBody,
      creatorWallet: AUTHOR,
      license: { name: null, document: null },
      assetSourceType: "captureUpload"
    })
  })

  it("carries every optional member that was given, custom under its own key", () => {
    const tree = treeOf(
      {
        ...plainBody,
        author: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
        licenseName: "mit",
        abstract: "A",
        headline: "H",
        integrityCid: plainBody.assetCid,
        nftChainID: 1,
        custom: { usedBy: "x", assetSourceType: "forged", nested: { assetSourceType: "kept" } },
        commitMessage: "not in the tree",
        action: "action-mint-erc721-nft",
        testnet: true
      },
      "elsewhere"
    )
    assert.deepStrictEqual(tree, {
      ...plainBody,
      creatorWallet: walletAddress("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
      license: { name: "mit", document: null },
      assetSourceType: "captureCapture",
      abstract: "A",
      headline: "H",
      integrityCid: plainBody.assetCid,
      nftRecord: { chainID: 1, contractAddress: null, tokenID: null },
      custom: { usedBy: "x", nested: { assetSourceType: "kept" } }
    })
  })

  it.prop("has the same CID for every order of the request's members", [commitBody, order], ([body, way]) => {
    assert.strictEqual(cidOfBody(reordered(body, way)), cidOfBody(body))
  })

  it.prop("is the same on every network, and for every message and action", [commitBody], ([body]) => {
    const elsewhere = {
      ...body,
      testnet: body.testnet !== true,
      commitMessage: "another",
      action: "action-mint-erc721-nft"
    }
    assert.strictEqual(cidOfBody(elsewhere), cidOfBody(body))
  })

  it.prop("has the same CID whether custom comes as an object or as a string", [commitBody], ([body]) => {
    const custom = typeof body.custom === "string" ? JSON.parse(body.custom) : { a: 1 }
    assert.strictEqual(cidOfBody({ ...body, custom }), cidOfBody({ ...body, custom: JSON.stringify(custom) }))
  })

  it.prop(
    "has another CID once any member is changed, added or taken away, and its signature is then by nobody known",
    [commitBody, privateKey],
    ([body, key]) => {
      const tree = treeOf(body)
      const before = DagJson.encode(tree)
      const signature = signPersonalMessage(before.sha256, key)
      assert.deepStrictEqual(recoverSigner(before.sha256, signature), { ok: true, signer: addressOfPrivateKey(key) })
      for (const changed of changesOf(tree as JsonObject)) {
        const after = DagJson.encode(changed as AssetTree)
        assert.notStrictEqual(after.cid, before.cid, dagJsonText(changed))
        const recovered = recoverSigner(after.sha256, signature)
        assert.isFalse(recovered.ok && recovered.signer === addressOfPrivateKey(key))
      }
    },
    { arbitrary: { runs: 12 } }
  )
})

/** Trees that differ from `tree` in one place, at any depth. */
const changesOf = (tree: JsonObject): ReadonlyArray<Json> => [
  { ...tree, added: null },
  ...Object.keys(tree).flatMap((member) => [
    Object.fromEntries(Object.entries(tree).filter(([name]) => name !== member)),
    ...changed(tree[member]!).map((value) => ({ ...tree, [member]: value }))
  ])
]

const changed = (value: Json): ReadonlyArray<Json> => {
  if (value === null) return ["", 0, false]
  if (typeof value === "string") return [`${value} `, `\u0301${value}`, null]
  if (typeof value === "number") return [value === 0 ? 1 : -value, String(value)]
  if (typeof value === "boolean") return [!value]
  if (Array.isArray(value))
    return [
      [...value, null],
      ...value.slice(0, 2).flatMap((member, at) => changed(member).map((other) => value.with(at, other)))
    ]
  const entries = Object.entries(value as JsonObject)
  return [
    Object.fromEntries([...entries, [`${entries.length} added`, 1]]),
    ...entries
      .slice(0, 2)
      .flatMap(([key, member]) =>
        changed(member).map((other) =>
          Object.fromEntries(entries.map(([name, old]) => [name, name === key ? other : old]))
        )
      )
  ]
}
