/**
 * Input that verification cannot start from: not a proof, damaged, too large, a wrong argument. Different from `invalid`, which
 * is an answer. `code` is stable; `problems` places what is wrong inside a proof (JSON pointers, RFC 6901).
 */
import type {
  AuthorsRefusalCode,
  CheckpointRefusalCode,
  JsonRefusalCode,
  ProofProblem,
  ProofRefusalCode,
  StatementRefusalCode
} from "@treemark/core/verify"

/** Why, for programs; never changes. */
export type UnusableInputCode =
  | ProofRefusalCode
  | CheckpointRefusalCode
  | AuthorsRefusalCode
  | StatementRefusalCode
  | `record_${JsonRefusalCode}`
  | "record_too_large"
  | "record_members"
  | "author_malformed"
  | "checkpoints_disagree"
  | "file_unreadable"
  | "file_too_large"
  | "backend_unavailable"
  | "block_hash_differs"
  | "block_hash_unknown"
  | "block_too_large"
  | "car_malformed"
  | "car_version"
  | "container_unknown"
  | "history_empty"
  | "history_members"
  | "history_not_json"
  | "history_too_large"
  | "history_version"
  | "input_type"
  | "internal"
  | "page_damaged"
  | "page_without_proof"
  | "worker_failed"
  | "usage"

/** What was given cannot be verified at all, as it is no proof, or not readable; nothing else is ever thrown. */
export class UnusableInput extends Error {
  override readonly name = "UnusableInput"
  readonly code: UnusableInputCode
  readonly problems: ReadonlyArray<ProofProblem>

  constructor(code: UnusableInputCode, message: string, problems: ReadonlyArray<ProofProblem> = []) {
    super(message)
    this.code = code
    this.problems = problems
  }
}
