/** The judge's own reading of what a reader brings along: checkpoint files with their signatures, and an authors file (docs/proof-format.md). */
import { canonical, sha256, signerOfText } from "./Hands.ts"
import type { Loose } from "./Independent.ts"

export interface JudgedCheckpoint {
  readonly chainId: number
  readonly hashes: ReadonlyMap<number, string>
  readonly contracts: ReadonlyArray<string>
  /** Lower-case addresses whose signatures hold. */
  readonly signers: ReadonlyArray<string>
}

/** Undefined for a file that must be refused: one of its signatures does not lead to its signer. */
export const judgeCheckpoint = (text: string): JudgedCheckpoint | undefined => {
  const { signatures = [], ...file } = JSON.parse(text) as {
    readonly signatures?: ReadonlyArray<{ readonly signer: string; readonly signature: string }>
    readonly chainId: number
    readonly contracts?: ReadonlyArray<string>
    readonly entries: ReadonlyArray<{ readonly number: number; readonly hash: string }>
  }
  const checksum = sha256(canonical(file))
  const isBad = signatures.some(({ signature, signer }) => signerOfText(checksum, signature) !== signer)
  return isBad
    ? undefined
    : {
        chainId: file.chainId,
        hashes: new Map(file.entries.map(({ hash, number }) => [number, hash.toLowerCase()])),
        contracts: (file.contracts ?? []).map((contract) => contract.toLowerCase()),
        signers: signatures.map(({ signer }) => signer.toLowerCase())
      }
}

export interface JudgedLine {
  readonly address: string
  readonly name: string
  readonly roles: ReadonlySet<string>
  readonly from: number
  readonly until: number
  readonly hasPeriod: boolean
  /** Infinity: never. */
  readonly revoked: number
}

const LINE = /^(0x[0-9a-fA-F]{40}) ("[^"]*"|\S+)(.*)$/
const day = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(`${text}T00:00:00Z`) / 1000

/** The lines of a file that ForgeReader.ts or Corpus.ts wrote. */
export const judgeAuthors = (text: string): ReadonlyArray<JudgedLine> =>
  text.split("\n").flatMap((line): ReadonlyArray<JudgedLine> => {
    const [, address, name, rest = ""] = LINE.exec(line) ?? []
    if (address === undefined || name === undefined) return []
    const option = (key: string) => day(new RegExp(`${key}=(\\S+)`).exec(rest)?.[1])
    const until = option("valid-to")
    return [
      {
        address: address.toLowerCase(),
        name: name.replaceAll('"', ""),
        roles: new Set(rest.split(" ").filter((word) => word === "recorder" || word === "witness")),
        from: option("valid-from") ?? Number.NEGATIVE_INFINITY,
        until: until === undefined ? Number.POSITIVE_INFINITY : until + 86_400,
        hasPeriod: /valid-/.test(rest),
        revoked: option("revoked") ?? Number.POSITIVE_INFINITY
      }
    ]
  })

/** Whether the key of `address` is a good author's at `time` (Unix seconds), and by which name. */
export const nameOf = (
  lines: ReadonlyArray<JudgedLine>,
  address: string,
  time: { readonly seconds: number; readonly isProven: boolean } | undefined
): string | undefined => {
  const ofKey = lines.filter((line) => line.address === address)
  const revoked = Math.min(...ofKey.map((line) => line.revoked))
  if (revoked < Number.POSITIVE_INFINITY && !(time?.isProven === true && time.seconds < revoked)) return undefined
  const fitting = ofKey.find(({ from, hasPeriod, roles, until }) => {
    if (roles.size > 0) return false
    return !hasPeriod || (time?.isProven === true && time.seconds >= from && time.seconds < until)
  })
  return fitting?.name
}

export const timeOf = (seconds: Loose | unknown, isProven: boolean) =>
  typeof seconds === "number" && Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= 253_402_300_799
    ? { seconds, isProven }
    : undefined
