/** A process that keeps the index of a node's commits at its newest block until it is killed: FILE URL. Prints the hash it has come to. */
import { Effect, Layer, References } from "effect"
import { LedgerIndex } from "../../../packages/daemon/src/commits/LedgerIndex.ts"
import { Networks } from "../../../packages/daemon/src/evm/Networks.ts"
import { storeLayer } from "../store/TempStore.ts"
import { profileAt } from "./LedgerFixture.ts"

const [filename = "", url = ""] = process.argv.slice(2)

const follow = Effect.gen(function* () {
  const index = yield* LedgerIndex
  for (let last = ""; ; ) {
    // A chain that moves faster than it can be read is looked at again.
    const { highHash } = yield* Effect.orElseSucceed(index.catchUp("mainnet"), () => ({ highHash: last }))
    if (highHash !== last) process.stdout.write(`${highHash}\n`)
    last = highHash
    yield* Effect.sleep("5 millis")
  }
})

await Effect.runPromise(
  follow.pipe(
    Effect.provide(
      LedgerIndex.layer.pipe(
        Layer.provide(
          Layer.mergeAll(
            storeLayer(filename),
            Networks.layer({ profile: profileAt(url, 1) }),
            Layer.succeed(References.MinimumLogLevel, "None")
          )
        )
      )
    )
  )
)
