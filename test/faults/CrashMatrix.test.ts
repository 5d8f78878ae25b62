/**
 * Death before and after every stored step and every outside effect of a commit: it ends exactly once all the same. `npm run test:long`
 * dies at every point; `npm test` only sees that every one is there, and dies around each sending on SQLite and wherever is drawn.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isAnvilMissing } from "../layers/Anvil.ts"
import { isLong, patience } from "../layers/Long.ts"
import { isPostgresMissing } from "../layers/PostgresCluster.ts"
import { buildDaemon } from "./Bundle.ts"
import { crashMatrix, type Work } from "./CrashMatrix.ts"
import type { Point } from "./FailPoints.ts"
import { lateAnvilChain, postgresRig, sqliteRig } from "./Rig.ts"
import { chanceFor } from "./Seed.ts"

/** Points that there must be, whatever a dry run finds: a matrix that has lost sight of one proves nothing. */
const COMMIT = [
  /insert idempotency\b/u,
  /insert hold\b/u,
  /store block$/u,
  /insert commit_job\b/u,
  /eth_sendRawTransaction$/u,
  /eth_getTransactionReceipt$/u,
  /update commit_job\b/u,
  /update hold\b/u,
  /update idempotency\b/u,
  /answer 200$/u
]
const TRANSFER = [/insert settlement\b/u, /insert transfer_job\b/u, /update transfer_job\b/u, /update settlement\b/u]
const REPLAY = [/answer 200$/u]
const NEEDED: Readonly<Record<Work, ReadonlyArray<RegExp>>> = {
  credits: COMMIT,
  tokens: [...COMMIT, ...TRANSFER],
  again: REPLAY
}

const whole = (work: Work, points: ReadonlyArray<Point>): ReadonlyArray<Point> => {
  for (const needed of NEEDED[work]) {
    for (const side of ["before", "after"]) {
      assert.isTrue(
        points.some(({ line }) => line.startsWith(side) && needed.test(line)),
        `no point ${side} ${needed} among ${points.map(({ line }) => line).join("\n")}`
      )
    }
  }
  return points
}

const SENDING = /eth_sendRawTransaction$/u

/** All points, in a long run; else some, which are the same whenever it is asked. */
const chooser = (work: Work, store: "SQLite" | "PostgreSQL") => {
  if (isLong) return (points: ReadonlyArray<Point>) => whole(work, points)
  const chance = chanceFor(`points drawn for ${work} on ${store}`)
  let drawn: ReadonlySet<number> | undefined
  return (points: ReadonlyArray<Point>): ReadonlyArray<Point> => {
    drawn ??= new Set(Array.from({ length: store === "SQLite" ? 1 : 2 }, () => chance.below(points.length)))
    return whole(work, points).filter(
      ({ line }, index) => drawn?.has(index) || (store === "SQLite" && SENDING.test(line))
    )
  }
}

const SHARE = isLong ? "" : " (at points drawn)"

const TITLES: Readonly<Record<Work, string>> = {
  credits: "of a commit from credits",
  tokens: "of a commit paid by the wallet, and of the transfer that settles it",
  again: "of a commit that is asked for again"
}

describe.concurrent("a daemon on SQLite and the embedded chain that dies at any point", () => {
  for (const work of ["credits", "tokens", "again"] as const) {
    it.live(
      `${TITLES[work]} leaves it made exactly once and charged exactly once${SHARE}`,
      () =>
        Effect.gen(function* () {
          const chosen = chooser(work, "SQLite")
          const { died, points } = yield* crashMatrix(yield* buildDaemon, yield* sqliteRig, work, chosen)
          assert.deepStrictEqual(died, chosen(points))
        }).pipe(Effect.scoped),
      patience(5)
    )
  }
})

describe
  .skipIf(isAnvilMissing || isPostgresMissing)
  .concurrent("a daemon on PostgreSQL and a node elsewhere that dies at any point", () => {
    for (const work of ["credits", "tokens", "again"] as const) {
      it.live(
        `${TITLES[work]} leaves it made exactly once and charged exactly once${SHARE}`,
        () =>
          Effect.gen(function* () {
            const { rig } = yield* postgresRig(yield* lateAnvilChain)
            const chosen = chooser(work, "PostgreSQL")
            const { died, points } = yield* crashMatrix(yield* buildDaemon, rig, work, chosen)
            assert.deepStrictEqual(died, chosen(points))
          }).pipe(Effect.scoped),
        patience(10)
      )
    }
  })
