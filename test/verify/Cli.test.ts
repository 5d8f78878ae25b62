import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { cidOf, RAW_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson } from "../../packages/core/src/asset-tree/DagJson.ts"
import {
  asset,
  author,
  document,
  proofFile,
  sign,
  signed,
  stranger,
  strangerKey,
  treeMembers
} from "../core/verification/Fixtures.ts"
import { repository, scratch, stub, treemarkVerify } from "./Command.ts"

const files = scratch()
afterAll(files.remove)

const proof = files.write("photo.proof.json", proofFile)
const tree = files.write("tree.json", signed.tree)
const record = files.write("commit.json", JSON.stringify(signed.record))
const photo = files.write("photo.jpg", asset)
const otherPhoto = files.write("other.jpg", "another photo")
const strangers = files.write("stranger.json", JSON.stringify(sign(signed.tree, { key: strangerKey }).record))
const tampered = files.write("tampered.json", encodeDagJson({ ...treeMembers, abstract: "another photo" }))
const { assetTreeSha256: sha256, assetTreeSignature: signature } = signed.record

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what colours a terminal.
const GREEN_OR_RED = /\u001b\[3[12]m/

const VERDICTS = { 0: "valid", 1: "invalid", 3: "unconfirmed" } as const

describe("exit codes", () => {
  const cases: ReadonlyArray<readonly [title: string, code: 0 | 1 | 2 | 3, args: ReadonlyArray<string>]> = [
    ["0: a proof that holds", 0, [proof]],
    ["0: a tree and its record", 0, [tree, "--record", record]],
    ["0: a tree, its checksum and signature", 0, [tree, "--sha256", sha256, "--signature", signature]],
    [
      "0: checksum in upper case, signature without 0x",
      0,
      [tree, "--sha256", sha256.toUpperCase(), "--signature", signature.slice(2)]
    ],
    ["0: the asset's bytes are right", 0, [proof, "--asset", photo]],
    ["0: the author expected, in lower case", 0, [proof, "--author", author.toLowerCase()]],
    ["0: signed by another than the author, who is named", 0, [tree, "--record", strangers, "--author", stranger]],
    ["1: another tree", 1, [tampered, "--record", record]],
    ["1: another checksum", 1, [tree, "--sha256", "0".repeat(64), "--signature", signature]],
    ["1: a checksum that is none", 1, [tree, "--sha256", "12", "--signature", signature]],
    ["1: a signature that is none", 1, [tree, "--sha256", sha256, "--signature", "zz"]],
    ["1: another asset", 1, [proof, "--asset", otherPhoto]],
    ["1: a tree that is not JSON", 1, [photo, "--record", record]],
    ["2: no argument", 2, []],
    ["2: no such file", 2, [join(files.folder, "none.json")]],
    ["2: a folder", 2, [files.folder]],
    ["2: not a proof", 2, [photo]],
    ["2: a record in a proof's place", 2, [record]],
    ["2: a tree in a proof's place", 2, [tree]],
    ["2: a proof in a record's place", 2, [tree, "--record", proof]],
    ["2: a tree in a record's place", 2, [tree, "--record", tree]],
    ["2: an unknown option", 2, [proof, "--frobnicate"]],
    ["2: two files", 2, [proof, tree]],
    ["2: a checksum without a signature", 2, [tree, "--sha256", sha256]],
    ["2: a signature without a checksum", 2, [tree, "--signature", signature]],
    ["2: a record and a checksum", 2, [tree, "--record", record, "--sha256", sha256]],
    ["2: an author who is no address", 2, [proof, "--author", "ada"]],
    ["2: a quorum without a checkpoint", 2, [proof, "--quorum", "2"]],
    ["2: a quorum of nobody", 2, [proof, "--checkpoint", proof, "--quorum", "0"]],
    ["2: a contract without its chain", 2, [proof, "--contract", "0x5FbDB2315678afecb367f032d93F642f64180aa3"]],
    ["2: standard input twice", 2, ["-", "--record", "-"]],
    ["2: no such asset", 2, [proof, "--asset", join(files.folder, "none.jpg")]],
    ["2: completions of an unknown shell", 2, ["--completions", "tcsh"]],
    ["3: signed by another than the author", 3, [tree, "--record", strangers]],
    ["3: signed by another than the one expected", 3, [proof, "--author", stranger]],
    ["3: a record without its tree", 3, ["--record", record]]
  ]
  for (const [title, code, args] of cases) {
    it(title, () => {
      const run = treemarkVerify(args)
      assert.strictEqual(run.code, code, run.stderr)
      if (code === 2) {
        assert.match(run.stderr, /^treemark-verify: .+\.\n$/)
        assert.strictEqual(run.stdout, "")
      } else {
        assert.strictEqual(run.stderr, "")
        assert.match(run.stdout, /^[✓…!✗] \S/)
        assert.match(run.stdout, new RegExp(`\nverdict ${VERDICTS[code]}: \\S`))
      }
    })
  }
})

describe("--json", () => {
  it("prints the report, one JSON document and nothing else", () => {
    const { stdout, stderr } = treemarkVerify([proof, "--asset", photo, "--json"])
    const report = JSON.parse(stdout)
    assert.strictEqual(stderr, "")
    assert.strictEqual(report.verdict, "valid")
    assert.strictEqual(report.author, author)
    assert.strictEqual(report.signer, author)
    assert.strictEqual(report.assetTreeSha256, sha256)
    for (const check of report.checks) {
      assert.deepStrictEqual(Object.keys(check), ["name", "outcome", "code", "expected", "actual"])
    }
  })

  it("prints an error as one JSON document too, and says it on standard error", () => {
    for (const args of [[photo], [], ["--bad"], [join(files.folder, "none")]]) {
      const { stdout, stderr, code } = treemarkVerify([...args, "--json"])
      assert.strictEqual(code, 2)
      assert.hasAllKeys(JSON.parse(stdout).error, ["code", "message", "problems"])
      assert.isNotEmpty(stderr)
    }
  })

  it("names every damaged member of a proof", () => {
    const damaged = files.write(
      "damaged.json",
      JSON.stringify({ ...document, tree: {}, ledger: { ...document.ledger, txHash: 1 } })
    )
    const { error } = JSON.parse(treemarkVerify([damaged, "--json"]).stdout)
    assert.strictEqual(error.code, "proof_members")
    assert.deepStrictEqual(
      error.problems.map(({ path }: { path: string }) => path),
      ["/tree/cid", "/tree/bytes", "/ledger/txHash"]
    )
  })
})

describe("standard input", () => {
  it("stands for any one file", () => {
    assert.strictEqual(treemarkVerify(["-"], { input: proofFile }).code, 0)
    assert.strictEqual(treemarkVerify(["-", "--record", record], { input: signed.tree }).code, 0)
    assert.strictEqual(treemarkVerify([tree, "--record", "-"], { input: JSON.stringify(signed.record) }).code, 0)
    assert.strictEqual(treemarkVerify([proof, "--asset", "-"], { input: asset }).code, 0)
    assert.strictEqual(treemarkVerify([proof, "--asset", "-"], { input: "x" }).code, 1)
  })

  it("that is empty is not a proof", () => {
    assert.strictEqual(treemarkVerify(["-"]).code, 2)
  })
})

describe("what a person reads", () => {
  it("says who signed and whose work it is, and has a line with a mark for each check", () => {
    const { stdout } = treemarkVerify([proof, "--asset", photo])
    assert.match(stdout, new RegExp(`\nverdict valid: signed by its author, ${author}\\.\n`))
    assert.match(stdout, new RegExp(`\n {2}author +${author} +signed\n`))
    assert.match(stdout, new RegExp(`\n {2}signer +${author} `))
    assert.match(stdout, /\n {2}ledger +local-mainnet \(chain 7053001\), block 12, .* claimed\n/)
    assert.match(stdout, /\n {2}✓ tree-sha256 /)
    assert.match(stdout, /\n {2}✓ asset-sha256 /)
    assert.match(stdout, /\n {2}– ledger-inclusion /)
  })

  it("says what failed, with its code, what was expected and what was found", () => {
    const { stdout } = treemarkVerify([tree, "--record", strangers])
    assert.match(stdout, /\nverdict unconfirmed: The tree was signed by somebody other than the author it names\./)
    assert.match(stdout, /✗ signer-is-author .*\[signer_not_author\]/)
    assert.match(stdout, new RegExp(`expected +${author}\n +actual +${stranger}\n`))
  })

  it("has no colour when it is not on a terminal, whatever the environment says", () => {
    for (const env of [{}, { FORCE_COLOR: "1", CLICOLOR_FORCE: "1", TERM: "xterm-256color" }]) {
      assert.notInclude(treemarkVerify([proof], { env }).stdout, "\u001b")
    }
  })

  it("has colour on a terminal, and none there with NO_COLOR, TERM=dumb or --json", () => {
    const onTerminal = (extra: string, env: Readonly<Record<string, string>> = {}) => {
      const command = `'${process.execPath}' '${stub}' '${proof}' ${extra}`
      const run = spawnSync("script", ["-qec", command, "/dev/null"], {
        env: { PATH: String(process.env.PATH), TERM: "xterm", ...env },
        encoding: "utf8"
      })
      assert.strictEqual(run.status, 0, run.stderr)
      assert.include(run.stdout, "valid")
      return run.stdout
    }
    assert.include(onTerminal(`--asset '${photo}' --author ${author}`), "\u001b[32m")
    for (const extra of ["", `--asset '${photo}'`, `--author ${author}`]) {
      assert.include(onTerminal(extra), "\u001b[1m")
      assert.notMatch(onTerminal(extra), GREEN_OR_RED)
    }
    assert.notInclude(onTerminal("", { NO_COLOR: "1" }), "\u001b")
    assert.notInclude(onTerminal("", { TERM: "dumb" }), "\u001b")
    assert.notInclude(onTerminal("--json"), "\u001b")
  })

  it("may come from an entry of the history's commits, given as the commit record", () => {
    const entry = files.write(
      "entry.json",
      JSON.stringify({ txHash: "0x", blockNumber: 1, recorder: "0x", commit: signed.record })
    )
    assert.strictEqual(treemarkVerify([tree, "--record", entry]).code, 0)
  })

  it("helps: every option, the version, and completions for each option in three shells", () => {
    const { stdout, code } = treemarkVerify(["--help"])
    const options = [
      "--record",
      "--sha256",
      "--signature",
      "--asset",
      "--author",
      "--authors",
      "--checkpoint",
      "--quorum",
      "--contract",
      "--json",
      "--backend",
      "--explain",
      "--completions",
      "--help",
      "--version"
    ]
    assert.strictEqual(code, 0)
    for (const option of options) assert.include(stdout, option)
    for (const shell of ["bash", "zsh", "fish"]) {
      const completions = treemarkVerify(["--completions", shell]).stdout
      for (const option of options) assert.include(completions, shell === "fish" ? `-l ${option.slice(2)}` : option)
      for (const command of ["bulk", "history", "statement"]) assert.include(completions, command)
    }
    const { version } = JSON.parse(readFileSync(join(repository, "packages/verify/package.json"), "utf8"))
    assert.strictEqual(treemarkVerify(["--version"]).stdout, `treemark-verify ${version}\n`)
  })
})

describe("--backend", () => {
  it("says which backend ran, and changes nothing else", () => {
    const plain = treemarkVerify([proof, "--json"])
    const { code, stdout } = treemarkVerify([proof, "--json", "--backend", "wasm"])
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(JSON.parse(stdout), { ...JSON.parse(plain.stdout), backend: "wasm" })
    assert.include(
      ["noble", "wasm", "native"],
      JSON.parse(treemarkVerify([proof, "--json", "--backend=auto"]).stdout).backend
    )
    assert.match(treemarkVerify([proof, "--backend", "noble"]).stdout, /by the backend noble\.\n$/)
    assert.strictEqual(treemarkVerify([tampered, "--record", record, "--backend", "wasm"]).code, 1)
    assert.strictEqual(treemarkVerify([tree, "--record", strangers, "--backend", "wasm"]).code, 3)
  })

  it("that is not known is a usage error", () => {
    const { code, stderr } = treemarkVerify([proof, "--backend", "gpu"])
    assert.strictEqual(code, 2)
    assert.match(stderr, /auto, noble, wasm or native; not "gpu"/)
  })
})

describe("the verdict", () => {
  it("depends on no environment variable, home folder or working folder", () => {
    const env = {
      TREEMARK_HOME: "/nonexistent",
      TREEMARK_PROFILE: "numbers",
      HOME: "/nonexistent",
      HTTP_PROXY: "http://127.0.0.1:9",
      NODE_ENV: "production",
      LANG: "tr_TR.UTF-8",
      TZ: "Asia/Tokyo"
    }
    for (const args of [[proof], [tampered, "--record", record], [tree, "--record", strangers]]) {
      const plain = treemarkVerify([...args, "--json"])
      const other = treemarkVerify([...args, "--json"], { env, cwd: "/" })
      assert.deepStrictEqual(other, plain)
    }
  })
})

describe("an asset", () => {
  it("reached through a symbolic link is read; a folder or a device is refused", () => {
    const link = join(files.folder, "link.jpg")
    symlinkSync(photo, link)
    mkdirSync(join(files.folder, "folder"))
    assert.strictEqual(treemarkVerify([proof, "--asset", link]).code, 0)
    assert.strictEqual(treemarkVerify([proof, "--asset", join(files.folder, "folder")]).code, 2)
    assert.strictEqual(treemarkVerify([proof, "--asset", "/dev/zero"]).code, 2)
  })

  it("of a raw CID that is another file fails by CID and by sha256, each on its own", () => {
    const other = sign(encodeDagJson({ ...treeMembers, assetCid: cidOf(RAW_CODE, new Uint8Array(3)) }))
    const { stdout, code } = treemarkVerify([
      "--json",
      "--asset",
      photo,
      files.write("t.json", other.tree),
      "--record",
      files.write("r.json", JSON.stringify(other.record))
    ])
    const outcomes = Object.fromEntries(
      JSON.parse(stdout).checks.map(({ name, code }: { name: string; code: string }) => [name, code])
    )
    assert.strictEqual(code, 1)
    assert.strictEqual(outcomes["asset-sha256"], "ok")
    assert.strictEqual(outcomes["asset-cid"], "asset_cid_differs")
  })
})
