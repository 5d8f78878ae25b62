/**
 * The history of one asset as a page for anybody, which a link or a QR code leads to: every commit that the ledger has of it, newest first,
 * with the way to check each. Anybody may write to the ledger, so each line is a stranger's text.
 */
import { type LedgerCommit, type NetworkRole, parseCid } from "@treemark/core"
import { Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { escaped, familyPage, type Html, rows, shownText } from "../pages/FamilyPage.ts"
import { contentLink, historyHref } from "./ExplorerPage.ts"

export interface ShownHistory {
  readonly assetCid: string
  readonly network: { readonly role: NetworkRole; readonly name: string; readonly chainId: number }
  /** Newest first. */
  readonly commits: ReadonlyArray<LedgerCommit>
  /** The place that older ones stand before. */
  readonly older: string | undefined
  readonly explorerUrl: (txHash: string) => string
}

const OTHER = { mainnet: "testnet", testnet: "mainnet" } as const
const NAMES = { mainnet: "mainnet", testnet: "test network" } as const

/** The page. */
export const historyPage = (shown: ShownHistory): HttpServerResponse.HttpServerResponse => {
  const { assetCid, commits, network, older } = shown
  const other = OTHER[network.role]
  const list =
    commits.length === 0
      ? `<p class="card">No commit of this asset is on this network.</p>`
      : `<ol class="timeline" reversed>\n${commits.map((commit) => item(commit, shown)).join("\n")}\n</ol>`
  return familyPage({
    title: `History of ${assetCid.slice(0, 16)}…`,
    body: `<h1>The history of an asset</h1>
<p class="digits">${contentLink(assetCid)}</p>
<p>Everything below stands on the ledger (${shownText(network.name)}, chain ${network.chainId}). Anybody may write there about any asset: who signed is
told by the check of a commit, which needs no account and does not ask this service.</p>
<h2>Commits on the ${NAMES[network.role]}</h2>
${list}
<p class="actions">${older === undefined ? "" : `<a href="${historyHref(assetCid, network.role, older)}">Older commits</a>`}
<a href="${historyHref(assetCid, other)}">On the ${NAMES[other]}</a></p>`
  })
}

const decodeRecord = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const item = ({ commitData, recorder, txHash, blockNumber }: LedgerCommit, { explorerUrl }: ShownHistory): Html => {
  const record = Option.getOrUndefined(decodeRecord(commitData))
  const text = (name: string) => {
    const value = record?.[name]
    return typeof value === "string" && value !== "" ? value : undefined
  }
  const [action, author, message, tree] = [text("actionName"), text("author"), text("abstract"), text("assetTreeCid")]
  const proof = tree === undefined || parseCid(tree) === undefined ? undefined : `/proofs/${encodeURIComponent(tree)}`
  return `<li class="card">
<h3>${timeOf(record?.timestampCreated)} · ${action === undefined ? "an act without a name" : shownText(action, 60)}</h3>
${message === undefined || message === `Action ${action}.` ? "" : `<p>${shownText(message, 1_000)}</p>`}
${record === undefined ? `<pre>${shownText(commitData)}</pre>` : ""}
${rows([
  [
    "Author, as the record says",
    author === undefined ? "not told" : `<span class="digits">${shownText(author, 100)}</span>`
  ],
  ["Recorded by", `<span class="digits">${escaped(recorder)}</span>`],
  [
    "Transaction",
    `<a class="digits" href="${escaped(explorerUrl(txHash))}">${escaped(txHash)}</a>, block ${blockNumber}`
  ],
  ...(tree === undefined ? [] : [["Signed properties", contentLink(tree)] as const])
])}
${proof === undefined ? "" : `<p class="actions"><a href="/verify?proof=${encodeURIComponent(proof)}">Check this commit</a> <a href="${proof}">Save its proof</a></p>`}
</li>`
}

/** A time that the record claims, in seconds. */
const timeOf = (seconds: unknown): Html => {
  const isTime = typeof seconds === "number" && seconds >= 0 && seconds <= 253_402_300_799
  return isTime ? `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace("T", " ")} UTC` : "at a time not told"
}
