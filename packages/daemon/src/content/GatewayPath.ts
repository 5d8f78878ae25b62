/**
 * The path below a CID (https://specs.ipfs.tech/http-gateways/path-gateway/, "Content resolution"): names of a dag-pb folder, and
 * members of dag-json that lead to links. Only a step to another block reads one, so what a path costs is bounded by its length.
 */
import { type ContentStore, DAG_JSON_CODE } from "@treemark/core"
import { Effect, Option } from "effect"
import type { CID } from "multiformats/cid"
import { readCid } from "./BlockCid.ts"
import { type Block, isSharded, linkNamed } from "./BlockGraph.ts"
import { BlockNotFound, NotCached, PathInsideBlock, PathNotFound } from "./GatewayErrors.ts"

export interface AskedPath {
  readonly root: CID
  /** The root as it was written. */
  readonly text: string
  readonly names: ReadonlyArray<string>
  /** A block that is not here is then a condition that does not hold, and no 404. */
  readonly onlyIfCached: boolean
}

/** Where a step leads: to another block, or to a value inside the same one. */
type Step = { readonly link: CID } | { readonly value: unknown }

/** The blocks from the root to what the path names, at least one. */
export const resolvePath = Effect.fn("GatewayPath.resolvePath")(function* (
  contents: ContentStore["Service"],
  { names, onlyIfCached, root, text }: AskedPath
) {
  const load = Effect.fnUntraced(function* (cid: CID, written: string) {
    const bytes = yield* contents.get(cid.toString())
    if (Option.isSome(bytes)) return { cid, bytes: bytes.value } satisfies Block
    return yield* onlyIfCached ? new NotCached({ cid: written }) : new BlockNotFound({ cid: written })
  })
  const placeOf = (steps: number) => `/ipfs/${[text, ...names.slice(0, steps)].join("/")}`

  let block: Block = yield* load(root, text)
  const passed: [Block, ...Array<Block>] = [block]
  let inside: unknown
  for (const [i, name] of names.entries()) {
    const step = inside === undefined ? stepFrom(block, name) : member(inside, name)
    if (step === "sharded") return yield* new PathInsideBlock({ place: placeOf(i), isFolder: true })
    if (step === undefined) return yield* new PathNotFound({ place: placeOf(i), name })
    if ("link" in step) {
      block = yield* load(step.link, step.link.toString())
      passed.push(block)
      inside = undefined
    } else inside = step.value
  }
  if (inside !== undefined) return yield* new PathInsideBlock({ place: placeOf(names.length), isFolder: false })
  return passed
})

const stepFrom = (block: Block, name: string): Step | "sharded" | undefined => {
  if (block.cid.code === DAG_JSON_CODE) return member(parsed(block.bytes), name)
  if (isSharded(block)) return "sharded"
  const link = linkNamed(block, name)
  return link === undefined ? undefined : { link }
}

/** What is no JSON in spite of its CID has no members. */
const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

/** A link of dag-json is an object whose one member `/` is the text of a CID; `null` and absence are told apart. */
const member = (parent: unknown, name: string): Step | undefined => {
  if (typeof parent !== "object" || parent === null || !Object.hasOwn(parent, name)) return undefined
  if (Array.isArray(parent) && !/^\d+$/.test(name)) return undefined
  const value: unknown = Reflect.get(parent, name)
  if (typeof value !== "object" || value === null || Object.keys(value).join() !== "/") return { value }
  const written: unknown = Reflect.get(value, "/")
  const link = typeof written === "string" ? readCid(written) : undefined
  return link === undefined ? { value } : { link }
}
