/** Sending under a lease: a daemon that lost the wallet, because it stood still for a while, hands nothing to a node any more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { makeFollowing } from "../../../packages/daemon/src/evm/Following.ts"
import type { LedgerNetwork } from "../../../packages/daemon/src/evm/Networks.ts"
import type { OutboxStore } from "../../../packages/daemon/src/evm/OutboxStore.ts"
import type { Signed } from "../../../packages/daemon/src/evm/OutboxTransaction.ts"
import { LeaseLost, Leases, type LeasesShape } from "../../../packages/daemon/src/store/Leases.ts"
import { HdWallets, walletsOf } from "../../../packages/daemon/src/wallets/HdWallets.ts"

const lease = { chainId: 31_337, address: "0xc0", epoch: 3 }

/** What a node was handed by a daemon whose lease is as `confirm` says, and how that ended. */
const sent = Effect.fnUntraced(function* (confirm: LeasesShape["confirm"]) {
  const handed: Array<string> = []
  const client = {
    sendRawTransaction: async ({ serializedTransaction }: { readonly serializedTransaction: string }) =>
      void handed.push(serializedTransaction)
  }
  const signed = { network: { name: "net", client } as unknown as LedgerNetwork, raw: "0x02" } as unknown as Signed
  const patience = { resendAfter: 1, displacedAfter: 1, replaceAfter: 1 }
  const { sendUnder } = yield* makeFollowing({} as OutboxStore, patience).pipe(
    Effect.provideService(HdWallets, HdWallets.of(walletsOf(Redacted.make(new Uint8Array(64))))),
    Effect.provideService(Leases, { ...Leases.defaultValue(), confirm })
  )
  const ended = yield* sendUnder(lease, signed).pipe(
    Effect.map(({ kind }) => kind),
    Effect.catchTag("LeaseLost", ({ _tag }) => Effect.succeed(_tag))
  )
  return { handed, ended }
})

describe("a signed transaction", () => {
  it.effect("is handed to a node while the lease holds, and never once it is lost", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sent(() => Effect.void), { handed: ["0x02"], ended: "taken" })
      const lost = yield* sent(() => Effect.fail(new LeaseLost(lease)))
      assert.deepStrictEqual(lost, { handed: [], ended: "LeaseLost" })
    })
  )
})
