/**
 * A daemon that watches an author, and another daemon on the same chain that commits for them, with their signature and without: each commit
 * comes once, over a restart and a reorganisation; what fell out for good is withdrawn. The receiver checks signatures as the documents say.
 */
import { readFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { assetTreeOf, DagJson, decodeCommitRequest, walletAddress } from "@treemark/core"
import { Effect } from "effect"
import { createTestClient, type Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Alert } from "../../packages/daemon/src/commits/watch/Alert.ts"
import { stranger } from "../daemon/commits/ForeignCommits.ts"
import { eventually } from "../daemon/commits/LedgerFixture.ts"
import { isAnvilMissing, patientHttp } from "../layers/Anvil.ts"
import { type RunningDaemon, startDaemon } from "../layers/RunningDaemon.ts"
import { rowsOf } from "./Callers.ts"
import { anvilWithContract, CONTRACT } from "./HistoryRig.ts"
import { bytesOf, commitRequest, treemarkd } from "./Treemarkd.ts"

const author = privateKeyToAccount(`0x${"3".repeat(64)}`)

const settings = (url: string) => `watch_blocks = 4
[profiles.own]
base = "local"
[profiles.own.mainnet]
name = "public"
chain_id = 5003
rpc = "${url}"
contract = "${CONTRACT}"
explorer = "https://explorer.example/tx/HASH"
fromBlock = 0
`

interface Delivery {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Takes deliveries. */
const receiver = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly taken: Array<Delivery>; readonly close: () => void }>((resume) => {
    const taken: Array<Delivery> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (part: Buffer) => (body += part.toString("utf8")))
      request.on("end", () => {
        taken.push({ headers: request.headers, body })
        response.end()
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/hidden`, taken, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** The receiver's check as docs/operations.md shows it. */
const documentedCheck = (): ((secret: string, headers: IncomingHttpHeaders, body: string) => boolean) => {
  const document = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8")
  const code = /```js\n(const isOurs[\s\S]*?)```/u.exec(document)?.[1] ?? ""
  assert.notStrictEqual(code, "", "docs/operations.md shows no check")
  return new Function("crypto", `${code.replace("const isOurs =", "return")}`)(process.getBuiltinModule("node:crypto"))
}

/** Commits what the request says; with `sign` as the author's own tree. */
const commitAt = Effect.fnUntraced(function* (
  daemon: RunningDaemon["Service"],
  caller: { readonly token: string; readonly serviceName: string },
  request: object,
  sign: boolean
) {
  const body: Record<string, unknown> = { ...request, author: author.address }
  if (sign) {
    const decoded = yield* decodeCommitRequest(body as never)
    const tree = assetTreeOf({
      request: decoded,
      author: walletAddress(author.address),
      serviceName: caller.serviceName,
      signedAt: "elsewhere"
    })
    body.assetTreeSignature = yield* Effect.promise(() => author.signMessage({ message: DagJson.encode(tree).sha256 }))
  }
  const answer = yield* daemon.call("/commit", { body, headers: { authorization: `token ${caller.token}` } })
  assert.strictEqual(answer.status, 200, answer.text)
})

/** The alerts among the events of an account, from its first one on. */
const alertsIn = (url: string, token: string, count: number) =>
  Effect.promise(async () => {
    const end = new AbortController()
    const headers = { authorization: `token ${token}`, "last-event-id": "0" }
    const answer = await fetch(`${url}/events`, { headers, signal: end.signal })
    let text = ""
    const found = () => [...text.matchAll(/event: alert\ndata: (.*)\n\n/gu)].map(([, data]) => JSON.parse(data ?? "{}"))
    for await (const part of answer.body!) {
      text += Buffer.from(part).toString("utf8")
      if (found().length >= count) break
    }
    end.abort()
    return found() as ReadonlyArray<{ readonly alert: Alert; readonly assetCid: string | null }>
  })

describe.skipIf(isAnvilMissing)("an author who is watched", () => {
  it.live("is told once of each commit by another daemon, signed or claimed, over a restart and a reorganisation", () =>
    Effect.gen(function* () {
      const anvil = yield* anvilWithContract
      const steer = createTestClient({ mode: "anvil", transport: patientHttp(anvil.url) })
      const options = { settings: settings(anvil.url), env: { TREEMARK_PROFILE: "own" } }
      const ours = yield* startDaemon(options)
      const theirs = yield* startDaemon(options)
      const { committer } = (yield* theirs.admin("wallet", "show")) as { committer: Hex }
      yield* Effect.promise(() => steer.setBalance({ address: committer, value: 10n ** 20n }))
      const studio = yield* ours.createAccount({ name: "studio" })
      const other = yield* theirs.createAccount({ name: "other", credits: "50" })
      const caller = { token: other.token, serviceName: other.account.serviceName }
      const hook = yield* receiver

      const added = (yield* ours.admin(
        "watch-author",
        author.address,
        "--account",
        "studio",
        "--webhook",
        hook.url
      )) as {
        readonly secret: string
        readonly webhook: string
      }
      assert.match(added.secret, /^whsec_[\w+/]{43}=$/u)
      const listed = yield* treemarkd(["watch-author", "list"], { home: ours.home })
      assert.include(listed.stdout, author.address)
      for (const secret of ["hidden", added.secret]) {
        assert.notInclude(listed.stdout, secret)
        assert.notInclude(JSON.stringify(rowsOf(ours.home, "SELECT id, author FROM author_watch")), secret)
      }
      assert.notInclude(JSON.stringify(rowsOf(ours.home, "SELECT * FROM author_watch")), added.secret)

      const [foreign, known] = [yield* theirs.register(bytesOf("foreign")), yield* theirs.register(bytesOf("known"))]
      yield* ours.register(bytesOf("known"))
      yield* commitAt(theirs, caller, commitRequest(foreign, { commitMessage: "claimed" }), false)
      yield* commitAt(theirs, caller, commitRequest(foreign, { commitMessage: "signed" }), true)
      yield* stranger(anvil.url, CONTRACT).commit(known.assetCid, JSON.stringify({ abstract: "on an asset of ours" }))

      /** A question about the ledger has its index brought up to date. */
      const taken = (count: number) =>
        eventually(
          Effect.as(ours.call(`/assets/${known.assetCid}/commits`), hook.taken),
          (deliveries) => deliveries.length >= count
        )
      const words = () => hook.taken.map(({ body }) => JSON.parse(body) as Alert)
      yield* taken(3)
      const seen = words().map(({ commit, type, why }) => `${type} ${why} ${commit?.abstract}`)
      assert.deepStrictEqual(seen, [
        "commit claimed claimed",
        "commit signed signed",
        "commit asset on an asset of ours"
      ])
      const isOurs = documentedCheck()
      for (const { body, headers } of hook.taken) {
        assert.isTrue(isOurs(added.secret, headers, body))
        assert.isFalse(isOurs(added.secret, headers, `${body} `))
        assert.isFalse(isOurs(added.secret, { ...headers, "webhook-timestamp": "1700000000" }, body))
      }
      for (const [why, one] of [
        ["CLAIMS", 0],
        ["SIGNED", 1]
      ] as const) {
        assert.include(ours.log(), words()[one]!.text)
        assert.include(words()[one]!.text, why)
      }

      yield* ours.restart()
      yield* Effect.promise(() => steer.request({ method: "anvil_reorg", params: [3, []] } as never))
      // The other daemon sends its two again; the third one is gone for good.
      yield* eventually(
        theirs.call(`/assets/${foreign.assetCid}/commits`),
        (answer) => (answer.json().commits as ReadonlyArray<unknown>).length === 2
      )
      yield* commitAt(theirs, caller, commitRequest(foreign, { commitMessage: "after" }), false)
      yield* taken(4)
      assert.strictEqual(words()[3]?.commit?.abstract, "after")
      yield* Effect.promise(() => steer.mine({ blocks: 6 }))
      yield* taken(5)
      assert.deepInclude(words()[4], { type: "withdrawn", why: "asset", txHash: words()[2]!.txHash })
      yield* ours.restart()
      yield* ours.call(`/assets/${known.assetCid}/commits`)
      const events = yield* alertsIn(ours.url, studio.token, 5)
      assert.deepStrictEqual(
        events.map(({ alert }) => alert.id),
        words().map(({ id }) => id)
      )
      assert.strictEqual(events[2]?.assetCid, known.assetCid)
      assert.lengthOf(hook.taken, 5)
      for (const secret of ["/hidden", added.secret, added.secret.slice(6, 20)]) assert.notInclude(ours.log(), secret)
    }).pipe(Effect.scoped)
  )
})
