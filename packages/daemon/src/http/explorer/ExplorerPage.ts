/** One transaction as a page: plain HTML without scripts. All that comes from the ledger is a stranger's text. */
import { formatTokens, type NetworkRole, parseCid } from "@treemark/core"
import { Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { ExplorerTransaction } from "../../evm/Explorer.ts"
import { escaped, familyPage, type Html, type Row, rows, shownText } from "../pages/FamilyPage.ts"

const STATUS = { success: "in the ledger", pending: "sent, not in a block yet", reverted: "refused by the contract" }

/** The page of a transaction. */
export const explorerPage = (role: NetworkRole, found: ExplorerTransaction): HttpServerResponse.HttpServerResponse =>
  familyPage({
    title: `Transaction ${found.hash.slice(0, 10)}…`,
    body: `<h1>${found.commit === null ? "Transaction" : "Commit"}</h1>
<p class="soft">${shownText(found.network)}, the ${role} of this service, chain ${found.chainId}</p>
<div class="card">${rows([
      ["Transaction", digits(found.hash)],
      ["Status", `<span class="${found.status}">${escaped(found.status)}</span>, ${STATUS[found.status]}`],
      ...minedRows(found),
      [found.commit === null ? "From" : "From (recorder)", digits(found.from)],
      ["To", found.to === null ? "a new contract" : digits(found.to)],
      ...(found.value === 0n ? [] : [["Value", `${formatTokens(found.value)} native tokens`] as const])
    ])}</div>
${found.commit === null ? "" : commitSection(role, found.commit) + CHECK_YOURSELF}`
  })

const digits = (text: string): Html => `<span class="digits">${escaped(text)}</span>`

/** A plain link: this page runs no script, and the other one needs nothing from it. */
const CHECK_YOURSELF = `
<h2>Check it yourself</h2>
<p>This page shows what the service says. With a proof of the commit (<code>treemarkd proof</code>) you can check it without
the service: <a href="/verify">verify a proof</a> in your browser; nothing is sent anywhere.</p>`

const minedRows = ({ mined }: ExplorerTransaction): ReadonlyArray<Row> =>
  mined === null
    ? []
    : [
        ["Block", `${mined.blockNumber} <br>${digits(mined.blockHash)}`],
        ["Time", new Date(mined.timestamp * 1000).toISOString()],
        ["Gas", `${mined.gasUsed} × ${formatTokens(mined.gasPrice)} = ${formatTokens(mined.fee)} native tokens`]
      ]

const decodeRecord = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const commitSection = (
  role: NetworkRole,
  { assetCid, commitData }: NonNullable<ExplorerTransaction["commit"]>
): Html => {
  const asset = `<h2>Asset</h2>\n<div class="card">${rows([
    ["assetCid", contentLink(assetCid)],
    ...(parseCid(assetCid) === undefined
      ? []
      : [["History", `<a href="${historyHref(assetCid, role)}">every commit of this asset</a>`] as const])
  ])}</div>\n<h2>Commit record</h2>\n`
  return Option.match(decodeRecord(commitData), {
    onNone: () =>
      `${asset}<p>It is no JSON object; as it stands in the ledger:</p>\n<pre>${shownText(commitData, 20_000)}</pre>`,
    onSome: (record) =>
      `${asset}<div class="card">${rows(
        Object.entries(record).map(([name, value]) => [
          shownText(name, 100),
          name === "assetTreeCid" && typeof value === "string"
            ? contentLink(value)
            : shownText(typeof value === "string" ? value : JSON.stringify(value))
        ])
      )}</div>`
  })
}

/** Where the page of an asset's history is. */
export const historyHref = (assetCid: string, role: NetworkRole, before?: string): string => {
  const query = new URLSearchParams({
    ...(role === "testnet" ? { testnet: "true" } : {}),
    ...(before === undefined ? {} : { before })
  })
  return escaped(`/explorer/asset/${encodeURIComponent(assetCid)}${query.size === 0 ? "" : `?${query}`}`)
}

/** Links lead to this server's own gateway alone, and only for what is a CID. */
export const contentLink = (cid: string): Html =>
  parseCid(cid) === undefined
    ? shownText(cid)
    : `<a class="digits" href="/ipfs/${encodeURIComponent(cid)}">${escaped(cid)}</a>`
