/**
 * interface.md: "Anyone can verify authorship by checking the asset tree's sha256 checksum and signature." Here that is somebody
 * with ethers, node:crypto and the text of decisions.md, and nothing of Treemark: ledger → record → tree → checksum → author.
 */
import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { AbiCoder, id, JsonRpcProvider, verifyMessage } from "ethers"
import { CID } from "multiformats/cid"
import { RunningDaemon } from "../layers/RunningDaemon.ts"
import { openStudio, Studio, withStudio } from "./Studio.ts"

const COMMIT_EVENT = id("Commit(address,string,string)")

const CHAINS = { mainnet: 7_053_001, testnet: 7_053_002 } as const

/** Every commit of the asset that the network's logs show, by anybody, oldest first. */
const commitsOf = Effect.fnUntraced(function* (role: keyof typeof CHAINS, assetCid: string) {
  const { url } = yield* RunningDaemon
  return yield* Effect.acquireUseRelease(
    Effect.sync(() => new JsonRpcProvider(`${url}/rpc/${role}`, CHAINS[role], { staticNetwork: true })),
    (provider) =>
      Effect.promise(async () => {
        assert.strictEqual(Number(await provider.send("eth_chainId", [])), CHAINS[role])
        const logs = await provider.getLogs({
          fromBlock: 0,
          toBlock: "latest",
          topics: [COMMIT_EVENT, null, id(assetCid)]
        })
        return logs.map((log) => {
          const [commitData] = AbiCoder.defaultAbiCoder().decode(["string"], log.data)
          return {
            txHash: log.transactionHash,
            recorder: `0x${log.topics[1]?.slice(26)}`,
            record: JSON.parse(String(commitData)) as Record<string, string>
          }
        })
      }),
    (provider) => Effect.sync(() => provider.destroy())
  )
})

/** Who signed the tree that the record names, found without trusting anything but the record's text. */
const signerOf = Effect.fnUntraced(function* (record: Record<string, string>) {
  const response = yield* Effect.promise(() => fetch(record.actionResult!))
  const tree = new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
  const sha256 = createHash("sha256").update(tree).digest()
  assert.strictEqual(record.assetTreeSha256, sha256.toString("hex"))
  const cid = CID.parse(record.assetTreeCid!)
  assert.strictEqual(cid.version, 1)
  assert.strictEqual(cid.code, 0x0129)
  assert.strictEqual(cid.multihash.code, 0x12)
  assert.deepStrictEqual(new Uint8Array(cid.multihash.digest), new Uint8Array(sha256))
  const { creatorWallet } = JSON.parse(Buffer.from(tree).toString("utf8")) as { readonly creatorWallet: string }
  return { signer: verifyMessage(sha256.toString("hex"), record.assetTreeSignature!), creatorWallet }
})

withStudio()("interface.md, anyone can verify authorship", (it) => {
  for (const role of ["mainnet", "testnet"] as const) {
    it.effect(`on the ${role}: from the asset's CID to the author, by ethers and node:crypto alone`, () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const sent = yield* Effect.forEach(["one", "two"], (headline) =>
          studio.commit({ testnet: role === "testnet", headline, custom: { é: ["😀"] } })
        )
        const found = yield* commitsOf(role, studio.asset.assetCid)
        assert.deepStrictEqual(
          found.map(({ txHash }) => txHash),
          sent.map(({ txHash }) => txHash)
        )
        for (const { record, recorder } of found) {
          assert.strictEqual(record.committer?.toLowerCase(), recorder)
          const { signer, creatorWallet } = yield* signerOf(record)
          assert.strictEqual(signer, record.author)
          assert.strictEqual(signer, creatorWallet)
          assert.strictEqual(signer, studio.account.wallet)
        }
      })
    )
  }

  it.effect("an author who is only claimed is seen to be: the signer is another", () =>
    Effect.gen(function* () {
      const studio = yield* openStudio()
      const somebody = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
      yield* studio.commit({ author: somebody })
      const [found] = yield* commitsOf("mainnet", studio.asset.assetCid)
      assert.isDefined(found)
      assert.strictEqual(found?.record.author, somebody)
      assert.strictEqual((yield* signerOf(found!.record)).signer, studio.account.wallet)
    })
  )

  it.effect("an asset that was never committed has no event, and no commit in its history", () =>
    Effect.gen(function* () {
      const studio = yield* openStudio()
      assert.deepStrictEqual(yield* commitsOf("mainnet", studio.asset.assetCid), [])
      assert.deepStrictEqual(yield* studio.history(), [])
    })
  )

  it.effect("GET /assets/{assetCid}/commits says what the ledger's events say", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const events = yield* commitsOf("mainnet", studio.asset.assetCid)
      const listed = yield* studio.history()
      assert.isAbove(listed.length, 0)
      assert.deepStrictEqual(
        listed.map(({ txHash, recorder, commit }) => ({ txHash, recorder: recorder.toLowerCase(), record: commit })),
        events
      )
    })
  )
})
