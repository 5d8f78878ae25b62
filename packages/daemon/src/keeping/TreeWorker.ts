/**
 * The thread that reads an audit's trees from the folder of the blocks and hashes every byte of them. A hundred thousand small files are
 * read fastest one after the other and synchronously, which the daemon's own event loop could not bear.
 */
import { readFileSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"
import { inlineContent, isContentOf, readCid } from "../content/BlockCid.ts"
import { blockPath } from "../content/BlockPath.ts"
import type { TreeFault, TreesAnswered, TreesAsked, TreeWorkerOptions } from "./TreeMessages.ts"

const port = parentPort!
const { folder } = workerData as TreeWorkerOptions

/** Undefined for a tree whose bytes are what its CID says. */
const faultOf = (text: string): TreeFault | undefined => {
  const cid = readCid(text)
  if (cid === undefined) return { kind: "missing", cid: text, detail: "" }
  if (inlineContent(cid) !== undefined) return undefined
  const file = blockPath(folder, cid.toString())
  try {
    if (isContentOf(cid, readFileSync(file))) return undefined
    return { kind: "damaged", cid: text, detail: `The file ${file} does not hold what its name says.` }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "missing", cid: text, detail: "" }
    return { kind: "damaged", cid: text, detail: error instanceof Error ? error.message : String(error) }
  }
}

port.on("message", ({ cids, id }: TreesAsked) => {
  const faults = cids.map(faultOf).filter((fault) => fault !== undefined)
  port.postMessage({ id, faults } satisfies TreesAnswered)
})
