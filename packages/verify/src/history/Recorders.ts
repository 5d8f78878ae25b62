/**
 * Whose word for an act is taken in a history: the wallets that the reader named, on the command line or in the authors file. Where nobody is named, the
 * recorder of the first commit is the one expected, and whoever shows the history says so.
 */
import { type AuthorsFile, keyProblem, type Report, revocationOf, roleLines, toEip55 } from "@treemark/core/verify"

export interface Recorders {
  /** EIP-55. */
  readonly trusted: ReadonlyArray<string>
  readonly from: "named" | "first-commit"
  /** Whether the word of the wallet that recorded this is taken. */
  readonly trusts: (report: Report) => boolean
}

export interface NamedRecorders {
  /** Addresses in any letter case. */
  readonly recorders?: ReadonlyArray<string> | undefined
  readonly authors?: AuthorsFile | undefined
}

/** `first`: the recorder of the first commit; undefined when there is none. */
export const recordersOf = ({ authors, recorders = [] }: NamedRecorders, first: string | undefined): Recorders => {
  const byOption = recorders.map(toEip55)
  const byFile = [...(authors?.keys() ?? [])].filter((address) => roleLines(authors!, address, "recorder").length > 0)
  if (byOption.length + byFile.length === 0) {
    const expected = first === undefined ? [] : [toEip55(first)]
    return { trusted: expected, from: "first-commit", trusts: (report) => expected.includes(recorderOf(report)) }
  }
  return {
    trusted: [...new Set([...byOption, ...byFile])],
    from: "named",
    trusts: (report) => byOption.includes(recorderOf(report)) || (authors !== undefined && isGoodThen(authors, report))
  }
}

const recorderOf = ({ act, ledger }: Report): string => ledger?.recorder ?? act?.recorder ?? ""

/** The authors file may say from when to when a recorder is trusted, which only a proven time can meet. */
const isGoodThen = (authors: AuthorsFile, report: Report): boolean => {
  const address = recorderOf(report)
  const time =
    report.time === null
      ? undefined
      : { seconds: Date.parse(report.time) / 1000, isProven: report.provenance.time === "ledger" }
  const revoked = revocationOf(authors, address)
  return roleLines(authors, address, "recorder").some((line) => keyProblem(line, revoked, time) === undefined)
}
