/** What must stay secret is nowhere it could be read: not in logs, answers, errors, command lines or files. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mnemonicToAccount } from "viem/accounts"
import { send } from "../layers/HttpCall.ts"
import { startDaemon } from "../layers/RunningDaemon.ts"
import { bytesOf, commitRequest, parsed, running, temporaryHome, treemarkd } from "./Treemarkd.ts"

const PASSWORD = "correct-horse-battery"
const RPC_SECRET = "rpc-key-5f2d81"
const RPC = `http://operator:${RPC_SECRET}@127.0.0.1:9/v3/${RPC_SECRET}`

const PROFILE = `
[profiles.watched]
base = "local"
[[profiles.watched.networks]]
kind = "native"
name = "far away"
chain_id = 10
rpc = "${RPC}"
`

const filesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

describe("secrets", () => {
  it.live(
    "tokens, words, keys, the password and RPC URLs are in no log, answer, command line or file of a daemon",
    () =>
      Effect.gen(function* () {
        const home = yield* temporaryHome
        writeFileSync(join(home, "treemark.toml"), PROFILE)
        const env = { TREEMARK_SEED_PASSWORD: PASSWORD, TREEMARK_PROFILE: "watched", TREEMARK_LOG_LEVEL: "All" }
        const daemon = yield* running(["start", "--port", "0", "--json"], { home, env })
        const url = (JSON.parse(daemon.line) as { readonly addresses: { readonly main: string } }).addresses.main
        const call = (path: string, body: unknown, token?: string) =>
          send(
            { host: "127.0.0.1", port: new URL(url).port, path },
            { body, headers: token === undefined ? {} : { authorization: `token ${token}` } }
          )
        const created = yield* treemarkd(["account", "create", "--name", "a", "--credits", "3", "--json"], {
          home,
          env
        })
        const { account, token } = created.json() as {
          readonly account: { readonly wallet: string }
          readonly token: string
        }
        const photo = join(home, "photo.txt")
        writeFileSync(photo, bytesOf("secrets"))
        const registered = yield* parsed(["asset", "register", photo, "--json", "--home", home])
        const answers = yield* Effect.all([
          call("/balance/all-networks", { wallet: account.wallet }, token),
          call("/balance/all-networks", { wallet: account.wallet }, `${token}x`),
          call("/commit", commitRequest(registered.json() as never), token),
          call("/commit", { wallet: token }, token),
          call("/commit", `{"broken": ${token}`, token)
        ])
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [500, 401, 200, 400, 400]
        )
        assert.include(answers[0].text, "far away")
        const status = yield* parsed(["status", "--json", "--home", home])
        const commandLine = spawnSync("ps", ["-ww", "-o", "args=", "-p", String(daemon.pid)], {
          encoding: "utf8"
        }).stdout
        assert.include(commandLine, "treemarkd.js start")
        const backup = yield* parsed(["wallet", "backup", "--yes", "--home", home])
        const words = backup.stdout.trim()
        const key = Buffer.from(mnemonicToAccount(words, { addressIndex: 1 }).getHdKey().privateKey!).toString("hex")
        assert.strictEqual(mnemonicToAccount(words, { addressIndex: 1 }).address, account.wallet)
        yield* daemon.signal("SIGTERM")
        assert.deepStrictEqual(yield* daemon.ended, { code: 0, signal: null })
        assert.match(daemon.stderr(), /level=DEBUG/iu)

        const secrets = { token, words, key, PASSWORD, RPC_SECRET, someWords: words.split(" ").slice(0, 3).join(" ") }
        const seen: Record<string, string> = {
          "standard output": daemon.stdout(),
          "the log": daemon.stderr(),
          "the command line": commandLine,
          status: status.stdout + status.stderr,
          "standard error of create": created.stderr,
          "standard error of backup": backup.stderr
        }
        for (const [index, { headers, text }] of answers.entries()) {
          seen[`answer ${index}`] = `${JSON.stringify(headers)}${text}`
        }
        for (const file of filesUnder(home)) {
          if (!file.endsWith("treemark.toml")) seen[file] = readFileSync(file, "latin1")
        }
        assert.isAbove(Object.keys(seen).length, 15)
        for (const [place, text] of Object.entries(seen)) {
          for (const [name, secret] of Object.entries(secrets)) {
            assert.isFalse(text.toLowerCase().includes(secret.toLowerCase()), `${name} is in ${place}`)
          }
        }
      })
  )

  it.live("errors about settings, the seed and the profile name no secret", () =>
    Effect.gen(function* () {
      const daemon = yield* startDaemon({ env: { TREEMARK_SEED_PASSWORD: PASSWORD } })
      yield* daemon.kill("SIGTERM")
      const { home } = daemon
      const wrong = yield* treemarkd(["account", "list", "--json"], {
        home,
        env: { TREEMARK_SEED_PASSWORD: "incorrect-horse" }
      })
      const none = yield* treemarkd(["start", "--port", "0", "--json"], { home })
      for (const { code, json, stderr } of [wrong, none]) {
        assert.strictEqual(code, 69, stderr)
        assert.deepInclude(json(), { error: { code: "seed_locked", message: stderr.trimEnd() } })
        assert.notInclude(stderr, "horse")
      }
      writeFileSync(join(home, "treemark.toml"), PROFILE.replace("chain_id = 10", "chain_id = -10"))
      const broken = yield* treemarkd(["start", "--port", "0", "--profile", "watched"], { home })
      writeFileSync(join(home, "treemark.toml"), PROFILE.replace("http://", "ftp://"))
      const scheme = yield* treemarkd(["start", "--port", "0", "--profile", "watched"], { home })
      for (const { code, stderr } of [broken, scheme]) {
        assert.strictEqual(code, 78)
        assert.match(stderr, /"watched" cannot be used/)
        assert.notInclude(stderr, RPC_SECRET)
      }
    })
  )
})
