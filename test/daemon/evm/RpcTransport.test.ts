/** JSON-RPC over HTTP against real sockets: what is tried again and what never is, and that a URL's secrets stay out of texts. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { RpcFailure } from "../../../packages/daemon/src/evm/RpcFailure.ts"
import { httpRequest, onChain, type Request } from "../../../packages/daemon/src/evm/RpcTransport.ts"
import { type Fault, type FaultyProxy, startProxy } from "../commits/FaultyProxy.ts"

const NOWHERE = "http://127.0.0.1:9"
const SEND = "eth_sendRawTransaction"
const READ = "eth_blockNumber"

/** Where a node that hangs is given up. Any other answers as soon as the machine lets it. */
const SOON = Duration.millis(200)
const PATIENT = Duration.minutes(1)

const patienceWith = (fault: Fault): Duration.Duration => (fault === "hang" ? SOON : PATIENT)

const requestTo = (url: string, timeout = PATIENT, retries = 3): Request =>
  httpRequest({ network: "net", url: Redacted.make(url), timeout, retries })

/** What the call failed with. */
const failureOf = (request: Request, method: string) =>
  Effect.promise(() =>
    request({ method, params: [] }).then(
      () => {
        throw new Error("expected a failure")
      },
      (error: unknown) => {
        assert.instanceOf(error, RpcFailure)
        return error
      }
    )
  )

const withProxy = <A>(use: (proxy: FaultyProxy, request: Request) => Effect.Effect<A>, timeout?: Duration.Duration) =>
  Effect.gen(function* () {
    const proxy = yield* startProxy(NOWHERE)
    return yield* use(proxy, requestTo(proxy.url, timeout))
  }).pipe(Effect.scoped)

const firstThen =
  (faults: ReadonlyArray<Fault>): FaultyProxy["plan"] =>
  (_, n) =>
    faults[n - 1] ?? { result: "0x7" }

describe("reads over HTTP", () => {
  for (const [what, fault] of [
    ["a reset", "cut-before"],
    ["a timeout", "hang"],
    ["HTTP 502", { status: 502 }],
    ["HTTP 429", { status: 429 }],
    ["a JSON-RPC error 429", { error: { code: 429, message: "slow down" } }]
  ] as const) {
    it.live(`are tried again after ${what}`, () =>
      withProxy(
        (proxy, request) =>
          Effect.gen(function* () {
            proxy.plan = firstThen([fault, fault])
            assert.strictEqual(yield* Effect.promise(() => request({ method: READ })), "0x7")
            assert.strictEqual(proxy.calls(READ), 3)
          }),
        patienceWith(fault)
      )
    )
  }

  it.live("wait as long as Retry-After asks", () =>
    withProxy((proxy, request) =>
      Effect.gen(function* () {
        proxy.plan = firstThen([{ status: 429, headers: { "retry-after": "1" } }])
        const [took] = yield* Effect.timed(Effect.promise(() => request({ method: READ })))
        assert.isAtLeast(Duration.toMillis(took), 1_000)
      })
    )
  )

  it.live("give up at once when Retry-After asks for too long, and after the last try", () =>
    withProxy((proxy, request) =>
      Effect.gen(function* () {
        proxy.plan = () => ({ status: 429, headers: { "retry-after": "600" } })
        assert.include((yield* failureOf(request, READ)).detail, "asks for fewer requests (HTTP 429)")
        assert.strictEqual(proxy.calls(READ), 1)
        proxy.plan = () => "cut-before"
        assert.strictEqual((yield* failureOf(request, "eth_call")).outcome, "unknown")
        assert.strictEqual(proxy.calls("eth_call"), 4)
      })
    )
  )

  it.live("are not tried again after an answer: a JSON-RPC error, another HTTP status, or no JSON-RPC", () =>
    withProxy((proxy, request) =>
      Effect.gen(function* () {
        const outcomes: Array<string> = []
        for (const fault of [
          { error: { code: -32602, message: "bad params" } },
          { status: 403 },
          { status: 413 },
          { status: 200, body: "<html>" }
        ]) {
          proxy.plan = () => fault
          outcomes.push((yield* failureOf(request, READ)).outcome)
        }
        assert.deepStrictEqual(outcomes, ["refused", "not-sent", "refused", "unknown"])
        assert.strictEqual(proxy.calls(READ), 4)
      })
    )
  )
})

describe("sends over HTTP", () => {
  for (const [fault, outcome] of [
    ["cut-before", "unknown"],
    ["hang", "unknown"],
    [{ status: 503 }, "unknown"],
    [{ status: 429, headers: { "retry-after": "600" } }, "not-sent"],
    [{ error: { code: -32000, message: "nonce too low" } }, "refused"]
  ] as const) {
    it.live(`are tried once, whatever comes: ${JSON.stringify(fault)} is ${outcome}`, () =>
      withProxy(
        (proxy, request) =>
          Effect.gen(function* () {
            proxy.plan = () => fault
            assert.strictEqual((yield* failureOf(request, SEND)).outcome, outcome)
            assert.strictEqual(proxy.calls(SEND), 1)
          }),
        patienceWith(fault)
      )
    )
  }

  for (const fault of [{ status: 429 }, { error: { code: 429, message: "slow down" } }]) {
    it.live(`are tried again after ${JSON.stringify(fault)}, which turned them away unseen, and not for ever`, () =>
      withProxy((proxy, request) =>
        Effect.gen(function* () {
          proxy.plan = firstThen([fault, fault])
          assert.strictEqual(yield* Effect.promise(() => request({ method: SEND })), "0x7")
          assert.strictEqual(proxy.calls(SEND), 3)
          proxy.plan = () => fault
          yield* failureOf(request, SEND)
          assert.strictEqual(proxy.calls(SEND), 3 + 4)
        })
      )
    )
  }

  it.live("are certainly not sent when nobody listens", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.scoped(startProxy(NOWHERE))
      const failure = yield* failureOf(requestTo(url, PATIENT, 0), SEND)
      assert.strictEqual(failure.outcome, "not-sent")
      assert.include(failure.detail, "cannot be reached (ECONNREFUSED)")
    })
  )
})

describe("an RPC URL", () => {
  it.live("that holds secrets shows only its host in a failure", () =>
    withProxy((proxy) =>
      Effect.gen(function* () {
        for (const fault of ["cut-before", "hang", { status: 500 }, { status: 401 }, { status: 429 }] as const) {
          proxy.plan = () => fault
          const url = `http://user:hunter2@127.0.0.1:${proxy.port}/v3/s3cret?key=t0ken`
          const failure = yield* failureOf(requestTo(url, SOON, 0), READ)
          assert.include(failure.message, `127.0.0.1:${proxy.port}`)
          assert.notMatch(`${failure} ${JSON.stringify(failure)} ${failure.stack}`, /hunter2|s3cret|t0ken/)
        }
      })
    )
  )
})

describe("the chain id", () => {
  const answering =
    (chainId: string, asked: Array<string>): Request =>
    async ({ method }) => {
      asked.push(method)
      return method === "eth_chainId" ? chainId : "0x7"
    }

  it.live("is asked for once, before the first call", () =>
    Effect.promise(async () => {
      const asked: Array<string> = []
      const request = onChain("net", 5, answering("0x5", asked))
      await Promise.all([request({ method: READ }), request({ method: READ })])
      await request({ method: READ })
      assert.deepStrictEqual(asked, ["eth_chainId", READ, READ, READ])
    })
  )

  it.live("of another chain stops every call, and the message names both", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const request = onChain("net", 5, answering("0x6", asked))
      for (const method of [READ, SEND]) {
        const failure = yield* failureOf(request, method)
        assert.strictEqual(failure.outcome, "wrong-chain")
        assert.include(failure.detail, "serves chain 6, and the profile says chain 5")
      }
      assert.notInclude(asked, SEND)
    })
  )
})
