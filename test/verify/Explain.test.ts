/**
 * `treemark-verify --explain`: every command that it shows is really run by bash, with the tools themselves, and prints what is said. The commit
 * is a real one on anvil, asked by cast. Only ipfs is not run (no package has its binary); its CID is made by ipfs-unixfs-importer instead.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { type Explanation, proofOf, proofText, type Report } from "@treemark/core/verify"
import { Effect } from "effect"
import { importBytes } from "ipfs-unixfs-importer"
import { CID } from "multiformats/cid"
import { createTestClient, http, keccak256, publicActions, walletActions } from "viem"
import { checkpointText } from "../../packages/core/src/proof/CheckpointFile.ts"
import { commitDeployedBytecode } from "../../packages/daemon/src/evm/CommitContract.ts"
import { block, checkpointOf, commitData } from "../core/verification/Block.ts"
import { asset, author, inputOf, sign, signed, strangerKey, treeMembers, utf8 } from "../core/verification/Fixtures.ts"
import { COMMITTER, placeOf, proofAt, transactions } from "../daemon/evm/InclusionFixture.ts"
import { isAnvilMissing, startAnvil } from "../layers/Anvil.ts"
import { repository, scratch, treemarkVerify } from "./Command.ts"
import { schemaProblems } from "./JsonSchema.ts"
import { bash as bashIn, canRun, cast, runAll as runAllIn, without } from "./RunCommands.ts"

const files = scratch()
afterAll(files.remove)

type Explained = Report & { readonly explanations: ReadonlyArray<Explanation> }

const bash = (line: string) => bashIn(line, files.folder)
const runAll = (explanations: ReadonlyArray<Explanation>, rpcUrl?: string) =>
  runAllIn(explanations, files.folder, rpcUrl)

const explainedBy = (args: ReadonlyArray<string>): Explained =>
  JSON.parse(treemarkVerify([...args, "--explain", "--json"], { cwd: files.folder }).stdout)

/** The commands of a terminal's text, with their broken lines. */
const shownCommands = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^ {2}\$ (.*(?:\n {6}.*)*)$/gm)].map(([, line]) => String(line))

const PROOF = "my photo's $(proof).json"
const ASSET = "-rf 'photo' \u202egpj\n.jpg"
const made = await block()
files.write(
  PROOF,
  proofText(
    proofOf({
      tree: { cid: signed.record.assetTreeCid, bytes: signed.tree },
      commitData,
      ledger: made.place,
      inclusion: { inclusion: made.inclusion }
    })
  )
)
files.write(ASSET, asset)
files.write("checkpoint.json", checkpointText(checkpointOf(made)))
files.write("authors.txt", `${author} Ada\n`)
files.write("tree.json", signed.tree)
files.write("commit.json", JSON.stringify(signed.record))
const ALL = [PROOF, `--asset=${ASSET}`, "--checkpoint=checkpoint.json", "--authors=authors.txt", "--author", author]

/** Answers 0x1626ba7e to whatever it is asked. */
const AGREEABLE = "0x631626ba7e60e01b60005260206000f3"

describe("--explain", () => {
  it("shows commands that print the very values, whatever the files are called", () => {
    const before = readdirSync(files.folder)
    const { explanations, verdict } = explainedBy(ALL)
    assert.strictEqual(verdict, "valid")
    for (const { check, commands } of explanations) assert.isNotEmpty(commands, check)
    assert.isAtLeast(runAll(explanations), without.length === 0 ? 19 : 1)
    for (const name of ["tree-sha256", "asset-sha256"]) {
      const one = explanations.find(({ check }) => check === name)
      for (const { prints } of one?.commands ?? []) assert.include([one?.expected, "same file"], prints)
    }
    assert.deepStrictEqual(readdirSync(files.folder), before)
  })

  it("shows the same commands in a terminal, broken so that they still run", () => {
    const { stdout } = treemarkVerify([...ALL, "--explain"], { cwd: files.folder })
    const { explanations } = explainedBy(ALL)
    const commands = explanations.flatMap((one) => one.commands)
    const shown = shownCommands(stdout)
    assert.strictEqual(shown.length, commands.length)
    for (const [at, command] of commands.entries()) {
      if (!canRun(command) || command.needsNode || command.prints === null) continue
      assert.strictEqual(bash(shown[at]!).stdout.trim(), command.prints, shown[at])
    }
  })

  it("works for a tree with its record, and with its checksum and signature", () => {
    const { assetTreeSha256, assetTreeSignature } = signed.record
    for (const args of [
      ["tree.json", "--record", "commit.json"],
      ["tree.json", "--sha256", assetTreeSha256, "--signature", assetTreeSignature],
      ["--record", "commit.json"]
    ]) {
      runAll(explainedBy(args).explanations)
    }
  })

  it("shows commands that print what a changed tree really has", () => {
    files.write("changed.json", JSON.stringify({ ...treeMembers, abstract: "another photo" }))
    const { explanations, verdict } = explainedBy(["changed.json", "--record", "commit.json"])
    assert.strictEqual(verdict, "invalid")
    runAll(explanations)
  })

  it("shows what jq really says of a record that is not its text", () => {
    const changed = (change: (commit: { record: object; commitData: string }) => void) => {
      const proof = JSON.parse(readFileSync(join(files.folder, PROOF), "utf8"))
      change(proof.commit)
      return JSON.stringify(proof)
    }
    const withMore = (inRecord: string, inText: string) =>
      changed((commit) => {
        commit.record = { ...commit.record, more: "@more@" }
        commit.commitData = `${commit.commitData.slice(0, -1)},"more":${inText}}`
      }).replace('"@more@"', inRecord)
    const cases: ReadonlyArray<readonly [text: string, said: string | null, shows: RegExp]> = [
      [changed((commit) => Object.assign(commit.record, { abstract: "I sell all rights" })), "false", /^false$/],
      [withMore("1", "2"), "false", /^false$/],
      [withMore("null", "1e400"), "false", /^false$/],
      [withMore("9007199254740993", "9007199254740992"), null, /9007199254740993[\s\S]*9007199254740992/],
      [changed((commit) => Object.assign(commit, { commitData: "no JSON" })), null, /^"no JSON"$/]
    ]
    for (const [text, said, shows] of cases) {
      files.write("differs.json", text)
      const { explanations } = explainedBy(["differs.json"])
      const one = explanations.find(({ check }) => check === "commit-data")
      assert.strictEqual(one?.outcome, "fail", String(said))
      const [command] = one?.commands ?? []
      assert.strictEqual(command?.prints, said)
      assert.match(bash(command!.line).stdout.trim(), shows, command!.line)
    }
  })

  it("names a CID of the tree that ipfs would give, by another implementation", async () => {
    const store = { put: async (cid: CID) => cid } as never
    const { cid } = await importBytes(signed.tree, store, {
      rawLeaves: true,
      reduceSingleLeafToSelf: true,
      cidVersion: 1
    })
    const dagJson = CID.createV1(0x0129, cid.multihash).toString()
    const byIpfs = explainedBy(ALL).explanations.flatMap(({ commands }) =>
      commands.filter(({ tool }) => tool === "ipfs")
    )
    assert.deepStrictEqual(
      byIpfs.map(({ prints }) => prints),
      [dagJson]
    )
  })

  it("fits the schema with --json; without the flag the report is as it was", () => {
    const schema = JSON.parse(readFileSync(join(repository, "packages/verify/schema/report-v1.schema.json"), "utf8"))
    const { explanations, ...report } = explainedBy(ALL)
    assert.deepStrictEqual(schemaProblems(schema, { ...report, explanations }), [])
    assert.deepStrictEqual(JSON.parse(treemarkVerify([...ALL, "--json"], { cwd: files.folder }).stdout), report)
    assert.isNotEmpty(schemaProblems(schema, { ...report, explanations: [{ ...explanations[0], code: 1 }] }))
    const plain = treemarkVerify(ALL, { cwd: files.folder }).stdout
    assert.isTrue(treemarkVerify([...ALL, "--explain"], { cwd: files.folder }).stdout.startsWith(`${plain}\n`))
  })

  it("publishes each kind of near miss, and a test makes that very mistake", () => {
    const read = (path: string) => readFileSync(join(repository, path), "utf8")
    const schema = JSON.parse(read("packages/verify/schema/report-v1.schema.json"))
    const { enum: published } = schema.$defs.explanation.properties.nearMiss.anyOf[1].properties.kind
    const source = read("packages/core/src/verification/explain/NearMiss.ts")
    assert.deepStrictEqual(
      published,
      Array.from(source.matchAll(/\| "([a-z0-9_]+)"/g), ([, kind]) => kind)
    )
    const tests = ["Bytes", "Signature", "Trust"]
      .map((name) => read(`test/core/verification/NearMiss${name}.test.ts`))
      .join()
    for (const kind of published) assert.include(tests, `"${kind}"`)
  })

  it("changes no exit code and works with --backend", () => {
    files.write("wrong.json", JSON.stringify({ ...signed.record, assetTreeSignature: "0x" }))
    assert.strictEqual(
      treemarkVerify(["tree.json", "--record", "wrong.json", "--explain"], { cwd: files.folder }).code,
      1
    )
    const run = treemarkVerify([...ALL, "--explain", "--backend", "noble", "--json"], { cwd: files.folder })
    assert.deepInclude(JSON.parse(run.stdout), { backend: "noble", verdict: "valid" })
    assert.strictEqual(treemarkVerify(["none.json", "--explain"], { cwd: files.folder }).code, 2)
    assert.strictEqual(treemarkVerify([PROOF, "--explain=no"], { cwd: files.folder }).code, 2)
  })

  it("keeps to 80 columns but for what cannot be broken, and sends nothing raw to the terminal", () => {
    const evil = "\x1b[2J\u202e evil"
    const tree = utf8(JSON.stringify({ ...treeMembers, creatorWallet: evil, assetCid: evil }))
    files.write("evil.json", tree)
    files.write("evil-record.json", JSON.stringify({ ...inputOf(sign(tree)).record, committer: evil, author: evil }))
    for (const args of [ALL, ["evil.json", "--record", "evil-record.json"]]) {
      const text = treemarkVerify([...args, "--explain"], { cwd: files.folder }).stdout
      const explained = text.slice(text.indexOf("\nExplained\n"))
      assert.isAbove(explained.length, 2000)
      assert.notMatch(explained, /(?!\n)[\p{Cc}\p{Cf}]/u)
      for (const line of explained.split("\n")) {
        const words = line.trim().split(" ")
        if (line.length > 80) assert.isTrue(words.length <= 2 || /^ {2}(?:\$| {4})/.test(line), line)
      }
    }
  })

  it.skipIf(cast === undefined)("shows a command that fails for an author who did not sign", () => {
    files.write("other.json", JSON.stringify(sign(signed.tree, { key: strangerKey }).record))
    const { explanations, verdict } = explainedBy(["tree.json", "--record", "other.json"])
    assert.strictEqual(verdict, "unconfirmed")
    const [command] = explanations.find(({ check }) => check === "signer-is-author")?.commands ?? []
    assert.deepInclude(command, { prints: null, note: "it fails: this address did not sign" })
    const { status, stderr } = bash(command!.line)
    assert.isAbove(Number(status), 0)
    assert.include(stderr, `Address ${author} did not sign this message`)
  })

  it("gives a hint in words for a near miss", () => {
    files.write("newline.json", `${new TextDecoder().decode(signed.tree)}\n`)
    const { stdout } = treemarkVerify(["newline.json", "--record", "commit.json", "--explain"], { cwd: files.folder })
    assert.match(stdout, /^ {2}hint: The checksum belongs to this tree without the newline/m)
    assert.match(stdout, /Look for the 2 hints/)
  })

  it.live.skipIf(isAnvilMissing || cast === undefined)(
    "shows commands that ask a node for the block, the events and the receipt of a real commit",
    () =>
      Effect.gen(function* () {
        const contract = "0x0000000000000000000000000000000000007053"
        const anvil = yield* startAnvil({ chainId: 31_337, extraArgs: ["--no-mining"] })
        const client = createTestClient({ mode: "anvil", transport: http(anvil.url) })
          .extend(publicActions)
          .extend(walletActions)
        const chain = {
          chainId: 31_337,
          contract,
          request: (call: unknown) => client.request(call as never),
          embedded: false
        } as const
        const raws = yield* Effect.promise(async () => {
          await client.setCode({ address: contract, bytecode: commitDeployedBytecode })
          await client.setBalance({ address: COMMITTER.address, value: 10n ** 21n })
          const signedOnes = await transactions(chain, 3, 1, 0)
          for (const raw of signedOnes) await client.sendRawTransaction({ serializedTransaction: raw })
          await client.mine({ blocks: 1 })
          return signedOnes
        })
        const place = yield* Effect.promise(() => placeOf(chain, keccak256(raws[1]!)))
        files.write("anvil.json", yield* proofAt(chain, place))
        const { explanations, verdict } = explainedBy(["anvil.json"])
        assert.strictEqual(verdict, "valid")
        assert.isAtLeast(runAll(explanations, anvil.url), 17)
        const nodes = explanations.flatMap(({ commands }) => commands.filter(({ needsNode }) => needsNode))
        assert.lengthOf(nodes, 4)

        // A wallet whose code holds every signature for good (ERC-1271).
        yield* Effect.promise(() => client.setCode({ address: author as `0x${string}`, bytecode: AGREEABLE }))
        const wallets = { ...signed.record, assetTreeSignature: `0x${"ab".repeat(97)}` }
        files.write("wallets.json", JSON.stringify(wallets))
        const { explanations: asked, verdict: found } = explainedBy(["tree.json", "--record", "wallets.json"])
        assert.strictEqual(found, "unconfirmed")
        const [, ask] = asked.find(({ check }) => check === "signature")?.commands ?? []
        assert.strictEqual(bashIn(ask!.line, files.folder, anvil.url).stdout.trim(), "0x1626ba7e")
      }).pipe(Effect.scoped),
    600_000
  )
})
