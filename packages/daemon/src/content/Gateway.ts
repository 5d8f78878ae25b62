/**
 * `GET|HEAD /ipfs/{cid}`, the trustless-gateway way (https://specs.ipfs.tech/http-gateways/trustless-gateway/): the plain file with
 * byte ranges, `?format=raw` the block, `?format=car` the graph. Every block is hashed on its way out; when one turns out damaged
 * or missing after the headers are sent, the connection is cut, so a client never takes a part for the whole.
 *
 * Every asset is hostile: a page or an SVG opened here runs in a sandbox without scripts and without an origin.
 */
import { ContentStore, DAG_JSON_CODE, DAG_PB_CODE, RAW_CODE, Registry, type StorageUnavailable } from "@treemark/core"
import { Effect, Option, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { CID } from "multiformats/cid"
import { isCheckable, readCid } from "./BlockCid.ts"
import { byteRange } from "./ByteRange.ts"
import { carOf } from "./Car.ts"
import { BlockNotFound, NotACid, RangeNotSatisfiable, UnsupportedFormat, UnsupportedHash } from "./GatewayErrors.ts"
import { CAR_TYPE, type GatewayFormat, gatewayFormat, RAW_TYPE } from "./GatewayFormat.ts"
import { type OpenFile, openFile } from "./UnixfsExport.ts"

export type GatewayError =
  | NotACid
  | UnsupportedHash
  | BlockNotFound
  | UnsupportedFormat
  | RangeNotSatisfiable
  | StorageUnavailable

const IMMUTABLE = "public, max-age=29030400, immutable"
const SANDBOX =
  "sandbox; default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** The answer to a request for the content that `text` names, whatever the path it was mounted on. */
export const gatewayResponse = Effect.fn("Gateway.gatewayResponse")(function* (
  request: HttpServerRequest.HttpServerRequest,
  text: string
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, GatewayError, ContentStore | Registry> {
  const cid = readCid(text)
  if (cid === undefined) return yield* new NotACid({ text })
  if (!isCheckable(cid)) return yield* new UnsupportedHash({ cid: text, hash: cid.multihash.code })
  const query = new URLSearchParams(request.url.split("?", 2)[1])
  const format = yield* gatewayFormat(query, request.headers.accept)
  const contents = yield* ContentStore
  const block = yield* contents.get(cid.toString())
  if (Option.isNone(block)) return yield* new BlockNotFound({ cid: text })

  const etag = etagOf(text, format)
  const headers = {
    etag,
    "cache-control": IMMUTABLE,
    "x-content-type-options": "nosniff",
    "x-ipfs-path": `/ipfs/${text}`,
    "content-security-policy": SANDBOX,
    vary: "accept"
  }
  if (isKnownTo(request.headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })

  switch (format.form) {
    case "raw":
      return yield* fileResponse(request, headers, {
        file: wholeBlock(block.value),
        contentType: RAW_TYPE,
        attachment: `${text}.bin`
      })
    case "car":
      return HttpServerResponse.stream(logged(carOf(contents, { cid, bytes: block.value }, format.options), text), {
        contentType: `${CAR_TYPE}; version=1; order=dfs; dups=${format.options.duplicates ? "y" : "n"}`,
        headers: { ...headers, "accept-ranges": "none", "content-disposition": attachment(`${text}.car`) }
      })
    case "file": {
      const { file, fallbackType } = yield* plainFile(contents, cid, block.value)
      const contentType = Option.getOrElse(yield* registeredType(cid.toString(), text), () => fallbackType)
      return yield* fileResponse(request, headers, { file, contentType })
    }
  }
})

/** One form of one content always has the same bytes, but for a CAR, whose order of blocks is a choice: a weak tag. */
const etagOf = (cid: string, format: GatewayFormat): string => {
  switch (format.form) {
    case "file":
      return `"${cid}"`
    case "raw":
      return `"${cid}.raw"`
    case "car": {
      const { scope, duplicates } = format.options
      return `W/"${cid}.car${scope === "block" ? ".block" : ""}${duplicates ? ".dups" : ""}"`
    }
  }
}

/** `If-None-Match` compares weakly (RFC 9110, section 13.1.2). */
const isKnownTo = (header: string | undefined, etag: string): boolean => {
  const tags = (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""))
  return tags.includes("*") || tags.includes(etag.replace(/^W\//, ""))
}

const plainFile = Effect.fnUntraced(function* (contents: ContentStore["Service"], cid: CID, bytes: Uint8Array) {
  if (cid.code === DAG_JSON_CODE) return { file: wholeBlock(bytes), fallbackType: "application/json" }
  const file = cid.code === RAW_CODE || cid.code === DAG_PB_CODE ? openFile(contents, cid, bytes) : undefined
  if (file !== undefined) return { file, fallbackType: "application/octet-stream" }
  return yield* new UnsupportedFormat({
    problem: `${cid} is not a file, so it has no plain form. Ask for ?format=raw (the block) or ?format=car (the whole graph).`
  })
})

const wholeBlock = (bytes: Uint8Array): OpenFile => ({
  size: bytes.length,
  read: (start, end) => Stream.succeed(bytes.subarray(start, end))
})

const registeredType = Effect.fnUntraced(function* (canonical: string, asked: string) {
  const registry = yield* Registry
  for (const cid of new Set([asked, canonical])) {
    const found = yield* registry.find(cid)
    if (Option.isSome(found)) return Option.some(found.value.encodingFormat)
  }
  return Option.none<string>()
})

const fileResponse = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  headers: { readonly etag: string; readonly "x-ipfs-path": string; readonly [name: string]: string },
  content: { readonly file: OpenFile; readonly contentType: string; readonly attachment?: string }
) {
  const { file, contentType } = content
  const isRanged = request.method === "GET" && (request.headers["if-range"] ?? headers.etag) === headers.etag
  const asked = isRanged ? request.headers.range : undefined
  const range = byteRange(asked, file.size)
  if (range === "unsatisfiable") return yield* new RangeNotSatisfiable({ range: asked ?? "", size: file.size })
  const { start, end } = range === "whole" ? { start: 0, end: file.size } : range
  return HttpServerResponse.stream(logged(file.read(start, end), headers["x-ipfs-path"]), {
    status: range === "whole" ? 200 : 206,
    contentType,
    contentLength: end - start,
    headers: {
      ...headers,
      "accept-ranges": "bytes",
      ...(range !== "whole" && { "content-range": `bytes ${start}-${end - 1}/${file.size}` }),
      ...(content.attachment !== undefined && { "content-disposition": attachment(content.attachment) })
    }
  })
})

const attachment = (fileName: string): string => `attachment; filename="${fileName}"`

/** A failure after the headers reaches nobody but the log. */
const logged = (bytes: Stream.Stream<Uint8Array, StorageUnavailable>, path: string) =>
  Stream.tapError(bytes, (error) =>
    Effect.logError(`The answer for ${path} was cut off: ${error.message}`, error.cause)
  )
