/**
 * Adds files: each is read, asked about, and, unless it is committed with these words already, registered and committed. What happens to
 * one file is told at once and harms no other; what would happen to each (no funds, no daemon) ends the run, with every file named.
 */
import { type Amount, AmountInTokens, amount, formatTokens } from "@treemark/core"
import { Console, Effect, Schedule, Schema, Stream } from "effect"
import { HttpClientError } from "effect/http"
import { MOST_IDENTITIES } from "../../admin/AdditionsApi.ts"
import type { Admin } from "../Admin.ts"
import { FileProblem, fileProblem } from "./FileProblem.ts"
import { creatorOf, identityOf, requestOf, type Words } from "./Identity.ts"
import { type Counts, jsonOf, lineOf, type Outcome } from "./Outcome.ts"
import { type ReadFile, readAgain, readFile } from "./ReadFile.ts"
import { type FoundFile, nameOf, type Walked } from "./Walk.ts"

export interface Adding {
  readonly admin: Admin["Service"]
  readonly account: string
  readonly words: Words
  readonly isDryRun: boolean
  /** What all runs with a limit may spend in a day of UTC. */
  readonly dailyLimit: Amount | undefined
  readonly json: boolean
}

interface Wanted {
  readonly read: ReadFile
  readonly creator: string
  readonly identity: string
}

const READ_AT_ONCE = 4
const COMMITS_AT_ONCE = 8

const LIMIT_REACHED = "spending_limit_reached"

/** Refusals that the next file would meet as well. */
const ENDING = new Set([
  "account_closed",
  "account_disabled",
  "account_not_found",
  "insufficient_funds",
  LIMIT_REACHED,
  "scope_missing",
  "storage_unavailable"
])

/** Another run's commit of the same file ends soon. */
const IN_USE = "idempotency_key_in_use"
const WAITING = Schedule.spaced("500 millis")
const WAITS = 120

export interface Added {
  readonly counts: Counts
  /** Why no further file was tried. */
  readonly ended: FileProblem | undefined
  /** How each file ended, by the state it was in. */
  readonly stamps: ReadonlyMap<string, Outcome["what"]>
}

/** Adds what was walked, tells each file's end, and counts. */
export const addFiles = Effect.fnUntraced(function* (adding: Adding, walked: ReadonlyArray<Walked>) {
  const counts = { committed: 0, already: 0, same: 0, "would-commit": 0, skipped: 0, failed: 0 }
  const stamps = new Map<string, Outcome["what"]>()
  const tell = (file: FoundFile, outcome: Outcome, stamp?: string) => {
    counts[outcome.what]++
    if (stamp !== undefined) stamps.set(stamp, outcome.what)
    return Console.log(adding.json ? jsonOf(file, outcome) : lineOf(file, outcome))
  }
  const account = (yield* planned(adding, [])).account

  const wanted = new Map<string, Wanted>()
  const repeated: Array<{ readonly read: ReadFile; readonly as: Wanted }> = []
  const look = Effect.fnUntraced(function* (one: Walked) {
    if ("skipped" in one) return yield* tell(one.file, { what: "skipped", reason: one.skipped })
    if ("problem" in one) return yield* tell(one.file, { what: "failed", problem: one.problem })
    const found = yield* attempt(() => readFile(one.file))
    if (found instanceof FileProblem) return yield* tell(one.file, { what: "failed", problem: found })
    const known = yield* attempt(async () => {
      const creator = creatorOf(adding.words, found, account.name)
      return { read: found, creator, identity: identityOf(account.id, found.sha256, creator, adding.words) }
    })
    if (known instanceof FileProblem) return yield* tell(one.file, { what: "failed", problem: known }, found.stamp)
    const first = wanted.get(known.identity)
    if (first === undefined) wanted.set(known.identity, known)
    else repeated.push({ read: found, as: first })
  })
  yield* Effect.forEach(walked, look, { concurrency: READ_AT_ONCE, discard: true })

  const plan = yield* planned(adding, [...wanted.keys()])
  const open: Array<Wanted> = []
  for (const one of wanted.values()) {
    const receipt = plan.done.get(one.identity)
    const { file, sha256, stamp } = one.read
    if (receipt !== undefined) yield* tell(file, { what: "already", sha256, receipt }, stamp)
    else if (adding.isDryRun) yield* tell(file, { what: "would-commit", sha256 }, stamp)
    else open.push(one)
  }
  if (open.length > 0 || counts["would-commit"] > 0) {
    yield* tellPrice(adding, plan, open.length + counts["would-commit"])
  }

  let ended: FileProblem | undefined
  const failed = new Map<string, FileProblem>()
  const commit = Effect.fnUntraced(function* (one: Wanted) {
    const { file, sha256, stamp } = one.read
    const result =
      ended !== undefined
        ? notTried(ended)
        : yield* Effect.catch(committed(adding, one), (problem) => Effect.succeed(problem))
    if (!(result instanceof FileProblem))
      return yield* tell(file, { what: "committed", sha256, receipt: result }, stamp)
    if (result instanceof EndingProblem) ended ??= result
    failed.set(one.identity, result)
    yield* tell(file, { what: "failed", problem: result })
  })
  yield* Effect.forEach(open, commit, { concurrency: COMMITS_AT_ONCE, discard: true })
  for (const { as, read } of repeated) {
    const problem = failed.get(as.identity)
    if (problem !== undefined) yield* tell(read.file, { what: "failed", problem })
    else yield* tell(read.file, { what: "same", sha256: read.sha256, as: as.read.file }, read.stamp)
  }
  return { counts, ended, stamps } satisfies Added
})

/** A problem that every further file would have. */
class EndingProblem extends FileProblem {}

const notTried = ({ code, message }: FileProblem) => new FileProblem(code, `not tried after this: ${message}`)

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A | FileProblem> =>
  Effect.promise(() => work().catch((error: unknown) => fileProblem(error)))

type Plan = Effect.Success<ReturnType<typeof planned>>

/** What is done already, and what a commit costs. */
const planned = Effect.fnUntraced(function* ({ account, admin }: Adding, identities: ReadonlyArray<string>) {
  const ask = (part: ReadonlyArray<string>) =>
    admin.client.additions.plan({ params: { account }, payload: { identities: part } })
  let last = yield* ask(identities.slice(0, MOST_IDENTITIES))
  const done = new Map(last.done.map(({ identity, receipt }) => [identity, receipt]))
  for (let from = MOST_IDENTITIES; from < identities.length; from += MOST_IDENTITIES) {
    last = yield* ask(identities.slice(from, from + MOST_IDENTITIES))
    for (const { identity, receipt } of last.done) done.set(identity, receipt)
  }
  return { ...last, done }
})

const units = Schema.decodeSync(AmountInTokens)

/** Before anything is spent: what all of it costs, and what the account has. */
const tellPrice = ({ json }: Adding, plan: Plan, count: number) => {
  const price = formatTokens(amount(units(plan.price) * BigInt(count)))
  const gasAbout = formatTokens(amount(units(plan.gasAbout) * BigInt(count)))
  return Console.log(
    json
      ? JSON.stringify({ plan: { files: count, price, gasAbout, credits: plan.credits } })
      : `${count} ${count === 1 ? "file" : "files"} to commit: ${price} and gas of about ${gasAbout}; ${plan.account.name} has ${plan.credits} credits${
          units(plan.credits) < units(price) ? ", and what they do not cover is taken from its wallet" : ""
        }.`
  )
}

/** Registers and commits one file; the same identity gives the same commit, whoever asks again and however often. */
const committed = Effect.fnUntraced(function* (adding: Adding, { creator, identity, read }: Wanted) {
  const { account, admin, dailyLimit, words } = adding
  let problem: FileProblem | undefined
  const bytes = Stream.fromAsyncIterable(readAgain(read), (error) => {
    problem = fileProblem(error)
    return { _tag: "FileProblem", message: problem.message }
  })
  const file = { bytes, fileName: nameOf(read.file), contentType: undefined, size: read.size, account }
  const asset = yield* admin.register(file).pipe(Effect.mapError((error) => problem ?? problemOf(error)))
  if (asset.assetSha256 !== read.sha256) {
    return yield* Effect.fail(
      new FileProblem("changing", "it changed while it was read; run this again once it is whole")
    )
  }
  const request = requestOf(asset, read, creator, words)
  return yield* admin.client.additions
    .commit({
      params: { account },
      payload: { identity, request, ...(dailyLimit === undefined ? {} : { dailyLimit }) }
    })
    .pipe(
      Effect.retry({ while: (error) => codeOf(error) === IN_USE, schedule: WAITING, times: WAITS }),
      Effect.mapError((error) =>
        codeOf(error) === LIMIT_REACHED && dailyLimit !== undefined ? limitReached(dailyLimit) : problemOf(error)
      )
    )
})

const limitReached = (limit: Amount) =>
  new EndingProblem(
    LIMIT_REACHED,
    `--limit lets ${formatTokens(limit)} be spent in a day, and what is left of it today (UTC) is not enough. Run this again after midnight (UTC), or with a higher --limit: it does only what is missing`
  )

const codeOf = (error: object): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined

const problemOf = (error: { readonly _tag: string; readonly message: string }): FileProblem => {
  const code = codeOf(error)
  if (HttpClientError.isHttpClientError(error) || code === undefined) {
    const message =
      "the daemon stopped answering; see treemarkd status, start it, and run this again: what was committed is not committed twice"
    return new EndingProblem("unavailable", message)
  }
  const message = `${error.message} Then run this again: it does only what is missing.`
  return ENDING.has(code) ? new EndingProblem(code, message) : new FileProblem(code, message)
}
