/** What an operator sees of a running daemon: metrics over the administration socket, spans at a collector of its own. */
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../layers/HttpCall.ts"
import { startDaemon } from "../layers/RunningDaemon.ts"
import { attempt, makeCallers } from "./Callers.ts"
import { bytesOf } from "./Treemarkd.ts"

interface Exported {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{
      readonly spans: ReadonlyArray<{ readonly name: string; readonly traceId: string; readonly parentSpanId?: string }>
    }>
  }>
}

/** Takes what is sent to `/v1/traces`. */
const collector = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly bodies: Array<string>; readonly close: () => void }>((resume) => {
    const bodies: Array<string> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (part: Buffer) => (body += part.toString("utf8")))
      request.on("end", () => {
        if (request.url === "/v1/traces") bodies.push(body)
        response.end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, bodies, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

describe("a daemon that is watched", () => {
  it.live("tells its calls, jobs, chains and store as metrics, and sends the spans of a commit to the collector", () =>
    Effect.gen(function* () {
      const { bodies, url } = yield* collector
      const daemon = yield* startDaemon({ settings: `otlp_endpoint = "${url}"\n` })
      const [caller] = yield* makeCallers(daemon, 1, "5")
      const asset = yield* daemon.register(bytesOf("watched"))
      assert.strictEqual((yield* attempt(daemon, caller!, asset, "watched")).status, 200)
      yield* daemon.call("/nothing")
      const answer = yield* send({ socketPath: join(daemon.home, "treemarkd.sock"), path: "/metrics" }, {})
      assert.strictEqual(answer.headers["content-type"], "application/openmetrics-text; version=1.0.0; charset=utf-8")
      for (const line of [
        'treemark_requests_total{operation="POST /commit",status="200"} 1',
        'treemark_requests_total{operation="none",status="404"} 1',
        'treemark_request_seconds_count{operation="POST /commit"} 1',
        'treemark_requests_in_flight{class="paid"} 0',
        'treemark_commits_open{state="sent"} 0',
        'treemark_commits_total{outcome="mined"} 1',
        'treemark_commits_total{outcome="reverted"} 0',
        'treemark_settlements_total{outcome="settled"} 0',
        "treemark_holds_open 0",
        "treemark_held_tokens 0",
        "treemark_owed_tokens 0",
        "treemark_settling_tokens 0",
        "treemark_webhook_deliveries_waiting 0",
        "treemark_log_lines_lost_total 0"
      ]) {
        assert.include(answer.text, `${line}\n`)
      }
      assert.match(
        answer.text,
        /treemark_wallet_next_nonce\{network="local mainnet",wallet="0x[0-9a-fA-F]{40}"\} \d+\n/u
      )
      assert.match(
        answer.text,
        /treemark_wallet_commits_open\{network="local mainnet",wallet="0x[0-9a-fA-F]{40}"\} 0\n/u
      )
      assert.match(answer.text, /treemark_chain_head_block\{network="local mainnet"\} [1-9]\d*\n/u)
      assert.match(answer.text, /treemark_store_commit_transactions_count [1-9]\d*\n/u)
      assert.match(answer.text, /treemark_rpc_calls_total\{network="local mainnet",outcome="answered"\} [1-9]/u)
      assert.notInclude(answer.text, caller!.token)
      assert.strictEqual((yield* daemon.call("/metrics")).status, 404)

      yield* daemon.kill("SIGTERM")
      const spans = bodies.flatMap((body) =>
        (JSON.parse(body) as Exported).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans)
        )
      )
      const commit = spans.find(({ name }) => name === "handlers.commit")
      assert.isDefined(commit, `no span of the commit among ${spans.length}`)
      assert.isAbove(spans.filter(({ traceId }) => traceId === commit.traceId).length, 3)
      assert.isFalse(bodies.some((body) => body.includes(caller!.token)))
    })
  )
})
