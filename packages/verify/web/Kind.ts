/**
 * What a file is, by its content; names and types that somebody gave it do not count. It decides where a file goes that was dropped, and what the
 * person is told of one in the wrong place; what it is taken for is checked again by the reader of that format.
 */
import { PROOF_MEDIA_TYPE } from "@treemark/core/verify"
import { type FileKind, lookAt } from "../src/files/FileKind.ts"
import { SNIFFED_BYTES } from "../src/files/Sniff.ts"
import { PAGE_LIMIT } from "../src/ProofInPage.ts"
import type { Key } from "./Language.ts"

export type Kind = FileKind

/** What each kind is called. */
export const KIND_NAMES: Readonly<Record<Kind, Key>> = {
  empty: "kindEmpty",
  picture: "kindPicture",
  film: "kindVideo",
  sound: "kindSound",
  pdf: "kindPdf",
  archive: "kindArchive",
  car: "kindCar",
  proof: "kindProof",
  "proof-page": "kindProof",
  checkpoint: "kindCheckpoint",
  history: "kindHistory",
  statement: "kindStatement",
  record: "kindRecord",
  tree: "kindTree",
  authors: "kindAuthors",
  "web-page": "kindWeb",
  "cut-json": "kindCut",
  json: "kindJson",
  text: "kindText",
  "marked-text": "kindMarkedText",
  binary: "kindOther"
}

/** Rejects when the browser cannot read the file. Of a file that is too large for anything but an asset, only the beginning is read. */
export const kindOf = async (file: Blob): Promise<Kind> => {
  const read = file.size > PAGE_LIMIT ? file.slice(0, SNIFFED_BYTES) : file
  const bytes = new Uint8Array(await read.arrayBuffer())
  const { kind } = lookAt(bytes)
  return kind === "cut-json" && saysProof(bytes) ? "proof" : kind
}

/** A proof that was cut off is a damaged proof, and not another kind of file. */
const saysProof = (bytes: Uint8Array): boolean =>
  new TextDecoder().decode(bytes.subarray(0, SNIFFED_BYTES)).includes(PROOF_MEDIA_TYPE.split(";")[0]!)
