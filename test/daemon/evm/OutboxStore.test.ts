/** What is signed: under the lease of the wallet, and with a nonce that only a signature takes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Nonces from "../../../packages/daemon/src/evm/Nonces.ts"
import { makeOutboxStore } from "../../../packages/daemon/src/evm/OutboxStore.ts"
import type { ToSign } from "../../../packages/daemon/src/evm/OutboxTransaction.ts"
import { LeaseLost, Leases, type LeasesShape } from "../../../packages/daemon/src/store/Leases.ts"
import { HdWallets, walletsOf } from "../../../packages/daemon/src/wallets/HdWallets.ts"
import { withStore } from "../store/TempStore.ts"

const wallets = walletsOf(Redacted.make(new Uint8Array(64)))
const lane = { chainId: 31_337, address: wallets.address(0) }
const lease = { ...lane, epoch: 3 }
const terms = { gas: 21_000n, maxFeePerGas: 1n, maxPriorityFeePerGas: 0n, ceiling: 21_000n }
const wanted = { walletIndex: 0, to: wallets.address(1), data: "0x", value: 0n, terms } as unknown as ToSign

const storeUnder = (guard: LeasesShape["guard"]) =>
  makeOutboxStore.pipe(
    Effect.provideService(HdWallets, HdWallets.of(wallets)),
    Effect.provideService(Leases, { ...Leases.defaultValue(), guard })
  )

describe("a transaction", () => {
  it.live("is signed under the lease alone: a daemon that lost it signs nothing and takes no nonce", () =>
    withStore(
      Effect.gen(function* () {
        yield* Nonces.startAt(lane, 7)
        const lost = yield* storeUnder(() => Effect.fail(new LeaseLost(lease)))
        assert.strictEqual((yield* Effect.flip(lost.sign(wanted, lane, lease)))._tag, "LeaseLost")
        const held = yield* storeUnder(() => Effect.void)
        assert.strictEqual((yield* held.sign(wanted, lane, lease)).nonce, 7)
      })
    )
  )
})
