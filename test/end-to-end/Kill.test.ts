/** kill -9 at any moment: the ledger, the books and the callers still agree. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { startDaemon } from "../layers/RunningDaemon.ts"
import { attempt, creditsLeft, makeCallers, minedNotCaptured, onLedger, settled } from "./Callers.ts"
import { bytesOf } from "./Treemarkd.ts"

describe("a daemon that is killed", () => {
  it.live("kill -9 right after a 200 loses nothing that was answered, and nothing is committed or charged twice", () =>
    Effect.gen(function* () {
      const daemon = yield* startDaemon()
      const callers = yield* makeCallers(daemon, 8, "20")
      const asset = yield* daemon.register(bytesOf("kill"))
      let answered = 0
      let betweenMinedAndCaptured = 0
      const commits = Effect.fnUntraced(function* (caller: (typeof callers)[number], round: number) {
        const attempts = []
        for (let index = 0; ; index += 1) {
          const made = yield* attempt(daemon, caller, asset, `${caller.name} round ${round} commit ${index}`)
          attempts.push(made)
          if (made.status === 200) answered += 1
          if (made.status === undefined) return attempts
        }
      })
      const all = []
      for (let round = 0; round < 3 || (betweenMinedAndCaptured === 0 && round < 15); round += 1) {
        const before = answered
        const working = yield* Effect.forkChild(
          Effect.forEach(callers, (caller) => commits(caller, round), { concurrency: "unbounded" })
        )
        yield* Effect.sleep("1 millis").pipe(Effect.repeat({ until: () => answered > before + round * 5 }))
        yield* daemon.kill("SIGKILL")
        all.push(...(yield* Fiber.join(working)).flat())
        betweenMinedAndCaptured += minedNotCaptured(daemon.home)
        yield* daemon.restart()
      }
      assert.isAbove(betweenMinedAndCaptured, 0, "no kill fell between the block and the books")
      const broken = all.filter(({ status }) => status === undefined)
      const done = all.filter(({ status }) => status === 200)
      assert.deepStrictEqual(all.length, broken.length + done.length, "an answer was neither 200 nor cut off")
      assert.isAtLeast(broken.length, 8)
      assert.strictEqual(yield* settled(daemon.home), 0)

      const repeated = yield* Effect.forEach(broken, ({ caller, message }) => attempt(daemon, caller, asset, message), {
        concurrency: 8
      })
      assert.deepStrictEqual(new Set(repeated.map(({ status }) => status)), new Set([200]))
      assert.strictEqual(yield* settled(daemon.home), 0)

      const ledger = yield* onLedger(daemon, asset)
      const messages = ledger.map(({ message }) => message)
      assert.deepStrictEqual(new Set(ledger.map(({ status }) => status)), new Set(["0x1"]))
      assert.deepStrictEqual([...messages].sort(), all.map(({ message }) => message).sort())
      for (const { body, message } of [...done, ...repeated]) {
        const { txHash } = JSON.parse(body) as { readonly txHash: string }
        assert.deepInclude(
          ledger.find((commit) => commit.txHash === txHash),
          { message }
        )
      }
      for (const caller of callers) {
        const own = yield* daemon.call("/account", { headers: { authorization: `token ${caller.token}` } })
        assert.strictEqual(own.json().credits, creditsLeft(caller, ledger), caller.name)
        assert.strictEqual((yield* daemon.showAccount(caller.name)).credits, creditsLeft(caller, ledger), caller.name)
      }
    })
  )
})
