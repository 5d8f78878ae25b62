/** `POST /assets`: the body is the file, or a form that holds it, passed on as it comes; what the account has; and the history of an asset. */
import { Context, Duration, Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { OwnLists } from "../../accounts/OwnLists.ts"
import { Assets } from "../../content/Assets.ts"
import { dispositionName } from "../../content/FileName.ts"
import { Refused } from "../ApiErrors.ts"
import { refusingAs } from "../edge/Problems.ts"
import { CurrentCaller } from "../TokenAuth.ts"
import { TreemarkApi } from "../TreemarkApi.ts"
import { assetCommits } from "./AssetCommits.ts"
import { LIST_ASSETS_PROBLEMS, REGISTER_PROBLEMS, RegisteredHere } from "./AssetsApi.ts"
import { broken, fileOfForm, isForm, type SentFile } from "./FormFile.ts"
import { pageAsked } from "./PageQuery.ts"

/** Bytes an uploaded file may have; no limit by default. `idle`: how long nothing may arrive before the upload is given up. */
export const UploadLimits = Context.Reference<{ readonly bytes: number; readonly idle: Duration.Duration }>(
  "@treemark/daemon/http/assets/Assets/UploadLimits",
  { defaultValue: () => ({ bytes: Number.POSITIVE_INFINITY, idle: Duration.seconds(60) }) }
)

/** Bytes of a form that are not the file's, at most: its boundaries and the part's headers. */
const FORM_WRAPPING = 16_384

const registerAsset = Effect.fn("handlers.registerAsset")(
  function* ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) {
    const { accountId, token } = yield* CurrentCaller
    const limits = yield* UploadLimits
    const length = Number(request.headers["content-length"] ?? 0)
    if (length > limits.bytes) return yield* tooLarge(limits.bytes)
    const isInForm = isForm(request.headers["content-type"])
    const file = isInForm ? yield* fileOfForm(request) : rawFile(request)
    const asset = yield* (yield* Assets).register({
      bytes: bounded(file.bytes, limits),
      fileName: file.name,
      contentType: file.contentType,
      accountId,
      uploaded: { declaredSize: isInForm ? Math.max(0, length - FORM_WRAPPING) : length, tokenId: token?.id }
    })
    return yield* Effect.orDie(
      HttpServerResponse.schemaJson(RegisteredHere)({ ...asset, cid: asset.assetCid }, { status: 201 })
    )
  },
  Effect.scoped,
  refusingAs(REGISTER_PROBLEMS)
)

const rawFile = (request: HttpServerRequest.HttpServerRequest): SentFile => ({
  bytes: Stream.mapError(request.stream, () => broken),
  name: dispositionName(request.headers["content-disposition"]),
  contentType: request.headers["content-type"]
})

const tooLarge = (bytes: number) =>
  new Refused({
    code: "payload_too_large",
    detail: `A file sent here has at most ${bytes} bytes. Register a larger one on the daemon's machine: treemarkd asset register FILE.`
  })

/** The bytes as a stream that fails when they are too many or stand still. */
const bounded = (stream: SentFile["bytes"], { bytes, idle }: (typeof UploadLimits)["Service"]) => {
  const stalled = new Refused({
    code: "request_timeout",
    detail: `Nothing of the file arrived for ${Duration.format(idle)}, so the upload was given up. Send it again.`
  })
  let size = 0
  return stream.pipe(
    Stream.timeoutOrElse({ duration: idle, orElse: () => Stream.fail(stalled) }),
    Stream.tap((chunk) => {
      size += chunk.length
      return size > bytes ? Effect.fail(tooLarge(bytes)) : Effect.void
    })
  )
}

const listAssets = Effect.fn("handlers.listAssets")(function* ({
  query
}: {
  readonly query: { readonly limit?: string; readonly cursor?: string; readonly q?: string }
}) {
  const { accountId } = yield* CurrentCaller
  const page = yield* pageAsked(query, /^\d{1,16}\.[0-9A-Za-z]{1,1000}$/u)
  const { items, next } = yield* (yield* OwnLists).assets(accountId, { ...page, search: query.q })
  return { assets: items, next }
}, refusingAs(LIST_ASSETS_PROBLEMS))

export const layer = HttpApiBuilder.group(TreemarkApi, "assets", (handlers) =>
  handlers
    .handleRaw("registerAsset", registerAsset)
    .handle("listAssets", listAssets)
    .handle("assetCommits", assetCommits)
)
