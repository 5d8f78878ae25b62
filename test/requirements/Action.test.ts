/** interface.md, "Action", and "Commit response". The list of predefined actions is that of decisions.md, section 4. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { RunningDaemon } from "../layers/RunningDaemon.ts"
import vectors from "../vectors/actions.json" with { type: "json" }
import { COMMIT, Studio, withStudio } from "./Studio.ts"

const COMMIT_NID = vectors.actions["action-commit"]

withStudio()("interface.md, Action and Commit response", (it) => {
  it.effect('"The default action of the commit operation is `action-commit`."', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const action of [undefined, null, "action-commit", COMMIT_NID]) {
        const { commit } = yield* studio.record((yield* studio.commit({ action })).txHash)
        assert.strictEqual(commit.action, COMMIT_NID)
        assert.strictEqual(commit.actionName, "action-commit")
      }
    })
  )

  for (const [name, nid] of Object.entries(vectors.actions)) {
    it.effect(`"An action is the Cid/Nid that points to the profile of an action": ${name} is ${nid}`, () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const byName = yield* studio.record((yield* studio.commit({ action: name })).txHash)
        assert.strictEqual(byName.commit.action, nid)
        assert.strictEqual(byName.commit.actionName, name)
        const byNid = yield* studio.record((yield* studio.commit({ action: nid })).txHash)
        assert.strictEqual(byNid.commit.action, nid)
        const namesOfNid = Object.entries(vectors.actions).filter(([, one]) => one === nid)
        assert.include(
          namesOfNid.map(([one]) => one),
          byNid.commit.actionName
        )
      })
    )
  }

  it.effect("a custom action is named by its Nid, which is kept as it is written", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const action = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"
      assert.strictEqual((yield* studio.record((yield* studio.commit({ action })).txHash)).commit.action, action)
    })
  )

  it.effect('"Recording actions tracks every update made to the asset.": the history has each, oldest first', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const before = (yield* studio.history()).length
      const actions = ["action-initial-registration", "action-mint-erc721-nft", "action-commit"]
      const sent = yield* Effect.forEach(actions, (action) => studio.commit({ action }))
      const after = (yield* studio.history()).slice(before)
      assert.deepStrictEqual(
        after.map(({ txHash, commit }) => [txHash, commit.actionName]),
        sent.map(({ txHash }, index) => [txHash, actions[index]])
      )
    })
  )

  it.effect('"Success: status 200 …; the body is the commit response": txHash, assetCid, assetTreeCid, explorer', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const answer = yield* studio.post(COMMIT, studio.request())
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "application/json")
      const receipt = answer.json()
      assert.deepStrictEqual(Object.keys(receipt).sort(), ["assetCid", "assetTreeCid", "explorer", "txHash"])
      for (const value of Object.values(receipt)) assert.isString(value)
    })
  )

  it.effect('"txHash | string | Transaction hash of the commit": a transaction of the service\'s own wallet', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { txHash } = yield* studio.commit()
      assert.match(txHash, /^0x[0-9a-f]{64}$/)
      const { committer } = (yield* (yield* RunningDaemon).admin("wallet", "show")) as { readonly committer: string }
      const receipt = (yield* studio.rpc("mainnet", "eth_getTransactionReceipt", txHash)) as Record<string, string>
      assert.strictEqual(receipt.status, "0x1")
      assert.strictEqual(receipt.from, committer.toLowerCase())
      const entry = yield* studio.record(txHash)
      assert.strictEqual(entry.recorder, committer)
      assert.strictEqual(entry.commit.committer, committer)
      assert.strictEqual(entry.blockNumber, Number(receipt.blockNumber))
    })
  )

  it.effect(
    '"assetCid | string | Asset Cid/Nid": the one of the request; "assetTreeCid": the tree can be fetched',
    () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const receipt = yield* studio.commit()
        assert.strictEqual(receipt.assetCid, studio.asset.assetCid)
        const { members } = yield* studio.tree(receipt.assetTreeCid)
        assert.strictEqual(members.assetCid, studio.asset.assetCid)
      })
  )

  it.effect(
    '"explorer | string | Network explorer reference": a URL that opens on the transaction, on both networks',
    () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const { call } = yield* RunningDaemon
        for (const testnet of [false, true]) {
          const { explorer, txHash } = yield* studio.commit({ testnet })
          const page = yield* call(explorer, { headers: { accept: "text/html" } })
          assert.strictEqual(page.status, 200)
          assert.match(String(page.headers["content-type"]), /^text\/html/)
          assert.include(page.text, txHash)
          assert.include(page.text, studio.asset.assetCid)
        }
      })
  )

  it.effect("the asset itself is reachable at its CID, as it was registered", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { bytes } = yield* (yield* RunningDaemon).call(`/ipfs/${studio.asset.assetCid}`)
      assert.deepStrictEqual(bytes, studio.bytes)
    })
  )
})
