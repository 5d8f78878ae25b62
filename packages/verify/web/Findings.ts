/**
 * Whose work it is, what it is, who did what with it, when and where: as the proof tells it, each value with how much it is worth. What the
 * signature covers (the work) and what somebody did (the act) stand apart, and a name inside the file is what the signer says of themselves.
 */
import type { Findings as Found, JsonObject, Provenance, Report } from "@treemark/core/verify"
import { textMember } from "@treemark/core/verify"
import { element } from "./Element.ts"
import { type Key, words } from "./Language.ts"
import { moment, type Sentence, say, strange } from "./Say.ts"

interface Row {
  readonly label: Key
  readonly value: Node | ReadonlyArray<Node | string> | undefined
  readonly worth?: Provenance | "yours" | null | undefined
}

/** The four blocks of facts. `tree`: the members of the asset tree, where it reads. */
export const findings = (report: Report, tree: JsonObject | undefined): ReadonlyArray<HTMLElement> => [
  block("whoseWork", workRows(report, tree)),
  block("theWork", treeRows(report, tree)),
  block("theAct", actRows(report)),
  block("theTime", placeRows(report))
]

const found = (report: Report, label: Key, name: Exclude<keyof Found, "ledger">): Row => ({
  label,
  value: text(report[name]),
  worth: report.provenance[name]
})

const workRows = (report: Report, tree: JsonObject | undefined): ReadonlyArray<Row> => [
  { label: "signedByKey", value: text(report.signer) },
  { label: "listName", value: text(report.signerName), worth: "yours" },
  found(report, "authorNamed", "author"),
  member(report, tree, "callsThemselves", "assetCreator")
]

const member = (report: Report, tree: JsonObject | undefined, label: Key, name: string): Row => ({
  label,
  value: text(textMember(tree, name) ?? null),
  worth: report.provenance.assetTreeSha256
})

const treeRows = (report: Report, tree: JsonObject | undefined): ReadonlyArray<Row> => {
  const worth = report.provenance.assetTreeSha256
  const licence = objectMember(tree, "license")
  return [
    member(report, tree, "title", "headline"),
    member(report, tree, "caption", "abstract"),
    { label: "licence", value: text(textMember(licence, "name") ?? null), worth },
    { label: "licenceText", value: text(textMember(licence, "document") ?? null), worth },
    { label: "madeAt", value: madeAt(tree), worth },
    { label: "madeWith", value: text(textMember(objectMember(tree, "custom"), "generatedBy") ?? null), worth },
    { label: "nft", value: nftText(objectMember(tree, "nftRecord")), worth },
    member(report, tree, "kindOfFile", "encodingFormat"),
    found(report, "fileCid", "assetCid"),
    member(report, tree, "fileSha256", "assetSha256"),
    found(report, "recordCid", "assetTreeCid"),
    found(report, "recordSha256", "assetTreeSha256")
  ]
}

const actRows = (report: Report): ReadonlyArray<Row> => {
  const { act } = report
  if (act === null) return [found(report, "committer", "committer")]
  const worth = act.provenance
  const by: Sentence =
    act.by === "author"
      ? { key: "byAuthor" }
      : act.recorder === null
        ? { key: "byNobody" }
        : { key: "byRecorder", values: { wallet: act.recorder } }
  return [
    { label: "action", value: text(act.actionName ?? act.action), worth },
    // Without a message of the person's own, the record's text only names the action.
    { label: "message", value: text(act.message === `Action ${act.actionName}.` ? null : act.message), worth },
    { label: "doneBy", value: say(by.key, by.values), worth },
    found(report, "committer", "committer")
  ]
}

const placeRows = (report: Report): ReadonlyArray<Row> => {
  const { ledger, provenance } = report
  const worth = provenance.ledger
  return [
    { label: "time", value: report.time === null ? undefined : moment(report.time), worth: provenance.time },
    {
      label: "network",
      value:
        ledger === null ? undefined : say("networkPlace", { network: ledger.network, chain: String(ledger.chainId) }),
      worth
    },
    { label: "block", value: text(ledger && String(ledger.blockNumber)), worth },
    { label: "blockHash", value: text(ledger?.blockHash ?? null), worth },
    { label: "transaction", value: text(ledger?.txHash ?? null), worth: transactionWorth(report) }
  ]
}

/** The ledger may cover the place, but not show the transaction's hash. */
const transactionWorth = ({ checks, provenance }: Report): Provenance | null =>
  provenance.ledger === "ledger" && checks.some(({ name, code }) => name === "ledger-transaction" && code !== "ok")
    ? "claimed"
    : provenance.ledger

/** A chain alone is no NFT: clients name it to say where they are. */
const nftText = (nft: JsonObject | undefined): Row["value"] => {
  if (nft === undefined) return undefined
  const part = (name: string): string | undefined => {
    const value = Object.hasOwn(nft, name) ? nft[name] : null
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined
  }
  const [chain, contract, token] = [part("chainID"), part("contractAddress"), part("tokenID")]
  if (chain !== undefined && contract === undefined && token === undefined) return say("nftChainOnly", { chain })
  return say("nftPlace", { chain: chain ?? "–", contract: contract ?? "–", token: token ?? "–" })
}

const madeAt = (tree: JsonObject | undefined): Node | undefined => {
  const seconds = tree !== undefined && Object.hasOwn(tree, "assetTimestampCreated") ? tree.assetTimestampCreated : null
  const LAST = 253_402_300_799
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds <= LAST)) return undefined
  return moment(new Date(seconds * 1000).toISOString())
}

const objectMember = (owner: JsonObject | undefined, name: string): JsonObject | undefined => {
  const value = owner !== undefined && Object.hasOwn(owner, name) ? owner[name] : undefined
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

const text = (value: string | null): HTMLElement | undefined => (value === null ? undefined : strange(value))

const block = (title: Key, rows: ReadonlyArray<Row>): HTMLElement => {
  const list = element("dl", {})
  for (const { label, value, worth } of rows) {
    if (value === undefined) continue
    const shown = value instanceof Node ? [value] : value
    list.append(element("dt", {}, words(label)), element("dd", {}, ...shown, " ", worth ? badge(worth) : undefined))
  }
  const body = list.childElementCount === 0 ? element("p", { class: "soft" }, words("notTold")) : list
  return element("section", { class: "card facts" }, element("h3", {}, words(title)), body)
}

/** How much a value is worth. */
export const badge = (worth: Provenance | "yours"): HTMLElement =>
  element("span", { class: `worth ${worth}` }, words(worth))
