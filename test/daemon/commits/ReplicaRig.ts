/**
 * Several real daemons, each a process with a data folder of its own, on one PostgreSQL, one anvil and one content folder; callers that
 * commit through any of them until they are told 200; and what the ledger and the books must then say.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Redacted, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { createPublicClient, createTestClient, type Hex } from "viem"
import { commitAbi, commitDeployedBytecode } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { Seed } from "../../../packages/daemon/src/wallets/Seed.ts"
import { BIN, commitRequest, launch, type Running, serving, temporaryHome } from "../../end-to-end/Treemarkd.ts"
import { patientHttp, startAnvil } from "../../layers/Anvil.ts"
import { type Call, send } from "../../layers/HttpCall.ts"
import { startPostgres } from "../../layers/PostgresCluster.ts"

const WORDS = `${"test ".repeat(11)}junk`
const COMMITTER: Hex = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const CONTRACT: Hex = "0x0000000000000000000000000000000000007053"
const CHAIN_ID = 31_337
const DATABASE = "treemark"
const BLOCK_EVERY = "100 millis"
/** A caller gives up on an answer after this, and asks again with the same key. */
const PATIENCE = "12 seconds"

const ROLE = (name: string, url: string) => `
[profiles.rig.${name}]
name = "rig ${name}"
chain_id = ${CHAIN_ID}
rpc = "${url}"
contract = "${CONTRACT}"
explorer = "https://explorer.example/tx/HASH"
`

export interface Replica {
  readonly home: string
  url: string
  process: Running
}

export interface Asset {
  readonly assetCid: string
  readonly assetSha256: string
  readonly encodingFormat: string
}

/** Everything but the daemons; anvil mines a block every 100 ms, as its automining loses track when many are sent at once. */
export const makeRig = Effect.suspend(() => makeRigThrough((url) => Effect.succeed(url)))

/** The same, with what `pooler` puts between the daemons and the database. */
export const makeRigThrough = Effect.fnUntraced(function* (
  pooler: (databaseUrl: string, port: number) => Effect.Effect<string, Error, Scope.Scope>
) {
  const postgres = yield* startPostgres
  const databaseUrl = yield* pooler(yield* postgres.create(DATABASE), postgres.port)
  const anvil = yield* startAnvil({ chainId: CHAIN_ID, extraArgs: ["--no-mining", "--order", "fifo"] })
  const steer = createTestClient({ mode: "anvil", transport: patientHttp(anvil.url) })
  const client = createPublicClient({ transport: patientHttp(anvil.url), cacheTime: 0 })
  yield* Effect.promise(() => steer.setCode({ address: CONTRACT, bytecode: commitDeployedBytecode }))
  yield* Effect.promise(() => steer.mine({ blocks: 1 })).pipe(
    Effect.delay(BLOCK_EVERY),
    Effect.forever,
    Effect.forkScoped
  )
  const content = join(yield* temporaryHome, "blocks")

  const start = (home: string, env: Readonly<Record<string, string>> = {}) =>
    serving(() =>
      launch(process.execPath, [BIN, "start", "--port", "0", "--json"], {
        home,
        env: {
          TREEMARK_PROFILE: "rig",
          TREEMARK_DATABASE_URL: databaseUrl,
          TREEMARK_CONTENT_FOLDER: content,
          TREEMARK_COMMIT_TIMEOUT: "30 seconds",
          ...env
        }
      })
    )
  const urlOf = (running: Running) => (JSON.parse(running.line) as { addresses: { main: string } }).addresses.main

  /** A daemon with the words of the service's wallet, started. */
  const replica = Effect.gen(function* () {
    const home = yield* temporaryHome
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, "treemark.toml"), ROLE("mainnet", anvil.url) + ROLE("testnet", anvil.url))
    yield* Seed.restore({ home, password: undefined, expectedId: undefined }, Redacted.make(WORDS)).pipe(
      Effect.provide(SecureRandom.layerWebCrypto)
    )
    const process = yield* start(home)
    return { home, process, url: urlOf(process) } satisfies Replica as Replica
  })

  const restart = Effect.fnUntraced(function* (one: Replica) {
    one.process = yield* start(one.home)
    one.url = urlOf(one.process)
  })

  const ask = (statement: string) => postgres.ask(DATABASE, statement)
  const epoch = Effect.map(ask("SELECT COALESCE(MAX(epoch), 0) FROM signer_lease"), Number)

  /** How long it takes until somebody else signs, in milliseconds. */
  const failOver = Effect.fnUntraced(function* (before: number) {
    const since = performance.now()
    yield* epoch.pipe(Effect.delay("100 millis"), Effect.repeat({ until: (now) => now > before }))
    return Math.round(performance.now() - since)
  })

  return { anvil, client, databaseUrl, postgres, start, urlOf, replica, restart, ask, epoch, failOver }
})

export type Rig = Effect.Success<typeof makeRig>

/** Accounts with credits, made over the administration socket of `one`, and an asset that they commit. */
export const makeCallers = Effect.fnUntraced(function* (one: Replica, count: number) {
  const callers = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
    Effect.map(
      send(
        { socketPath: join(one.home, "treemarkd.sock"), path: "/accounts" },
        { method: "POST", body: { name: `caller ${index}`, serviceName: "rig", credits: "1000", tokens: "0" } }
      ),
      (answer) => {
        assert.strictEqual(answer.status, 200, answer.text)
        return (answer.json() as { readonly token: string }).token
      }
    )
  )
  const headers = { authorization: `token ${callers[0]}`, "content-type": "text/plain" }
  const registered = yield* post(`${one.url}/assets`, { headers, body: "a photo that everybody commits" })
  assert.strictEqual(registered.status, 201, registered.text)
  return { callers, asset: registered.json() as unknown as Asset }
})

const post = (target: string, call: Call) => {
  const { hostname, pathname, port } = new URL(target)
  return send({ host: hostname, port, path: pathname }, call)
}

export interface Done {
  readonly message: string
  readonly txHash: string
}

/** What the callers met on the way: statuses that were not 200, by code, and connections that broke or answers that did not come. */
export type Met = Map<string, number>

/** One commit, asked for once; its message is its key too. */
export const commitOnce = (one: Replica, token: string, asset: Asset, message: string) =>
  post(`${one.url}/commit`, {
    headers: { authorization: `token ${token}`, "idempotency-key": message.replaceAll(" ", "-") },
    body: commitRequest(asset, { commitMessage: message })
  })

/** One commit, asked for again and again with the same key, at one daemon after the other, until it is answered with 200. */
export const commitUntilDone = Effect.fnUntraced(function* (
  replicas: ReadonlyArray<Replica>,
  token: string,
  asset: Asset,
  message: string,
  met: Met
) {
  for (let turn = message.length; ; turn++) {
    const one = replicas[turn % replicas.length]
    if (one === undefined) return yield* Effect.die(new Error("There is no daemon to ask."))
    const answer = yield* commitOnce(one, token, asset, message).pipe(
      Effect.timeout(PATIENCE),
      Effect.catch(() => Effect.succeed(undefined))
    )
    if (answer?.status === 200) return { message, txHash: String(answer.json().txHash) } satisfies Done
    const what = answer === undefined ? "no answer" : `${answer.status} ${String(answer.json().code)}`
    met.set(what, (met.get(what) ?? 0) + 1)
    yield* Effect.sleep("200 millis")
  }
})

/** The ledger has every commit that was answered, once each, without a gap in the nonces; the books agree with it to the last unit. */
export const assertConsistent = Effect.fnUntraced(function* (rig: Rig, done: ReadonlyArray<Done>) {
  const held = rig.ask("SELECT COUNT(*) FROM hold WHERE state = 'held'")
  yield* held.pipe(Effect.delay("100 millis"), Effect.repeat({ until: (count) => count === "0", times: 6_000 }))
  assert.strictEqual(yield* held, "0", "a hold was left")

  const events = yield* Effect.promise(() =>
    rig.client.getContractEvents({ address: CONTRACT, abi: commitAbi, eventName: "Commit", fromBlock: 0n })
  )
  const onLedger = events.map((event) => ({
    txHash: event.transactionHash,
    message: (JSON.parse(event.args.commitData ?? "{}") as { readonly abstract: string }).abstract
  }))
  const sorted = (all: ReadonlyArray<Done>) => all.map(({ message, txHash }) => `${message} ${txHash}`).sort()
  assert.deepStrictEqual(sorted(onLedger), sorted(done))

  const count = yield* Effect.promise(() => rig.client.getTransactionCount({ address: COMMITTER }))
  assert.strictEqual(count, done.length, "each transaction of the committer is a commit")
  const nonces = yield* rig.ask("SELECT COUNT(DISTINCT nonce), MAX(nonce) FROM commit_job WHERE state = 'mined'")
  assert.strictEqual(nonces, `${done.length}|${done.length - 1}`)
  assert.strictEqual(yield* rig.ask("SELECT COUNT(*) FROM commit_job WHERE state <> 'mined'"), "0")

  assert.strictEqual(yield* rig.ask("SELECT SUM(balance::numeric) FROM ledger_account"), "0")
  const unequal = yield* rig.ask(`SELECT COUNT(*) FROM ledger_account a WHERE a.balance::numeric <>
    (SELECT COALESCE(SUM(p.amount::numeric), 0) FROM posting p WHERE p.account_id = a.id)`)
  assert.strictEqual(unequal, "0", "a balance is not the sum of its postings")
  const earned = yield* rig.ask("SELECT balance FROM ledger_account WHERE id = 'revenue'")
  assert.strictEqual(earned, (BigInt(done.length) * 10n ** 17n).toString())
  const receipts = yield* Effect.forEach(
    done,
    ({ txHash }) => Effect.promise(() => rig.client.getTransactionReceipt({ hash: txHash as Hex })),
    { concurrency: 8 }
  )
  const gas = receipts.reduce((sum, { effectiveGasPrice, gasUsed }) => sum + gasUsed * effectiveGasPrice, 0n)
  assert.strictEqual(yield* rig.ask("SELECT balance FROM ledger_account WHERE id = 'gas'"), gas.toString())
})
