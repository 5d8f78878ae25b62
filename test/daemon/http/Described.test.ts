/** The check that holds every answer of every test against the OpenAPI document: what it finds, and that it hears whatever client is used. */
import { createServer, get } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { TreemarkApi } from "../../../packages/daemon/src/http/TreemarkApi.ts"
import { disagreements } from "../../layers/AnswersDescribed.ts"
import { disagreement, type Heard, type OpenApiDocument } from "../../layers/Described.ts"

const document = OpenApi.fromApi(TreemarkApi) as unknown as OpenApiDocument
const ID = `req_${"0".repeat(32)}`
const JSON_TYPE = { "content-type": "application/json" }
const PROBLEM_TYPE = { "content-type": "application/problem+json" }

const version = (changes: Partial<Heard>): Heard => ({
  method: "GET",
  target: "/version",
  status: 200,
  headers: { ...JSON_TYPE, "x-request-id": ID, vary: "origin", date: "now" },
  body: '{"name":"treemark","version":"0.1.0"}',
  ...changes
})
const problem = (code: string, status: number) =>
  JSON.stringify({ type: `urn:treemark:problem:${code}`, title: "t", status, detail: "d", code, requestId: ID })

describe("an answer against the OpenAPI document", () => {
  it.each<[string, Partial<Heard>]>([
    ["with a trailing slash and a query", { target: "/version/?a=1#b" }],
    ["to HEAD, as to GET", { method: "HEAD", body: "" }],
    ["of a path of the document with a method that it has not", { method: "PATCH", status: 405, ...{ body: "" } }],
    ["of a path that is in no document", { target: "/console/state", status: 299 }],
    ["a problem", { status: 503, headers: PROBLEM_TYPE, body: problem("not_ready", 503) }],
    ["of a listener of its own", { method: "POST", target: "/", body: '{"balance":"1.0000"}', headers: JSON_TYPE }]
  ])("has nothing against one %s", (_, changes) => {
    assert.isUndefined(disagreement(document, version(changes)))
  })

  it.each<[string, Partial<Heard>, RegExp]>([
    ["a status", { status: 418 }, /418, a status that it does not have/],
    ["a header", { headers: { ...JSON_TYPE, "x-secret": "1" } }, /headers that it does not have: x-secret/],
    ["a type", { headers: { "content-type": "text/html" } }, /as text\/html/],
    ["a member more", { body: '{"name":"treemark","version":"0.1.0","a":1}' }, /at \/: has besides a/],
    ["a member less", { body: '{"name":"treemark"}' }, /at \/: lacks version/],
    ["a member of another type", { body: '{"name":"treemark","version":1}' }, /at \/version: 1 breaks type/],
    ["a code", { status: 503, headers: PROBLEM_TYPE, body: problem("not_found", 503) }, /at \/type: .* breaks/],
    ["a list", { target: "/networks", body: '{"networks":[{"testnet":1}]}' }, /at \/networks\/0/],
    ["an answer at /", { method: "POST", target: "/", body: '{"balance":"1.00"}' }, /balance: "1.00" breaks .*; or /]
  ])("finds %s that is not described", (_, changes, expected) => {
    assert.match(String(disagreement(document, version(changes))), expected)
  })

  it("has nothing against the document's own examples", () => {
    const examples = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, { content = {} }]) =>
          Object.entries(content).flatMap(([type, said]) =>
            "example" in said
              ? [
                  version({
                    method,
                    target: path,
                    status: Number(status),
                    headers: { "content-type": type },
                    body: JSON.stringify(said.example)
                  })
                ]
              : []
          )
        )
      )
    )
    assert.isAtLeast(examples.length, 5)
    assert.deepStrictEqual(
      examples.flatMap((example) => disagreement(document, example) ?? []),
      []
    )
  })

  it("hears what node:http and fetch are answered, and nothing that is not a daemon's", async () => {
    const server = createServer((request, response) => {
      const id = request.url === "/version?stranger" ? {} : { "x-request-id": ID }
      response.writeHead(200, { ...JSON_TYPE, ...id }).end('{"name":1,"version":"0.1.0"}')
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/version`
    await (await fetch(url)).text()
    await (await fetch(`${url}?stranger`)).text()
    await new Promise((resolve) => get(url, (incoming) => incoming.resume().on("end", resolve)))
    server.close()
    const found = await disagreements()
    assert.lengthOf(found, 2)
    for (const one of found) assert.include(one, "at /name: 1 breaks type")
  })
})
