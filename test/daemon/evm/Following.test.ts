/** Sending under a lease: a daemon that lost the wallet, because it stood still for a while, hands nothing to a node any more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { RpcRequestError, TransactionNotFoundError, TransactionReceiptNotFoundError } from "viem"
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

const HASH = `0x${"11".repeat(32)}` as const

/** How following ends where the nonce is spent and the node knows the transaction or not, and shows its receipt late. */
const followed = Effect.fnUntraced(function* (isKnown: boolean) {
  let looks = 0
  const client = {
    sendRawTransaction: async () => {
      const error = { code: -32_000, message: "nonce too low" }
      throw new RpcRequestError({ body: {}, error, url: "http://node" })
    },
    getTransactionReceipt: async () => {
      if (++looks < 4) throw new TransactionReceiptNotFoundError({ hash: HASH })
      return { transactionHash: HASH }
    },
    getTransaction: async () => {
      if (!isKnown) throw new TransactionNotFoundError({ hash: HASH })
      return { hash: HASH }
    }
  }
  const network = { name: "net", client } as unknown as LedgerNetwork
  const signed = { network, hash: HASH, nonce: 7, raw: "0x02" } as unknown as Signed
  const store = { untilStored: () => Effect.void, displace: () => Effect.void } as unknown as OutboxStore
  const { follow } = yield* makeFollowing(store, { resendAfter: 1, displacedAfter: 0, replaceAfter: 1 }).pipe(
    Effect.provideService(HdWallets, HdWallets.of(walletsOf(Redacted.make(new Uint8Array(64))))),
    Effect.provideService(Leases, { ...Leases.defaultValue(), confirm: () => Effect.void })
  )
  const lane = { stopped: undefined } as unknown as Parameters<typeof follow>[0]["lane"]
  const spent = { kind: "spent", reason: "nonce too low" } as const
  return yield* follow({ signed, hashes: [HASH], lane, lease, isResumed: false }, spent).pipe(
    Effect.map(({ transactionHash }) => transactionHash as string),
    Effect.catchTag("TransactionLost", ({ state }) => Effect.succeed(state as string))
  )
})

describe("a transaction whose nonce is spent", () => {
  it.live("is waited for while its node knows it, and displaced when the node knows none of ours", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* followed(true), HASH)
      assert.strictEqual(yield* followed(false), "displaced")
    })
  )
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
