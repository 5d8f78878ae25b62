/**
 * `GET /events`: what happens to the caller's account, as server-sent events (WHATWG HTML, section 9.2). They are read from the table, a few at
 * a time and only as fast as the reader takes them, so a slow one costs no memory and a new connection goes on where the last one ended.
 */
import { FieldProblem, InvalidFields } from "@treemark/core"
import { Duration, Effect, Option, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type OwnEvent, OwnLists } from "../../accounts/OwnLists.ts"
import { Stopping } from "../edge/Shutdown.ts"
import { CurrentCaller } from "../TokenAuth.ts"

/** How often the table is looked at, and after how many looks without an event a comment tells that the connection lives. */
const LOOK = Duration.seconds(1)
const LOOKS_PER_COMMENT = 15

const AT_ONCE = 100

const encoder = new TextEncoder()

const textOf = ({ id, kind, ...data }: OwnEvent): string =>
  `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`

const wrongPlace = new InvalidFields({
  problems: [
    new FieldProblem({
      path: "/Last-Event-ID",
      message:
        "(a header) must be the id of an event of this stream. Leave it out to begin with what happens from now on"
    })
  ]
})

/** The answer that tells the caller's events until it goes away, or the daemon stops. */
export const accountEvents = Effect.fn("handlers.accountEvents")(function* (
  request: HttpServerRequest.HttpServerRequest
) {
  const { accountId } = yield* CurrentCaller
  const lists = yield* OwnLists
  const { isStopping } = yield* Stopping
  const named = request.headers["last-event-id"]
  if (named !== undefined && !/^\d{1,15}$/u.test(named)) return yield* wrongPlace
  const first = named ?? (yield* lists.newestEvent(accountId))

  interface Place {
    readonly after: string
    readonly quiet: number
  }
  const next = Effect.fnUntraced(function* ({ after, quiet }: Place) {
    if (quiet > 0) yield* Effect.sleep(LOOK)
    if (isStopping()) return ["", Option.none<Place>()] as const
    const found = yield* Effect.orElseSucceed(lists.events(accountId, after, AT_ONCE), () => [])
    const last = found.at(-1)
    if (last !== undefined) return [found.map(textOf).join(""), Option.some({ after: last.id, quiet: 0 })] as const
    return [quiet % LOOKS_PER_COMMENT === 0 ? ": \n\n" : "", Option.some({ after, quiet: quiet + 1 })] as const
  })
  const body = Stream.paginate({ after: first, quiet: 0 } as Place, (place) =>
    Effect.map(next(place), ([text, following]) => [text === "" ? [] : [encoder.encode(text)], following] as const)
  )
  return HttpServerResponse.stream(body, {
    contentType: "text/event-stream",
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
  })
})
