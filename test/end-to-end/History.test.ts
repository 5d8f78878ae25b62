/** The history of an asset on the command line and over HTTP: our commits, those of other clients, their proofs, and nit's trees. */

import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { CarBlockIterator } from "@ipld/car/iterator"
import * as DagJson from "@ipld/dag-json"
import { Effect, JsonPatch, type Schema } from "effect"
import { createTestClient, http } from "viem"
import { commitDeployedBytecode } from "../../packages/daemon/src/ledger/CommitContract.ts"
import { stranger } from "../daemon/ledger/ForeignCommits.ts"
import { isAnvilMissing, startAnvil } from "../layers/Anvil.ts"
import { RunningDaemon, startDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { treemarkVerify } from "../verify/Command.ts"
import { BIN, bytesOf, collect, commitRequest, parsed, treemarkd } from "./Treemarkd.ts"

const CONTRACT = "0x0000000000000000000000000000000000007053"

const ESCAPE = /\p{Cc}\[/u
const SCRIPT = "/usr/bin/script"
const isTerminalMissing = process.platform !== "linux" || !existsSync(SCRIPT)

if (isTerminalMissing) process.stderr.write("skipped: colours on a terminal, for want of util-linux script\n")

/** Runs the command on a pseudo-terminal; both its outputs come back as one. */
const onTerminal = (args: ReadonlyArray<string>, home: string, env: Readonly<Record<string, string>> = {}) =>
  collect(() =>
    spawn(SCRIPT, ["-qec", [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(" "), "/dev/null"], {
      env: { PATH: process.env.PATH, HOME: home, TREEMARK_HOME: home, TERM: "xterm", ...env }
    })
  )

interface LogLine {
  readonly index: number | null
  readonly status: string
  readonly codes: ReadonlyArray<string>
  readonly reason: string | null
  readonly txHash: string
  readonly blockNumber: number
  readonly recorder: string
  readonly author: string | null
  readonly signer: string | null
  readonly action: string | null
  readonly assetTreeCid: string | null
  readonly commit?: { readonly [member: string]: Schema.Json }
  readonly commitData?: string
}

/** Runs a command against the daemon of `home`. */
const told = Effect.fnUntraced(function* (home: string, ...args: ReadonlyArray<string>) {
  const ended = yield* parsed([...args, "--home", home])
  assert.strictEqual(ended.code, 0, ended.stderr)
  return ended.stdout
})
const json = <A>(home: string, ...args: ReadonlyArray<string>) =>
  Effect.map(told(home, ...args, "--json"), (text) => JSON.parse(text) as A)
const logOf = (home: string, ...args: ReadonlyArray<string>) =>
  Effect.map(json<{ readonly commits: ReadonlyArray<LogLine> }>(home, "log", ...args), ({ commits }) => commits)

const letters = (commits: ReadonlyArray<LogLine>): string => commits.map(({ status }) => status).join("")

/** Commits what the request says, for the account `name`. */
const commit = Effect.fnUntraced(function* (home: string, name: string, request: object) {
  const file = join(home, "request.json")
  writeFileSync(file, JSON.stringify(request))
  return yield* json<{ readonly assetTreeCid: string; readonly txHash: string }>(
    home,
    "commit",
    file,
    "--account",
    name
  )
})

const treeAt = (daemon: RunningDaemon["Service"], cid: string) =>
  Effect.map(daemon.call(`/ipfs/${cid}?format=raw`, { method: "GET" }), ({ text }) => text)

const SETTINGS = `
[profiles.own]
base = "local"
[profiles.own.testnet]
treeFormat = "nit"
`

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
        new RegExp(`^ +2 {2}G {2}${second.txHash.slice(0, 10)} .*${account.wallet} .*action-commit .*two$`)
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
      const block = join(home, "blocks", first.assetTreeCid.slice(-3, -1), first.assetTreeCid)
      writeFileSync(block, "damaged")
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

interface Vector {
  readonly id: string
  readonly input: { readonly commit: { readonly [member: string]: Schema.Json }; readonly assetCid?: string }
}
const vectors = <A>(name: string): ReadonlyArray<A> =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"))

/** Root first, then the proofs in their order; each block has the hash it is named by. */
const assertCar = async (
  file: string,
  index: { readonly commits: ReadonlyArray<{ readonly proof: string | null }> },
  proofFile: (name: string) => Uint8Array
) => {
  const iterator = await CarBlockIterator.fromIterable(createReadStream(file))
  const [root] = await iterator.getRoots()
  const blocks: Array<{ readonly cid: string; readonly bytes: Uint8Array }> = []
  for await (const { bytes, cid } of iterator) {
    assert.strictEqual(
      createHash("sha256").update(bytes).digest("hex"),
      Buffer.from(cid.multihash.digest).toString("hex")
    )
    blocks.push({ cid: String(cid), bytes })
  }
  assert.strictEqual(blocks[0]?.cid, String(root))
  const document = DagJson.decode(blocks[0]!.bytes) as { readonly commits: ReadonlyArray<{ readonly proof: unknown }> }
  const links = document.commits.flatMap(({ proof }) => (proof === null ? [] : [String(proof)]))
  assert.deepStrictEqual(
    blocks.slice(1).map(({ cid }) => cid),
    links
  )
  const named = index.commits.flatMap(({ proof }) => (proof === null ? [] : [proof]))
  for (const [at, name] of named.entries())
    assert.deepStrictEqual(Buffer.from(blocks[at + 1]!.bytes), Buffer.from(proofFile(name)))
  const withNames = {
    ...document,
    commits: document.commits.map((one, at) => ({ ...one, proof: index.commits[at]!.proof }))
  }
  assert.deepStrictEqual(withNames, index as never)
}

/** A daemon whose mainnet is the node at `url`. */
const daemonAt = (url: string) =>
  startDaemon({
    settings: `
[profiles.own]
base = "local"
[profiles.own.mainnet]
name = "public"
chain_id = 5003
rpc = "${url}"
contract = "${CONTRACT}"
explorer = "https://explorer.example/tx/HASH"
fromBlock = 0
`,
    env: { TREEMARK_PROFILE: "own" }
  })

const anvilWithContract = Effect.gen(function* () {
  const anvil = yield* startAnvil({ chainId: 5_003 })
  const steer = createTestClient({ mode: "anvil", transport: http(anvil.url) })
  yield* Effect.promise(() => steer.setCode({ address: CONTRACT, bytecode: commitDeployedBytecode }))
  return anvil
})

describe.skipIf(isAnvilMissing)("commits of other clients", () => {
  it.live(
    "are listed all, however many there are, in the ledger's order",
    () =>
      Effect.gen(function* () {
        const anvil = yield* anvilWithContract
        const { home } = yield* daemonAt(anvil.url)
        const other = stranger(anvil.url, CONTRACT)
        const assetCid = String(vectors<Vector>("numbers-commits")[1]!.input.assetCid)
        const sent: Array<string> = []
        for (const block of [0, 1, 2]) {
          const texts = Array.from({ length: 80 }, (_, at) => JSON.stringify({ abstract: `${block}-${at}` }))
          sent.push(...(yield* other.commitTogether(assetCid, texts)))
        }
        const all = yield* logOf(home, assetCid)
        assert.deepStrictEqual(
          all.map(({ index, txHash }) => [index, txHash]),
          sent.map((txHash, at) => [at + 1, txHash])
        )
        const newest = yield* logOf(home, assetCid, "--limit", "230")
        assert.deepStrictEqual(
          newest.map(({ txHash }) => txHash),
          sent.slice(-230)
        )
        assert.deepStrictEqual(
          yield* logOf(home, assetCid, "--limit", "1000"),
          all.map((one) => ({ ...one, index: null }))
        )
        const lines = (yield* told(home, "log", assetCid, "--limit", "2")).trimEnd().split("\n")
        assert.deepStrictEqual(
          lines.map((line) => line.trim().split(/ +/u).slice(0, 3)),
          [
            ["~1", "N", sent.at(-2)?.slice(0, 10)],
            ["~0", "N", sent.at(-1)?.slice(0, 10)]
          ]
        )
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "are read as they are: raw trees, authors by identity CID, no actionName, unknown members, any text at all",
    () =>
      Effect.gen(function* () {
        const anvil = yield* anvilWithContract
        const other = stranger(anvil.url, CONTRACT)
        const daemon = yield* daemonAt(anvil.url)
        const { home } = daemon
        const commits = vectors<Vector>("numbers-commits")
        const records = commits.map(({ input }) => input.commit)
        const [nit, capture, mock] = records
        const trees = vectors<{ input: { tree_bytes_base64: string } }>("numbers-asset-trees")
        const bytes = Buffer.from(trees[0]!.input.tree_bytes_base64, "base64")
        const assetCid = String(JSON.parse(bytes.toString("utf8")).assetCid)
        const registered = yield* daemon.register(bytes, "application/json")
        assert.strictEqual(registered.assetCid, nit!.assetTreeCid)

        yield* other.commit(assetCid, JSON.stringify(nit))
        const hostile = "\u001b]0;owned\u0007\u009b31m \u202e\n\n  9  G"
        const more = { ...nit, futureMember: { deep: [hostile] }, abstract: hostile, actionName: hostile }
        const [together] = yield* other.commitTogether(assetCid, [JSON.stringify(more), hostile])
        yield* other.commit(assetCid, JSON.stringify(capture))
        yield* other.commit(assetCid, JSON.stringify(mock))
        yield* other.commit(assetCid, JSON.stringify({ ...nit, assetTreeSignature: "0x12" }))
        yield* other.commit(assetCid, `{"assetTreeCid":"a","assetTreeCid":"b"}`)
        yield* other.commit(assetCid, `x${"😀".repeat(9)}`)

        const log = yield* logOf(home, assetCid)
        assert.strictEqual(letters(log), "UUNNNBNN")
        assert.deepInclude(log[0], {
          author: nit!.author as string,
          signer: "0x63B7076FC0A914Af543C2e5c201df6C29FCC18c5",
          recorder: other.address,
          action: "action-initial-registration-avalanche",
          codes: ["author_not_address"]
        })
        assert.deepStrictEqual(log[0]?.commit, nit)
        assert.strictEqual(log[1]?.blockNumber, log[2]?.blockNumber)
        assert.strictEqual(log[1]?.txHash, together)
        assert.deepStrictEqual(log[1]?.commit, more)
        assert.strictEqual(log[2]?.commitData, hostile)
        assert.include(log[3]?.reason, `${capture!.assetTreeCid} is not in this store`)

        const shown = yield* told(home, "log", assetCid)
        const lines = shown.trimEnd().split("\n")
        assert.lengthOf(lines, 8)
        for (const [at, line] of lines.entries())
          assert.match(line, new RegExp(`^ {3}${at + 1} {2}${log[at]!.status} {2}0x[0-9a-f]{8} `))
        const raw = yield* told(home, "log", assetCid, "--json")
        const compared = yield* told(home, "diff", assetCid, "1", "2")
        const patch = yield* told(home, "diff", assetCid, "1", "2", "--json")
        for (const text of [shown, raw, compared, patch]) assert.notMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u)
        assert.deepStrictEqual(JsonPatch.apply(JSON.parse(patch).record, log[0]!.commit!), log[1]!.commit!)
        assert.deepStrictEqual(JSON.parse(patch).tree, [])
        const toText = yield* json<{ record: JsonPatch.JsonPatch; tree: null; treeMissing: string }>(
          home,
          "diff",
          assetCid,
          "2",
          "3"
        )
        assert.deepStrictEqual([toText.record, toText.tree], [[{ op: "replace", path: "", value: hostile }], null])

        const folder = join(home, "export")
        const car = join(home, "export.car")
        yield* told(home, "log", assetCid, "--proofs", folder, "--car", car)
        const index = JSON.parse(readFileSync(join(folder, "history.json"), "utf8"))
        assert.deepStrictEqual(
          index.commits.map(({ proof }: { proof: string | null }) => proof !== null),
          [true, true, false, false, false, true, false, false]
        )
        assert.deepInclude(index.commits[2], { proof: null, commitData: hostile })
        assert.isNotEmpty(index.commits[2].reason)
        yield* Effect.promise(() => assertCar(car, index, (name) => readFileSync(join(folder, name))))
        const codes = index.commits.flatMap(({ proof }: { proof: string | null }) =>
          proof === null ? [] : [treemarkVerify([join(folder, proof)]).code]
        )
        assert.deepStrictEqual(codes, [3, 3, 1])
        for (const exported of [folder, car]) assert.strictEqual(treemarkVerify(["history", exported]).code, 1)
        const named = ["--author", "0x63B7076FC0A914Af543C2e5c201df6C29FCC18c5"]
        assert.strictEqual(treemarkVerify([join(folder, index.commits[0].proof), ...named]).code, 0)

        const proof = yield* told(home, "proof", String(nit!.assetTreeCid))
        assert.strictEqual(JSON.parse(proof).ledger.txHash, log[5]!.txHash)
        assert.deepStrictEqual(Buffer.from(JSON.parse(proof).tree.bytes, "base64"), bytes)

        const elsewhere = String(commits[1]!.input.assetCid)
        yield* other.commit(elsewhere, JSON.stringify(nit))
        assert.deepInclude((yield* logOf(home, elsewhere))[0], {
          status: "B",
          codes: ["inclusion_asset_differs", "author_not_address"]
        })
      }).pipe(Effect.scoped),
    120_000
  )
})
