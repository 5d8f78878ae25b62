/** A token's limit as its people meet it: set by the commands, held over HTTP by many commits at once, shown where tokens are listed. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { formatUnits, parseUnits } from "ethers"
import { RunningDaemon, withSharedDaemon } from "../layers/RunningDaemon.ts"
import { bytesOf } from "./Treemarkd.ts"

const exact = (tokens: string) => parseUnits(tokens, 18)
const SERVED = 7

interface Shown {
  readonly id: string
  readonly dailyLimit: string | null
  readonly spentToday: string
}

withSharedDaemon()("a spending limit", (it) => {
  it.effect("of 100 commits at once on a limit for exactly 7, 7 are made; the rest are told why and cost nothing", () =>
    Effect.gen(function* () {
      const { admin, call, createAccount, register, showAccount } = yield* RunningDaemon
      const { token: own } = yield* createAccount({ name: "spender", credits: "100" })
      const asset = yield* register(bytesOf("limited"))
      const request = {
        encodingFormat: asset.encodingFormat,
        assetCid: asset.assetCid,
        assetSha256: asset.assetSha256,
        assetTimestampCreated: 1_780_000_000,
        assetCreator: "Ada"
      }
      const post = (path: string, token: string, body: object) =>
        call(path, { method: "POST", body, headers: { authorization: `token ${token}` } })
      const quoted = yield* call("/commit", {
        method: "POST",
        body: request,
        headers: { authorization: `token ${own}`, prefer: "return=quote" }
      })
      assert.strictEqual(quoted.status, 200, quoted.text)
      const limit = formatUnits(BigInt(SERVED) * exact(String(quoted.json().total)), 18)

      const made = (yield* admin("account", "token", "create", "spender", "--limit", limit)) as {
        readonly token: string
        readonly info: Shown
      }
      assert.deepInclude(made.info, { dailyLimit: limit, spentToday: "0" })
      const answers = yield* Effect.forEach(Array(100).keys(), () => post("/commit", made.token, request), {
        concurrency: "unbounded"
      })
      const refused = answers.filter(({ status }) => status !== 200)
      assert.strictEqual(answers.length - refused.length, SERVED, refused[0]?.text)
      for (const answer of refused) {
        const { code, detail, status } = answer.json() as Record<string, string>
        assert.deepStrictEqual([status, code], [403 as unknown as string, "spending_limit_reached"])
        assert.match(detail!, /may spend \S+ native tokens a day .* Nothing was charged\..* free again at \S+T00:00/)
      }
      const spent = exact("100") - exact((yield* showAccount("spender")).credits)
      const { tokens } = (yield* admin("account", "token", "list", "spender")) as {
        readonly tokens: ReadonlyArray<Shown>
      }
      const shown = tokens.find(({ id }) => id === made.info.id)!
      assert.strictEqual(exact(shown.spentToday), spent)
      assert.isAtMost(Number(spent), Number(exact(limit)))
      const history = (yield* call(`/assets/${asset.assetCid}/commits`)).json()
      assert.strictEqual((history.commits as ReadonlyArray<unknown>).length, SERVED)
      assert.strictEqual((yield* post("/commit", own, request)).status, 200, "another token of the account is free")
    })
  )

  it.effect("balances on all networks stop at it as well; a tool that was approved with one has it", () =>
    Effect.gen(function* () {
      const { admin, call, createAccount } = yield* RunningDaemon
      const { account } = yield* createAccount({ name: "painter", credits: "1" })
      const form = (fields: Readonly<Record<string, string>>) => ({
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString()
      })
      const begun = (yield* call("/oauth/device_authorization", form({ client_id: "Paint", scope: "read" }))).json()
      const code = String(begun.user_code)
      const approved = yield* admin("pair", "approve", code, "--account", "painter", "--limit", "0.02")
      assert.deepInclude(approved, { account: "painter", dailyLimit: "0.02" })
      const grant = "urn:ietf:params:oauth:grant-type:device_code"
      const poll = form({ grant_type: grant, client_id: "Paint", device_code: String(begun.device_code) })
      const { access_token } = (yield* call("/oauth/token", poll)).json()
      const ask = call("/balance/all-networks", {
        method: "POST",
        headers: { authorization: `token ${access_token}` },
        body: { wallet: account.wallet }
      })
      assert.strictEqual((yield* ask).status, 200)
      assert.strictEqual((yield* ask).status, 200)
      const refused = yield* ask
      assert.deepStrictEqual([refused.status, refused.json().code], [403, "spending_limit_reached"])
      assert.include(String(refused.json().detail), "Today 0.02 are spent")
    })
  )
})
