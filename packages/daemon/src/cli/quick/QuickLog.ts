/** `treemarkd log ASSET_CID`, the whole history as it is, for Quick.ts. */
import { documentOf, emptyText, type Log, type LoggedCommit, lineOf, placeText, summaryOf } from "../LogText.ts"
import { paintFor } from "../Paint.ts"
import { printableJson } from "../Printable.ts"
import type { Plain } from "./Plain.ts"
import { ask, socketOf } from "./Socket.ts"

const PAGE = 200
/** More are told page by page, by the whole command. */
const MOST = 10 * PAGE
/** A CID as people write it; what may be a file's name is looked at by the whole command. */
const CID = /^(?:baf|Qm)[A-Za-z0-9]{40,100}$/u

/** Whether it was done: all pages are there before anything is printed. */
export const logQuickly = async (assetCid: string, { json, options }: Plain): Promise<boolean> => {
  const socket = socketOf(options.get("--home"))
  const network = options.get("--network") ?? "mainnet"
  if (socket === undefined || !CID.test(assetCid) || options.has("--limit")) return false
  if (network !== "mainnet" && network !== "testnet") return false
  const log = await wholeLog(socket, assetCid, network)
  if (log === undefined) return false
  print(assetCid, log, json)
  return true
}

const wholeLog = async (socket: string, assetCid: string, role: string): Promise<Log | undefined> => {
  const commits: Array<LoggedCommit> = []
  for (;;) {
    const last = commits.at(-1)
    const query = new URLSearchParams({ network: role, limit: String(PAGE), from: "oldest" })
    if (last !== undefined) query.set("after", placeText(last))
    const page = (await ask(socket, `/assets/${assetCid}/log?${query}`)) as Log | undefined
    if (page === undefined || commits.length > MOST) return undefined
    for (const entry of page.commits) {
      const index = commits.length + 1
      commits.push({ ...entry, index, name: String(index) })
    }
    if (page.commits.length < PAGE) return { network: page.network, commits }
  }
}

const print = (assetCid: string, log: Log, json: boolean): void => {
  if (json) {
    process.stdout.write(`${printableJson(documentOf(assetCid, log))}\n`)
    return
  }
  const paint = paintFor(process.env.NO_COLOR)
  const lines = log.commits.map((commit) => lineOf(commit, paint))
  process.stdout.write(`${lines.length === 0 ? emptyText(assetCid, log) : lines.join("\n")}\n`)
  if (process.stderr.isTTY) process.stderr.write(`${summaryOf(log.commits)}\n`)
}
