/**
 * The messages between the command and its workers. A chunk is whole lines or whole blocks of a CAR (bytes, of which the worker gets a copy), or paths
 * of files; its answer is the text of the results in the same order, as UTF-8 ready to be written, and what they add to the tally.
 */
import type { BackendChoice, BackendName } from "../backends/BackendName.ts"
import type { CarFault } from "../car/CarFormat.ts"
import type { Question } from "../Question.ts"
import type { UnusableInputCode } from "../UnusableInput.ts"
import type { Tally } from "./Tally.ts"

/** What every worker is started with. */
export interface WorkerOptions {
  readonly backend: BackendChoice
  readonly question: Question
  readonly json: boolean
}

export interface Lines {
  readonly kind: "lines"
  readonly buffer: ArrayBuffer
  /** So many bytes of the buffer are lines. One over the limit is alone, and cut one byte behind the limit. */
  readonly length: number
  /** Where the first line starts in the input, and its number from 1; undefined when the part starts somewhere in a file. */
  readonly offset: number
  readonly line: number | undefined
}

export interface Files {
  readonly kind: "files"
  /** `name` is the path inside the folder. */
  readonly files: ReadonlyArray<{ readonly path: string; readonly name: string }>
}

export interface Blocks {
  readonly kind: "blocks"
  readonly buffer: ArrayBuffer
  /** So many bytes of the buffer are sections of a CAR. */
  readonly length: number
  /** Where the first section starts in the file, and its number from 1. */
  readonly offset: number
  readonly block: number
  /** What is wrong with the section that starts behind them. */
  readonly fault: CarFault | undefined
}

export type Chunk = Lines | Files | Blocks

/** From a worker: it has its backend, or cannot get it; or the answer to the oldest chunk that it has not answered. */
export type FromWorker =
  | { readonly kind: "ready"; readonly backend: BackendName }
  | { readonly kind: "refused"; readonly code: UnusableInputCode; readonly message: string }
  | Answer

export interface Answer {
  readonly kind: "answer"
  readonly results: Uint8Array<ArrayBuffer>
  readonly tally: Tally
  /** Blocks that are no proofs by their CIDs. */
  readonly skipped: number
}
