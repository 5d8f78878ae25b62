/** interface.md, "Commit request", rules 1 to 7, and what decisions.md, section 4, adds to them. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { proofVerdict } from "./ProofVerdict.ts"
import { COMMIT, openStudio, Studio, withStudio } from "./Studio.ts"

const SOMEBODY = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

withStudio({ name: "studio", serviceName: "darkroom" })("interface.md, Commit request, rules", (it) => {
  it.effect(
    'rule 1: "When neither licenseName nor licenseDocument is provided, both are stored as null, meaning no license is specified."',
    () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        for (const [given, license] of [
          [{}, { name: null, document: null }],
          [
            { licenseName: null, licenseDocument: null },
            { name: null, document: null }
          ],
          [{ licenseName: "CC0" }, { name: "CC0", document: null }],
          [{ licenseDocument: "https://example.org/l" }, { name: null, document: "https://example.org/l" }]
        ] as const) {
          const { assetTreeCid } = yield* studio.commit(given)
          assert.deepStrictEqual((yield* studio.tree(assetTreeCid)).members.license, license)
        }
      })
  )

  it.effect('rule 2: "When author is omitted, it is set to the caller\'s own wallet.", and the proof is valid', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { txHash, assetTreeCid } = yield* studio.commit({ headline: "by default" })
      assert.strictEqual((yield* studio.tree(assetTreeCid)).members.creatorWallet, studio.account.wallet)
      assert.strictEqual((yield* studio.record(txHash)).commit.author, studio.account.wallet)
      const { exitCode, report } = yield* proofVerdict(assetTreeCid)
      assert.strictEqual(report.verdict, "valid")
      assert.strictEqual(exitCode, 0)
      assert.include(JSON.stringify(report.author), studio.account.wallet)
    })
  )

  it.effect("rule 2: an author without a signature is recorded as claimed, and its proof is unconfirmed", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { txHash, assetTreeCid } = yield* studio.commit({ author: SOMEBODY.toLowerCase() })
      const { members } = yield* studio.tree(assetTreeCid)
      assert.strictEqual(members.creatorWallet, SOMEBODY)
      assert.strictEqual(members.assetSourceType, "darkroomUpload")
      assert.strictEqual((yield* studio.record(txHash)).commit.author, SOMEBODY)
      const { exitCode, report } = yield* proofVerdict(assetTreeCid)
      assert.strictEqual(report.verdict, "unconfirmed")
      assert.strictEqual(exitCode, 3)
      assert.include(JSON.stringify(report.signer), studio.account.wallet)
      assert.include(JSON.stringify(report.author), SOMEBODY)
    })
  )

  it.effect('rule 3: "custom must be a valid JSON object": as an object and as a string it gives the same tree', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const custom = { z: 1, a: ["ä", null, { ё: 0.1 }], "": "", __proto__x: true }
      const asObject = yield* studio.commit({ custom })
      const asString = yield* studio.commit({ custom: ` ${JSON.stringify(custom, null, 2)}\n` })
      assert.strictEqual(asString.assetTreeCid, asObject.assetTreeCid)
      assert.deepStrictEqual((yield* studio.tree(asObject.assetTreeCid)).members.custom, custom)
    })
  )

  it.effect('rule 3: the key "/" is refused at every depth, in both forms, with its place', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const custom = { "/": 1, list: [{ "/": { "/": "bafy" } }], "a/b": "fine" }
      const places = ["/custom/list/0/~1", "/custom/list/0/~1/~1", "/custom/~1"]
      yield* studio.refusedFields({ custom }, places)
      yield* studio.refusedFields({ custom: JSON.stringify(custom) }, places)
    })
  )

  it.effect("rule 3: a key that occurs twice is refused, as an object and inside a string", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const body = JSON.stringify(studio.request({ custom: { a: 0 } })).replace('{"a":0}', '{"a":1,"a":2}')
      const problem = yield* studio.refused(studio.post(COMMIT, body), 400, "malformed_json")
      assert.include(problem.detail, '"a" occurs twice')
      yield* studio.refusedFields({ custom: '{"b":{"a":1,"\\u0061":2}}' }, ["/custom"])
    })
  )

  it.effect("rule 3: what custom holds never takes the place of a member of the tree", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const custom = { assetCid: "forged", creatorWallet: SOMEBODY, license: null, constructor: 1 }
      const { assetTreeCid } = yield* studio.commit({ custom })
      const { members } = yield* studio.tree(assetTreeCid)
      assert.strictEqual(members.assetCid, studio.asset.assetCid)
      assert.strictEqual(members.creatorWallet, studio.account.wallet)
      assert.deepStrictEqual(members.custom, custom)
    })
  )

  it.effect(
    'rule 4: "The asset source type is determined by the signature and the service name tied to the caller\'s API key."',
    () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const other = yield* openStudio({ name: "no service name of its own", serviceName: "Numbers 123 é" })
        for (const [one, expected] of [
          [studio, "darkroomUpload"],
          [other, "Numbers 123 éUpload"]
        ] as const) {
          const { assetTreeCid } = yield* one.commit()
          assert.strictEqual((yield* one.tree(assetTreeCid)).members.assetSourceType, expected)
        }
      })
  )

  it.effect('rule 4: "An assetSourceType placed inside custom is ignored.", whatever it holds', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const without = yield* studio.commit({ custom: { a: 1 } })
      for (const assetSourceType of ["forgedCapture", 42, null, { "/": 1 }, "x".repeat(1_000)]) {
        for (const custom of [{ assetSourceType, a: 1 }, JSON.stringify({ a: 1, assetSourceType })]) {
          assert.strictEqual((yield* studio.commit({ custom })).assetTreeCid, without.assetTreeCid)
        }
      }
      const { members } = yield* studio.tree(without.assetTreeCid)
      assert.strictEqual(members.assetSourceType, "darkroomUpload")
      assert.deepStrictEqual(members.custom, { a: 1 })
    })
  )

  it.effect("rule 4: an assetSourceType beside the fields, not inside custom, is an unknown field", () =>
    Effect.flatMap(Studio, (studio) => studio.refusedFields({ assetSourceType: "x" }, ["/assetSourceType"]))
  )

  it.effect('rule 5: "custom.generatedBy names the AI model that generated the asset; at most 21 characters"', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const custom = { generatedBy: "stable-diffusion-3.51" }
      const { assetTreeCid } = yield* studio.commit({ custom })
      assert.deepStrictEqual((yield* studio.tree(assetTreeCid)).members.custom, custom)
      for (const generatedBy of [`${custom.generatedBy}0`, 42, null, true, {}, ["model"]]) {
        yield* studio.refusedFields({ custom: { generatedBy } }, ["/custom/generatedBy"])
        yield* studio.refusedFields({ custom: JSON.stringify({ generatedBy }) }, ["/custom/generatedBy"])
      }
    })
  )

  it.effect("rule 6: testnet true goes to chain 7053002, false and left out to 7053001, with the same tree", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const headline = "on both chains"
      const trees = new Set<string>()
      for (const [testnet, here, there, chainId] of [
        [true, "testnet", "mainnet", 7_053_002],
        [false, "mainnet", "testnet", 7_053_001],
        [undefined, "mainnet", "testnet", 7_053_001],
        [null, "mainnet", "testnet", 7_053_001]
      ] as const) {
        const { txHash, assetTreeCid, explorer } = yield* studio.commit({ testnet, headline })
        trees.add(assetTreeCid)
        assert.include(explorer, `/explorer/${here}/tx/${txHash}`)
        const receipt = (yield* studio.rpc(here, "eth_getTransactionReceipt", txHash)) as { readonly status: string }
        assert.strictEqual(receipt.status, "0x1")
        assert.isNull(yield* studio.rpc(there, "eth_getTransactionReceipt", txHash))
        assert.strictEqual(Number(yield* studio.rpc(here, "eth_chainId")), chainId)
        const transaction = (yield* studio.rpc(here, "eth_getTransactionByHash", txHash)) as { chainId: string }
        assert.strictEqual(Number(transaction.chainId), chainId)
        yield* studio.record(txHash, here === "testnet" ? "?testnet=true" : "?testnet=false")
      }
      assert.strictEqual(trees.size, 1)
    })
  )

  it.effect("rule 7: integrityCid is kept in the tree as it is written; the file it names is not asked for", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const integrityCid = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"
      const { assetTreeCid } = yield* studio.commit({ integrityCid })
      assert.strictEqual((yield* studio.tree(assetTreeCid)).members.integrityCid, integrityCid)
    })
  )

  it.effect("the NFT fields are one member of the tree: those not given are null, without any there is none", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const whole = { nftChainID: 137, nftContractAddress: SOMEBODY, nftTokenID: "42" }
      for (const [given, nftRecord] of [
        [whole, { chainID: 137, contractAddress: SOMEBODY, tokenID: "42" }],
        [{ nftTokenID: "42" }, { chainID: null, contractAddress: null, tokenID: "42" }],
        [{}, undefined]
      ] as const) {
        const { assetTreeCid } = yield* studio.commit(given)
        assert.deepStrictEqual((yield* studio.tree(assetTreeCid)).members.nftRecord, nftRecord)
      }
    })
  )
})
