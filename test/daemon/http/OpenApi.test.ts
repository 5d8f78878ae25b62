/** The OpenAPI document and the page that shows it: whole, in agreement with itself and with what is served. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PROBLEMS } from "../../../packages/daemon/src/http/ApiErrors.ts"
import { ASSET_CID, ASSET_SHA256, TOKEN, WALLET } from "../../layers/DaemonServices.ts"
import { type Call, call, start } from "../../layers/HttpFixture.ts"

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security: ReadonlyArray<Record<string, unknown>>
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required: boolean }>
  readonly requestBody?: { readonly content: Record<string, { readonly schema: unknown }> }
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Schema }> }>
}

interface Schema {
  readonly properties?: Record<
    string,
    { readonly enum?: ReadonlyArray<unknown>; readonly anyOf?: ReadonlyArray<Schema> }
  >
  readonly enum?: ReadonlyArray<unknown>
}

interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, unknown>; readonly securitySchemes: Record<string, unknown> }
}

const documentOf = (port: number) =>
  Effect.map(call(port, "/openapi.json"), (answer) => answer.json() as unknown as Document)

const operationsOf = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  )

/** Every `$ref` anywhere in `value`. */
const refs = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const { $ref, ...rest } = value as Record<string, unknown>
  return [...(typeof $ref === "string" ? [$ref] : []), ...Object.values(rest).flatMap(refs)]
}

const codesIn = (schema: Schema): ReadonlyArray<unknown> => {
  const code = schema.properties?.code
  return code?.enum ?? code?.anyOf?.flatMap((one) => one.enum ?? []) ?? []
}

/** A good request for each documented operation. */
const GOOD: Record<string, { readonly path: string; readonly call: Call; readonly status: number }> = {
  balanceMainnet: { path: "/balance/mainnet", call: { body: JSON.stringify({ wallet: WALLET }) }, status: 200 },
  balanceAllNetworks: {
    path: "/balance/all-networks",
    call: { body: JSON.stringify({ wallet: WALLET }) },
    status: 200
  },
  commit: {
    path: "/commit",
    call: {
      body: JSON.stringify({
        encodingFormat: "image/png",
        assetCid: ASSET_CID,
        assetTimestampCreated: 1,
        assetCreator: "A",
        assetSha256: ASSET_SHA256
      })
    },
    status: 200
  },
  registerAsset: { path: "/assets", call: { body: "bytes" }, status: 201 },
  assetCommits: { path: `/assets/${ASSET_CID}/commits`, call: {}, status: 200 },
  account: { path: "/account", call: {}, status: 200 },
  statement: { path: "/account/statement?from=2026-11-01", call: {}, status: 200 },
  commitState: { path: "/commits/cmt_1", call: {}, status: 200 },
  listAssets: { path: "/assets?limit=2", call: {}, status: 200 },
  listCommits: { path: "/commits", call: {}, status: 200 },
  // It never ends: shown by the refusal of an id that is none.
  events: { path: "/events", call: { headers: { "last-event-id": "x" } }, status: 400 },
  ipfs: { path: "/ipfs/bafkqaaa", call: {}, status: 404 },
  ipfsHead: { path: "/ipfs/bafkqaaa", call: {}, status: 404 },
  ipfsPath: { path: "/ipfs/bafkqaaa/a/b", call: {}, status: 404 },
  ipfsPathHead: { path: "/ipfs/bafkqaaa/a/b", call: {}, status: 404 },
  health: { path: "/health", call: {}, status: 200 },
  ready: { path: "/ready", call: {}, status: 200 },
  version: { path: "/version", call: {}, status: 200 },
  networks: { path: "/networks", call: {}, status: 200 }
}

describe("the OpenAPI document", () => {
  it.live("is version 3.1, names the daemon's version, and each of its references leads somewhere", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const document = yield* documentOf(port)
      assert.match(document.openapi, /^3\.1\./)
      assert.strictEqual(document.info.version, (yield* call(port, "/version")).json().version)
      const names = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
      assert.deepStrictEqual(
        refs(document).filter((ref) => !names.includes(ref)),
        []
      )
      assert.include(names, "#/components/schemas/CommitRequest")
    }).pipe(Effect.scoped)
  )

  it.live("says of each operation what it is, which parameters its path has, and an id of its own", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const operations = operationsOf(yield* documentOf(port))
      assert.strictEqual(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
      for (const { operation, path } of operations) {
        assert.isAbove(operation.summary.length, 5, path)
        const inPath = operation.parameters.filter((one) => one.in === "path")
        assert.deepStrictEqual(
          inPath.map(({ name }) => `{${name}}`),
          path.match(/\{\w+\}/g) ?? []
        )
        assert.isTrue(inPath.every(({ required }) => required))
      }
    }).pipe(Effect.scoped)
  )

  it.live(
    "asks for the token, as the header it is sent in, exactly where a token is needed, and there answers 401",
    () =>
      Effect.gen(function* () {
        const { port } = yield* start()
        const document = yield* documentOf(port)
        assert.deepInclude(document.components.securitySchemes.token, {
          type: "apiKey",
          in: "header",
          name: "Authorization"
        })
        const guarded = operationsOf(document).filter(({ operation }) => operation.security.length > 0)
        assert.deepStrictEqual(guarded.map(({ operation }) => operation.operationId).sort(), [
          "account",
          "balanceAllNetworks",
          "commit",
          "commitState",
          "events",
          "listAssets",
          "listCommits",
          "registerAsset",
          "statement"
        ])
        for (const { operation, path } of operationsOf(document)) {
          const answered = (yield* call(port, path, {
            method: path === "/assets" ? "POST" : operation.requestBody ? "POST" : "GET"
          })).status
          assert.strictEqual(
            answered === 401,
            guarded.some((one) => one.path === path),
            path
          )
          assert.strictEqual("401" in operation.responses, answered === 401, path)
        }
      }).pipe(Effect.scoped)
  )

  it.live(
    "names the codes of each error answer, all of them with the status of the table, as application/problem+json",
    () =>
      Effect.gen(function* () {
        const { port } = yield* start()
        const named = new Set<unknown>()
        for (const { operation, path } of operationsOf(yield* documentOf(port))) {
          for (const always of ["400", "403", "405", "408", "417", "429", "431", "500", "503"])
            assert.property(operation.responses, always, path)
          for (const [status, response] of Object.entries(operation.responses)) {
            if (Number(status) < 400 || /^ipfs.*Head$/.test(operation.operationId)) continue
            assert.deepStrictEqual(Object.keys(response.content ?? {}), ["application/problem+json"])
            const codes = codesIn(response.content!["application/problem+json"]!.schema)
            assert.isAbove(codes.length, 0, `${path} ${status}`)
            for (const code of codes) {
              named.add(code)
              assert.strictEqual(PROBLEMS[code as keyof typeof PROBLEMS].status, Number(status))
            }
          }
        }
        const ofTheConsole = ["code_refused"]
        assert.deepStrictEqual([...named, ...ofTheConsole].sort(), Object.keys(PROBLEMS).sort())
      }).pipe(Effect.scoped)
  )

  it.live("every documented operation answers, with a status that is documented", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const operations = operationsOf(yield* documentOf(port))
      assert.deepStrictEqual(operations.map(({ operation }) => operation.operationId).sort(), Object.keys(GOOD).sort())
      for (const { method, operation } of operations) {
        const good = GOOD[operation.operationId]!
        const headers = { authorization: `token ${TOKEN}`, ...good.call.headers }
        const answer = yield* call(port, good.path, { ...good.call, method: method.toUpperCase(), headers })
        assert.strictEqual(answer.status, good.status, `${good.path}: ${answer.text}`)
        assert.property(operation.responses, String(answer.status))
      }
    }).pipe(Effect.scoped)
  )
})

describe("what people and generators read in the document", () => {
  it.live("has servers, types of the query, and for each JSON body of an operation an example that is accepted", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const document = yield* documentOf(port)
      assert.include(
        (document as unknown as { servers: Array<{ url: string }> }).servers.map(({ url }) => url),
        "/"
      )
      for (const { operation, path } of operationsOf(document)) {
        const content = operation.requestBody?.content["application/json"] as { readonly example?: object } | undefined
        if (content === undefined) continue
        assert.isDefined(content.example, path)
        const given = {
          ...content.example,
          ...(path === "/commit" ? { assetCid: ASSET_CID, assetSha256: ASSET_SHA256 } : {})
        }
        const answer = yield* call(port, path, {
          body: JSON.stringify(given),
          headers: { authorization: `token ${TOKEN}` }
        })
        assert.strictEqual(answer.status, 200, `${path}: ${answer.text}`)
        const good = operation.responses["200"]?.content?.["application/json"] as { readonly example?: object }
        assert.deepStrictEqual(Object.keys(good.example ?? {}).sort(), Object.keys(answer.json()).sort())
      }
      const query = operationsOf(document).flatMap(
        ({ operation }) => operation.parameters
      ) as unknown as ReadonlyArray<{
        readonly name: string
        readonly schema: { readonly type: string }
      }>
      const types = query.filter(({ name }) => name === "limit" || name === "testnet").map(({ schema }) => schema.type)
      assert.deepStrictEqual(new Set(types), new Set(["integer", "boolean"]))
    }).pipe(Effect.scoped)
  )

  it.live("names the headers of answers, and ranges and HEAD of content", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const document = yield* documentOf(port)
      const headersOf = (path: string, method: string, status: string) =>
        Object.keys(
          (document.paths[path]?.[method]?.responses[status] as unknown as { readonly headers?: object })?.headers ?? {}
        )
      assert.includeMembers(headersOf("/ipfs/{cid}", "get", "206"), ["Content-Range", "ETag", "X-Request-Id"])
      assert.includeMembers(headersOf("/ipfs/{cid}", "head", "200"), ["Content-Length", "ETag"])
      assert.includeMembers(headersOf("/ipfs/{cid}/{path}", "get", "200"), ["Vary", "X-Ipfs-Roots", "Content-Location"])
      for (const path of ["/ipfs/{cid}", "/ipfs/{cid}/{path}"]) {
        const names = document.paths[path]?.get?.parameters.map(({ name }) => name) ?? []
        assert.includeMembers(names, ["format", "dag-scope", "entity-bytes", "car-dups", "filename", "download"], path)
        assert.includeMembers(names, ["cid", "Range", "If-None-Match", "Cache-Control"], path)
        assert.property(document.paths[path]?.get?.responses, "412")
      }
      assert.notProperty(document.paths["/ipfs/{cid}"]?.get?.responses, "501")
      assert.property(document.paths["/ipfs/{cid}/{path}"]?.get?.responses, "501")
      assert.includeMembers(headersOf("/commit", "post", "200"), ["Idempotency-Replayed", "Treemark-Receipt"])
      assert.includeMembers(headersOf("/commit", "post", "401"), ["WWW-Authenticate"])
      assert.includeMembers(headersOf("/commit", "post", "429"), ["Retry-After"])
    }).pipe(Effect.scoped)
  )
})

describe("the documentation page", () => {
  it.live("stands alone: it holds the document and fetches nothing from elsewhere", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const path of ["/docs", "/docs/"]) {
        const { headers, status, text } = yield* call(port, path)
        assert.strictEqual(status, 200)
        assert.match(String(headers["content-type"]), /^text\/html/)
        assert.include(text, "balanceAllNetworks")
        assert.include(text, "requestInterceptor: (request) =>")
        assert.notMatch(text, /<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?https?:/i)
        assert.match(String(headers["content-security-policy"]), /default-src 'none';.*connect-src 'self'/)
      }
    }).pipe(Effect.scoped)
  )
})
