/** What a worker does with one chunk: finds the lines, verifies each proof, writes the results down. */
import type { Answer, Chunk, Lines } from "./Chunk.ts"
import { jsonResult, type Place, plainResult } from "./Results.ts"
import { type Kind, kindOf, NOTHING } from "./Tally.ts"
import type { Outcome, Verifier } from "./Verifier.ts"

export const answerChunk = (chunk: Chunk, verifier: Verifier, options: { readonly json: boolean }): Answer => {
  const tally: Record<Kind, number> = { ...NOTHING }
  const resultText = options.json ? jsonResult : plainResult
  let results = ""
  const add = (place: Place, outcome: Outcome): void => {
    tally[kindOf(outcome)]++
    results += resultText(place, outcome)
  }
  if (chunk.kind === "files") {
    for (const { path, name } of chunk.files) add({ file: name }, verifier.verifyFile(path))
  } else {
    for (const { bytes, line, offset } of linesOf(chunk)) {
      add(line === undefined ? { offset } : { line, offset }, verifier.verifyBytes(bytes))
    }
  }
  return {
    kind: "answer",
    results: new TextEncoder().encode(results),
    tally,
    buffer: chunk.kind === "lines" ? chunk.buffer : undefined
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
