/** What the commands about accounts share: how one is named on the command line, and how it is told. */
import { Argument } from "effect/cli"
import { AccountName, type AccountView } from "../admin/AdminApi.ts"
import { facts } from "./Output.ts"

export const account = Argument.String("account").pipe(
  Argument.withDescription("Id or name of the account"),
  Argument.withSchema(AccountName)
)

export const accountText = (view: typeof AccountView.Type): string =>
  facts([
    ["account", `${view.name} (${view.id})${view.closed ? ", closed" : view.disabled ? ", disabled" : ""}`],
    ["service", view.serviceName],
    ["wallet", view.wallet],
    ["credits", view.credits]
  ])
