/** `GET /verify`: the page that verifies proofs in the browser. It asks for no token, sets no cookie and calls nothing back. */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { policyOf, verifyPage } from "./VerifyPage.ts"

const answer = Effect.map(verifyPage, (page) =>
  HttpServerResponse.text(page, {
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": policyOf(page) }
  })
)

export const layer = HttpRouter.use((router) => router.add("GET", "/verify", answer))
