/**
 * A process for the kill test: opens the chain in argv[2], commits with the key argv[3] as fast as it can, eight in
 * flight, and prints each receipt it has seen as one line of JSON. It runs until it is killed.
 */
import { Effect } from "effect"
import { type Hex, numberToHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { openChain, type Receipt, receiptOf, rpc, sign, TOKEN } from "./ChainFixture.ts"

const [, , path = "", key = "0x"] = process.argv
const IN_FLIGHT = 8

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const chain = yield* openChain(path)
      yield* Effect.promise(async () => {
        const account = privateKeyToAccount(key as Hex)
        await receiptOf(chain, await rpc(chain, "treemark_fund", account.address, numberToHex(100n * TOKEN)))
        let next = Number(await rpc(chain, "eth_getTransactionCount", account.address, "latest"))
        const commit = async (): Promise<never> => {
          for (;;) {
            const raw = await sign(account, { nonce: next++ })
            const receipt: Receipt = await receiptOf(chain, await rpc(chain, "eth_sendRawTransaction", raw))
            process.stdout.write(`${JSON.stringify(receipt)}\n`)
          }
        }
        await Promise.all(Array.from({ length: IN_FLIGHT }, commit))
      })
    })
  )
)
