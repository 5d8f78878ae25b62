/** `@treemark/core/client` against a real daemon, and against one that fails, is slow or leaves, as daemons do. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { createClient, TreemarkError } from "@treemark/core/client"
import { Effect } from "effect"
import { RunningDaemon, withSharedDaemon } from "../layers/RunningDaemon.ts"

const refusal = async (promise: Promise<unknown>): Promise<TreemarkError> => {
  const error: unknown = await promise.then(
    () => assert.fail("nothing was refused"),
    (reason) => reason
  )
  assert.instanceOf(error, TreemarkError)
  return error
}

withSharedDaemon()("the client of a real daemon", (it) => {
  it.effect("does each operation, and a commit once however often its key is sent", () =>
    Effect.gen(function* () {
      const daemon = yield* RunningDaemon
      const { account, token } = yield* daemon.createAccount({ name: "client", credits: "2", tokens: "1.5" })
      yield* Effect.promise(async () => {
        const client = createClient({ url: `${daemon.url}/`, token })
        assert.deepStrictEqual(await client.balance(account.wallet), { balance: "1.5000" })
        const all = await client.balances(account.wallet)
        assert.strictEqual(all.wallet, account.wallet)
        assert.isAbove(all.networks.length, 0)

        const asset = await client.register(new TextEncoder().encode("a note"), { contentType: "text/plain" })
        assert.deepInclude(asset, { encodingFormat: "text/plain", size: 6 })
        const { size: _, ...named } = asset
        assert.deepStrictEqual(await client.register(new Blob(["a note"]).stream()), asset)

        const request = { ...named, assetCreator: "Ada", assetTimestampCreated: 1_700_000_000 }
        const quote = await client.commit(request, { quote: true })
        assert.strictEqual(quote.price, "0.1")
        assert.strictEqual((await client.account()).credits, "1.99")
        const receipt = await client.commit(request, { idempotencyKey: "once" })
        assert.deepStrictEqual(await client.commit(request, { idempotencyKey: "once" }), receipt)
        const { commits } = await client.commits(asset.assetCid)
        assert.deepStrictEqual(
          commits.map(({ txHash }) => txHash),
          [receipt.txHash]
        )
        assert.isNull((await client.commits(asset.assetCid, { limit: 1 })).next)
        await client.register(new File(["another note"], "other.txt"))
        const page = await client.assets({ limit: 1 })
        assert.deepInclude(page.assets[0], { name: "other.txt", commits: 0 })
        const rest = await client.assets({ limit: 1, cursor: page.next ?? "" })
        assert.deepInclude(rest.assets[0], { assetCid: asset.assetCid, commits: 1 })
        assert.deepStrictEqual([rest.next, (await client.assets({ q: "other" })).assets.length], [null, 1])
        assert.strictEqual((await client.account()).id, account.id)
      })
    })
  )

  it.effect("pairs with an account that somebody approves, and gets a token for what was asked", () =>
    Effect.gen(function* () {
      const { admin, createAccount, url } = yield* RunningDaemon
      const { account } = yield* createAccount({ name: "paired" })
      const asking = { name: "Darkroom", scope: ["read"] } as const
      const pairing = yield* Effect.promise(() => createClient({ url }).pair(asking))
      yield* admin("pair", "approve", pairing.userCode, "--account", "paired")
      const { scope, token } = yield* Effect.promise(() => pairing.approved())
      assert.deepStrictEqual(scope, ["read"])
      const client = createClient({ url, token })
      assert.strictEqual((yield* Effect.promise(() => client.account())).id, account.id)
      const error = yield* Effect.promise(() => refusal(client.register(new Blob(["x"]))))
      assert.deepInclude({ ...error }, { status: 403, code: "scope_missing" })
    })
  )

  it.effect("tells what was refused as the daemon tells it, at once", () =>
    Effect.gen(function* () {
      const { url } = yield* RunningDaemon
      yield* Effect.promise(async () => {
        const client = createClient({ url })
        const fields = await refusal(client.balance("0x12"))
        assert.deepInclude({ ...fields }, { status: 400, code: "invalid_fields" })
        assert.strictEqual(fields.errors[0]?.path, "/wallet")
        assert.match(fields.requestId ?? "", /^req_/)
        const token = await refusal(client.account())
        assert.deepInclude({ ...token }, { status: 401, code: "missing_token" })
        assert.include(token.message, "token")
      })
    })
  )
})

interface Seen {
  readonly url: string
  readonly disposition: string | undefined
  readonly key: string | undefined
  readonly authorization: string | undefined
  readonly body: string
}

type Reply = (response: ServerResponse) => void

const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

const problem = (status: number, code: string, headers?: Readonly<Record<string, string>>): Reply =>
  json(status, { status, code, detail: `${code}.`, requestId: "req_1" }, headers)

const bodyOf = async (request: IncomingMessage): Promise<string> =>
  Buffer.from(await new Response(Readable.toWeb(request) as ReadableStream).arrayBuffer()).toString("utf8")

/** A daemon that gives these replies one after another, the last one for ever. */
const withReplies = async (
  replies: ReadonlyArray<Reply>,
  use: (url: string, seen: ReadonlyArray<Seen>) => Promise<void>
): Promise<void> => {
  const seen: Array<Seen> = []
  const server = createServer(async (request, response) => {
    const { authorization, "idempotency-key": key } = request.headers
    const reply = replies[Math.min(seen.length, replies.length - 1)]!
    seen.push({
      url: String(request.url),
      disposition: request.headers["content-disposition"],
      key: key?.toString(),
      authorization,
      body: await bodyOf(request)
    })
    reply(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const address = server.address()
    await use(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, seen)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const REQUEST = {
  encodingFormat: "text/plain",
  assetCid: "bafk",
  assetTimestampCreated: 1,
  assetCreator: "Ada",
  assetSha256: "00"
}
const leave: Reply = (response) => response.destroy()

describe("the client of a daemon in trouble", () => {
  it("repeats a paid call with one key and the same bytes until its outcome is known", async () => {
    const replies = [
      leave,
      problem(500, "commit_pending"),
      problem(409, "idempotency_key_in_use"),
      json(200, { txHash: "0x1" })
    ]
    await withReplies(replies, async (url, seen) => {
      assert.deepStrictEqual(await createClient({ url, token: "tmk_x" }).commit(REQUEST), { txHash: "0x1" } as never)
      assert.strictEqual(seen.length, 4)
      assert.strictEqual(new Set(seen.map(({ body, key }) => `${key} ${body}`)).size, 1)
      assert.match(seen[0]?.key ?? "", /^[\x21-\x7e]{20,255}$/)
      assert.strictEqual(seen[0]?.authorization, "token tmk_x")
    })
  })

  it("comes back when it is told to, not before, and not at all when that is beyond its patience", async () => {
    await withReplies(
      [problem(429, "too_many_requests", { "retry-after": "1" }), json(200, { balance: "1.0000" })],
      async (url, seen) => {
        const began = performance.now()
        assert.deepStrictEqual(await createClient({ url }).balance("0x"), { balance: "1.0000" })
        assert.isAtLeast(performance.now() - began, 990)
        assert.strictEqual(seen.length, 2)
      }
    )
    await withReplies([problem(503, "not_ready", { "retry-after": "3600" })], async (url, seen) => {
      assert.strictEqual((await refusal(createClient({ url }).account())).code, "not_ready")
      assert.strictEqual(seen.length, 1)
    })
  })

  it("repeats no refusal, no stream, and nothing without patience", async () => {
    await withReplies([problem(403, "insufficient_funds")], async (url, seen) => {
      const error = await refusal(createClient({ url }).commit(REQUEST, { idempotencyKey: "mine" }))
      assert.deepInclude({ ...error }, { status: 403, code: "insufficient_funds", idempotencyKey: "mine" })
      assert.strictEqual(seen.length, 1)
    })
    await withReplies([problem(500, "storage_unavailable")], async (url, seen) => {
      await refusal(createClient({ url }).register(new Blob(["x"]).stream()))
      await refusal(createClient({ url, patience: 0 }).account())
      assert.strictEqual(seen.length, 2)
    })
  })

  it("sends a file as it is, with its name beside it", async () => {
    await withReplies([json(201, { assetCid: "bafk" })], async (url, seen) => {
      const client = createClient({ url })
      await client.register(new File(["bytes"], "été 'n' (1).png", { type: "image/png" }))
      await client.register(new Blob(["bytes"]).stream(), { name: "a.jpg" })
      await client.register(new Uint8Array([98]))
      assert.deepStrictEqual(
        seen.map(({ body, disposition }) => [body, disposition]),
        [
          ["bytes", "attachment; filename*=UTF-8''%C3%A9t%C3%A9%20%27n%27%20%281%29.png"],
          ["bytes", "attachment; filename*=UTF-8''a.jpg"],
          ["b", undefined]
        ]
      )
    })
  })

  it("gives up after a few tries, and says who did not answer", async () => {
    await withReplies([leave], async (url, seen) => {
      const error = await refusal(createClient({ url, patience: 700 }).account())
      assert.deepInclude({ ...error }, { status: 0, code: "unreachable" })
      assert.include(error.message, url)
      assert.isAtLeast(seen.length, 2)
    })
    await withReplies([(response) => response.writeHead(200).end("<html>")], async (url) => {
      assert.strictEqual((await refusal(createClient({ url }).account())).code, "not_treemark")
    })
  })

  it("ends with the signal it was given, in a call and between two", async () => {
    await withReplies([problem(503, "not_ready", { "retry-after": "30" })], async (url) => {
      const reason = new Error("enough")
      const ended = createClient({ url })
        .account({ signal: AbortSignal.timeout(200) })
        .catch((error: unknown) => error)
      assert.strictEqual(((await ended) as Error).name, "TimeoutError")
      const before = createClient({ url })
        .account({ signal: AbortSignal.abort(reason) })
        .catch((error: unknown) => error)
      assert.strictEqual(await before, reason)
    })
  })

  it("pairs as RFC 8628 says: asks at the interval, slower when told, until somebody decides", async () => {
    const device = {
      device_code: "dev",
      user_code: "ABCD-EFGH",
      verification_uri: "http://127.0.0.1:7053/pair",
      expires_in: 600,
      interval: 0
    }
    const pending = json(400, { error: "authorization_pending" })
    const granted = json(200, { access_token: "tmk_new", token_type: "token", scope: "read commit" })
    await withReplies([json(200, device), pending, pending, granted], async (url, seen) => {
      const pairing = await createClient({ url }).pair({ name: "Darkroom", scope: ["read", "commit"] })
      assert.strictEqual(pairing.userCode, "ABCD-EFGH")
      assert.deepStrictEqual(await pairing.approved(), { token: "tmk_new", scope: ["read", "commit"] })
      assert.deepStrictEqual(
        seen.map(({ url }) => url),
        ["/oauth/device_authorization", "/oauth/token", "/oauth/token", "/oauth/token"]
      )
      assert.strictEqual(seen[0]?.body, "client_id=Darkroom&scope=read+commit")
      assert.include(seen[1]?.body, "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dev")
    })
    await withReplies([json(200, device), json(400, { error: "access_denied" })], async (url) => {
      const pairing = await createClient({ url }).pair({ name: "Darkroom" })
      assert.strictEqual((await refusal(pairing.approved())).code, "access_denied")
    })
    await withReplies([json(200, { ...device, expires_in: 0 })], async (url) => {
      const pairing = await createClient({ url }).pair({ name: "Darkroom" })
      assert.strictEqual((await refusal(pairing.approved())).code, "expired_token")
    })
  })
})
