/**
 * The commands that are typed most, when all is well: a running daemon answers one question. They load nothing but Node, so they end before
 * the whole command line would have begun. Whatever is not plain (an option more, no daemon, a refusal) is left to the whole one, which
 * does and says the same and more.
 */
import { accountText, statusText } from "../StatusText.ts"
import { plainOf } from "./Plain.ts"
import { ask, socketOf } from "./Socket.ts"

/** Whether the command was done here. */
export const quick = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const plain = plainOf(args)
  if (plain === undefined) return false
  const { json, options, words } = plain
  const home = options.get("--home")
  const isHomeOnly = options.size === (home === undefined ? 0 : 1)
  const [command, ...rest] = words
  if (command === "status" && rest.length === 0 && isHomeOnly) {
    return tell<Parameters<typeof statusText>[0]>(home, "/status", json, statusText)
  }
  const [verb, account, ...more] = rest
  if (command === "account" && verb === "show" && account !== undefined && more.length === 0 && isHomeOnly) {
    const path = `/accounts/${encodeURIComponent(account)}`
    return tell<Parameters<typeof accountText>[0]>(home, path, json, accountText)
  }
  if (command !== "log" || rest.length !== 1) return false
  return (await import("./QuickLog.ts")).logQuickly(verb ?? "", plain)
}

const tell = async <A>(home: string | undefined, path: string, json: boolean, textOf: (answer: A) => string) => {
  const socket = socketOf(home)
  const answer = socket === undefined ? undefined : await ask(socket, path)
  if (answer === undefined) return false
  process.stdout.write(`${json ? JSON.stringify(answer) : textOf(answer as A)}\n`)
  return true
}
