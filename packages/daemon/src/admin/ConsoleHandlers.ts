/** Addresses of the console that sign in: the code stands behind the `#`, which browsers send to nobody. */
import { Clock, Context, DateTime, Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { Pairing } from "../accounts/Pairing.ts"
import { CODE_LIFE, Sessions } from "../accounts/Sessions.ts"
import { AdminApi } from "./AdminApi.ts"
import { refused } from "./AdminRefused.ts"

/** Where this process serves the console; empty where it serves nothing. */
export class ConsoleAddress extends Context.Service<ConsoleAddress, string>()(
  "@treemark/daemon/admin/ConsoleHandlers/ConsoleAddress"
) {}

/** A browser reaches a daemon that listens on every address at this machine's own. */
export const consoleAddress = (main: string): string => main.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/u, "//127.0.0.1")

/** The address that signs in once, within two minutes. */
export const signInUrl = (address: string, code: Redacted.Redacted<string>): string =>
  `${address}/#code=${Redacted.value(code)}`

export const consoleHandlers = HttpApiBuilder.group(AdminApi, "console", (handlers) =>
  Effect.gen(function* () {
    const address = yield* ConsoleAddress
    const accounts = yield* Accounts
    const sessions = yield* Sessions
    const pairing = yield* Pairing
    return handlers.handleAll({
      signIn: Effect.fnUntraced(function* ({ payload }) {
        const account = payload.account === null ? undefined : yield* accounts.find(payload.account)
        const code = yield* sessions.makeCode(account?.id)
        const expiresAt = DateTime.formatIso(DateTime.makeUnsafe((yield* Clock.currentTimeMillis) + CODE_LIFE))
        return { url: signInUrl(address, code), expiresAt }
      }, refused),
      pairing: ({ payload }) => pairing.find(payload.userCode).pipe(refused),
      decidePairing: Effect.fnUntraced(function* ({ payload }) {
        const account = payload.account === null ? undefined : yield* accounts.find(payload.account)
        return yield* pairing.decide(payload.userCode, account?.id, payload.dailyLimit)
      }, refused)
    })
  })
)
