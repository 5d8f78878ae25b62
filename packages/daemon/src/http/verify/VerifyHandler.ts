/**
 * `GET /verify`: the page that verifies proofs in the browser. It asks for no token, sets no cookie and calls nothing back; `/verify?proof=ADDRESS` makes
 * it fetch the proof at that address of this very origin (the page refuses any other).
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { policyOf, servedPage } from "./VerifyPage.ts"

const answer = Effect.map(servedPage, (page) =>
  HttpServerResponse.text(page, {
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": policyOf(page) }
  })
)

export const layer = HttpRouter.use((router) => router.add("GET", "/verify", answer))
