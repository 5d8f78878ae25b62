/**
 * What is asked of a proof, the same by every command that verifies: whose signature, whom the reader knows, which blocks, how many witnesses and
 * which contracts. The options that say so, and the files that they name.
 */
import {
  AUTHORS_LIMIT,
  CHECKPOINT_LIMIT,
  isAddressText,
  type KnownContract,
  type VerifyInput
} from "@treemark/core/verify"
import { agreeing, readAuthors, readCheckpoint } from "./given/Options.ts"
import { ofFile, readBounded } from "./Inputs.ts"
import type { UnusableInput } from "./UnusableInput.ts"

export type Question = Pick<VerifyInput, "expectedAuthor" | "authors" | "checkpoints" | "quorum" | "contracts">

export const QUESTION_OPTIONS = {
  author: { type: "string" },
  authors: { type: "string" },
  checkpoint: { type: "string", multiple: true },
  quorum: { type: "string" },
  contract: { type: "string", multiple: true }
} as const

export interface Asked {
  readonly author: string | undefined
  /** Paths of files. */
  readonly authors: string | undefined
  readonly checkpoints: ReadonlyArray<string>
  readonly quorum: number | undefined
  readonly contracts: ReadonlyArray<KnownContract>
}

interface Values {
  readonly author?: string | undefined
  readonly authors?: string | undefined
  readonly checkpoint?: Array<string> | undefined
  readonly quorum?: string | undefined
  readonly contract?: Array<string> | undefined
}

type Usage = (message: string) => UnusableInput

/** The options' values, checked; `usage` makes the error for wrong ones. */
export const askedOf = (values: Values, usage: Usage): Asked => {
  const { author, authors, checkpoint: checkpoints = [], contract = [], quorum } = values
  if (author !== undefined) addressed("--author", author, usage)
  if (quorum !== undefined && checkpoints.length === 0) {
    throw usage("--quorum counts who signed the checkpoints, and none is given. Give them with --checkpoint.")
  }
  return {
    author,
    authors,
    checkpoints,
    quorum: quorum === undefined ? undefined : quorumOf(quorum, usage),
    contracts: contract.map((text) => contractOf(text, usage))
  }
}

/** `address`, when it is one. */
export const addressed = (option: string, address: string, usage: Usage): string => {
  if (isAddressText(address)) return address
  throw usage(`${option} is an address: 0x and 40 hex digits; this is "${address}".`)
}

const quorumOf = (text: string, usage: Usage): number => {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw usage(`--quorum is how many different witnesses must have signed for a block, such as 2; this is "${text}".`)
}

const contractOf = (text: string, usage: Usage): KnownContract => {
  const [, chainId, contract] = /^(\d{1,15}):(0x[0-9a-fA-F]{40})$/.exec(text) ?? []
  if (chainId !== undefined && contract !== undefined) return { chainId: Number(chainId), contract }
  throw usage(
    `--contract is a chain and a contract that you trust to say who called it, CHAINID:0x…; this is "${text}".`
  )
}

/** The files of the options, read; all that verification is asked. */
export const questionOf = ({ author, authors, checkpoints, contracts, quorum }: Asked): Question => ({
  expectedAuthor: author,
  authors:
    authors === undefined
      ? undefined
      : ofFile(authors, () => readAuthors(readBounded(authors, AUTHORS_LIMIT, "an authors file"))),
  checkpoints: agreeing(
    checkpoints.map((path) => ({
      ...ofFile(path, () => readCheckpoint(readBounded(path, CHECKPOINT_LIMIT, "a checkpoint"))),
      name: path
    }))
  ),
  quorum,
  contracts
})
