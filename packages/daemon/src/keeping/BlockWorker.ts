/**
 * The thread that reads an audit's blocks from their folder and hashes every byte of them. A hundred thousand small files are read fastest
 * one after the other and synchronously, which the daemon's own event loop could not bear.
 */
import { readFileSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"
import type { CID } from "multiformats/cid"
import { inlineContent, isContentOf, readCid } from "../content/BlockCid.ts"
import { linksOf } from "../content/BlockGraph.ts"
import { blockPath } from "../content/BlockPath.ts"
import type { BlockFault, BlocksAnswered, BlocksAsked, BlocksRead, BlockWorkerOptions } from "./BlockMessages.ts"

const port = parentPort!
const { folder } = workerData as BlockWorkerOptions

/** The bytes of a block that is whole, or what is wrong with it. */
const read = (cid: CID): Uint8Array | Omit<BlockFault, "cid"> => {
  const inline = inlineContent(cid)
  if (inline !== undefined) return inline
  const file = blockPath(folder, cid.toString())
  try {
    const bytes = readFileSync(file)
    if (isContentOf(cid, bytes)) return bytes
    return { kind: "damaged", detail: `The file ${file} (${bytes.length} bytes) does not hold what its name says.` }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "missing", detail: "" }
    return { kind: "damaged", detail: error instanceof Error ? error.message : String(error) }
  }
}

const readTrees = (cids: ReadonlyArray<string>): BlocksRead => {
  const faults = cids.flatMap((text): ReadonlyArray<BlockFault> => {
    const cid = readCid(text)
    const found = cid === undefined ? { kind: "missing" as const, detail: "" } : read(cid)
    return found instanceof Uint8Array ? [] : [{ ...found, cid: text }]
  })
  return { blocks: cids.length, faults }
}

/** Every block of the file `asset`, each once; below a block that is not whole nothing is known. */
const readGraph = (asset: string): BlocksRead => {
  const faults: Array<BlockFault> = []
  const root = readCid(asset)
  if (root === undefined) return { blocks: 0, faults: [{ kind: "missing", cid: asset, asset, detail: "" }] }
  const seen = new Set([root.toString()])
  const waiting = [root]
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    const found = read(cid)
    if (!(found instanceof Uint8Array)) {
      faults.push({ ...found, cid: cid.toString(), asset })
      continue
    }
    for (const link of linksOf({ cid, bytes: found })) {
      const text = link.toString()
      if (seen.has(text)) continue
      seen.add(text)
      waiting.push(link)
    }
  }
  return { blocks: seen.size, faults }
}

port.on("message", ({ cids, graphs, id }: BlocksAsked) => {
  const parts = graphs ? cids.map(readGraph) : [readTrees(cids)]
  const blocks = parts.reduce((sum, part) => sum + part.blocks, 0)
  port.postMessage({ id, blocks, faults: parts.flatMap(({ faults }) => faults) } satisfies BlocksAnswered)
})
