/** Callers of a rig's daemon: accounts that pay with credits or from their wallets, what they ask, and what became of it. */
import { join } from "node:path"
import { amount, parseTokens } from "@treemark/core"
import { Effect } from "effect"
import { attempt as attemptAt, type Caller as CreditCaller } from "../end-to-end/Callers.ts"
import { send } from "../layers/HttpCall.ts"
import type { RegisteredAsset } from "../layers/RunningDaemon.ts"
import type { Rig } from "./Rig.ts"

export interface Caller extends CreditCaller {
  readonly id: string
  readonly pays: "credits" | "tokens"
}

const overSocket = Effect.fnUntraced(function* (rig: Rig, method: string, path: string, body?: unknown) {
  const answer = yield* send(
    { socketPath: join(rig.home, "treemarkd.sock"), path },
    { method, ...(body === undefined ? {} : { body }) }
  )
  if (answer.status !== 200) return yield* Effect.die(new Error(`${path} answered ${answer.status}: ${answer.text}`))
  return answer.json()
})

/** An account that pays `funds` tokens' worth of commits one way or the other. */
export const makeCaller = Effect.fnUntraced(function* (rig: Rig, name: string, pays: Caller["pays"], funds: string) {
  const created = yield* overSocket(rig, "POST", "/accounts", {
    name,
    serviceName: "rig",
    credits: pays === "credits" ? funds : "0",
    tokens: pays === "tokens" && rig.faucet ? funds : "0"
  })
  const { account, token } = created as {
    readonly account: { readonly id: string; readonly wallet: string }
    readonly token: string
  }
  if (pays === "tokens") yield* rig.fund(account.wallet, funds)
  const granted = pays === "credits" ? (parseTokens(funds) ?? amount(0n)) : amount(0n)
  return { name, id: account.id, wallet: account.wallet, token, granted, pays } satisfies Caller
})

/** An asset that everybody commits. */
export const registerAsset = Effect.fnUntraced(function* (url: string, { token }: Caller, bytes: string) {
  const { hostname, port } = new URL(url)
  const headers = { authorization: `token ${token}`, "content-type": "text/plain" }
  const answer = yield* send({ host: hostname, port, path: "/assets" }, { headers, body: bytes })
  if (answer.status !== 201)
    return yield* Effect.die(new Error(`POST /assets answered ${answer.status}: ${answer.text}`))
  return answer.json() as unknown as RegisteredAsset
})

/** One POST /commit, whose message is its key too. `status` is undefined when no answer came. Never fails. */
export const attempt = (url: string, caller: Caller, asset: RegisteredAsset, message: string) =>
  attemptAt({ url }, caller, asset, message)

/** What `treemarkd audit` finds, by the daemon that runs. */
export const audited = (rig: Rig) =>
  Effect.map(
    overSocket(rig, "GET", "/audit"),
    (report) => report as { clean: boolean; findings: ReadonlyArray<unknown> }
  )
