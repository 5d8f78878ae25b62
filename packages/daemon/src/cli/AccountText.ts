/** What the commands about accounts share: how one is named on the command line, and how it is told. */
import { Argument } from "effect/cli"
import { AccountName } from "../admin/AdminApi.ts"

export const account = Argument.String("account").pipe(
  Argument.withDescription("Id or name of the account"),
  Argument.withSchema(AccountName)
)

export { accountText } from "./StatusText.ts"
