/** `/ready` tells the truth: a committer that signs nothing more, or cannot pay gas, and a store that takes nothing, are 503 with what to do. */

import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ContentStore } from "@treemark/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Networks } from "../../packages/daemon/src/evm/Networks.ts"
import { Outbox } from "../../packages/daemon/src/evm/Outbox.ts"
import { Readiness } from "../../packages/daemon/src/http/service/Readiness.ts"
import * as ReadinessChecks from "../../packages/daemon/src/ReadinessChecks.ts"
import { layer as settingsLayer } from "../../packages/daemon/src/Settings.ts"
import * as Store from "../../packages/daemon/src/store/Store.ts"
import { CommitterCount } from "../../packages/daemon/src/wallets/CommitterCount.ts"
import { HdWallets } from "../../packages/daemon/src/wallets/HdWallets.ts"
import { temporaryHome } from "../end-to-end/Treemarkd.ts"

const WALLET = "0x4BD5C4eDDAf5C0d61f8d0bAbc4Ba0D5d6Cb0cB31"
const GWEI = 1_000_000_000n

const network = (role: "mainnet" | "testnet", balance: bigint) => ({
  role,
  name: role,
  chainId: role === "mainnet" ? 1 : 2,
  embedded: true,
  fees: { tip: 0n, cap: 1_000n * GWEI },
  client: {
    getBlockNumber: () => Promise.resolve(7n),
    getBalance: () => Promise.resolve(balance),
    getBlock: () => Promise.resolve({ baseFeePerGas: 100n * GWEI })
  }
})

/** The checks that fail, by name, with their reason. */
const failing = (state: { readonly balance: bigint; readonly stopped?: string; readonly readOnly?: boolean }) =>
  Effect.gen(function* () {
    const home = yield* temporaryHome
    const services = Layer.mergeAll(
      Store.layer({ home, databaseUrl: Option.none() }),
      settingsLayer({ home }, {}),
      Layer.succeed(Networks, { role: (role: "mainnet" | "testnet") => network(role, state.balance) } as never),
      Layer.succeed(Outbox, {
        stopped: (chainId: number) => (chainId === 1 ? state.stopped : undefined)
      } as never),
      Layer.succeed(HdWallets, { address: () => WALLET } as never),
      Layer.succeed(CommitterCount, 1),
      Layer.succeed(ContentStore, {} as never)
    ).pipe(Layer.provideMerge(NodeServices.layer))
    const looking = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      if (state.readOnly === true) yield* sql`PRAGMA query_only = ON`
      const checks = yield* (yield* Readiness).check
      return Object.fromEntries(checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]))
    })
    return yield* looking.pipe(Effect.provide(ReadinessChecks.layer.pipe(Layer.provideMerge(services))))
  })

describe("/ready", () => {
  it.live("is well when every wallet can pay one commit", () =>
    Effect.map(failing({ balance: 4_000_000n * GWEI }), (found) => assert.deepStrictEqual(found, {}))
  )

  it.live("names a wallet that holds less than the gas of one commit, and how much that is", () =>
    Effect.map(failing({ balance: 4_000_000n * GWEI - 1n }), (found) => {
      assert.deepStrictEqual(Object.keys(found), [`mainnet committer ${WALLET}`, `testnet committer ${WALLET}`])
      assert.include(
        Object.values(found)[0],
        "holds 0.003999999999999999 on mainnet, and the gas of one commit may cost 0.004"
      )
    })
  )

  it.live("names a wallet that signs nothing more, why, and what to do", () =>
    Effect.map(failing({ balance: GWEI * GWEI, stopped: "another program used its key." }), (found) => {
      assert.deepStrictEqual(Object.keys(found), [`mainnet committer ${WALLET}`])
      assert.match(Object.values(found)[0] ?? "", /another program used its key\. .*restart this daemon/u)
    })
  )

  it.live("names a store that can be read and not written", () =>
    Effect.map(failing({ balance: GWEI * GWEI, readOnly: true }), (found) => {
      assert.deepStrictEqual(Object.keys(found), ["store"])
      assert.match(found.store ?? "", /takes nothing that is written: .*readonly/u)
    })
  )
})
