/** anvil behind a proxy that lies, hangs or cuts off as a test says, and a daemon's ledger side on it that can be ended and started anew. */
import { Duration, Effect, Exit } from "effect"
import type { Hex } from "viem"
import { startProxy } from "./FaultyProxy.ts"
import {
  anvilWithContract,
  callerNamed,
  type Daemon,
  type DaemonOptions,
  daemon,
  order,
  profileAt,
  record,
  storeFile,
  WALLETS
} from "./LedgerFixture.ts"

export const SEND = "eth_sendRawTransaction"
export const RECEIPT = "eth_getTransactionReceipt"
export const service = WALLETS.address(0) as Hex

/** anvil behind a proxy, and a way to start the daemon on them, on the same store each time. */
export const rig = Effect.fnUntraced(function* (extraArgs: ReadonlyArray<string> = []) {
  const anvil = yield* anvilWithContract(extraArgs)
  const proxy = yield* startProxy(anvil.url)
  const filename = yield* storeFile
  const run = <A, E>(use: Effect.Effect<A, E, Daemon>, options: Partial<DaemonOptions> = {}) =>
    use.pipe(
      Effect.provide(
        daemon({
          filename,
          networks: { profile: profileAt(proxy.url), rpcTimeout: Duration.millis(400) },
          outbox: { resendAfter: Duration.seconds(1), displacedAfter: Duration.millis(500) },
          ...options
        })
      ),
      Effect.scoped
    )
  const mined = Effect.promise(() => anvil.client.getTransactionCount({ address: service }))
  return { anvil, proxy, run, mined }
})

/** Time enough for a busy machine to send a commit, and soon over. */
export const shortDeadline = { deadline: Duration.seconds(2) }

/** Holds and records one commit; answers how that ended. */
export const recordOne = Effect.fnUntraced(function* (id: string) {
  const wanted = yield* order(yield* callerNamed("alice"), id)
  return yield* Effect.exit(record(wanted))
})

export const errorOf = <A, E>(exit: Exit.Exit<A, E>): E => {
  const error = Exit.findErrorOption(exit)
  if (error._tag === "None") throw new Error(`expected a failure, not ${JSON.stringify(exit)}`)
  return error.value
}

export const isCaptured = (job: { readonly hold_state: string } | undefined) => job?.hold_state === "captured"
