/**
 * Every instrument of the daemon, so that names, units and labels are found in one place; `/metrics` shows them (OpenMetrics.ts). A label
 * has few values and never a caller's: an address, a token or a CID would make a series for each. Times are in seconds.
 */
import { Context, Metric } from "effect"

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })
const gauge = (name: string, description: string) => Metric.gauge(name, { description })
const seconds = (name: string, description: string) => Metric.histogram(name, { description, boundaries: SECONDS })

/** By `operation` (the route) and `status`. */
export const requests = counter("treemark_requests", "Requests answered")
/** By `operation`. */
export const requestSeconds = seconds("treemark_request_seconds", "From the request's head to the answer's, in seconds")
/** By `class`: paid, token, open. */
export const inFlight = gauge("treemark_requests_in_flight", "Requests that are being worked on")
export const queued = gauge("treemark_requests_queued", "Requests that wait for their turn")
/** By `class` and `why`: caller, queue, patience. */
export const turnedAway = counter(
  "treemark_requests_turned_away",
  "Requests refused because too many waited (429, 503)"
)
export const shared = counter("treemark_answers_shared", "Answers given to more than the one who asked first")

/** By `network` and `outcome`: answered, refused, not-sent, unknown, wrong-chain. */
export const rpcCalls = counter("treemark_rpc_calls", "JSON-RPC calls to the networks' nodes")
/** By `network`. */
export const rpcSeconds = seconds("treemark_rpc_seconds", "How long nodes take to answer, in seconds")

/** Transactions that shared a COMMIT: its count is the number of COMMITs, its sum that of transactions. */
export const storeCommits = Metric.histogram("treemark_store_commit_transactions", {
  description: "Transactions of each COMMIT of the store",
  boundaries: [1, 2, 4, 8, 16, 32, 64]
})

/** By `outcome`: mined, reverted, displaced, refused (nothing was sent), reorganised (made, and under way again). */
export const commitsEnded = counter("treemark_commits", "Commits, by how they ended")
/** By `outcome`: settled, returned (the transfer was not made, and the wallet owes it again). */
export const settlementsEnded = counter("treemark_settlements", "Settlements of what wallets owe, by how they ended")
/** By `why`: signed, recorded, claimed, asset. */
export const authorAlerts = counter("treemark_author_alerts", "Commits found that concern a watched author")
/** By `outcome`: delivered, failed. */
export const webhookDeliveries = counter("treemark_webhook_deliveries", "Tries to deliver an alert to a webhook")

export const logLinesLost = counter("treemark_log_lines_lost", "Log lines that could not be written")

/** Looked at when `/metrics` is asked. By `state`. */
export const commitsOpen = gauge("treemark_commits_open", "Commits under way, by the state of their job")
export const transfersOpen = gauge(
  "treemark_settlements_open",
  "Transfers under way that settle what wallets owe, by state"
)
export const holdsOpen = gauge("treemark_holds_open", "Charges that are held and neither captured nor released")
/** By `check`, as `/ready` names them. */
export const readyChecks = gauge("treemark_ready", "1 where a thing that commits stand on can be used, as /ready says")
export const heldTokens = gauge("treemark_held_tokens", "What open holds hold, in native tokens")
export const owedTokens = gauge("treemark_owed_tokens", "What wallets owe for charged calls, in native tokens")
export const settlingTokens = gauge("treemark_settling_tokens", "What is on its way to the treasury, in native tokens")
export const deliveriesWaiting = gauge("treemark_webhook_deliveries_waiting", "Alerts that a webhook has not taken yet")
/** By `network` and `wallet`, of the service's own wallets. */
export const laneOpen = gauge("treemark_wallet_commits_open", "Commits of a wallet that are signed and not made yet")
export const laneStopped = gauge("treemark_wallet_stopped", "1 where a wallet signs nothing more in this process")
export const laneNonce = gauge("treemark_wallet_next_nonce", "The nonce a wallet signs with next")
/** By `network`. */
export const chainHead = gauge("treemark_chain_head_block", "Newest block the node knows")
export const chainLag = gauge("treemark_chain_head_age_seconds", "Age of the newest block, in seconds")
export const loopLag = gauge(
  "treemark_event_loop_lag_seconds",
  "How late the event loop was, since the last look, by quantile"
)
export const memory = gauge("treemark_memory_bytes", "Memory of the process, by kind")
export const upSeconds = gauge("treemark_up_seconds", "How long the process has run, in seconds")

type Labels = Readonly<Record<string, string>>

/** Updates an instrument where no fiber runs. */
export const note = <Input>(metric: Metric.Metric<Input, unknown>, input: Input, labels?: Labels): void =>
  (labels === undefined ? metric : Metric.withAttributes(metric, labels)).updateUnsafe(input, Context.empty())
