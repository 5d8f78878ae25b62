/** One transaction as a page: plain HTML without scripts, for a phone as for a desk, light and dark. All that comes from the ledger is escaped. */
import { formatTokens, type NetworkRole, parseCid } from "@treemark/core"
import { Option, Schema } from "effect"
import type { ExplorerTransaction } from "../../evm/Explorer.ts"

export const EXPLORER_CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dde3, #333b45); --soft: light-dark(#57606a, #9aa4af) }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 52rem;
  background: light-dark(#fff, #14181d); color: light-dark(#1b1f24, #e6e9ec) }
h1 { font-size: 1.4rem; margin: 0 0 .25rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
p { margin: 0; color: var(--soft) } a { color: light-dark(#0b5cad, #7db7f5) }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; margin: 0 }
dt, dd { margin: 0; padding: .45rem .5rem; border-top: 1px solid var(--line) } dt { color: var(--soft) }
dd, pre, code { overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: .875rem }
pre { white-space: pre-wrap; border: 1px solid var(--line); padding: .75rem; margin: 0 }
.success { color: light-dark(#116329, #5fd38a) } .reverted { color: light-dark(#a40e26, #ff8a8a) }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr } dd { border-top: 0; padding-top: 0 } }
`

const STATUS = { success: "in the ledger", pending: "sent, not in a block yet", reverted: "refused by the contract" }

/** The page of a transaction. */
export const explorerPage = (role: NetworkRole, found: ExplorerTransaction): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Transaction ${escapeHtml(found.hash.slice(0, 10))}… · Treemark</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${found.commit === null ? "Transaction" : "Commit"}</h1>
<p>${escapeHtml(found.network)}, the ${role} of this service, chain ${found.chainId}</p>
${rows([
  ["Transaction", escapeHtml(found.hash)],
  ["Status", `<span class="${found.status}">${escapeHtml(found.status)}</span>, ${STATUS[found.status]}`],
  ...minedRows(found),
  [found.commit === null ? "From" : "From (recorder)", escapeHtml(found.from)],
  ["To", found.to === null ? "a new contract" : escapeHtml(found.to)],
  ...(found.value === 0n ? [] : [["Value", `${formatTokens(found.value)} native tokens`] as const])
])}
${found.commit === null ? "" : commitSection(found.commit) + CHECK_YOURSELF}
</main>
</body>
</html>
`

/** A plain link: this page runs no script, and the other one needs nothing from it. */
const CHECK_YOURSELF = `
<h2>Check it yourself</h2>
<p>This page shows what the service says. With a proof of the commit (<code>treemarkd proof</code>) you can check it without
the service: <a href="/verify">verify a proof</a> in your browser; nothing is sent anywhere.</p>`

const minedRows = ({ mined }: ExplorerTransaction): ReadonlyArray<Row> =>
  mined === null
    ? []
    : [
        ["Block", `${mined.blockNumber} <br>${escapeHtml(mined.blockHash)}`],
        ["Time", new Date(mined.timestamp * 1000).toISOString()],
        ["Gas", `${mined.gasUsed} × ${formatTokens(mined.gasPrice)} = ${formatTokens(mined.fee)} native tokens`]
      ]

const decodeRecord = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const commitSection = ({ assetCid, commitData }: NonNullable<ExplorerTransaction["commit"]>): string => {
  const asset = `<h2>Asset</h2>\n${rows([["assetCid", contentLink(assetCid)]])}\n<h2>Commit record</h2>\n`
  return Option.match(decodeRecord(commitData), {
    onNone: () =>
      `${asset}<p>It is no JSON object; as it stands in the ledger:</p>\n<pre>${escapeHtml(commitData)}</pre>`,
    onSome: (record) =>
      asset +
      rows(
        Object.entries(record).map(([name, value]) => [
          escapeHtml(name),
          name === "assetTreeCid" && typeof value === "string"
            ? contentLink(value)
            : escapeHtml(typeof value === "string" ? value : JSON.stringify(value))
        ])
      )
  })
}

/** Links lead to this server's own gateway alone, and only for what is a CID. */
const contentLink = (cid: string): string =>
  parseCid(cid) === undefined ? escapeHtml(cid) : `<a href="/ipfs/${encodeURIComponent(cid)}">${escapeHtml(cid)}</a>`

/** Label and value, both HTML. */
type Row = readonly [label: string, value: string]

const rows = (all: ReadonlyArray<Row>): string =>
  `<dl>\n${all.map(([label, value]) => `<dt>${label}</dt><dd>${value}</dd>`).join("\n")}\n</dl>`

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
