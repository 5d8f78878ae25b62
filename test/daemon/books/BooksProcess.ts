/**
 * A process of its own on the books of FILE: opens an account, holds money for ten calls, captures the first three, prints the ids
 * of the holds, and waits to be killed.
 */
import { writeSync } from "node:fs"
import { Charges } from "@treemark/core"
import { Effect } from "effect"
import { bankLayer, hold, openAccount, TOKEN } from "./Bank.ts"

const work = Effect.gen(function* () {
  const charges = yield* Charges
  const alice = yield* openAccount("alice", 5n * TOKEN, 10n * TOKEN)
  const holds = yield* Effect.forEach(
    Array.from({ length: 10 }, (_, n) => n),
    (n) => hold(alice, TOKEN, `cmt_${n}`)
  )
  yield* Effect.forEach(holds.slice(0, 3), (one) => charges.capture(one, one.amount))
  writeSync(1, `${holds.map((one) => one.id).join(" ")}\n`)
  yield* Effect.sleep("1 hour")
})

await Effect.runPromise(Effect.provide(work, bankLayer(process.argv[2] ?? "")))
