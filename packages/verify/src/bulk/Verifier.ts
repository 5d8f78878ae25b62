/**
 * Verifies proofs one after the other, in a worker. Each gets exactly the report that `treemark-verify PROOF` gives it; only the
 * machinery is faster: sha256 of node:crypto, the chosen backend, and with noble tables of the signers met before.
 */
import { hash } from "node:crypto"
import { constants } from "node:fs"
import {
  KnownSigners,
  PROOF_LIMIT,
  type Recover,
  type RecoverKey,
  type Report,
  recoverSigner,
  verify
} from "@treemark/core/verify"
import type { Backend } from "../backends/Backend.ts"
import { readBounded } from "../Inputs.ts"
import type { Question } from "../Question.ts"
import { foreseen } from "../Unforeseen.ts"
import { UnusableInput } from "../UnusableInput.ts"
import { proofInput } from "../Verification.ts"

/** What came of one proof: its report, or why it could not be read. */
export type Outcome = Report | UnusableInput

export interface Verifier {
  readonly verifyBytes: (bytes: Uint8Array) => Outcome
  /** A link or a device that took the file's place since it was listed is not followed. */
  readonly verifyFile: (path: string) => Outcome
}

export const makeVerifier = (backend: Backend, question: Question): Verifier => {
  const keysOf = backend.name === "noble" ? nobleKeys() : () => backend.recoverKey
  const verifyBytes = (bytes: Uint8Array): Outcome =>
    orUnusable(() => {
      const input = proofInput(bytes)
      const [ofAuthor, recoverKey] = [keysOf(input.record?.author), keysOf(input.ledger?.recorder)]
      const recover: Recover = (text, signature) => recoverSigner(text, signature, ofAuthor)
      return verify({ ...input, ...question, sha256, recover, recoverKey })
    })
  return {
    verifyBytes,
    verifyFile: (path) => orUnusable(() => verifyBytes(readBounded(path, PROOF_LIMIT, "a proof", UNFOLLOWED)))
  }
}

/** For proofs that no worker lives to verify. */
export const unverified: Verifier = (() => {
  const outcome = new UnusableInput(
    "worker_failed",
    "This proof was not verified: a worker thread ended twice at this part of the input. Verify it alone, with npx @treemark/verify PROOF."
  )
  return { verifyBytes: () => outcome, verifyFile: () => outcome }
})()

/** Tables are tried for who the proof claims to have signed, author or recorder; a wrong claim costs nothing and changes nothing. */
const nobleKeys = (): ((claimed: unknown) => RecoverKey) => {
  const signers = new KnownSigners()
  return (claimed) => {
    const expected = typeof claimed === "string" ? claimed : undefined
    return (digest, compact, id) => signers.recoverKey(digest, compact, id, expected)
  }
}

const orUnusable = (act: () => Outcome): Outcome => {
  try {
    return act()
  } catch (error) {
    return foreseen(error)
  }
}

const UNFOLLOWED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const sha256 = (bytes: Uint8Array): string => hash("sha256", bytes)
