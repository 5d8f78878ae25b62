/** Asset trees, as the records on the ledger name them: anybody's bytes, so no more are read than a tree may have, and strictly. */
import { type JsonObject, readJsonObject, TREE_LIMIT } from "@treemark/core/verify"
import { useEffect, useState } from "preact/hooks"
import { answerTo } from "../Api.ts"

/** `missing`: not on this daemon, too large, or no tree. */
export type Tree = JsonObject | "missing"

const known = new Map<string, Promise<Tree>>()

const read = async (cid: string): Promise<Tree> => {
  const answer = await answerTo(`/ipfs/${encodeURIComponent(cid)}`, { headers: { range: `bytes=0-${TREE_LIMIT}` } })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const reading = bytes.length > TREE_LIMIT ? undefined : readJsonObject(bytes)
  return reading?.ok === true ? reading.value : "missing"
}

export const treeOf = (cid: string): Promise<Tree> => {
  const asked = known.get(cid) ?? read(cid).catch((): Tree => "missing")
  known.set(cid, asked)
  return asked
}

/** Undefined while it is read. */
export const useTree = (cid: string | undefined): Tree | undefined => {
  const [tree, setTree] = useState<Tree | undefined>(undefined)
  useEffect(() => {
    let isHere = true
    setTree(undefined)
    if (cid !== undefined) void treeOf(cid).then((found) => isHere && setTree(found))
    return () => {
      isHere = false
    }
  }, [cid])
  return cid === undefined ? "missing" : tree
}
