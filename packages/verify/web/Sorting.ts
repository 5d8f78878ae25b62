/**
 * What several files given at once are for, told by their kinds and by nothing else: which is the proof, which the file that it is about, which say
 * whom and what the person trusts. Files that do not go together are a problem that names them; none of them is then used.
 */
import { KIND_NAMES, type Kind } from "./Kind.ts"
import type { Key } from "./Language.ts"
import type { Sentence } from "./Say.ts"

export interface Given {
  readonly file: Blob
  readonly name: string
  readonly kind: Kind
}

/** Why something given was not used, and what to give instead. */
export interface Problem {
  readonly headline: Key
  readonly sentences: ReadonlyArray<Sentence>
  /** What the program itself says of it, for engineers. */
  readonly english?: string | undefined
}

export interface Plan {
  readonly proof?: Given | undefined
  readonly asset?: Given | undefined
  readonly authors?: Given | undefined
  readonly checkpoints: ReadonlyArray<Given>
  /** A CAR, or an index and its proofs. */
  readonly history: ReadonlyArray<Given>
}

export const isProblem = (one: object): one is Problem => "headline" in one

/** `isProofShown`: a proof was given before, so a single file of any kind may be what it is about. */
export const sorted = (given: ReadonlyArray<Given>, isProofShown: boolean): Plan | Problem => {
  const of = (...kinds: ReadonlyArray<Kind>) => given.filter(({ kind }) => kinds.includes(kind))
  const [indexes, proofs] = [of("history", "car"), of("proof", "proof-page")]
  const [authors, checkpoints] = [of("authors"), of("checkpoint")]
  const others = given.filter((one) => ![indexes, proofs, authors, checkpoints].some((some) => some.includes(one)))
  if (authors.length > 1) return together("manyAuthors", authors)
  if (indexes.length > 0) return history(indexes, proofs, others, { authors: authors[0], checkpoints })
  if (proofs.length > 1) return together("manyProofs", proofs)
  if (others.length > 1) return together("manyFiles", others)
  const [proof] = proofs
  const [asset] = others
  if (asset !== undefined && proof === undefined && !isProofShown) return noProof(asset)
  return { proof, asset, authors: authors[0], checkpoints, history: [] }
}

const history = (
  indexes: ReadonlyArray<Given>,
  proofs: ReadonlyArray<Given>,
  others: ReadonlyArray<Given>,
  trust: Pick<Plan, "authors" | "checkpoints">
): Plan | Problem => {
  // A proof that is so damaged that it is none any more still belongs to the index that names it.
  const strangers = others.filter(({ name }) => !name.endsWith(".proof.json"))
  const isCar = indexes[0]?.kind === "car"
  if (strangers.length > 0) return together("withHistory", [...indexes, ...strangers])
  if (indexes.length > 1 || (isCar && proofs.length + others.length > 0)) {
    return together("withHistory", [...indexes, ...proofs, ...others])
  }
  const [index] = indexes
  if (index !== undefined && !isCar && proofs.length + others.length === 0) {
    return other(index, "notHistory", "giveHistory")
  }
  return { ...trust, history: [...indexes, ...proofs, ...others] }
}

const together = (key: Key, files: ReadonlyArray<Given>): Problem => ({
  headline: "tooMany",
  sentences: [{ key, values: { files: files.map(({ name }) => name).join(" · ") } }]
})

const looks = ({ kind, name }: Given, giveInstead: ReadonlyArray<Key>, headline: Key): Problem => ({
  headline,
  sentences: [
    { key: "looksLike", values: { file: name, kind: { key: KIND_NAMES[kind] } } },
    ...giveInstead.map((key): Sentence => (key === "giveStatement" ? { key, values: STATEMENT } : { key }))
  ]
})

const STATEMENT = { command: "npx @treemark/verify statement FILE" }

/** A file that came where a proof was wanted. */
export const noProof = (given: Given): Problem =>
  looks(given, given.kind === "statement" ? ["giveStatement", "giveProof"] : ["giveProof", "giveBeside"], "notProof")

/** A file that came where something else was wanted; `headline` says what it is not. */
export const other = (given: Given, headline: Key, giveInstead: Key, english?: string): Problem => ({
  ...looks(given, [giveInstead], headline),
  english
})
