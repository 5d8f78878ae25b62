/** What the console looks at: the daemon itself (for a session alone), and the small pictures of photos (for all who may read the content). */
import { ContentStore } from "@treemark/core"
import { Effect, Option, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { readCid } from "../../content/BlockCid.ts"
import { EXIF_HEAD, exifThumbnail } from "../../content/ExifThumbnail.ts"
import { openFile } from "../../content/UnixfsExport.ts"
import { Refused } from "../ApiErrors.ts"
import { refusing } from "../edge/Problems.ts"
import { NodeLook } from "./NodeFacts.ts"
import { pageCaller } from "./SessionHandlers.ts"

const node = Effect.gen(function* () {
  yield* pageCaller
  const facts = yield* (yield* NodeLook).look
  if (facts === undefined) {
    return yield* new Refused({
      code: "not_found",
      detail: "This process cannot look at itself: no daemon runs in it."
    })
  }
  return HttpServerResponse.jsonUnsafe(facts)
}).pipe(refusing)

/** None is no fault: then the page draws the picture itself. */
const none = HttpServerResponse.empty({ status: 204 })

const thumbnail = Effect.gen(function* () {
  const { assetCid = "" } = yield* HttpRouter.params
  const cid = readCid(assetCid)
  if (cid === undefined) return none
  const contents = yield* ContentStore
  const root = yield* contents.get(cid.toString())
  const file = Option.isSome(root) ? openFile(contents, cid, root.value) : undefined
  if (file === undefined) return none
  const head = yield* Stream.runCollect(file.read(0, Math.min(file.size, EXIF_HEAD)))
  const picture = exifThumbnail(Buffer.concat([...head]))
  if (picture === undefined) return none
  return HttpServerResponse.uint8Array(picture, {
    contentType: "image/jpeg",
    headers: { "cache-control": "private, max-age=86400", "content-security-policy": "default-src 'none'; sandbox" }
  })
}).pipe(refusing)

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("GET", "/console/node", node)
    yield* router.add("GET", "/console/thumbnails/:assetCid", thumbnail)
  })
)
