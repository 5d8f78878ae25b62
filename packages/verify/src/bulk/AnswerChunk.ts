/** What a worker does with one chunk: finds the proofs, verifies each, writes the results down. */
import { hash } from "node:crypto"
import { RAW_CODE } from "@treemark/core/verify"
import { cidText, isBlockOf } from "../car/BinaryCid.ts"
import { blockOf, isFault, sectionAt } from "../car/CarFormat.ts"
import { UnusableInput } from "../UnusableInput.ts"
import type { Answer, Blocks, Chunk, Lines } from "./Chunk.ts"
import { jsonResult, type Place, plainResult } from "./Results.ts"
import { type Kind, kindOf, NOTHING } from "./Tally.ts"
import type { Outcome, Verifier } from "./Verifier.ts"

export const answerChunk = (chunk: Chunk, verifier: Verifier, options: { readonly json: boolean }): Answer => {
  const tally: Record<Kind, number> = { ...NOTHING }
  const resultText = options.json ? jsonResult : plainResult
  let results = ""
  let skipped = 0
  for (const [place, outcome] of outcomesOf(chunk, verifier)) {
    if (outcome === "skipped") {
      skipped++
    } else {
      tally[kindOf(outcome)]++
      results += resultText(place, outcome)
    }
  }
  return { kind: "answer", results: new TextEncoder().encode(results), tally, skipped }
}

type Placed = readonly [Place, Outcome | "skipped"]

function* outcomesOf(chunk: Chunk, verifier: Verifier): Generator<Placed> {
  switch (chunk.kind) {
    case "files":
      for (const { path, name } of chunk.files) yield [{ file: name }, verifier.verifyFile(path)]
      return
    case "lines":
      for (const { bytes, line, offset } of linesOf(chunk)) {
        yield [line === undefined ? { offset } : { line, offset }, verifier.verifyBytes(bytes)]
      }
      return
    case "blocks":
      yield* blocksOf(chunk, verifier)
  }
}

const NEWLINE = 10

/** Every line that is not blank, without its line break (LF or CR LF). */
function* linesOf(chunk: Lines) {
  const bytes = Buffer.from(chunk.buffer, 0, chunk.length)
  let line = chunk.line
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start)
    const next = newline === -1 ? bytes.length : newline + 1
    const content = bytes.subarray(start, endOfContent(bytes, start, newline === -1 ? next : newline))
    if (content.length > 0) yield { bytes: content, line, offset: chunk.offset + start }
    if (line !== undefined) line++
    start = next
  }
}

/** Blanks at the end do not belong to a line; a line of nothing else is not a proof. */
const endOfContent = (bytes: Uint8Array, start: number, end: number): number => {
  let at = end
  while (at > start && isBlank(bytes[at - 1]!)) at--
  return at
}

const isBlank = (byte: number): boolean => byte === 13 || byte === 32 || byte === 9

function* blocksOf(chunk: Blocks, verifier: Verifier): Generator<Placed> {
  const bytes = new Uint8Array(chunk.buffer, 0, chunk.length)
  let block = chunk.block
  for (let at = 0; at < bytes.length; block++) {
    const section = sectionAt(bytes, at)
    if (section === "cut" || isFault(section)) return
    yield blockOutcome(bytes, { ...section, block, offset: chunk.offset + at }, verifier)
    at = section.end
  }
  if (chunk.fault !== undefined) {
    const place = { block, offset: chunk.offset + bytes.length, cid: null }
    yield [place, new UnusableInput(chunk.fault.code, `The CAR cannot be read here: ${chunk.fault.message}`)]
  }
}

/** Only the bytes that a CID names are looked at, and only raw blocks are files. */
const blockOutcome = (
  bytes: Uint8Array,
  section: { readonly cid: number; readonly end: number; readonly block: number; readonly offset: number },
  verifier: Verifier
): Placed => {
  const { block, end, offset } = section
  const read = blockOf(bytes, section)
  if (isFault(read)) {
    return [{ block, offset, cid: null }, new UnusableInput(read.code, `The CAR cannot be read here: ${read.message}`)]
  }
  const place = { block, offset, cid: cidText(read.cid) }
  const content = bytes.subarray(read.start, end)
  switch (isBlockOf(read.cid, content, (bytes) => hash("sha256", bytes))) {
    case undefined:
      return [
        place,
        new UnusableInput(
          "block_hash_unknown",
          "The block's CID uses another hash than sha256, so its bytes cannot be checked."
        )
      ]
    case false:
      return [
        place,
        new UnusableInput(
          "block_hash_differs",
          "The block's bytes have another sha256 than its CID names: they are damaged, or not what was exported."
        )
      ]
    case true:
      return [place, read.cid.codec === RAW_CODE ? verifier.verifyBytes(content) : "skipped"]
  }
}
