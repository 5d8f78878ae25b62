/** Contract: what the console's view of the daemon shows beside what everybody may ask (`/ready`, `/networks`, `/version`). */
import { Context, Effect } from "effect"

export interface NodeFacts {
  readonly version: string
  readonly pid: number
  readonly profile: string
  readonly home: string
  /** What others call this daemon by. */
  readonly publicUrl: string
  /** ISO 8601. */
  readonly startedAt: string
  /** Bytes that the process holds. */
  readonly memory: number
  readonly networks: ReadonlyArray<{
    readonly role: "mainnet" | "testnet"
    readonly name: string
    readonly chainId: number
    readonly contract: string
    /** The chain's newest block; null when its node does not answer in time. */
    readonly head: { readonly number: number; readonly at: string } | null
  }>
  /** Transactions that did not end yet, of the whole daemon: what they are, how far, how many, and since when the oldest waits. */
  readonly jobs: ReadonlyArray<{
    readonly kind: "commit" | "transfer"
    readonly state: string
    readonly count: number
    readonly since: string
  }>
  /** Null: it does not say. */
  readonly disks: ReadonlyArray<{
    readonly folder: string
    readonly free: number | null
    readonly size: number | null
  }>
  /** The log's last lines, oldest first. */
  readonly log: ReadonlyArray<string>
}

/** Nothing is known where no daemon runs around the listener. */
export const NodeLook = Context.Reference<{ readonly look: Effect.Effect<NodeFacts | undefined> }>(
  "@treemark/daemon/http/console/NodeFacts/NodeLook",
  { defaultValue: () => ({ look: Effect.succeed(undefined) }) }
)
