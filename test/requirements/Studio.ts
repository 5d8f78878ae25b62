/**
 * A caller of the running daemon: one account, one registered asset, and what tests do with them. Refusals are checked whole here
 * (RFC 9457 body, and that nothing was charged: credits, the wallet's tokens and the asset's history are as before).
 */
import { createHash, randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Answer } from "../layers/HttpCall.ts"
import {
  type AccountOptions,
  type DaemonAccount,
  type DaemonOptions,
  type RegisteredAsset,
  RunningDaemon
} from "../layers/RunningDaemon.ts"

export const COMMIT = "/commit"
export const MAINNET = "/balance/mainnet"
export const ALL_NETWORKS = "/balance/all-networks"

export type Json = Record<string, unknown>
type Headers = Readonly<Record<string, string>>

export interface Receipt {
  readonly txHash: string
  readonly assetCid: string
  readonly assetTreeCid: string
  readonly explorer: string
}

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly requestId: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

export const authorized = (token: string): Headers => ({ authorization: `token ${token}` })

/** Checks an answer as RFC 9457 and decisions.md, section 7, say, and answers its body. */
export const assertProblem = (answer: Answer, status: number, code: string): Problem => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.headers["content-type"], "application/problem+json")
  const problem = answer.json() as unknown as Problem
  assert.strictEqual(problem.code, code, answer.text)
  assert.strictEqual(problem.type, `urn:treemark:problem:${code}`)
  assert.strictEqual(problem.status, status)
  assert.match(problem.requestId, /^req_[0-9a-f]{32}$/)
  assert.strictEqual(problem.requestId, answer.headers["x-request-id"])
  assert.isAbove(problem.title.length, 5)
  assert.isAbove(problem.detail.length, 20)
  return problem
}

/** The paths of the fields that a problem names. */
export const pathsOf = (problem: Problem): ReadonlyArray<string> => (problem.errors ?? []).map(({ path }) => path)

/** An account with an asset, and money as the options say. */
export const openStudio = Effect.fn("openStudio")(function* (options: Partial<AccountOptions> = {}) {
  const daemon = yield* RunningDaemon
  const name = options.name ?? `studio ${randomBytes(6).toString("hex")}`
  const { account, token } = yield* daemon.createAccount({ credits: "100", ...options, name })
  const bytes = new Uint8Array(randomBytes(1_500))
  const asset = yield* daemon.register(bytes)
  return studioOf({ daemon, account, token, asset, bytes })
})

const studioOf = (own: {
  readonly daemon: RunningDaemon["Service"]
  readonly account: DaemonAccount
  readonly token: string
  readonly asset: RegisteredAsset
  readonly bytes: Uint8Array
}) => {
  const { daemon, account, token, asset } = own

  /** The required fields, and `changes`; a member that is `undefined` is left out. */
  const request = (changes: Json = {}): Json => ({
    encodingFormat: asset.encodingFormat,
    assetCid: asset.assetCid,
    assetTimestampCreated: 1_780_000_000,
    assetCreator: "Alice",
    assetSha256: asset.assetSha256,
    ...changes
  })
  const post = (target: string, body: unknown, headers: Headers = {}) =>
    daemon.call(target, { method: "POST", body, headers: { ...authorized(token), ...headers } })
  const commit = Effect.fnUntraced(function* (changes: Json = {}, headers: Headers = {}) {
    const answer = yield* post(COMMIT, request(changes), headers)
    assert.strictEqual(answer.status, 200, answer.text)
    return answer.json() as unknown as Receipt
  })
  const rpc = Effect.fnUntraced(function* (role: "mainnet" | "testnet", method: string, ...params: Array<unknown>) {
    const answer = yield* daemon.call(`/rpc/${role}`, { body: { jsonrpc: "2.0", id: 1, method, params } })
    return answer.json().result as unknown
  })
  const history = Effect.fnUntraced(function* (query = "", assetCid = asset.assetCid) {
    const answer = yield* daemon.call(`/assets/${assetCid}/commits${query}`)
    assert.strictEqual(answer.status, 200, answer.text)
    return answer.json().commits as ReadonlyArray<{
      readonly txHash: string
      readonly blockNumber: number
      readonly recorder: string
      readonly commit: Json
    }>
  })
  /** Everything a charge or a commit would change. */
  const state = Effect.gen(function* () {
    const { credits } = yield* daemon.showAccount(account.id)
    const seen = (yield* daemon.call("/account", { headers: authorized(token) })).json()
    const tokens = BigInt(String(yield* rpc("mainnet", "eth_getBalance", account.wallet, "latest")))
    const commits = yield* Effect.forEach(["false", "true"], (testnet) =>
      Effect.map(
        daemon.call(`/assets/${asset.assetCid}/commits?testnet=${testnet}`),
        (answer) => (answer.json().commits as ReadonlyArray<unknown> | undefined)?.length
      )
    )
    return { credits, seen, tokens, commits }
  })
  /** Expects `answer` to be the problem, and that nothing was charged or recorded. */
  const refused = Effect.fnUntraced(function* <E>(answer: Effect.Effect<Answer, E>, status: number, code: string) {
    const before = yield* state
    const problem = assertProblem(yield* answer, status, code)
    assert.deepStrictEqual(yield* state, before, "a call that fails costs nothing")
    return problem
  })
  return {
    ...own,
    request,
    post,
    commit,
    rpc,
    history,
    refused,
    /** What the account has: credits as exact text, tokens in 10^-18. */
    state,
    /** Expects 400 `invalid_fields`, free, that names exactly `paths`. */
    refusedFields: Effect.fnUntraced(function* (changes: Json, paths: ReadonlyArray<string>) {
      const problem = yield* refused(post(COMMIT, request(changes)), 400, "invalid_fields")
      assert.deepStrictEqual(pathsOf(problem), paths, problem.detail)
      return problem
    }),
    /** The bytes of a tree as /ipfs serves them, and what they say. */
    tree: Effect.fnUntraced(function* (cid: string) {
      const { bytes, json } = yield* daemon.call(`/ipfs/${cid}`)
      return { bytes, sha256: createHash("sha256").update(bytes).digest("hex"), members: json() as Json }
    }),
    /** The commit record that a transaction put on the ledger. */
    record: Effect.fnUntraced(function* (txHash: string, query = "") {
      const found = (yield* history(query)).find((commit) => commit.txHash === txHash)
      assert.isDefined(found, `no commit ${txHash} in the history`)
      return found!
    })
  }
}

export type StudioShape = ReturnType<typeof studioOf>

/** The studio that the tests of a file share. */
export class Studio extends Context.Service<Studio, StudioShape>()("@treemark/test/requirements/Studio") {}

/**
 * One studio for the tests of a `describe` of that name, on the real clock, with the daemon that the files of a worker share, or one of
 * its own where `daemon` has options for it. `concurrent` tests run at the same time: only where none of them is charged, since refusals
 * compare what the studio has before and after.
 */
export const withStudio = (
  account: Partial<AccountOptions> = {},
  daemon?: DaemonOptions,
  { concurrent = false }: { readonly concurrent?: boolean } = {}
) =>
  layer(
    Layer.effect(Studio, openStudio(account)).pipe(
      Layer.provideMerge(daemon === undefined ? RunningDaemon.shared : RunningDaemon.layer(daemon))
    ),
    { excludeTestServices: true, timeout: 600_000, concurrent }
  )
