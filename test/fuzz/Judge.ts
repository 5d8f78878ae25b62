/**
 * The independent judge: what a report must say of a proof and its reader, by decisions.md alone, with ethers and node:crypto and nothing of core.
 * For a proof that a forger made whole it says so exactly; of a mutated one, it says the most that may be claimed.
 */
import { getAddress, Transaction } from "ethers"
import { actChecksum } from "./Forge.ts"
import { KNOWN, remembered, sha256 } from "./Hands.ts"
import { type Facts, factsOf, type Loose, signerOf } from "./Independent.ts"
import { type JudgedCheckpoint, type JudgedLine, judgeAuthors, judgeCheckpoint, nameOf, timeOf } from "./JudgeReader.ts"
import type { Reader } from "./Reader.ts"

export interface Judgment {
  readonly facts: Facts
  readonly verdict: "valid" | "unconfirmed" | "invalid"
  readonly file: "same" | "different" | "not-given" | "not-comparable"
  readonly who: "expected" | "named" | "unknown" | "not-the-author" | "nobody"
  readonly when: "proven" | "claimed" | "none"
  readonly by: "author" | "recorder"
  readonly act: "signed" | "ledger" | "claimed"
  /** Whether a checkpoint, and as many witnesses as asked for, have the block. */
  readonly isOnLedger: boolean
  readonly isContractKnown: boolean
  /** Both, and the transaction does not contradict it. */
  readonly isTold: boolean
  readonly sender: "recorder" | "another" | "indirect" | "unreadable" | "unknown"
  readonly name: string | undefined
}

/** Undefined: the reader's own files are to be refused. */
export const judge = (bytes: Uint8Array, reader: Reader): Judgment | undefined => {
  const checkpoints = (reader.checkpoints ?? []).map(judgeCheckpoint)
  if (checkpoints.some((checkpoint) => checkpoint === undefined)) return undefined
  const facts = factsOf(bytes)
  const file: Loose = JSON.parse(Buffer.from(bytes).toString("utf8"))
  const lines = reader.authors === undefined ? undefined : judgeAuthors(reader.authors)
  const place = placeOf(file?.ledger, facts, {
    checkpoints: checkpoints as ReadonlyArray<JudgedCheckpoint>,
    lines,
    reader
  })
  const record = file?.commit?.record
  const isTold = place.isOnLedger && place.isContractKnown && !place.isSenderWrong
  const time = isTold ? timeOf(place.blockTime, true) : timeOf(record?.timestampCreated, false)
  const who = whoOf(facts, { lines, reader, time })
  const asset = assetOf(facts, reader)
  const act = actOf(record, facts, file?.ledger)
  const heavy = [
    ...problemsOf(record, facts, file),
    ...place.problems,
    ...who.problems,
    ...(asset === "different" ? ["invalid"] : []),
    ...(asset === "not-comparable" ? ["unconfirmed"] : []),
    ...(act === "wrong" ? ["invalid"] : [])
  ]
  return {
    facts,
    verdict: heavy.includes("invalid") ? "invalid" : heavy.includes("unconfirmed") ? "unconfirmed" : "valid",
    file: asset,
    who: who.answer,
    when: time === undefined ? "none" : time.isProven ? "proven" : "claimed",
    by: act === "author" ? "author" : "recorder",
    act: act === "author" ? "signed" : isTold && facts.recordIsCommitData ? "ledger" : "claimed",
    isOnLedger: place.isOnLedger,
    isContractKnown: place.isContractKnown,
    isTold,
    sender: place.sender,
    name: who.name
  }
}

const lower = (value: unknown): string | undefined => (typeof value === "string" ? value.toLowerCase() : undefined)

const TEXTS = [
  "author",
  "committer",
  "assetTreeCid",
  "assetTreeSha256",
  "assetTreeSignature",
  "action",
  "actionName",
  "actionResult",
  "provider",
  "abstract",
  "actSignature"
]
/** A CID of any kind: it names a committer in a way that nothing here can be compared with. */
const IDENTITY = /^b[a-z2-7]{6,}$/

const problemsOf = (record: Loose, facts: Facts, file: Loose): ReadonlyArray<string> => {
  const wrong = (names: ReadonlyArray<string>, type: string) =>
    names.some((name) => (record?.[name] ?? null) !== null && typeof record?.[name] !== type)
  const committer: unknown = record?.committer
  const holds =
    facts.signer !== undefined &&
    facts.authorsAgree &&
    facts.checksumHolds &&
    facts.cidsHold &&
    facts.recordIsCommitData &&
    facts.treeReads &&
    !wrong(TEXTS, "string") &&
    !wrong(["timestampCreated"], "number") &&
    (typeof committer !== "string" ||
      IDENTITY.test(committer) ||
      committer.toLowerCase() === lower(file?.ledger?.recorder))
  return holds ? [] : ["invalid"]
}

interface Given {
  readonly checkpoints: ReadonlyArray<JudgedCheckpoint>
  readonly lines: ReadonlyArray<JudgedLine> | undefined
  readonly reader: Reader
}

const placeOf = (ledger: Loose, facts: Facts, { checkpoints, lines, reader }: Given) => {
  const { blockHash, blockNumber, chainId, contract, recorder }: { [member: string]: unknown } = ledger ?? {}
  const ofChain = checkpoints.filter((checkpoint) => checkpoint.chainId === chainId)
  const having = ofChain.filter(({ hashes }) => hashes.get(Number(blockNumber)) === lower(blockHash))
  const isContradicted = ofChain.some(
    ({ hashes }) => (hashes.get(Number(blockNumber)) ?? lower(blockHash)) !== lower(blockHash)
  )
  const isVouched = (files: ReadonlyArray<JudgedCheckpoint>) => isEnough(files, lines, reader.quorum)
  const isOnLedger = facts.isIncluded && !isContradicted && isVouched(having)
  const vouched = ofChain.flatMap(({ contracts }) => contracts)
  const known = [
    KNOWN[Number(chainId)],
    ...(reader.contracts ?? []).flatMap((one) => (one.chainId === chainId ? [one.contract] : [])),
    ...vouched.filter((one) => isVouched(ofChain.filter(({ contracts }) => contracts.includes(one))))
  ].map(lower)
  const isContractKnown = known.includes(lower(contract))
  const sender = senderOf(ledger, { contract, recorder, isContractKnown })
  const isProven = ledger?.inclusion !== undefined
  const isAsked = reader.checkpoints !== undefined
  const isSenderWrong =
    isContractKnown &&
    facts.isIncluded &&
    facts.isTransactionInBlock &&
    (sender === "another" || sender === "unreadable")
  const problems = [
    ...(isContradicted || (isProven && !facts.isIncluded) ? ["invalid"] : []),
    ...((isAsked || reader.quorum !== undefined) && !isOnLedger ? ["unconfirmed"] : []),
    ...(isOnLedger && !isContractKnown ? ["unconfirmed"] : []),
    ...(facts.isIncluded && ledger?.inclusion?.transaction !== undefined && !facts.isTransactionShown
      ? ["invalid"]
      : []),
    ...(isSenderWrong ? ["invalid"] : [])
  ]
  return { isOnLedger, isSenderWrong, isContractKnown, sender, problems, blockTime: facts.blockTime }
}

/** Without a quorum one file is enough; with one, so many different signers, of the witnesses named where any are, and none that is revoked. */
const isEnough = (
  files: ReadonlyArray<JudgedCheckpoint>,
  lines: ReadonlyArray<JudgedLine> = [],
  quorum: number | undefined
): boolean => {
  if (quorum === undefined) return files.length > 0
  const isRevoked = (signer: string) =>
    lines.some((line) => line.address === signer && line.revoked < Number.POSITIVE_INFINITY)
  const witnesses = lines.filter(({ roles }) => roles.has("witness")).map(({ address }) => address)
  const counted = new Set(files.flatMap(({ signers }) => signers)).values()
  return (
    [...counted].filter((one) => !isRevoked(one) && (witnesses.length === 0 || witnesses.includes(one))).length >=
    quorum
  )
}

interface Sent {
  readonly contract: unknown
  readonly recorder: unknown
  readonly isContractKnown: boolean
}

const opened = remembered((raw) => {
  const { from, to } = Transaction.from(raw)
  return { from, to }
})

const senderOf = (ledger: Loose, { contract, recorder }: Sent): Judgment["sender"] => {
  const raw: unknown = ledger?.inclusion?.transaction
  if (typeof raw !== "string") return "unknown"
  try {
    if (/^0x(?:0[05-9]|[1-7])/.test(raw)) return "unknown"
    const { from, to } = opened(raw)
    if (from === null) return "unreadable"
    if (lower(to) !== lower(contract)) return "indirect"
    return lower(from) === lower(recorder) ? "recorder" : "another"
  } catch {
    return "unreadable"
  }
}

/** A file that names recorders and witnesses only says nothing of authors, but for whose key is revoked. */
const isSilent = (
  lines: ReadonlyArray<JudgedLine>,
  signer: string | undefined,
  time: ReturnType<typeof timeOf>
): boolean => {
  const trusted = time?.isProven === true ? time.seconds : Number.POSITIVE_INFINITY
  const isRevoked = lines.some(
    ({ address, revoked }) => address === signer && revoked < Number.POSITIVE_INFINITY && trusted >= revoked
  )
  return lines.length > 0 && lines.every(({ roles }) => roles.size > 0) && !isRevoked
}

interface Question {
  readonly lines: ReadonlyArray<JudgedLine> | undefined
  readonly reader: Reader
  readonly time: ReturnType<typeof timeOf>
}

const whoOf = (facts: Facts, { lines, reader, time }: Question) => {
  const signer = facts.signer?.toLowerCase()
  const author = facts.author?.toLowerCase()
  const expected = reader.author?.toLowerCase()
  const isSigned = signer !== undefined && facts.isOverTree
  const name = lines === undefined || signer === undefined ? undefined : nameOf(lines, signer, time)
  const isOther = expected === undefined ? author !== undefined && author !== signer : expected !== signer
  const answer: Judgment["who"] = !isSigned
    ? "nobody"
    : isOther && (expected !== undefined || /^0x[0-9a-f]{40}$/.test(author ?? ""))
      ? "not-the-author"
      : expected !== undefined
        ? "expected"
        : name === undefined
          ? "unknown"
          : "named"
  const isUnconfirmed =
    isOther ||
    (author === undefined && expected === undefined) ||
    (lines !== undefined && name === undefined && !isSilent(lines, signer, time))
  return { answer, name, problems: isUnconfirmed ? ["unconfirmed"] : [] }
}

const assetOf = (facts: Facts, reader: Reader): Judgment["file"] => {
  if (reader.asset === undefined) return "not-given"
  if (!facts.assetReads || !facts.checksumHolds) return "not-comparable"
  const digest = sha256(reader.asset)
  const named = lower(facts.assetSha256)
  const inCid = facts.assetRawDigest
  if ((named !== undefined && named !== digest) || (inCid !== undefined && inCid !== digest)) return "different"
  return (named ?? inCid) === undefined ? "not-comparable" : "same"
}

const actOf = (record: Loose, facts: Facts, ledger: Loose): "author" | "wrong" | "none" => {
  const signature: unknown = record?.actSignature
  const named = (facts.author ?? facts.signer)?.toLowerCase()
  const isAuthorKnown = facts.isAuthorInTree || named === facts.signer?.toLowerCase()
  if (facts.signer === undefined || !facts.isOverTree || !isAuthorKnown) return "none"
  if (typeof signature !== "string") return "none"
  try {
    const author = getAddress(facts.author ?? facts.signer ?? "")
    const contract = getAddress(String(ledger?.contract))
    const said = actChecksum({ ...record, author, assetTreeSha256: facts.sha256 }, Number(ledger?.chainId), contract)
    return signerOf(said, signature)?.toLowerCase() === author.toLowerCase() ? "author" : "wrong"
  } catch {
    return "wrong"
  }
}
