/** Each command against a running daemon, as JSON and as text. */
import { createHash } from "node:crypto"
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { cidOf, RAW_CODE } from "@treemark/core"
import { Effect } from "effect"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { bytesOf, commitRequest, parsed, treemarkd } from "./Treemarkd.ts"

/** A command that must succeed: its JSON, and what it prints for people. */
const both = Effect.fnUntraced(function* (home: string, ...args: ReadonlyArray<string>) {
  const told = yield* parsed([...args, "--home", home, "--json"])
  assert.deepStrictEqual([told.code, told.stderr], [0, ""], args.join(" "))
  const plain = yield* parsed([...args, "--home", home])
  assert.deepStrictEqual([plain.code, plain.stderr], [0, ""], args.join(" "))
  return { json: told.json() as Record<string, unknown>, text: plain.stdout }
})

/** Well formed, and of no commit. */
const UNKNOWN_TREE = "baguqeeraaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

const refused = Effect.fnUntraced(function* (home: string, ...args: ReadonlyArray<string>) {
  const told = yield* parsed([...args, "--home", home, "--json"])
  const { error } = told.json() as { readonly error: { readonly code: string; readonly message: string } }
  assert.strictEqual(told.stderr, `${error.message}\n`)
  assert.strictEqual(told.code, 1, error.message)
  return error
})

/** Nothing is closed to the superuser. */
const isSuperuser = process.getuid?.() === 0

withDaemon()("commands against a running daemon", (it) => {
  it.effect("account create, show, credit, disable, enable and list agree with each other and with GET /account", () =>
    Effect.gen(function* () {
      const { call, home } = yield* RunningDaemon
      const created = yield* parsed([
        "account",
        "create",
        "--name",
        "studio",
        "--service-name",
        "lens",
        "--credits",
        "1",
        "--home",
        home,
        "--json"
      ])
      const { account, token } = created.json() as {
        readonly account: Record<string, unknown>
        readonly token: string
      }
      assert.deepInclude(account, { name: "studio", serviceName: "lens", credits: "1", disabled: false })
      const credited = yield* parsed(["account", "credit", "studio", "0.000000000000000001", "--home", home, "--json"])
      assert.deepInclude(credited.json(), { credits: "1.000000000000000001" })
      const shown = yield* both(home, "account", "show", String(account.id))
      assert.deepStrictEqual(shown.json, { ...account, credits: "1.000000000000000001" })
      assert.include(shown.text, "credits  1.000000000000000001\n")
      const own = yield* call("/account", { headers: { authorization: `token ${token}` } })
      assert.deepInclude(own.json(), {
        id: account.id,
        wallet: account.wallet,
        credits: "1.000000000000000001",
        balance: "100.0000"
      })
      const disabled = yield* both(home, "account", "disable", "studio")
      assert.include(disabled.text, "disabled")
      assert.strictEqual((yield* call("/account", { headers: { authorization: `token ${token}` } })).status, 403)
      assert.deepInclude((yield* both(home, "account", "enable", "studio")).json, { disabled: false })
      assert.strictEqual((yield* call("/account", { headers: { authorization: `token ${token}` } })).status, 200)
      const all = yield* both(home, "account", "list")
      assert.deepInclude(all.json.accounts as Array<unknown>, { ...account, credits: "1.000000000000000001" })
      assert.match(all.text, /^NAME +ID +SERVICE +WALLET +CREDITS +STATE\n/)
      assert.strictEqual((yield* refused(home, "account", "create", "--name", "studio")).code, "account_name_taken")
      assert.strictEqual((yield* refused(home, "account", "credit", "nobody", "1")).code, "account_not_found")
    })
  )

  it.effect("account token create, list and revoke decide who is served", () =>
    Effect.gen(function* () {
      const { call, createAccount, home } = yield* RunningDaemon
      yield* createAccount({ name: "tokens" })
      const created = yield* parsed([
        "account",
        "token",
        "create",
        "tokens",
        "--label",
        "laptop",
        "--expires-in-days",
        "2",
        "--home",
        home,
        "--json"
      ])
      const { token, info } = created.json() as {
        readonly token: string
        readonly info: { readonly id: string; readonly expiresAt: string; readonly createdAt: string }
      }
      for (const moment of [info.createdAt, info.expiresAt]) assert.strictEqual(new Date(moment).toISOString(), moment)
      assert.strictEqual(Date.parse(info.expiresAt) - Date.parse(info.createdAt) < 2 * 86_400_000 + 5_000, true)
      const asked = call("/account", { headers: { authorization: `token ${token}` } })
      assert.strictEqual((yield* asked).status, 200)
      const listed = yield* both(home, "account", "token", "list", "tokens")
      assert.include(listed.text, "laptop")
      assert.strictEqual((listed.json.tokens as Array<unknown>).length, 2)
      assert.notInclude(JSON.stringify(listed.json), token)
      yield* both(home, "account", "token", "revoke", info.id)
      assert.strictEqual((yield* asked).status, 401)
      const unknown = yield* refused(home, "account", "token", "revoke", "tok_nobody")
      assert.match(unknown.message, /There is no access token/)
    })
  )

  it.effect(
    "asset register FILE, commit and proof do over the command line what the three operations do over HTTP",
    () =>
      Effect.gen(function* () {
        const { call, createAccount, home, showAccount } = yield* RunningDaemon
        yield* createAccount({ name: "committer", credits: "1" })
        const photo = join(home, "photo.txt")
        writeFileSync(photo, bytesOf("commands"))
        const asset = (yield* both(home, "asset", "register", photo)).json
        assert.deepInclude(asset, { encodingFormat: "text/plain", size: bytesOf("commands").length })
        assert.include((yield* both(home, "asset", "list")).text, String(asset.assetCid))
        const request = join(home, "request.json")
        writeFileSync(request, JSON.stringify(commitRequest(asset as never)))
        const committed = yield* parsed([
          ...["commit", request, "--account", "committer", "--idempotency-key", "once", "--home", home, "--json"]
        ])
        assert.strictEqual(committed.code, 0, committed.stderr)
        const again = yield* parsed([
          "commit",
          request,
          "--account",
          "committer",
          "--idempotency-key",
          "once",
          "--home",
          home
        ])
        const receipt = committed.json() as Record<string, string>
        assert.include(again.stdout, receipt.txHash!)
        const listed = (yield* call(`/assets/${String(asset.assetCid)}/commits`)).json()
        assert.deepStrictEqual(
          (listed.commits as ReadonlyArray<{ readonly txHash: string }>).map(({ txHash }) => txHash),
          [receipt.txHash]
        )
        assert.match((yield* showAccount("committer")).credits, /^0\.89\d+$/)
        const out = join(home, "photo.proof.json")
        const written = yield* both(home, "proof", receipt.assetTreeCid!, "--out", out)
        assert.include(written.text, "npx @treemark/verify")
        const printed = yield* parsed(["proof", receipt.assetTreeCid!, "--home", home])
        assert.strictEqual(printed.stdout, readFileSync(out, "utf8"))
        writeFileSync(request, JSON.stringify({ ...commitRequest(asset as never), assetCreator: "x".repeat(22) }))
        const wrong = yield* refused(home, "commit", request, "--account", "committer")
        assert.match(wrong.message, /\/assetCreator/)
        writeFileSync(request, "{")
        assert.strictEqual((yield* refused(home, "commit", request, "--account", "committer")).code, "malformed_json")
        assert.strictEqual((yield* refused(home, "proof", UNKNOWN_TREE)).code, "commit_not_found")
        assert.strictEqual(
          (yield* refused(home, "proof", receipt.assetTreeCid!, "--out", "/nowhere/p")).code,
          "unwritable"
        )
        assert.strictEqual((yield* refused(home, "asset", "register", "/nowhere/p")).code, "unreadable")
        assert.strictEqual((yield* refused(home, "asset", "register", home)).code, "unreadable")
      })
  )

  it.effect("asset register --cid registers content that lives elsewhere, and tells every rule that is broken", () =>
    Effect.gen(function* () {
      const { home } = yield* RunningDaemon
      const bytes = bytesOf("elsewhere")
      const cid = cidOf(RAW_CODE, bytes)
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      const broken = yield* refused(home, "asset", "register", "--cid", "abc", "--sha256", "def")
      assert.match(broken.message, /assetCid.*assetSha256/su)
      const registered = yield* both(
        home,
        ...["asset", "register", "--cid", cid, "--sha256", sha256, "--type", "image/png", "--size", "15"]
      )
      assert.deepStrictEqual(registered.json, {
        assetCid: cid,
        assetSha256: sha256,
        encodingFormat: "image/png",
        size: 15
      })
      const neither = yield* parsed(["asset", "register", "--home", home])
      assert.deepStrictEqual([neither.code, neither.stdout], [64, ""])
    })
  )

  it.effect("balance and wallet show print what the ledgers say", () =>
    Effect.gen(function* () {
      const { home } = yield* RunningDaemon
      const shown = yield* both(home, "wallet", "show")
      const committer = String(shown.json.committer)
      assert.match(shown.text, /^local mainnet +(1000|999)\.\d{4}$/mu)
      const one = (yield* both(home, "balance", committer)).json
      const all = yield* both(home, "balance", committer, "--all-networks")
      assert.deepStrictEqual((one.networks as Array<unknown>).length, 1)
      assert.deepStrictEqual(all.json.networks, shown.json.balances)
      assert.match(all.text, /^total +\d+\.\d{4}$/mu)
    })
  )

  it.effect("status tells process, profile, folder and addresses", () =>
    Effect.gen(function* () {
      const { addresses, home } = yield* RunningDaemon
      const { json, text } = yield* both(home, "status")
      assert.deepInclude(json, { profile: "local", home })
      assert.deepStrictEqual(json.addresses, addresses)
      assert.match(text, new RegExp(`^main +${addresses.main}$`, "mu"))
    })
  )

  it.effect("the administration socket and every file of the data folder are closed to other users", () =>
    Effect.gen(function* () {
      const { home } = yield* RunningDaemon
      const modes = ["treemarkd.sock", "daemon.json", "treemark.db", "seed.json", "seed.key", "chain-mainnet.db"]
      for (const name of modes) assert.strictEqual(statSync(join(home, name)).mode & 0o777, 0o600, name)
      assert.strictEqual(statSync(home).mode & 0o777, 0o700)
      assert.strictEqual(statSync(join(home, "blocks")).mode & 0o777, 0o700)
    })
  )

  it.effect("wallet backup asks for --yes, and wallet restore refuses while the daemon runs", () =>
    Effect.gen(function* () {
      const { home } = yield* RunningDaemon
      const asked = yield* refused(home, "wallet", "backup")
      assert.strictEqual(asked.code, "not_confirmed")
      const backup = yield* parsed(["wallet", "backup", "--yes", "--home", home, "--json"])
      const { words } = backup.json() as { readonly words: string }
      assert.strictEqual(words.split(" ").length, 24)
      assert.notInclude(backup.stderr, words.split(" ").slice(0, 3).join(" "))
      const restored = yield* treemarkd(["wallet", "restore", "--json"], { home, input: words })
      assert.strictEqual(restored.code, 1)
      assert.deepInclude(restored.json(), {
        error: { code: "running", message: restored.stderr.trimEnd() }
      })
      assert.match(restored.stderr, /Stop it first/)
    })
  )

  it.effect.skipIf(isSuperuser)("a file that may not be read is refused before anything is sent", () =>
    Effect.gen(function* () {
      const { home } = yield* RunningDaemon
      const closed = join(home, "closed.txt")
      writeFileSync(closed, "x")
      chmodSync(closed, 0)
      assert.match((yield* refused(home, "asset", "register", closed)).message, /this user may not/)
    })
  )

  it.effect("stop returns when the daemon has stopped, and status then says so", () =>
    Effect.gen(function* () {
      const { home, restart } = yield* RunningDaemon
      const stopped = yield* parsed(["stop", "--home", home, "--json"])
      assert.deepStrictEqual([stopped.code, stopped.stdout], [0, '{"stopped":true}\n'])
      assert.isFalse(existsSync(join(home, "daemon.json")))
      const status = yield* parsed(["status", "--home", home])
      assert.strictEqual(status.code, 69)
      yield* restart()
      const again = yield* parsed(["status", "--home", home])
      assert.strictEqual(again.code, 0)
    })
  )
})
