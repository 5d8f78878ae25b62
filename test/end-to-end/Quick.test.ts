/** The quick commands do what the whole command line does, to the letter, and leave to it what is not plain. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it as plainIt } from "@effect/vitest"
import { Effect } from "effect"
import { plainOf } from "../../packages/daemon/src/cli/quick/Plain.ts"
import { quick } from "../../packages/daemon/src/cli/quick/Quick.ts"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { bytesOf, commitRequest, parsed, treemarkd } from "./Treemarkd.ts"

describe("a plain command line", () => {
  plainIt("has known options only, each once and with its value", () => {
    assert.deepStrictEqual(plainOf(["log", "bafy", "--json", "--home", "/x"]), {
      words: ["log", "bafy"],
      options: new Map([["--home", "/x"]]),
      json: true
    })
    for (const args of [["status", "--help"], ["--home"], ["--home", "--json"], ["log", "x", "--limit=3"], ["-h"]]) {
      assert.isUndefined(plainOf(args), args.join(" "))
    }
    assert.isUndefined(plainOf(["log", "x", "--network", "mainnet", "--network", "testnet"]))
  })

  plainIt("is left to the whole command line when no daemon answers or the command is another", async () => {
    for (const args of [["status"], ["account", "show", "nobody"], ["account", "list"], ["log", "photo.jpg"], []]) {
      assert.isFalse(await quick([...args, "--home", "/nonexistent"]), args.join(" "))
    }
  })
})

withDaemon()("quick commands", (it) => {
  it.effect("print what the whole command line prints", () =>
    Effect.gen(function* () {
      const { call, createAccount, home, register } = yield* RunningDaemon
      const { token } = yield* createAccount({ name: "quick", credits: "2" })
      const asset = yield* register(bytesOf("quick"))
      const headers = { authorization: `token ${token}` }
      for (const commitMessage of ["first", undefined]) {
        const body = commitRequest(asset, commitMessage === undefined ? {} : { commitMessage })
        assert.strictEqual((yield* call("/commit", { body, headers })).status, 200)
      }
      for (const args of [["status"], ["account", "show", "quick"], ["log", asset.assetCid]]) {
        for (const more of [[], ["--json"]]) {
          const whole = yield* parsed([...args, ...more, "--home", home])
          const quick = yield* treemarkd([...args, ...more], { home })
          assert.deepStrictEqual([quick.code, quick.stdout, quick.stderr], [0, whole.stdout, ""], args.join(" "))
        }
      }
      const log = yield* treemarkd(["log", asset.assetCid], { home })
      assert.match(log.stdout, /action-commit {2}first/u)
      assert.notInclude(log.stdout, "Action action-commit.")
      const missing = yield* treemarkd(["account", "show", "nobody", "--json"], { home })
      assert.deepStrictEqual(
        [missing.code, (missing.json() as { error: { code: string } }).error.code],
        [1, "account_not_found"]
      )
    })
  )

  it.effect("name assets by their files, and trees by whatever a person has at hand", () =>
    Effect.gen(function* () {
      const { call, createAccount, home, register } = yield* RunningDaemon
      const { token } = yield* createAccount({ name: "namer", credits: "1" })
      const asset = yield* register(bytesOf("named"))
      const file = join(home, "named.bin")
      writeFileSync(file, bytesOf("named"))
      const before = yield* parsed(["proof", file, "--home", home])
      assert.match(before.stderr, /was never committed here/u)
      const headers = { authorization: `token ${token}` }
      const made = (yield* call("/commit", { body: commitRequest(asset), headers })).json()
      const [byCid, byFile] = [
        yield* parsed(["log", asset.assetCid, "--home", home]),
        yield* parsed(["log", file, "--home", home])
      ]
      assert.strictEqual(byFile.stdout, byCid.stdout)
      const proofs = yield* Effect.forEach([made.assetTreeCid, asset.assetCid, made.txHash, file], (named) =>
        Effect.map(parsed(["proof", String(named), "--home", home]), ({ code, stdout }) => ({ code, stdout }))
      )
      assert.strictEqual(proofs[0]?.code, 0)
      for (const proof of proofs) assert.deepStrictEqual(proof, proofs[0])
      const wrong = yield* Effect.forEach(
        [
          ["proof", `0x${"0".repeat(64)}`],
          ["log", join(import.meta.dirname, "Quick.test.ts")],
          ["commit", join(import.meta.dirname, "Quick.test.ts"), "--account", "namer"],
          ["proof", file, "--html", "--json"],
          ["account", "statement", "namer", "--csv", "--json"]
        ],
        (args) => Effect.map(parsed([...args, "--home", home]), ({ code, stderr }) => [code, stderr] as const)
      )
      const says = [
        /is the hash of a transaction/u,
        /is not registered here/u,
        /treemarkd add /u,
        /no JSON/u,
        /no JSON/u
      ]
      assert.deepStrictEqual(
        wrong.map(([code]) => code),
        [1, 1, 1, 64, 64]
      )
      for (const [at, pattern] of says.entries()) assert.match(wrong[at]?.[1] ?? "", pattern)
    })
  )
})
