/** The history of an asset on the command line and over HTTP: our commits, their proofs, and nit's trees. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert } from "@effect/vitest"
import { Effect, JsonPatch } from "effect"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { treemarkVerify } from "../verify/Command.ts"
import {
  assertCar,
  CONTRACT,
  commit,
  ESCAPE,
  isTerminalMissing,
  json,
  letters,
  logOf,
  onTerminal,
  SETTINGS,
  told,
  treeAt
} from "./HistoryRig.ts"
import { bytesOf, commitRequest, parsed, treemarkd } from "./Treemarkd.ts"

withDaemon({ settings: SETTINGS, env: { TREEMARK_PROFILE: "own" } })("the history of an asset", (it) => {
  it.effect("is listed with a letter for each commit, compared, and exported so that it verifies offline", () =>
    Effect.gen(function* () {
      const daemon = yield* RunningDaemon
      const { home } = daemon
      const { account } = yield* daemon.createAccount({ name: "lists", credits: "5" })
      const asset = yield* daemon.register(bytesOf("history"))
      const base = commitRequest(asset)
      const first = yield* commit(home, "lists", { ...base, headline: "one", custom: { tags: ["a", "b", "c"] } })
      const second = yield* commit(home, "lists", {
        ...base,
        abstract: "A cup",
        custom: { tags: ["a", "c"] },
        commitMessage: "two"
      })
      const third = yield* commit(home, "lists", {
        ...base,
        abstract: "A cup",
        custom: { tags: ["a", "c"] },
        commitMessage: "again"
      })
      const { assetCid } = asset

      const lines = (yield* told(home, "log", assetCid)).trimEnd().split("\n")
      assert.lengthOf(lines, 3)
      assert.match(
        lines[1]!,
        new RegExp(
          `^ +2 {2}G {2}${second.txHash.slice(0, 10)} .*${account.wallet} .*action-commit .*two {2}\\[recorded by 0x[0-9a-fA-F]{40}\\]$`
        )
      )
      const commits = yield* logOf(home, assetCid)
      assert.strictEqual(letters(commits), "GGG")
      assert.deepStrictEqual(
        commits.map(({ index, txHash }) => [index, txHash]),
        [
          [1, first.txHash],
          [2, second.txHash],
          [3, third.txHash]
        ]
      )
      assert.deepStrictEqual(
        (yield* logOf(home, assetCid, "--limit", "2")).map(({ txHash }) => txHash),
        [second.txHash, third.txHash]
      )
      assert.strictEqual(
        (yield* told(home, "log", assetCid, "--network", "testnet")).trim(),
        `No commits of ${assetCid} on local testnet.`
      )

      const diff = yield* json<{ readonly tree: JsonPatch.JsonPatch; readonly record: JsonPatch.JsonPatch }>(
        home,
        "diff",
        assetCid,
        "1",
        second.txHash.slice(0, 14)
      )
      const [from, to] = [yield* treeAt(daemon, first.assetTreeCid), yield* treeAt(daemon, second.assetTreeCid)].map(
        (text) => JSON.parse(text)
      )
      assert.deepStrictEqual(JsonPatch.apply(diff.tree, from), to)
      assert.deepStrictEqual(diff.tree, [
        { op: "remove", path: "/custom/tags/1" },
        { op: "remove", path: "/headline" },
        { op: "add", path: "/abstract", value: "A cup" }
      ])
      assert.deepStrictEqual(JsonPatch.apply(diff.record, commits[0]!.commit!), commits[1]!.commit)
      const shown = yield* told(home, "diff", assetCid)
      assert.include(shown, `--- ${second.txHash}`)
      assert.include(shown, `+++ ${third.txHash}`)
      assert.include(shown, "tree\n  the same tree\nrecord\n")
      assert.include(shown, '\n- /abstract: "two"\n+ /abstract: "again"\n')
      assert.strictEqual((yield* parsed(["diff", assetCid, "1", second.assetTreeCid, "--home", home])).code, 1)
      assert.include((yield* parsed(["diff", assetCid, "~7", "--home", home])).stderr, "There are only 3 commits of")

      const [folder, car] = [join(home, "export"), join(home, "export.car")]
      assert.include(
        yield* told(home, "log", assetCid, "--proofs", folder, "--car", car),
        `${folder} written: 3 commits.`
      )
      const index = JSON.parse(readFileSync(join(folder, "history.json"), "utf8"))
      const names = [first, second, third].map(({ txHash }, at) => `000${at + 1}-${txHash}.proof.json`)
      assert.deepStrictEqual(readdirSync(folder).sort(), [...names, "history.json"])
      assert.deepInclude(index, {
        mediaType: "application/vnd.treemark.history+json;version=1",
        assetCid,
        network: { chainId: 7_053_001, contract: CONTRACT }
      })
      assert.deepStrictEqual(
        index.commits.map(({ proof }: { proof: string }) => proof),
        names
      )
      for (const name of names) assert.strictEqual(treemarkVerify([join(folder, name)]).code, 0, name)
      yield* Effect.promise(() => assertCar(car, index, (name) => readFileSync(join(folder, name))))
      for (const exported of [folder, car]) assert.strictEqual(treemarkVerify(["history", exported]).code, 0)
      const store = new DatabaseSync(join(home, "treemark.db"), { timeout: 5_000 })
      store.prepare("UPDATE asset_tree SET document = 'damaged' WHERE cid = ?").run(first.assetTreeCid)
      store.close()
      const [damaged] = yield* logOf(home, assetCid)
      assert.deepInclude(damaged, { status: "N", reason: "The block of its asset tree in this store is damaged." })
      const again = yield* parsed(["log", assetCid, "--proofs", folder, "--home", home])
      assert.include(again.stderr, "is not empty")
      for (const [flag, file] of [
        ["--proofs", "/proc/nowhere/history"],
        ["--proofs", car],
        ["--car", join(home, "nowhere", "history.car")]
      ] as const) {
        const refused = yield* parsed(["log", assetCid, flag, file, "--home", home])
        assert.strictEqual(refused.code, 1)
        assert.include(refused.stderr, `${file} cannot be written: `)
      }
      assert.strictEqual(again.code, 1)
    })
  )

  it.effect.skipIf(isTerminalMissing)("is coloured on a terminal and nowhere else, and not where NO_COLOR is set", () =>
    Effect.gen(function* () {
      const { createAccount, home, register } = yield* RunningDaemon
      yield* createAccount({ name: "colours", credits: "5" })
      const asset = yield* register(bytesOf("colours"))
      const hostile = "\u001b]0;owned\u0007"
      yield* commit(home, "colours", commitRequest(asset, { abstract: hostile }))
      yield* commit(home, "colours", commitRequest(asset, { commitMessage: hostile }))
      for (const [command, coloured] of [
        ["log", "\x1b[32mG\x1b[0m"],
        ["diff", "\x1b[31m- /abstract"]
      ] as const) {
        const shown = yield* onTerminal([command, asset.assetCid], home)
        assert.strictEqual(shown.code, 0, shown.stdout)
        assert.include(shown.stdout, coloured)
        assert.notInclude(shown.stdout, hostile)
        assert.notMatch((yield* onTerminal([command, asset.assetCid], home, { NO_COLOR: "1" })).stdout, ESCAPE)
        assert.notMatch((yield* treemarkd([command, asset.assetCid], { home })).stdout, ESCAPE)
      }
    })
  )

  it.effect("is answered over HTTP page by page, from both ends", () =>
    Effect.gen(function* () {
      const daemon = yield* RunningDaemon
      yield* daemon.createAccount({ name: "pages", credits: "5" })
      const asset = yield* daemon.register(bytesOf("pages"))
      for (const commitMessage of ["one", "two", "three", "four", "five"]) {
        yield* commit(daemon.home, "pages", { ...commitRequest(asset), commitMessage })
      }
      const page = Effect.fnUntraced(function* (query: string) {
        const answer = yield* daemon.call(`/assets/${asset.assetCid}/commits${query}`, { method: "GET" })
        assert.strictEqual(answer.status, 200, answer.text)
        const { commits, ...places } = answer.json() as {
          readonly commits: ReadonlyArray<{ readonly commit: { readonly abstract: string } }>
          readonly next?: string | null
          readonly previous?: string | null
        }
        return { words: commits.map((one) => one.commit.abstract).join(" "), ...places }
      })
      assert.deepStrictEqual(yield* page(""), { words: "one two three four five" })
      const first = yield* page("?limit=2")
      assert.deepInclude(first, { words: "one two", previous: null })
      const second = yield* page(`?limit=2&after=${first.next}`)
      assert.strictEqual(second.words, "three four")
      const last = yield* page(`?limit=2&after=${second.next}`)
      assert.deepInclude(last, { words: "five", next: null })
      const back = yield* page(`?limit=2&before=${last.previous}`)
      assert.strictEqual(back.words, "three four")
      assert.deepInclude(yield* page(`?limit=2&before=${back.previous}`), { words: "one two", previous: null })
      assert.deepStrictEqual(yield* page(`?after=${last.previous}`), { words: "", next: null, previous: null })

      const wrong = yield* daemon.call(`/assets/${asset.assetCid}/commits?limit=0&after=x&before=1`, { method: "GET" })
      assert.strictEqual(wrong.status, 400)
      const { errors } = wrong.json() as unknown as { readonly errors: ReadonlyArray<{ readonly path: string }> }
      assert.deepStrictEqual(
        errors.map(({ path }) => path),
        ["/after", "/before", "/limit"]
      )
    })
  )

  it.effect("has nit's trees on a network whose profile says so, and they prove who signed", () =>
    Effect.gen(function* () {
      const daemon = yield* RunningDaemon
      const { home } = daemon
      yield* daemon.createAccount({ name: "nit", credits: "5" })
      const asset = yield* daemon.register(bytesOf("nit"))
      const body = { ...commitRequest(asset), custom: { usedBy: "https://example.org", tags: ["ä"] }, headline: "Eins" }
      const made = yield* commit(home, "nit", { ...body, testnet: true })
      assert.match(made.assetTreeCid, /^bafkrei/)
      const { assetCid, assetSha256, encodingFormat } = asset
      const members = {
        assetCid,
        assetSha256,
        encodingFormat,
        assetTimestampCreated: 1_700_000_000,
        assetCreator: "Ada"
      }
      const expected = { ...members, headline: "Eins", ...body.custom }
      assert.strictEqual(yield* treeAt(daemon, made.assetTreeCid), JSON.stringify(expected, null, 2))
      assert.match((yield* commit(home, "nit", body)).assetTreeCid, /^baguqeera/)

      assert.strictEqual(letters(yield* logOf(home, assetCid, "--network", "testnet")), "G")
      const proof = join(home, "nit.proof.json")
      yield* told(home, "proof", made.assetTreeCid, "--out", proof)
      const verified = treemarkVerify([proof, "--json"])
      const report = JSON.parse(verified.stdout)
      const { wallet } = yield* daemon.showAccount("nit")
      assert.strictEqual(verified.code, 0, verified.stdout)
      assert.deepInclude(report, { verdict: "valid", signer: wallet, author: wallet })
      assert.strictEqual(report.provenance.author, "claimed")

      const { token } = yield* daemon.createAccount({ name: "collides", credits: "1" })
      const refused = yield* daemon.call("/commit", {
        headers: { authorization: `token ${token}` },
        body: { ...body, testnet: true, custom: { headline: "Zwei", license: {}, fine: 1, creatorWallet: "me" } }
      })
      assert.strictEqual(refused.status, 400)
      const problem = refused.json() as unknown as { code: string; errors: ReadonlyArray<{ path: string }> }
      assert.strictEqual(problem.code, "invalid_fields")
      assert.deepStrictEqual(problem.errors.map(({ path }) => path).sort(), [
        "/custom/creatorWallet",
        "/custom/headline",
        "/custom/license"
      ])
      assert.strictEqual((yield* daemon.showAccount("collides")).credits, "1")
    })
  )
})
