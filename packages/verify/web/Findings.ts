/** Who, what, when and where, as the proof tells it, each value with how much it is worth: signed, on the ledger, or only claimed. */
import type { Findings as Found, JsonObject, Provenance, Report } from "@treemark/core/verify"
import { textMember } from "@treemark/core/verify"
import { element, strange } from "./Element.ts"

interface Row {
  readonly label: string
  readonly value: HTMLElement | undefined
  readonly worth?: Provenance | "yours" | null | undefined
}

const WORTHS: Readonly<Record<Provenance | "yours", string>> = {
  signed: "signed",
  ledger: "on the ledger",
  claimed: "only claimed",
  yours: "from your list"
}

/** The four blocks of facts. `tree`: the members of the asset tree, where it reads. */
export const findings = (report: Report, tree: JsonObject | undefined): ReadonlyArray<HTMLElement> => {
  const { ledger, provenance } = report
  const of = (label: string, name: keyof Found): Row => ({
    label,
    value: plain(name === "ledger" ? null : report[name]),
    worth: provenance[name]
  })
  const member = (label: string, name: string): Row => ({
    label,
    value: plain(textMember(tree, name) ?? null),
    worth: provenance.assetTreeSha256
  })
  return [
    block("Who", [
      { label: "Signed by", value: plain(report.signerName), worth: "yours" },
      { ...of("Signer's address", "signer") },
      of("Author named", "author"),
      of("Committed by", "committer")
    ]),
    block("What", [
      member("Title", "headline"),
      member("Description", "abstract"),
      member("Made by", "assetCreator"),
      member("Kind of file", "encodingFormat"),
      of("File's address (CID)", "assetCid"),
      member("File's checksum (sha256)", "assetSha256"),
      of("Record's address (CID)", "assetTreeCid"),
      of("Record's checksum (sha256)", "assetTreeSha256")
    ]),
    block("When", [{ label: "Committed", value: moment(report.time), worth: provenance.time }]),
    block("Where", [
      {
        label: "Ledger",
        value: plain(ledger && `${ledger.network}, chain ${ledger.chainId}`),
        worth: provenance.ledger
      },
      {
        label: "Block",
        value: plain(ledger && String(ledger.blockNumber)),
        worth: provenance.ledger
      },
      { label: "Block's hash", value: plain(ledger?.blockHash ?? null), worth: provenance.ledger },
      { label: "Transaction", value: plain(ledger?.txHash ?? null), worth: transactionWorth(report) }
    ])
  ]
}

/** The ledger may cover the place, but not show the transaction's hash. */
const transactionWorth = ({ checks, provenance }: Report): Provenance | null =>
  provenance.ledger === "ledger" && checks.some(({ name, code }) => name === "ledger-transaction" && code !== "ok")
    ? "claimed"
    : provenance.ledger

const plain = (text: string | null): HTMLElement | undefined => {
  if (text === null) return undefined
  const shown = strange(text)
  // Addresses, hashes and CIDs are compared digit by digit.
  if (/^[\dA-Za-z]{32,}$/.test(text)) shown.classList.add("digits")
  return shown
}

const moment = (iso: string | null): HTMLElement | undefined => {
  if (iso === null) return undefined
  return element("time", { title: iso }, momentText(iso))
}

/** A time of the report as people write it, in UTC. */
export const momentText = (iso: string): string =>
  `${new Date(iso).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "medium", timeZone: "UTC" })} UTC`

const block = (title: string, rows: ReadonlyArray<Row>): HTMLElement => {
  const told = rows.filter(({ value }) => value !== undefined)
  const list = element("dl", {})
  for (const { label, value, worth } of told) {
    list.append(element("dt", {}, label), element("dd", {}, value, worth ? badge(worth) : undefined))
  }
  const body = told.length === 0 ? element("p", { class: "soft" }, "The proof does not tell.") : list
  return element("section", { class: "card facts" }, element("h3", {}, title), body)
}

const badge = (worth: Provenance | "yours"): HTMLElement => element("span", { class: `worth ${worth}` }, WORTHS[worth])
