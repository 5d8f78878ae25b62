/** A file that was given as the proof: read, or told why not. What is some other kind of file altogether is not called a damaged proof. */
import { PROOF_LIMIT } from "@treemark/core/verify"
import { PAGE_LIMIT, proofInPage } from "../src/ProofInPage.ts"
import { UnusableInput } from "../src/UnusableInput.ts"
import { boundedBytes, readProof, type Subject } from "./Evidence.ts"
import type { Given, Problem } from "./Sorting.ts"

export type TakenProof =
  | { readonly result: "taken"; readonly subject: Subject }
  /** It says that it is a proof, and cannot be read as one. */
  | { readonly result: "damaged"; readonly problem: Problem }
  | { readonly result: "other" }

export const takeProof = async (given: Given): Promise<TakenProof> => {
  const isPage = given.kind === "proof-page"
  const saysProof = isPage || given.kind === "proof"
  const file = await boundedBytes(given.file, isPage ? PAGE_LIMIT : PROOF_LIMIT)
  if (file === undefined) return saysProof ? damaged(given, "tooLarge") : { result: "other" }
  const bytes = isPage ? inPage(file) : file
  const read = typeof bytes === "string" ? bytes : readProof(given.name, bytes)
  if (typeof read !== "string") return { result: "taken", subject: read }
  return saysProof ? damaged(given, "damaged", read) : { result: "other" }
}

/** The proof in a page, or what the program says of a page without one. */
const inPage = (page: Uint8Array): Uint8Array | string => {
  try {
    return proofInPage(page)
  } catch (error) {
    if (error instanceof UnusableInput) return error.message
    throw error
  }
}

const damaged = ({ name }: Given, key: "damaged" | "tooLarge", english?: string): TakenProof => ({
  result: "damaged",
  problem: {
    headline: "notReadable",
    sentences: [{ key, values: { file: name } }, { key: "giveAgain" }],
    english
  }
})
