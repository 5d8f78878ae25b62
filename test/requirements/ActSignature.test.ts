/**
 * decisions.md, section 10: an author whose key is elsewhere signs the act, too: what is done, when, on which chain. The daemon tells chain
 * and contract, checks the signature, records it once, and adds none of its own; verified offline the act is then the author's word.
 */
import { createHash, randomUUID } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { assetTreeOf, DagJson, decodeCommitRequest, walletAddress } from "@treemark/core"
import { Effect } from "effect"
import { Wallet } from "ethers"
import { RunningDaemon } from "../layers/RunningDaemon.ts"
import { treemarkVerify } from "../verify/Command.ts"
import { COMMIT, type Json, Studio, type StudioShape, withStudio } from "./Studio.ts"

const SERVICE = "darkroom"
const MESSAGE = "Licensed to the press, « once » 📰"
const NID = "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m"
const now = () => Math.floor(Date.now() / 1000)

interface Network {
  readonly testnet: boolean
  readonly chainId: number
  readonly contract: string
  readonly treeFormat: string
}

const networks = Effect.flatMap(RunningDaemon, (daemon) =>
  Effect.map(
    daemon.call("/networks", { method: "GET" }),
    (answer) => (answer.json() as unknown as { readonly networks: ReadonlyArray<Network> }).networks
  )
)

/** sha256 of canonical dag-json, written by hand: these members are in their order already. */
const checksumOf = (act: {
  readonly abstract: string
  readonly assetTreeSha256: string
  readonly author: string
  readonly chainID: number
  readonly contract: string
  readonly timestampCreated: number
}): string => {
  const { abstract, assetTreeSha256, author, chainID, contract, timestampCreated } = act
  const text = JSON.stringify({ abstract, action: NID, assetTreeSha256, author, chainID, contract, timestampCreated })
  return createHash("sha256").update(text).digest("hex")
}

/** A request that its author signed twice, with what of the act they signed changed as told. */
const signed = Effect.fnUntraced(function* (
  studio: StudioShape,
  { act = {}, body = {}, wallet = Wallet.createRandom() as Pick<Wallet, "address" | "signMessage"> } = {}
) {
  const changes: Json = { author: wallet.address, commitMessage: MESSAGE, headline: randomUUID(), ...body }
  const request = yield* decodeCommitRequest(studio.request(changes))
  const author = walletAddress(wallet.address)
  const { sha256 } = DagJson.encode(assetTreeOf({ request, author, serviceName: SERVICE, signedAt: "elsewhere" }))
  const { chainId: chainID, contract } = (yield* networks).find(({ testnet }) => testnet === request.testnet)!
  const timestampCreated = now()
  const said = { abstract: MESSAGE, assetTreeSha256: sha256, author, chainID, contract, timestampCreated, ...act }
  const sign = (text: string) => Effect.promise(() => wallet.signMessage(text))
  return {
    ...changes,
    assetTreeSignature: yield* sign(sha256),
    actSignature: yield* sign(checksumOf(said)),
    actTimestamp: timestampCreated
  } as Json
})

/** What the offline verifier says of the act in the proof of this tree; `change` is made to its record and place first. */
const actIn = Effect.fnUntraced(function* (
  assetTreeCid: string,
  change: (proof: { readonly record: Json; readonly ledger: Json }) => void = () => undefined
) {
  const { admin, home } = yield* RunningDaemon
  const file = join(home, `${assetTreeCid}.proof.json`)
  yield* admin("proof", assetTreeCid, "--out", file)
  const proof = JSON.parse(readFileSync(file, "utf8"))
  change({ record: proof.commit.record, ledger: proof.ledger })
  proof.commit.commitData = JSON.stringify(proof.commit.record)
  writeFileSync(file, JSON.stringify(proof))
  const report = JSON.parse(treemarkVerify([file, "--json"]).stdout) as {
    readonly act: { readonly by: string; readonly message: string; readonly provenance: string }
    readonly verdict: string
    readonly checks: ReadonlyArray<{ readonly name: string; readonly code: string }>
  }
  return { ...report, code: report.checks.find(({ name }) => name === "act-signature")?.code }
})

withStudio({ serviceName: SERVICE })("decisions.md, actSignature", (it) => {
  it.effect("GET /networks tells chain and contract of both networks", () =>
    Effect.gen(function* () {
      const [mainnet, testnet] = yield* networks
      assert.deepInclude(mainnet, { testnet: false, chainId: 7053001, treeFormat: "dag-json" })
      assert.deepInclude(testnet, { testnet: true, chainId: 7053002 })
      for (const network of [mainnet, testnet]) assert.match(String(network?.contract), /^0x[0-9a-fA-F]{40}$/u)
    })
  )

  for (const testnet of [false, true])
    it.effect(`it is recorded last, with the act's own time, on the ${testnet ? "testnet" : "mainnet"}`, () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const request = yield* signed(studio, { body: { testnet } })
        const { assetTreeCid, txHash } = yield* studio.commit(request)
        const { commit } = yield* studio.record(txHash, testnet ? "?testnet=true" : "")
        assert.deepInclude(commit, { actSignature: request.actSignature, timestampCreated: request.actTimestamp })
        assert.strictEqual(Object.keys(commit).at(-1), "actSignature")
        const { act, verdict } = yield* actIn(assetTreeCid)
        assert.deepInclude(act, { by: "author", message: MESSAGE, provenance: "signed" })
        assert.strictEqual(verdict, "valid")
      })
    )

  it.effect("the daemon adds none for a wallet it holds: the act is the recorder's word", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { assetTreeCid, txHash } = yield* studio.commit({ headline: "held" })
      assert.notProperty((yield* studio.record(txHash)).commit, "actSignature")
      assert.strictEqual((yield* actIn(assetTreeCid)).act.by, "recorder")
    })
  )

  it.effect("copied to another record it proves nothing: another message or time, another chain or contract", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { assetTreeCid } = yield* studio.commit(yield* signed(studio))
      const [, testnet] = yield* networks
      const changes = [
        { record: { abstract: "I sell all rights" } },
        { record: { timestampCreated: now() + 5 } },
        { ledger: { chainId: testnet!.chainId } },
        { ledger: { contract: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" } }
      ]
      for (const { ledger = {}, record = {} } of changes) {
        const { act, code, verdict } = yield* actIn(assetTreeCid, (proof) => {
          Object.assign(proof.record, record)
          Object.assign(proof.ledger, ledger)
        })
        assert.deepStrictEqual([act.by, verdict, code], ["recorder", "invalid", "act_signature_differs"])
      }
    })
  )

  it.effect("over anything else it is 400 at /actSignature, free, and the text that was expected is told", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const [mainnet, testnet] = yield* networks
      const others = [
        { chainID: testnet!.chainId },
        { contract: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" },
        { abstract: `${MESSAGE}.` },
        { assetTreeSha256: "0".repeat(64) },
        { timestampCreated: now() - 1 },
        { author: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" }
      ]
      for (const act of others) {
        const { detail } = yield* studio.refusedFields(yield* signed(studio, { act }), ["/actSignature"])
        assert.include(detail, `"chainID":${mainnet!.chainId}`)
        assert.include(detail, "personal_sign")
      }
      const forMainnet = yield* signed(studio)
      assert.include(
        (yield* studio.refusedFields({ ...forMainnet, testnet: true }, ["/actSignature"])).detail,
        `"chainID":${testnet!.chainId}`
      )
      const malformed = { ...forMainnet, actSignature: `0x${"00".repeat(65)}` }
      assert.include((yield* studio.refusedFields(malformed, ["/actSignature"])).detail, "is not a usable signature")
    })
  )

  it.effect("signed too early or too late it is 400 at /actTimestamp, and free", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const timestampCreated of [now() - 960, now() + 960]) {
        const request = yield* signed(studio, { act: { timestampCreated } })
        const stale = { ...request, actTimestamp: timestampCreated }
        const { detail } = yield* studio.refusedFields(stale, ["/actTimestamp"])
        assert.include(detail, "within 15 minutes of this service's clock")
      }
    })
  )

  it.effect("it needs actTimestamp and assetTreeSignature, and actTimestamp needs it", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const request = yield* signed(studio)
      yield* studio.refusedFields({ ...request, actTimestamp: undefined }, ["/actTimestamp"])
      yield* studio.refusedFields({ ...request, assetTreeSignature: undefined }, ["/assetTreeSignature"])
      yield* studio.refusedFields({ ...request, actSignature: undefined }, ["/actTimestamp"])
      yield* studio.refusedFields({ ...request, actTimestamp: 1.5, actSignature: "0x" }, [
        "/actSignature",
        "/actTimestamp"
      ])
    })
  )

  it.effect("the same one twice on a chain is 400 and free, also for another account and after a restart", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const request = yield* signed(studio)
      const key = { "idempotency-key": randomUUID() }
      const first = yield* studio.post(COMMIT, studio.request(request), key)
      assert.strictEqual(first.status, 200, first.text)
      const again = yield* studio.refusedFields(request, ["/actSignature"])
      assert.include(again.detail, "was given before on this chain")
      const v0 = `${String(request.actSignature).slice(0, -2)}0${Number.parseInt(String(request.actSignature).slice(-2), 16) - 27}`
      yield* studio.refusedFields({ ...request, actSignature: v0 }, ["/actSignature"])
      yield* studio.daemon.restart()
      yield* studio.refusedFields(request, ["/actSignature"])
      const replay = yield* studio.post(COMMIT, studio.request(request), key)
      assert.deepStrictEqual([replay.status, replay.text], [200, first.text])
    })
  )

  it.effect("of many at once with the same one, one is recorded and the others are 400 and free", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const request = yield* signed(studio)
      const before = (yield* studio.history()).length
      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => studio.post(COMMIT, studio.request(request)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(400)])
      assert.strictEqual((yield* studio.history()).length, before + 1)
    })
  )

  it.effect("what came to nothing for want of funds may be given again", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const poor = yield* studio.daemon.createAccount({ name: randomUUID(), serviceName: SERVICE, credits: "0.01" })
      const request = yield* signed(studio)
      const refused = yield* studio.daemon.call(COMMIT, {
        body: studio.request(request),
        headers: { authorization: `token ${poor.token}` }
      })
      assert.strictEqual(refused.status, 403, refused.text)
      yield* studio.commit(request)
    })
  )
})
