/** The history of an asset where other clients commit too, on a real anvil. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { actChecksum, assetTreeOf, DagJson, decodeCommitRequest, walletAddress } from "@treemark/core"
import { Effect, JsonPatch } from "effect"
import { createTestClient, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { commitDeployedBytecode } from "../../packages/daemon/src/evm/CommitContract.ts"
import { stranger } from "../daemon/commits/ForeignCommits.ts"
import { isAnvilMissing } from "../layers/Anvil.ts"
import { treemarkVerify } from "../verify/Command.ts"
import {
  anvilWithContract,
  assertCar,
  CONTRACT,
  commit,
  daemonAt,
  json,
  letters,
  logOf,
  told,
  type Vector,
  vectors
} from "./HistoryRig.ts"
import { bytesOf, commitRequest, parsed } from "./Treemarkd.ts"

describe.skipIf(isAnvilMissing)("commits of other clients", () => {
  it.live(
    "are listed all, however many there are, in the ledger's order",
    () =>
      Effect.gen(function* () {
        const anvil = yield* anvilWithContract
        const { home } = yield* daemonAt(anvil.url)
        const other = stranger(anvil.url, CONTRACT)
        const assetCid = String(vectors<Vector>("numbers-commits")[1]!.input.assetCid)
        const sent: Array<string> = []
        for (const block of [0, 1, 2]) {
          const texts = Array.from({ length: 80 }, (_, at) => JSON.stringify({ abstract: `${block}-${at}` }))
          sent.push(...(yield* other.commitTogether(assetCid, texts)))
        }
        const all = yield* logOf(home, assetCid)
        assert.deepStrictEqual(
          all.map(({ index, txHash }) => [index, txHash]),
          sent.map((txHash, at) => [at + 1, txHash])
        )
        const newest = yield* logOf(home, assetCid, "--limit", "230")
        assert.deepStrictEqual(
          newest.map(({ txHash }) => txHash),
          sent.slice(-230)
        )
        assert.deepStrictEqual(
          yield* logOf(home, assetCid, "--limit", "1000"),
          all.map((one) => ({ ...one, index: null }))
        )
        const lines = (yield* told(home, "log", assetCid, "--limit", "2")).trimEnd().split("\n")
        assert.deepStrictEqual(
          lines.map((line) => line.trim().split(/ +/u).slice(0, 3)),
          [
            ["~1", "N", sent.at(-2)?.slice(0, 10)],
            ["~0", "N", sent.at(-1)?.slice(0, 10)]
          ]
        )
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "are read as they are: raw trees, authors by identity CID, no actionName, unknown members, any text at all",
    () =>
      Effect.gen(function* () {
        const anvil = yield* anvilWithContract
        const other = stranger(anvil.url, CONTRACT)
        const daemon = yield* daemonAt(anvil.url)
        const { home } = daemon
        const commits = vectors<Vector>("numbers-commits")
        const records = commits.map(({ input }) => input.commit)
        const [nit, capture, mock] = records
        const trees = vectors<{ input: { tree_bytes_base64: string } }>("numbers-asset-trees")
        const bytes = Buffer.from(trees[0]!.input.tree_bytes_base64, "base64")
        const assetCid = String(JSON.parse(bytes.toString("utf8")).assetCid)
        const registered = yield* daemon.register(bytes, "application/json")
        assert.strictEqual(registered.assetCid, nit!.assetTreeCid)

        yield* other.commit(assetCid, JSON.stringify(nit))
        const hostile = "\u001b]0;owned\u0007\u009b31m \u202e\n\n  9  G"
        const more = { ...nit, futureMember: { deep: [hostile] }, abstract: hostile, actionName: hostile }
        const [together] = yield* other.commitTogether(assetCid, [JSON.stringify(more), hostile])
        yield* other.commit(assetCid, JSON.stringify(capture))
        yield* other.commit(assetCid, JSON.stringify(mock))
        yield* other.commit(assetCid, JSON.stringify({ ...nit, assetTreeSignature: "0x12" }))
        yield* other.commit(assetCid, `{"assetTreeCid":"a","assetTreeCid":"b"}`)
        yield* other.commit(assetCid, `x${"😀".repeat(9)}`)

        const log = yield* logOf(home, assetCid)
        assert.strictEqual(letters(log), "UUNNNBNN")
        assert.deepInclude(log[0], {
          author: nit!.author as string,
          signer: "0x63B7076FC0A914Af543C2e5c201df6C29FCC18c5",
          recorder: other.address,
          action: "action-initial-registration-avalanche",
          codes: ["author_not_address"]
        })
        assert.deepStrictEqual(log[0]?.commit, nit)
        assert.strictEqual(log[1]?.blockNumber, log[2]?.blockNumber)
        assert.strictEqual(log[1]?.txHash, together)
        assert.deepStrictEqual(log[1]?.commit, more)
        assert.strictEqual(log[2]?.commitData, hostile)
        assert.include(log[3]?.reason, `${capture!.assetTreeCid} is not in this store`)

        const shown = yield* told(home, "log", assetCid)
        const lines = shown.trimEnd().split("\n")
        assert.lengthOf(lines, 8)
        for (const [at, line] of lines.entries())
          assert.match(line, new RegExp(`^ {3}${at + 1} {2}${log[at]!.status} {2}0x[0-9a-f]{8} `))
        const raw = yield* told(home, "log", assetCid, "--json")
        const compared = yield* told(home, "diff", assetCid, "1", "2")
        const patch = yield* told(home, "diff", assetCid, "1", "2", "--json")
        for (const text of [shown, raw, compared, patch]) assert.notMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u)
        assert.deepStrictEqual(JsonPatch.apply(JSON.parse(patch).record, log[0]!.commit!), log[1]!.commit!)
        assert.deepStrictEqual(JSON.parse(patch).tree, [])
        const toText = yield* json<{ record: JsonPatch.JsonPatch; tree: null; treeMissing: string }>(
          home,
          "diff",
          assetCid,
          "2",
          "3"
        )
        assert.deepStrictEqual([toText.record, toText.tree], [[{ op: "replace", path: "", value: hostile }], null])

        const folder = join(home, "export")
        const car = join(home, "export.car")
        yield* told(home, "log", assetCid, "--proofs", folder, "--car", car)
        const index = JSON.parse(readFileSync(join(folder, "history.json"), "utf8"))
        assert.deepStrictEqual(
          index.commits.map(({ proof }: { proof: string | null }) => proof !== null),
          [true, true, false, false, false, true, false, false]
        )
        assert.deepInclude(index.commits[2], { proof: null, commitData: hostile })
        assert.isNotEmpty(index.commits[2].reason)
        yield* Effect.promise(() => assertCar(car, index, (name) => readFileSync(join(folder, name))))
        const codes = index.commits.flatMap(({ proof }: { proof: string | null }) =>
          proof === null ? [] : [treemarkVerify([join(folder, proof)]).code]
        )
        assert.deepStrictEqual(codes, [3, 3, 1])
        for (const exported of [folder, car]) assert.strictEqual(treemarkVerify(["history", exported]).code, 1)
        const named = ["--author", "0x63B7076FC0A914Af543C2e5c201df6C29FCC18c5"]
        assert.strictEqual(treemarkVerify([join(folder, index.commits[0].proof), ...named]).code, 0)

        const proof = yield* told(home, "proof", String(nit!.assetTreeCid))
        assert.strictEqual(JSON.parse(proof).ledger.txHash, log[5]!.txHash)
        assert.deepStrictEqual(Buffer.from(JSON.parse(proof).tree.bytes, "base64"), bytes)

        const elsewhere = String(commits[1]!.input.assetCid)
        yield* other.commit(elsewhere, JSON.stringify(nit))
        assert.deepInclude((yield* logOf(home, elsewhere))[0], {
          status: "B",
          codes: ["inclusion_asset_differs", "author_not_address"]
        })
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "of the author's own tree are the stranger's word: R, never G, unless the reader takes that word or the author signed the act",
    () =>
      Effect.gen(function* () {
        const anvil = yield* anvilWithContract
        const daemon = yield* daemonAt(anvil.url)
        const { home } = daemon
        const steer = createTestClient({ mode: "anvil", transport: http(anvil.url) })
        const { committer } = yield* json<{ readonly committer: `0x${string}` }>(home, "wallet", "show")
        yield* Effect.promise(() => steer.setBalance({ address: committer, value: 10n ** 20n }))
        yield* told(home, "account", "create", "--name", "studio", "--credits", "5")
        const asset = yield* daemon.register(bytesOf("the author's own"), "text/plain")
        const { assetCid } = asset
        yield* commit(home, "studio", commitRequest(asset))
        const author = privateKeyToAccount(`0x${"c8".repeat(32)}`)
        const body = commitRequest(asset, { author: author.address, commitMessage: "Lent to the museum" })
        const request = yield* decodeCommitRequest(body)
        const creator = walletAddress(author.address)
        const tree = assetTreeOf({ request, author: creator, serviceName: "studio", signedAt: "elsewhere" })
        const { sha256 } = DagJson.encode(tree)
        const act = {
          action: "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m",
          assetTreeSha256: sha256,
          author: author.address,
          chainID: 5_003,
          contract: CONTRACT
        }
        const sign = (message: string) => Effect.promise(() => author.signMessage({ message }))
        const actTimestamp = Math.floor(Date.now() / 1_000)
        const signedAct = (abstract: string, timestampCreated = actTimestamp) =>
          sign(actChecksum({ ...act, abstract, timestampCreated }))
        const actSignature = yield* signedAct("Lent to the museum")
        yield* commit(home, "studio", { ...body, assetTreeSignature: yield* sign(sha256), actSignature, actTimestamp })

        const [first, own] = yield* logOf(home, assetCid)
        assert.deepStrictEqual([first!.status, first!.word, own!.status, own!.word], ["G", "recorder", "G", "author"])
        assert.strictEqual(own!.commit?.actSignature, actSignature)

        const other = stranger(anvil.url, CONTRACT)
        const record = { ...own!.commit, committer: other.address }
        const unsigned = { ...record, actSignature: undefined }
        const sold = "I sell all rights"
        yield* other.commit(assetCid, JSON.stringify({ ...unsigned, abstract: sold }))
        yield* other.commit(assetCid, JSON.stringify({ ...record, abstract: sold }))
        yield* other.commit(assetCid, JSON.stringify(record))
        const further = { ...record, abstract: "Back again", actSignature: yield* signedAct("Back again") }
        yield* other.commit(assetCid, JSON.stringify(further))

        const log = yield* logOf(home, assetCid)
        assert.strictEqual(letters(log), "GGRBRG")
        assert.deepStrictEqual(
          log.map(({ word }) => word),
          ["recorder", "author", "recorder", null, "recorder", "author"]
        )
        for (const limit of ["1", "2", "4"])
          assert.strictEqual(letters(yield* logOf(home, assetCid, "--limit", limit)), "GGRBRG".slice(-Number(limit)))
        const lines = (yield* told(home, "log", assetCid)).split("\n")
        assert.include(lines[0], `[recorded by ${committer}]`)
        assert.include(lines[1], "[act signed by the author]")
        assert.include(lines[2], `[the word of ${other.address}, not the author's]`)
        assert.include(lines[4], `[the word of ${other.address}, not the author's]`)

        const trusting = yield* logOf(home, assetCid, "--recorder", other.address.toLowerCase(), "--recorder", CONTRACT)
        assert.strictEqual(letters(trusting), "GGGBGG")
        const wrong = yield* parsed(["log", assetCid, "--recorder", "0x12", "--home", home])
        assert.strictEqual(wrong.code, 64)

        const elsewhere = "0x0000000000000000000000000000000000007054"
        yield* Effect.promise(() => steer.setCode({ address: elsewhere, bytecode: commitDeployedBytecode }))
        yield* stranger(anvil.url, elsewhere).commit(assetCid, JSON.stringify({ ...unsigned, abstract: sold }))
        assert.lengthOf(yield* logOf(home, assetCid), 6, "another contract's events are no commits")
      }).pipe(Effect.scoped),
    120_000
  )
})
