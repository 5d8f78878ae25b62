/**
 * The product, broken in ways that an attacker would like: each is one change of a line, which the fuzzer's judge has to notice. `npm run fuzz:broken`
 * tries them all, each in a process of its own whose modules are changed as they are loaded; nothing is written.
 */
import { registerHooks } from "node:module"

export interface Broken {
  /** What a reader would then be made to believe. */
  readonly what: string
  /** The end of the module's path. */
  readonly file: string
  readonly from: string
  readonly to: string
}

const V = "core/src/verification"

export const BROKEN: ReadonlyArray<Broken> = [
  {
    what: "any recorder, by an event that names another",
    file: `${V}/InclusionProof.ts`,
    from: "if (topics.recorder !== recorder)",
    to: "if (false)"
  },
  {
    what: "any contract's word for who recorded a commit",
    file: `${V}/ContractChecks.ts`,
    from: "if (isAmong(known, place))",
    to: "if (true)"
  },
  {
    what: "a transaction that somebody else sent",
    file: `${V}/ContractChecks.ts`,
    from: "if (found !== compared.expected)",
    to: "if (found === undefined)"
  },
  {
    what: "an act that anybody signed",
    file: `${V}/ActFinding.ts`,
    from: "return recovery.signer === author",
    to: "return recovery.ok"
  },
  {
    what: "one witness who signs twice",
    file: `${V}/Witnesses.ts`,
    from: "const signers = [...new Set(having.flatMap(signersOf))]",
    to: "const signers = [...having.flatMap(signersOf)]"
  },
  {
    what: "a checkpoint that was changed after it was signed",
    file: "core/src/proof/Checkpoint.ts",
    from: "if (recovery.ok && recovery.signer === signer) continue",
    to: "if (recovery.ok) continue"
  },
  {
    what: "a revoked key, by a time that its thief wrote",
    file: `${V}/NamedSigner.ts`,
    from: "time?.isProven === true && time.seconds < revoked.at",
    to: "time !== undefined && time.seconds < revoked.at"
  },
  {
    what: "a number that differs where doubles do not",
    file: `${V}/LedgerChecks.ts`,
    from: "differingMember(text, recordText ?? JSON.parse(JSON.stringify(record, finite)))",
    to: "differingMember(JSON.stringify(JSON.parse(text)), JSON.parse(JSON.stringify(record, finite)))"
  },
  {
    what: "a member of the wrong type, as one that is not there",
    file: `${V}/RecordChecks.ts`,
    from: "value === undefined || value === null || typeof value === type",
    to: "true"
  },
  {
    what: "a file, because its sha256 stands in a UnixFS CID",
    file: `${V}/AssetChecks.ts`,
    from: "cid.codec === DAG_PB_CODE && isSameContent(cid, rebuilt)",
    to: "cid.codec === DAG_PB_CODE && cid.digest.join() === rebuilt.digest.join()"
  },
  {
    what: "a tree that the signature is not over",
    file: `${V}/TreeChecks.ts`,
    from: "return tree.sha256 === namedSha256 ?",
    to: "return tree.sha256 !== undefined ?"
  },
  {
    what: "a commit in a history that is of another place than the index says",
    file: "verify/src/history/VerifyHistory.ts",
    from: ".filter(([, expected, actual]) => expected.toLowerCase() !== actual.toLowerCase())",
    to: ".filter(() => false)"
  }
]

/** Changes the module of `broken` as it is loaded. */
export const breakModule = ({ file, from, to }: Broken): void => {
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(`/${file}`)) return loaded
      const source = Buffer.from(loaded.source as Uint8Array).toString()
      if (!source.includes(from)) throw new Error(`${file} no longer has the line to break: ${from}`)
      return { ...loaded, source: source.replace(from, to) }
    }
  })
}
