/**
 * `GET /proofs/{assetTreeCid}`: the proof of a commit, as the file that anybody checks offline, or with `?form=html` as the page that checks
 * itself. It holds what the ledger and the gateway show to everybody, so it needs no token.
 */
import { parseCid } from "@treemark/core"
import { proofPage } from "@treemark/verify"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { proofOfTree } from "../../commits/ProofOfTree.ts"
import { Refused } from "../ApiErrors.ts"
import { refusing } from "../edge/Problems.ts"
import { verifyPage } from "../verify/VerifyPage.ts"

const proof = Effect.gen(function* () {
  const { assetTreeCid = "" } = yield* HttpRouter.params
  const request = yield* HttpServerRequest.HttpServerRequest
  const unknown = (detail: string) => new Refused({ code: "not_found", detail })
  if (parseCid(assetTreeCid) === undefined) {
    return yield* unknown("This is not a CID. Give the assetTreeCid that a commit answered.")
  }
  const text = yield* proofOfTree(assetTreeCid).pipe(
    Effect.catchTag("CommitNotFound", ({ message }) => Effect.fail(unknown(message)))
  )
  const isPage = new URLSearchParams(request.url.split("?", 2)[1]).get("form") === "html"
  const name = `${assetTreeCid}.proof.json`
  const body = isPage ? proofPage(yield* verifyPage, new TextEncoder().encode(`${text}\n`), name) : `${text}\n`
  return HttpServerResponse.text(body, {
    contentType: isPage ? "text/html; charset=utf-8" : "application/json",
    headers: {
      // A page with a stranger's words in it is saved and opened from the disk, never run in this origin.
      "content-disposition": `attachment; filename="${isPage ? name.replace(/json$/, "html") : name}"`
    }
  })
}).pipe(refusing)

export const layer = HttpRouter.use((router) => router.add("GET", "/proofs/:assetTreeCid", proof))
