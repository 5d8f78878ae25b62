/** Callers that commit without pause while a daemon comes and goes, and the ledger's own word on what became of it. */
import { createHash } from "node:crypto"
import { type Agent, request } from "node:http"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { amount, formatTokens, parseTokens } from "@treemark/core"
import { Effect } from "effect"
import type { RegisteredAsset, RunningDaemon } from "../layers/RunningDaemon.ts"
import { commitRequest } from "./Treemarkd.ts"

type Daemon = RunningDaemon["Service"]

export interface Caller {
  readonly name: string
  readonly wallet: string
  readonly token: string
  readonly granted: bigint
}

/** One POST /commit. `status` is undefined when the connection broke before an answer came. */
export interface Attempt {
  readonly caller: Caller
  readonly message: string
  readonly status: number | undefined
  readonly body: string
}

export const makeCallers = (daemon: Daemon, count: number, credits: string) =>
  Effect.forEach(Array.from({ length: count }), (_, index) =>
    Effect.map(
      daemon.createAccount({ name: `caller ${index}`, credits }),
      ({ account, token }): Caller => ({
        name: account.name,
        wallet: account.wallet,
        token,
        granted: parseTokens(credits) ?? amount(0n)
      })
    )
  )

/** Commits `asset`; the message tells this commit from all others and is its idempotency key. Never fails. */
export const attempt = (
  daemon: Pick<Daemon, "url">,
  caller: Caller,
  asset: RegisteredAsset,
  message: string,
  agent?: Agent
) =>
  Effect.callback<Attempt>((resume) => {
    const ended = (status: number | undefined, body: string) =>
      resume(Effect.succeed({ caller, message, status, body }))
    const outgoing = request(
      `${daemon.url}/commit`,
      {
        method: "POST",
        agent: agent ?? false,
        headers: {
          authorization: `token ${caller.token}`,
          "content-type": "application/json",
          "idempotency-key": createHash("sha256").update(message).digest("hex").slice(0, 32)
        }
      },
      (incoming) => {
        let body = ""
        incoming.on("data", (text: Buffer) => (body += text.toString("utf8")))
        incoming.on("end", () => ended(incoming.statusCode, body))
        incoming.on("error", () => ended(undefined, ""))
      }
    )
    outgoing.on("error", () => ended(undefined, ""))
    outgoing.end(JSON.stringify(commitRequest(asset, { commitMessage: message })))
  })

interface OnLedger {
  readonly txHash: string
  readonly commit: { readonly author: string; readonly abstract: string }
}

const rpc = Effect.fnUntraced(function* (daemon: Daemon, method: string, params: ReadonlyArray<unknown>) {
  const answer = yield* daemon.call("/rpc/mainnet", { body: { jsonrpc: "2.0", id: 1, method, params } })
  return answer.json().result as Record<string, string>
})

/** What the ledger holds of `asset`, with what each commit must have cost: 0.1 and the gas of its receipt. */
export const onLedger = Effect.fnUntraced(function* (daemon: Daemon, asset: RegisteredAsset) {
  const listed = (yield* daemon.call(`/assets/${asset.assetCid}/commits`)).json().commits as ReadonlyArray<OnLedger>
  return yield* Effect.forEach(
    listed,
    ({ txHash, commit }) =>
      Effect.map(rpc(daemon, "eth_getTransactionReceipt", [txHash]), ({ effectiveGasPrice, gasUsed, status }) => ({
        txHash,
        message: commit.abstract,
        author: commit.author,
        status,
        cost: 100_000_000_000_000_000n + BigInt(gasUsed!) * BigInt(effectiveGasPrice!)
      })),
    { concurrency: 8 }
  )
})

/** Rows of the daemon's own store (or of another file beside it), read without its help. */
export const rowsOf = (home: string, query: string, file = "treemark.db"): ReadonlyArray<Record<string, unknown>> => {
  const store = new DatabaseSync(join(home, file), { readOnly: true })
  try {
    return store.prepare(query).all()
  } finally {
    store.close()
  }
}

/** Waits until no hold is open and no commit is under way. */
export const settled = (home: string) =>
  Effect.sync(() => ({
    holds: rowsOf(home, "SELECT id, state FROM hold WHERE state = 'held'").length,
    jobs: rowsOf(home, "SELECT id FROM commit_job WHERE hold_id IN (SELECT id FROM hold WHERE state = 'held')").length
  })).pipe(
    Effect.delay("100 millis"),
    Effect.repeat({ until: ({ holds, jobs }) => holds + jobs === 0, times: 6_000 }),
    Effect.map(({ holds, jobs }) => holds + jobs)
  )

/** Credits each caller must have left: granted, less what its commits on the ledger cost. */
export const creditsLeft = (
  caller: Caller,
  ledger: ReadonlyArray<{ readonly author: string; readonly cost: bigint }>
) =>
  formatTokens(
    ledger.filter(({ author }) => author === caller.wallet).reduce((left, { cost }) => left - cost, caller.granted)
  )
