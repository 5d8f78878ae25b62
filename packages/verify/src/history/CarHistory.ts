/**
 * A history in a CAR: the root is the index in dag-json, every other block a proof that it links to. The file is read twice: once over all sections,
 * which are hashed and remembered by place only, then each proof when it is its turn, hashed again. So memory grows by a few bytes a block.
 * Where the bytes come from is the caller's: a file of the disk (CarSource.ts), or one that a page was given.
 */
import { DAG_JSON_CODE, RAW_CODE, SHA2_256_CODE } from "@treemark/core/verify"
import { type BinaryCid, cidText, isBlockOf, keyOf, keyOfText, type Sha256Hex } from "../car/BinaryCid.ts"
import {
  blockOf,
  type CarFault,
  HEADER_LIMIT,
  isCar,
  isFault,
  isTooLong,
  otherContainer,
  readHeader,
  SECTION_HEAD,
  sectionAt,
  tooLong
} from "../car/CarFormat.ts"
import { UnusableInput } from "../UnusableInput.ts"
import { type HistoryProblem, problem } from "./HistoryCodes.ts"
import { readIndex } from "./HistoryIndex.ts"
import type { FoundProof, HistorySource } from "./HistorySource.ts"

/** More blocks than an index can name. */
const MOST_BLOCKS = 200_000

/** The bytes of a CAR, read where they are needed. */
export interface CarBytes {
  readonly size: number
  /** So many bytes from `offset` on, or as many as there are. */
  readonly at: (offset: number, length: number) => Uint8Array
  readonly close: () => void
}

interface Held {
  readonly cid: BinaryCid
  readonly start: number
  readonly length: number
  readonly isWhole: boolean
}

/** The history in `file`. Throws UnusableInput for what is no CAR of a history. */
export const carHistory = (file: CarBytes, sha256: Sha256Hex): HistorySource => {
  const head = file.at(0, HEADER_LIMIT + 16)
  if (!isCar(head)) {
    throw new UnusableInput(
      "container_unknown",
      `This is no history: ${otherContainer(head) ?? "it is neither a folder nor a CAR of version 1"}.`
    )
  }
  const header = readHeader(head)
  if (header === "cut") throw unusable({ code: "car_malformed", message: "it ends within its header." }, 0)
  if (isFault(header)) throw unusable(header, 0)
  const [root, ...others] = header.roots
  if (root === undefined || others.length > 0) {
    throw unusable(
      { code: "car_malformed", message: `a history has one root, the index; this CAR names ${header.roots.length}.` },
      0
    )
  }
  const { blocks, strays } = scan(file, header.end, sha256)
  const index = indexIn(file, root, blocks.get(keyOf(root)), strays)
  const asked = new Set([keyOf(root)])
  return {
    index,
    proof: (name) => proofIn(file, name, blocks, asked, sha256),
    strays: () => [...strays, ...(index === undefined ? [] : unreferenced(blocks, asked))],
    close: () => file.close()
  }
}

const unusable = ({ code, message }: CarFault, offset: number): UnusableInput =>
  new UnusableInput(code, `This is no CAR that can be read; at byte ${offset}: ${message}`)

/** Every section, hashed. What does not hold is told as soon as it is seen, and the block is still known by its CID. */
const scan = (file: CarBytes, from: number, sha256: Sha256Hex) => {
  const blocks = new Map<string, Held>()
  const strays: Array<HistoryProblem> = []
  const { size } = file
  for (let offset = from; offset < size; ) {
    const bytes = file.at(offset, SECTION_HEAD)
    const section = sectionAt(bytes, 0)
    if (section === "cut") throw unusable({ code: "car_malformed", message: "it ends within a section." }, offset)
    if (isFault(section)) throw unusable(section, offset)
    if (isTooLong(section)) throw unusable(tooLong(), offset)
    if (offset + section.end > size)
      throw unusable({ code: "car_malformed", message: "it ends within a section." }, offset)
    const block = blockOf(bytes, section)
    if (isFault(block)) throw unusable(block, offset)
    if (blocks.size === MOST_BLOCKS)
      throw unusable({ code: "car_malformed", message: `it has more than ${MOST_BLOCKS} blocks.` }, offset)
    const { cid, start } = block
    const held = { cid, start: offset + start, length: section.end - start }
    const isWhole = isBlockOf(cid, file.at(held.start, held.length), sha256)
    if (blocks.has(keyOf(cid))) strays.push(problem("block_twice", cidText(cid), { actual: `again at byte ${offset}` }))
    else blocks.set(keyOf(cid), { ...held, isWhole: isWhole === true })
    if (isWhole === undefined) strays.push(problem("block_hash_unknown", cidText(cid)))
    offset += section.end
  }
  return { blocks, strays }
}

const indexIn = (file: CarBytes, root: BinaryCid, held: Held | undefined, strays: Array<HistoryProblem>) => {
  if (held === undefined) strays.push(problem("root_missing", cidText(root)))
  else if (!held.isWhole) strays.push(problem("block_hash_differs", cidText(root)))
  else if (root.codec !== DAG_JSON_CODE) {
    throw unusable(
      { code: "car_malformed", message: "its root is not dag-json, so it is not the index of a history." },
      held.start
    )
  } else return readIndex(file.at(held.start, held.length), "link")
  return undefined
}

const RAW_SHA256 = `${RAW_CODE}/${SHA2_256_CODE}/`

const proofIn = (
  file: CarBytes,
  name: string,
  blocks: ReadonlyMap<string, Held>,
  asked: Set<string>,
  sha256: Sha256Hex
): FoundProof => {
  const key = keyOfText(name)
  if (key?.startsWith(RAW_SHA256) !== true) return { ok: false, problem: problem("link_malformed", name) }
  asked.add(key)
  const held = blocks.get(key)
  if (held === undefined) return { ok: false, problem: problem("proof_missing", name) }
  const bytes = file.at(held.start, held.length)
  return held.isWhole && isBlockOf(held.cid, bytes, sha256) === true
    ? { ok: true, bytes }
    : { ok: false, problem: problem("block_hash_differs", name) }
}

const unreferenced = (blocks: ReadonlyMap<string, Held>, asked: ReadonlySet<string>): ReadonlyArray<HistoryProblem> =>
  [...blocks].flatMap(([key, { cid, isWhole }]) =>
    asked.has(key)
      ? []
      : [
          problem(
            "block_unreferenced",
            cidText(cid),
            isWhole ? {} : { actual: "its bytes are not those of its CID, either" }
          )
        ]
  )
