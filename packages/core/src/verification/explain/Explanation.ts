/**
 * What an explained check is: plain data for whoever shows it (a terminal, a page, JSON). Texts and values may hold text of strangers and are
 * escaped by whoever shows them; command lines are safe to paste into a shell (Shell.ts).
 */
import type { CheckName, Code } from "../Codes.ts"
import type { Check } from "../Report.ts"
import type { NearMissKind } from "./NearMiss.ts"

/** Where the inputs are, so that commands can name them: paths as they were given. What is not here is called by a usual name. */
export interface FileNames {
  readonly proof?: string | undefined
  readonly tree?: string | undefined
  readonly record?: string | undefined
  readonly asset?: string | undefined
  readonly authors?: string | undefined
  /** In the order of the checkpoints given. */
  readonly checkpoints?: ReadonlyArray<string> | undefined
}

/** A value that a check works on. */
export interface ExplainedInput {
  readonly label: string
  readonly value: string
}

/** The beginning or the end of some bytes, at most 16 of them. `text`: one character a byte, a dot for what is no printable ASCII. */
export interface BytesExcerpt {
  readonly hex: string
  readonly text: string
}

/** Bytes that go into a hash, by their ends. */
export interface HashedBytes {
  readonly label: string
  /** The hash function: sha256 or keccak-256. */
  readonly hash: "sha256" | "keccak-256"
  readonly length: number
  readonly first: BytesExcerpt
  /** null when `first` is all of them. */
  readonly last: BytesExcerpt | null
}

/** A command that does the same with another tool. */
export interface ExplainedCommand {
  readonly tool: "sha256sum" | "openssl" | "base32" | "jq" | "cast" | "ipfs" | "grep"
  /** One line for a POSIX shell. */
  readonly line: string
  /** The commands of the pipe, for whoever breaks the line: joined with ` | ` they are the line. */
  readonly steps: ReadonlyArray<string>
  /** What it prints; null when that is not known here, and `note` says what to look for. */
  readonly prints: string | null
  readonly note: string | null
  /** It asks a node of the ledger, whose address is in the variable RPC_URL. */
  readonly needsNode: boolean
}

/** A usual mistake that would explain the failure exactly. It is advice: it never changes a check or the verdict. */
export interface NearMiss {
  readonly kind: NearMissKind
  /** What happened and what to do, in whole sentences. */
  readonly advice: string
}

export interface Explanation {
  readonly check: CheckName
  readonly outcome: Check["outcome"]
  readonly code: Code | "ok"
  /** What the check says in one sentence. */
  readonly summary: string
  /** What is checked and what the outcome means, for a person. */
  readonly paragraphs: ReadonlyArray<string>
  readonly inputs: ReadonlyArray<ExplainedInput>
  readonly hashed: ReadonlyArray<HashedBytes>
  readonly expected: string | null
  readonly actual: string | null
  readonly commands: ReadonlyArray<ExplainedCommand>
  readonly nearMiss: NearMiss | null
}
