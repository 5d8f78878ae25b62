/** Every address of the console: the page with its files, signing in, what only the page asks, and proofs to keep. */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { consolePage, consolePictures, consoleScript, consoleStyle, favicon } from "./ConsolePage.ts"
import * as Desk from "./DeskHandlers.ts"
import * as HistoryCar from "./HistoryCar.ts"
import * as Look from "./LookHandlers.ts"
import * as Pairing from "./PairingHandlers.ts"
import * as Proof from "./ProofHandler.ts"
import * as Session from "./SessionHandlers.ts"

const page = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("GET", "/", consolePage)
    yield* router.add("GET", "/console/console.js", consoleScript)
    yield* router.add("GET", "/console/pictures.js", consolePictures)
    yield* router.add("GET", "/console/console.css", consoleStyle)
    yield* router.add("GET", "/favicon.svg", favicon)
    yield* router.add("GET", "/favicon.ico", favicon)
  })
)

export const layer = Layer.mergeAll(
  page,
  Session.layer,
  Desk.layer,
  Look.layer,
  Pairing.layer,
  Proof.layer,
  HistoryCar.layer
)
