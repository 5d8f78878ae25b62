/** Proofs of inclusion made from real blocks of the embedded chain and of anvil, and verified by nothing but the file and a block hash. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createTestClient, type Hex, http, keccak256, numberToHex, publicActions, walletActions } from "viem"
import { commitDeployedBytecode } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { COMMIT_CONTRACT_ADDRESS } from "../../../packages/daemon/src/evm/LocalNetwork.ts"
import { checkOf } from "../../core/verification/Fixtures.ts"
import { isAnvilMissing, startAnvil } from "../../layers/Anvil.ts"
import { CHAIN_ID, openChain, TOKEN, temporaryFile } from "../devchain/ChainFixture.ts"
import { blockOf, type Chain, COMMITTER, placeOf, proofAt, transactions, verified } from "./InclusionFixture.ts"

/** Blocks of so many transactions, and where the commit stands in them. */
const BLOCKS: ReadonlyArray<readonly [count: number, place: number]> = [
  [1, 0],
  [2, 1],
  [16, 0],
  [17, 16],
  [65, 40],
  [130, 128],
  [300, 299]
]

/** So many of one account may wait on an embedded chain for the one before them, to go into one block for certain; further ones may not. */
const GAPPED = 64

/** The request function of a chain whose own blocks hold nothing but what `steer` puts in them. */
interface Steered {
  readonly chain: Chain
  /** Puts the raw transactions in one block, in order. */
  readonly mine: (raws: ReadonlyArray<Hex>) => Promise<void>
}

const holdsAt = Effect.fnUntraced(function* ({ chain, mine }: Steered, count: number, place: number, first: number) {
  const raws = yield* Effect.promise(() => transactions(chain, count, place, first))
  yield* Effect.promise(() => mine(raws))
  const position = yield* Effect.promise(() => placeOf(chain, keccak256(raws[place]!)))
  const block = yield* Effect.promise(() => blockOf(chain, position.blockNumber))
  if (!chain.embedded || count <= GAPPED + 1) assert.lengthOf(block.transactions, count)
  const proof = yield* proofAt(chain, position)
  const report = verified(proof, position)
  assert.strictEqual(checkOf(report, "ledger-inclusion").code, "ok", proof.slice(-600))
  assert.strictEqual(checkOf(report, "ledger-transaction").code, "ok")
  assert.strictEqual(report.verdict, "valid")
  assert.strictEqual(report.provenance.ledger, "ledger")
  assert.strictEqual(report.time, new Date(Number(block.timestamp) * 1000).toISOString().replace(".000Z", "Z"))
  assert.isBelow(proof.length, 40_000)
  return { proof, position }
})

const embedded = Effect.gen(function* () {
  const chain = yield* openChain(yield* temporaryFile)
  const steered: Steered = {
    chain: { chainId: CHAIN_ID, contract: COMMIT_CONTRACT_ADDRESS, request: chain.request, embedded: true },
    mine: async (raws) => {
      const send = (raw: Hex) => chain.request({ method: "eth_sendRawTransaction", params: [raw] })
      await Promise.all([...raws.slice(1, 1 + GAPPED), ...raws.slice(0, 1), ...raws.slice(1 + GAPPED)].map(send))
    }
  }
  const funded = yield* Effect.promise(() =>
    chain.request({ method: "treemark_fund", params: [COMMITTER.address, numberToHex(1000n * TOKEN)] })
  )
  yield* Effect.promise(async () => {
    while ((await chain.request({ method: "eth_getTransactionReceipt", params: [funded] })) === null) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })
  return steered
})

const ANVIL_CHAIN = 31_337
const ANVIL_CONTRACT = "0x0000000000000000000000000000000000007053"

const anvilChain = Effect.gen(function* () {
  const anvil = yield* startAnvil({ chainId: ANVIL_CHAIN, extraArgs: ["--no-mining", "--gas-limit", "60000000"] })
  const steer = createTestClient({ mode: "anvil", transport: http(anvil.url) })
    .extend(publicActions)
    .extend(walletActions)
  yield* Effect.promise(() => steer.setCode({ address: ANVIL_CONTRACT, bytecode: commitDeployedBytecode }))
  yield* Effect.promise(() => steer.setBalance({ address: COMMITTER.address, value: 1000n * TOKEN }))
  const steered: Steered = {
    chain: {
      chainId: ANVIL_CHAIN,
      contract: ANVIL_CONTRACT,
      request: (call) => steer.request(call as never),
      embedded: false
    },
    mine: async (raws) => {
      for (const raw of raws) await steer.sendRawTransaction({ serializedTransaction: raw })
      await steer.mine({ blocks: 1 })
    }
  }
  return steered
})

describe("a proof of inclusion", () => {
  it.live(
    "of blocks of 1 to 300 transactions on the embedded chain holds, with the transaction",
    () =>
      Effect.gen(function* () {
        const steered = yield* embedded
        let nonce = 0
        for (const [count, place] of BLOCKS) {
          yield* holdsAt(steered, count, place, nonce)
          nonce += count
        }
      }).pipe(Effect.scoped),
    600_000
  )

  it.live.skipIf(isAnvilMissing)(
    "of blocks of 1 to 300 transactions on anvil holds, rebuilt from standard JSON-RPC",
    () =>
      Effect.gen(function* () {
        const steered = yield* anvilChain
        let nonce = 0
        for (const [count, place] of BLOCKS) {
          yield* holdsAt(steered, count, place, nonce)
          nonce += count
        }
      }).pipe(Effect.scoped),
    600_000
  )
})
