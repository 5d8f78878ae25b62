/**
 * What a proof tells, in rows: whose work it is, what it is, and, apart from that, who did what with it, where and when. Each row says how much it is
 * worth: a signature over the work says nothing about what somebody did with it later.
 */
import { type JsonObject, type Provenance, type Report, textMember } from "@treemark/core/verify"
import { witnessText } from "./Words.ts"

export interface Row {
  readonly label: string
  /** Text of strangers, as it is. */
  readonly value: string
  readonly worth: Provenance | null
  /** What else there is to say, in our own words. */
  readonly remark?: string
}

export interface Facts {
  readonly title: string
  readonly rows: ReadonlyArray<Row>
}

/** `tree`: the members of the asset tree, where it reads. */
export const factsOf = (report: Report, tree: JsonObject | undefined): ReadonlyArray<Facts> =>
  [
    { title: "Whose work it is", rows: work(report, tree) },
    { title: "The work", rows: described(report, tree) },
    { title: "Who did this, and what", rows: act(report) },
    { title: "Where and when", rows: place(report) }
  ].filter(({ rows }) => rows.length > 0)

const row = (
  label: string,
  value: string | null | undefined,
  worth: Provenance | null,
  remark?: string
): ReadonlyArray<Row> =>
  value === null || value === undefined || value === ""
    ? []
    : [{ label, value, worth, ...(remark === undefined ? {} : { remark }) }]

const work = (report: Report, tree: JsonObject | undefined): ReadonlyArray<Row> => {
  const { author, provenance, signer, signerName } = report
  return [
    ...row("signer", signer, null, "found from the signature"),
    ...row("name", signerName, null, "by your authors file"),
    ...row("author", author, provenance.author),
    ...row("creator", textMember(tree, "assetCreator"), provenance.assetTreeSha256, "what the signer calls themselves")
  ]
}

const described = ({ assetCid, assetTreeCid, assetTreeSha256, provenance }: Report, tree: JsonObject | undefined) => {
  const worth = provenance.assetTreeSha256
  const licence = objectMember(tree, "license")
  return [
    ...row("title", textMember(tree, "headline"), worth),
    ...row("caption", textMember(tree, "abstract"), worth),
    ...row("licence", licenceText(licence), worth),
    ...row("made", madeAt(tree), worth),
    ...row("made with", textMember(objectMember(tree, "custom"), "generatedBy"), worth),
    ...row("nft", nftText(objectMember(tree, "nftRecord")), worth),
    ...row("kind", textMember(tree, "encodingFormat"), worth),
    ...row("asset", assetCid, provenance.assetCid),
    ...row("tree", assetTreeCid, provenance.assetTreeCid),
    ...row("checksum", assetTreeSha256, provenance.assetTreeSha256)
  ]
}

const licenceText = (licence: JsonObject | undefined): string | undefined => {
  const [name, document] = [textMember(licence, "name"), textMember(licence, "document")]
  return name === undefined || document === undefined ? (name ?? document) : `${name} (${document})`
}

const LAST_SECOND = 253_402_300_799

const madeAt = (tree: JsonObject | undefined): string | undefined => {
  const seconds = member(tree, "assetTimestampCreated")
  return typeof seconds === "number" && Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= LAST_SECOND
    ? new Date(seconds * 1000).toISOString().replace(".000Z", "Z")
    : undefined
}

/** Published clients name the chain alone, to say where they are: that is no NFT. */
const nftText = (nft: JsonObject | undefined): string | undefined => {
  const part = (name: string): string | undefined => {
    const value = member(nft, name)
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined
  }
  const [chain, contract, token] = [part("chainID"), part("contractAddress"), part("tokenID")]
  if (contract === undefined && token === undefined) {
    return chain === undefined ? undefined : `chain ${chain} named, no contract`
  }
  return `token ${token ?? "not named"} of contract ${contract ?? "not named"} on chain ${chain ?? "not named"}`
}

/** The daemon writes this where no message was given. */
const isDefault = (message: string | null, actionName: string | null): boolean => message === `Action ${actionName}.`

const act = ({ act, committer, provenance }: Report): ReadonlyArray<Row> => {
  const sent = row("committer", committer, provenance.committer)
  if (act === null) return sent
  const { action, actionName, by, message, recorder } = act
  const worth = act.provenance
  const doer =
    by === "author"
      ? row("by", "its author", worth, "who signed this act, too")
      : row(
          "by",
          recorder ?? "nobody who is named",
          worth,
          "who recorded it; the author's signature does not cover this act"
        )
  return [
    ...row("action", actionName ?? action, worth),
    ...(isDefault(message, actionName) ? [] : row("message", message, worth)),
    ...doer,
    ...sent
  ]
}

const place = (report: Report): ReadonlyArray<Row> => {
  const { ledger, provenance, time, witnesses } = report
  const where =
    ledger === null
      ? null
      : `${ledger.network} (chain ${ledger.chainId}), block ${ledger.blockNumber}, transaction ${ledger.txHash}${transactionNote(report)}`
  return [
    ...row("time", time, provenance.time),
    ...row("ledger", where, provenance.ledger),
    ...row("witness", witnesses.map(witnessText).join(", "), null, "whose word it is that the block is on the ledger")
  ]
}

/** The ledger may cover the place, but not show the transaction's hash. */
const transactionNote = ({ checks, provenance }: Report): string =>
  provenance.ledger === "ledger" && checks.some(({ name, code }) => name === "ledger-transaction" && code !== "ok")
    ? " (that hash is as the file claims)"
    : ""

const member = (owner: JsonObject | undefined, name: string): unknown =>
  owner !== undefined && Object.hasOwn(owner, name) ? owner[name] : undefined

const objectMember = (owner: JsonObject | undefined, name: string): JsonObject | undefined => {
  const value = member(owner, name)
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}
