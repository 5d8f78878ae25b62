/** `POST /assets`: the body is the file, passed on as it comes; and the history of an asset. */
import { Context, Duration, Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Assets, RegisteredAsset } from "../../content/Assets.ts"
import { Refused } from "../ApiErrors.ts"
import { refusing } from "../edge/Problems.ts"
import { CurrentCaller } from "../TokenAuth.ts"
import { TreemarkApi } from "../TreemarkApi.ts"
import { assetCommits } from "./AssetCommits.ts"

/** Bytes an uploaded file may have; no limit by default. `idle`: how long nothing may arrive before the upload is given up. */
export const UploadLimits = Context.Reference<{ readonly bytes: number; readonly idle: Duration.Duration }>(
  "@treemark/daemon/http/assets/Assets/UploadLimits",
  { defaultValue: () => ({ bytes: Number.POSITIVE_INFINITY, idle: Duration.seconds(60) }) }
)

const registerAsset = Effect.fn("handlers.registerAsset")(function* ({
  request
}: {
  readonly request: HttpServerRequest.HttpServerRequest
}) {
  const { accountId } = yield* CurrentCaller
  const limits = yield* UploadLimits
  const asset = yield* (yield* Assets).register({
    bytes: yield* upload(request, limits),
    fileName: undefined,
    contentType: request.headers["content-type"],
    accountId
  })
  return yield* Effect.orDie(HttpServerResponse.schemaJson(RegisteredAsset)(asset, { status: 201 }))
}, refusing)

/** The body as a stream that fails when it is too large, stands still or breaks off. */
const upload = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  { bytes, idle }: (typeof UploadLimits)["Service"]
) {
  const tooLarge = new Refused({
    code: "payload_too_large",
    detail: `A file sent here has at most ${bytes} bytes. Register a larger one on the daemon's machine: treemarkd asset register FILE.`
  })
  const stalled = new Refused({
    code: "request_timeout",
    detail: `Nothing of the file arrived for ${Duration.format(idle)}, so the upload was given up. Send it again.`
  })
  const broken = new Refused({
    code: "bad_request",
    detail: "The upload broke off before its end, so nothing was registered. Send the file again."
  })
  if (Number(request.headers["content-length"] ?? 0) > bytes) return yield* tooLarge
  let size = 0
  return request.stream.pipe(
    Stream.mapError(() => broken),
    Stream.timeoutOrElse({ duration: idle, orElse: () => Stream.fail(stalled) }),
    Stream.tap((chunk) => {
      size += chunk.length
      return size > bytes ? Effect.fail(tooLarge) : Effect.void
    })
  )
})

export const layer = HttpApiBuilder.group(TreemarkApi, "assets", (handlers) =>
  handlers.handleRaw("registerAsset", registerAsset).handleRaw("assetCommits", assetCommits)
)
