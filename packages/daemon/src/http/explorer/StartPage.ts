/** `/explorer` without anything: a place to paste what somebody has at hand, a transaction's hash or an asset's CID. */
import { parseCid } from "@treemark/core"
import { HttpServerResponse } from "effect/http"
import { familyPage, shownText } from "../pages/FamilyPage.ts"

const HASH = /^0x[0-9a-f]{64}$/iu

const page = (status: number, told: string): HttpServerResponse.HttpServerResponse =>
  familyPage({
    status,
    title: "Look something up",
    body: `<h1>Look something up</h1>
<p>A transaction of this service's ledgers, or everything that the ledger says of an asset. Needs no account.</p>
${told}
<form method="get" action="/explorer" class="card">
<label for="q">Hash of a transaction (0x…) or CID of an asset (baf… or Qm…)</label>
<input id="q" name="q" type="text" autocomplete="off" spellcheck="false" required maxlength="500">
<button>Look it up</button>
</form>`
  })

/** The page, or the way to what was asked for. `known`: whether this daemon has pages of transactions. */
export const startPage = (query: string, known: boolean): HttpServerResponse.HttpServerResponse => {
  const asked = (new URLSearchParams(query).get("q") ?? "").trim()
  if (asked === "") return page(200, "")
  const to = (path: string) => HttpServerResponse.empty({ status: 303, headers: { location: path } })
  if (known && HASH.test(asked)) return to(`/explorer/tx/${asked.toLowerCase()}`)
  if (parseCid(asked) !== undefined) return to(`/explorer/asset/${encodeURIComponent(asked)}`)
  const reason = HASH.test(asked)
    ? "Transactions of this network have their pages elsewhere: the link in a commit's answer leads there."
    : "This is neither the hash of a transaction nor a CID. Was it cut off?"
  return page(404, `<p class="card" role="alert"><strong>${shownText(asked, 100)}</strong><br>${reason}</p>`)
}
