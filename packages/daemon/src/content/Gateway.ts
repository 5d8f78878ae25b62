/**
 * `GET|HEAD /ipfs/{cid}[/{path}]`, the trustless-gateway way (https://specs.ipfs.tech/http-gateways/trustless-gateway/): the plain file
 * with byte ranges, `?format=raw` the block, `?format=car` the graph, `?format=dag-json` a tree. Every block is hashed on its way out; when
 * one turns out damaged or missing after the headers are sent, the connection is cut, so a client never takes a part for the whole.
 *
 * Every asset is hostile: a page or an SVG opened here runs in a sandbox without scripts and without an origin.
 */
import { ContentStore, DAG_JSON_CODE, DAG_PB_CODE, RAW_CODE, Registry, type StorageUnavailable } from "@treemark/core"
import { Effect, Option, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { isCheckable, readCid } from "./BlockCid.ts"
import { type Block, isSharded } from "./BlockGraph.ts"
import { byteRange } from "./ByteRange.ts"
import { carOf, type Extent } from "./Car.ts"
import { entityRange } from "./EntityBytes.ts"
import {
  type BlockNotFound,
  NotACid,
  type NotCached,
  type PathInsideBlock,
  type PathNotFound,
  RangeNotSatisfiable,
  UnsupportedFormat,
  UnsupportedHash
} from "./GatewayErrors.ts"
import {
  CAR_TYPE,
  type CarRequest,
  DAG_JSON_TYPE,
  type GatewayFormat,
  gatewayFormat,
  JSON_TYPE,
  RAW_TYPE
} from "./GatewayFormat.ts"
import { contentHeaders, contentLocation, disposition, isKnownTo, writtenPath } from "./GatewayHeaders.ts"
import { resolvePath } from "./GatewayPath.ts"
import { type OpenFile, openFile } from "./UnixfsExport.ts"

export type GatewayError =
  | NotACid
  | UnsupportedHash
  | BlockNotFound
  | NotCached
  | PathNotFound
  | PathInsideBlock
  | UnsupportedFormat
  | RangeNotSatisfiable
  | StorageUnavailable

/** The answer to a request for the content that `text` names, or for what `names` lead to in it, whatever the path it was mounted on. */
export const gatewayResponse = Effect.fn("Gateway.gatewayResponse")(function* (
  request: HttpServerRequest.HttpServerRequest,
  text: string,
  names: ReadonlyArray<string> = []
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, GatewayError, ContentStore | Registry> {
  const root = readCid(text)
  if (root === undefined) return yield* new NotACid({ text })
  if (!isCheckable(root)) return yield* new UnsupportedHash({ cid: text, hash: root.multihash.code })
  if (request.headers["service-worker"] !== undefined) return yield* noServiceWorker
  const query = new URLSearchParams(request.url.split("?", 2)[1])
  const { accept } = request.headers
  const asked = yield* gatewayFormat(query, accept)
  const contents = yield* ContentStore
  const onlyIfCached = /(?:^|[\s,])only-if-cached(?:[\s,]|$)/i.test(request.headers["cache-control"] ?? "")
  const passed = yield* resolvePath(contents, { root, text, names, onlyIfCached })
  const block = passed.at(-1) ?? passed[0]
  const format = yield* formatFor(block, asked)

  const path = writtenPath(text, names)
  const name = names.length === 0 ? text : block.cid.toString()
  const headers = {
    ...contentHeaders(path, [text, ...passed.slice(1).map(({ cid }) => cid)], format),
    ...contentLocation(path, query, accept, format)
  }
  if (isKnownTo(request.headers["if-none-match"], headers.etag))
    return HttpServerResponse.empty({ status: 304, headers })

  switch (format.form) {
    case "raw":
      return yield* fileResponse(
        request,
        { ...headers, ...disposition(query, { name: `${name}.bin`, isSaved: true }) },
        { file: wholeBlock(block), contentType: RAW_TYPE }
      )
    case "json":
      return yield* fileResponse(
        request,
        { ...headers, ...disposition(query, { name: `${name}.json` }) },
        { file: wholeBlock(block), contentType: format.type }
      )
    case "car": {
      const { duplicates } = format.car
      const extent = yield* extentOf(contents, block, format.car)
      return HttpServerResponse.stream(
        logged(carOf(contents, passed, { extent, duplicates }), headers["x-ipfs-path"]),
        {
          contentType: `${CAR_TYPE}; version=1; order=dfs; dups=${duplicates ? "y" : "n"}`,
          headers: {
            ...headers,
            "accept-ranges": "none",
            ...disposition(query, { name: `${name}.car`, isSaved: true })
          }
        }
      )
    }
    case "file": {
      const { file, fallbackType } = yield* plainFile(contents, block, format.isBrowser)
      const contentType = Option.getOrElse(yield* registeredType(block.cid.toString(), name), () => fallbackType)
      return yield* fileResponse(request, { ...headers, ...disposition(query) }, { file, contentType })
    }
  }
})

/** Nothing of this origin works for an asset. */
const noServiceWorker = new UnsupportedFormat({
  parameter: "Service-Worker",
  problem: "Content is never given as a service worker. Leave the header Service-Worker out, and read it as a file."
})

/** dag-json is what trees are. Whoever would merely like JSON gets another block as a file; whoever insists on it is told. */
const formatFor = ({ cid }: Block, asked: GatewayFormat): Effect.Effect<GatewayFormat, UnsupportedFormat> => {
  if (asked.form !== "json" || cid.code === DAG_JSON_CODE) return Effect.succeed(asked)
  if (!asked.isExplicit) return Effect.succeed({ form: "file", isBrowser: false })
  const problem = `${cid} is not dag-json, and this service converts no blocks. Leave ?format= out for the file, or ask for ?format=raw (the block).`
  return Effect.fail(new UnsupportedFormat({ parameter: "format", problem }))
}

/** What of the graph below `block` a CAR takes along. */
const extentOf = Effect.fnUntraced(function* (contents: ContentStore["Service"], block: Block, car: CarRequest) {
  if (car.scope !== "entity") return car.scope
  const file = openFile(contents, block.cid, block.bytes)
  if (file === undefined) return isSharded(block) ? "shards" : "block"
  if (car.bytes === undefined) return "all"
  const range = entityRange(car.bytes.range, file.size)
  if (range === "outside") {
    const problem = `The entity-bytes "${car.bytes.text}" lie outside the ${file.size} bytes of this file. Ask for bytes from 0 to ${file.size - 1}, or leave the parameter out.`
    return yield* new UnsupportedFormat({ parameter: "entity-bytes", problem })
  }
  return (range === "empty" ? "block" : range) satisfies Extent
})

const plainFile = Effect.fnUntraced(function* (contents: ContentStore["Service"], block: Block, isBrowser: boolean) {
  const { bytes, cid } = block
  // Browsers show the one and save the other.
  if (cid.code === DAG_JSON_CODE)
    return { file: wholeBlock(block), fallbackType: isBrowser ? JSON_TYPE : DAG_JSON_TYPE }
  const file = cid.code === RAW_CODE || cid.code === DAG_PB_CODE ? openFile(contents, cid, bytes) : undefined
  if (file !== undefined) return { file, fallbackType: "application/octet-stream" }
  return yield* new UnsupportedFormat({
    parameter: "format",
    problem: `${cid} is not a file, so it has no plain form. Ask for ?format=raw (the block) or ?format=car (the whole graph).`
  })
})

const wholeBlock = ({ bytes }: Block): OpenFile => ({
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
  { contentType, file }: { readonly file: OpenFile; readonly contentType: string }
) {
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
      ...(range !== "whole" && { "content-range": `bytes ${start}-${end - 1}/${file.size}` })
    }
  })
})

/** A failure after the headers reaches nobody but the log. */
const logged = (bytes: Stream.Stream<Uint8Array, StorageUnavailable>, path: string) =>
  Stream.tapError(bytes, (error) =>
    Effect.logError(`The answer for ${path} was cut off: ${error.message}`, error.cause)
  )
