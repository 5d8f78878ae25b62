/** The gateway's routes over a real socket and an empty store, and what its tests ask and keep there. */
import { NodeHttpServer } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { CarReader } from "@ipld/car"
import { cidOf, DAG_JSON_CODE } from "@treemark/core"
import { Effect, Layer, Logger, Stream } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Assets } from "../../../packages/daemon/src/content/Assets.ts"
import { isContentOf } from "../../../packages/daemon/src/content/BlockCid.ts"
import { gatewayResponse } from "../../../packages/daemon/src/content/Gateway.ts"
import { tempFolder } from "../store/TempStore.ts"
import { assetsLayer, CHUNK } from "./ContentFixture.ts"

/** The route alone, with errors answered as their tag and message, so that the test sees which one it was. */
const answer = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { "*": path = "", cid } = yield* HttpRouter.params
  const [root = "", ...names] = path.split("/")
  return yield* gatewayResponse(request, cid ?? root, cid === undefined ? names : [])
}).pipe(
  Effect.catch((error) => Effect.succeed(HttpServerResponse.text(`${error._tag}: ${error.message}`, { status: 400 })))
)
const route = Layer.merge(HttpRouter.add("GET", "/ipfs/:cid", answer), HttpRouter.add("GET", "/ipfs/*", answer))

/** CIDs with longer hashes, and identity CIDs, are longer than the router's default of 100 characters. */
const SERVING = { disableLogger: true, disableListenLog: true, routerConfig: { maxParamLength: 500 } }

/** What the daemon's log would hold. */
export const logged: Array<string> = []

/** Runs `use` against a served, empty store in the folder it is told. */
export const withGateway = <A, E>(
  use: (home: string) => Effect.Effect<A, E, HttpClient.HttpClient | Layer.Success<ReturnType<typeof assetsLayer>>>
) =>
  Effect.gen(function* () {
    const home = yield* tempFolder
    const served = HttpRouter.serve(route, SERVING).pipe(
      Layer.provideMerge(assetsLayer(home)),
      Layer.provideMerge(NodeHttpServer.layerTest),
      Layer.provideMerge(Logger.layer([Logger.make(({ message }) => logged.push(String(message)))]))
    )
    return yield* use(home).pipe(Effect.provide(served))
  }).pipe(Effect.scoped)

export const ask = Effect.fnUntraced(function* (
  path: string,
  headers: { readonly [name: string]: string } = {},
  method: "GET" | "HEAD" = "GET"
) {
  const request = HttpClientRequest.make(method)(`/ipfs/${path}`).pipe(HttpClientRequest.setHeaders(headers))
  const response = yield* (yield* HttpClient.HttpClient).execute(request)
  const body = Buffer.from(yield* response.arrayBuffer)
  return { status: response.status, headers: response.headers as Record<string, string | undefined>, body }
})

export const register = Effect.fnUntraced(function* (bytes: Uint8Array, contentType?: string) {
  const input = { bytes: Stream.succeed(bytes), fileName: undefined, contentType, accountId: undefined }
  return (yield* (yield* Assets).register(input)).assetCid
})

/** Two full chunks of the same bytes and a bit: three leaves, two of them one block. */
export const FILE = Buffer.concat([Buffer.alloc(CHUNK, 1), Buffer.alloc(CHUNK, 1), Buffer.from("the end")])

export const TREE = new TextEncoder().encode('{"assetCid":"bafy"}')
export const TREE_CID = cidOf(DAG_JSON_CODE, TREE)

export const allOf = <A>(values: AsyncIterable<A>) =>
  Stream.runCollect(Stream.orDie(Stream.fromAsyncIterable(values, String)))

export const refusal = (answer: { readonly body: Buffer }) => answer.body.toString().split(":", 1)[0]

/** Its roots and blocks, each checked against its CID. */
export const readCar = Effect.fnUntraced(function* (body: Buffer) {
  const car = yield* Effect.promise(() => CarReader.fromBytes(body))
  const roots = yield* Effect.promise(() => car.getRoots())
  const blocks = yield* allOf(car.blocks())
  for (const { cid, bytes } of blocks) assert.isTrue(isContentOf(cid, bytes), cid.toString())
  return { roots: roots.map(String), blocks }
})
