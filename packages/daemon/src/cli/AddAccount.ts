/** The account that is meant when none is named: the only one that is open. */
import { Effect } from "effect"
import type { Admin as AdminService } from "./Admin.ts"
import { CommandFailed, EXIT } from "./Failures.ts"

export type Admin = AdminService["Service"]

export const onlyAccount = Effect.fnUntraced(function* ({ client }: Admin) {
  const open = (yield* client.accounts.list()).filter(({ closed, disabled }) => !closed && !disabled)
  const [first] = open
  if (first !== undefined && open.length === 1) return first.id
  return yield* new CommandFailed({
    code: "usage",
    message:
      first === undefined
        ? "There is no account to commit for. Create one with: treemarkd account create --name NAME --credits 5"
        : `There are ${open.length} accounts; say which one commits and pays: --account ${open.map(({ name }) => name).join(" or --account ")}`,
    exitCode: EXIT.usage
  })
})
