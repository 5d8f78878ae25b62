/** Commits recorded on the embedded chains of the `local` profile: exact costs, many at once, and a restart of everything. */
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ledger, NativeBalance } from "@treemark/core"
import { Effect, Exit } from "effect"
import { type Hex, numberToHex } from "viem"
import { BASE_FEE_PER_GAS } from "../../../packages/daemon/src/devchain/ChainConfig.ts"
import { EmbeddedChain } from "../../../packages/daemon/src/devchain/EmbeddedChain.ts"
import { Networks } from "../../../packages/daemon/src/evm/Networks.ts"
import { profileOf } from "../../../packages/daemon/src/evm/Profile.ts"
import {
  assetCid,
  callerNamed,
  type Daemon,
  daemon,
  eventually,
  jobOf,
  order,
  record,
  storeFile,
  TOKEN,
  WALLETS
} from "./LedgerFixture.ts"

const EXPLORER = "http://127.0.0.1:7053/explorer/mainnet/tx/HASH"

/** The daemon's ledger side on two embedded chains beside its store, as one start of it. */
const onLocal = <A, E>(filename: string, use: Effect.Effect<A, E, Daemon>) =>
  Effect.gen(function* () {
    const folder = dirname(filename)
    const open = (role: string, chainId: number) => EmbeddedChain.open({ path: join(folder, `${role}.db`), chainId })
    const [mainnet, testnet] = yield* Effect.all([open("mainnet", 7_053_001), open("testnet", 7_053_002)])
    for (const chain of [mainnet, testnet]) {
      const params = [WALLETS.address(0), numberToHex(10n * TOKEN)]
      yield* Effect.promise(() => chain.request({ method: "treemark_fund", params }))
    }
    const embedded = {
      mainnet: { ...mainnet, explorer: () => EXPLORER },
      testnet: { ...testnet, explorer: () => EXPLORER }
    }
    const networks = { profile: yield* profileOf("local", {}), embedded }
    const isFunded = Effect.gen(function* () {
      const { client } = (yield* Networks).role("testnet")
      return yield* Effect.promise(() => client.getBalance({ address: WALLETS.address(0) as Hex }))
    })
    return yield* eventually(isFunded, (wei) => wei > 0n).pipe(
      Effect.andThen(use),
      Effect.provide(daemon({ filename, networks }))
    )
  }).pipe(Effect.scoped)

describe("commits on an embedded chain", () => {
  it.live("a commit costs its gas at 100 gwei exactly, and the ceiling is 20 % more", () =>
    Effect.gen(function* () {
      yield* onLocal(
        yield* storeFile,
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const wanted = yield* order(yield* callerNamed("alice"), "one")
          const ceiling = yield* ledger.quote("mainnet", wanted)
          const entry = yield* record(wanted)
          const gas = entry.gasPaid / BASE_FEE_PER_GAS
          assert.strictEqual(gas * BASE_FEE_PER_GAS, entry.gasPaid)
          assert.isTrue(gas > 38_000n && gas < 45_000n, `${gas}`)
          assert.isTrue(ceiling >= entry.gasPaid && ceiling <= (entry.gasPaid * 13n) / 10n)
          assert.strictEqual(entry.chainId, 7_053_001)
          assert.strictEqual(ledger.explorerUrl("mainnet", entry.txHash), EXPLORER.replace("HASH", entry.txHash))
          assert.strictEqual((yield* ledger.history("mainnet", wanted.assetCid))[0]?.commitData, wanted.commitData)
          assert.isEmpty(yield* ledger.history("testnet", wanted.assetCid))
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("40 commits at once are 40 entries without a nonce gap, and the history has them in the ledger's order", () =>
    Effect.gen(function* () {
      yield* onLocal(
        yield* storeFile,
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const caller = yield* callerNamed("alice")
          const ids = Array.from({ length: 40 }, (_, n) => `commit-${n}`)
          const entries = yield* Effect.forEach(
            ids,
            (id) => Effect.flatMap(order(caller, id, "same asset"), (wanted) => record(wanted)),
            { concurrency: "unbounded" }
          )
          const nonces = yield* Effect.forEach(ids, (id) => Effect.map(jobOf(id), (job) => Number(job?.nonce)))
          assert.deepStrictEqual(
            nonces.toSorted((a, b) => a - b),
            ids.map((_, n) => n)
          )
          const history = yield* ledger.history("mainnet", assetCid("same asset"))
          assert.deepStrictEqual(
            history.map(({ txHash }) => txHash),
            entries
              .toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
              .map(({ txHash }) => txHash)
          )
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("after a restart the same id answers the same entry, and the next commit takes the next nonce", () =>
    Effect.gen(function* () {
      const filename = yield* storeFile
      const recordOne = (id: string) =>
        Effect.gen(function* () {
          return yield* record(yield* order(yield* callerNamed("alice"), id))
        })
      const before = yield* onLocal(filename, recordOne("one"))
      yield* onLocal(
        filename,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* recordOne("one"), before)
          yield* recordOne("two")
          assert.strictEqual((yield* jobOf("two"))?.nonce, 1)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("balances are those of both chains, and a role whose chain is not open is a failure at the start", () =>
    Effect.gen(function* () {
      yield* onLocal(
        yield* storeFile,
        Effect.gen(function* () {
          const balances = yield* NativeBalance
          assert.deepStrictEqual(balances.networks, [
            { name: "local mainnet", chainId: 7_053_001, kind: "native" },
            { name: "local testnet", chainId: 7_053_002, kind: "native" }
          ])
          assert.strictEqual(yield* balances.onMainnet(WALLETS.address(0)), 10n * TOKEN)
          assert.strictEqual(yield* balances.on(balances.networks[1]!, WALLETS.address(0)), 10n * TOKEN)
        })
      )
      const profile = yield* profileOf("local", {})
      const unopened = yield* Effect.exit(Effect.provide(Networks, Networks.layer({ profile })))
      assert.isTrue(Exit.isFailure(unopened))
    }).pipe(Effect.scoped)
  )
})
