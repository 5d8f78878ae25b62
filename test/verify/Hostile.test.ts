/** Input made to hurt: every file of it ends in an answer, quickly, in bounded memory, with nothing raw on the terminal. */
import { spawnSync } from "node:child_process"
import { truncateSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import type { Report } from "@treemark/core/verify"
import { encodeDagJson } from "../../packages/core/src/asset-tree/DagJson.ts"
import { proofOf, proofText } from "../../packages/core/src/proof/Proof.ts"
import { verifyProof, verifyTree } from "../../packages/verify/src/index.ts"
import { render } from "../../packages/verify/src/Render.ts"
import { author, document, ledger, proofFile, sign, signed, treeMembers, utf8 } from "../core/verification/Fixtures.ts"
import { processorTime } from "../layers/Timing.ts"
import { scratch, stub, treemarkVerify } from "./Command.ts"

const files = scratch()
afterAll(files.remove)
const record = files.write("record.json", JSON.stringify(signed.record))
const MIB = 1024 * 1024

const proofOfTree = (tree: Uint8Array, changes: Record<string, unknown> = {}): string => {
  const commit = sign(tree)
  return proofText(
    proofOf({
      tree: { cid: commit.record.assetTreeCid, bytes: tree },
      commitData: JSON.stringify({ ...commit.record, ...changes }),
      ledger
    })
  )
}

/** Peak memory of the command in MiB, as the kernel counted it. */
const peakMemory = (
  args: ReadonlyArray<string>,
  input?: string
): { readonly code: number | null; readonly peak: number } => {
  const watch = `process.on("exit", () => require("node:fs").writeSync(2, "\\npeak " + process.resourceUsage().maxRSS))`
  const watcher = files.write("watch.cjs", watch)
  const run = spawnSync(process.execPath, ["--require", watcher, stub, ...args], {
    env: {},
    encoding: "utf8",
    timeout: 600_000,
    ...(input === undefined ? {} : { input })
  })
  return { code: run.status, peak: Number(/peak (\d+)/.exec(run.stderr)?.[1]) / 1024 }
}

describe("sizes", () => {
  it("a proof, tree or record of a gigabyte is refused without reading it, in under 150 MiB", () => {
    const huge = files.write("huge.json", "")
    truncateSync(huge, 1024 * MIB)
    for (const args of [[huge], [huge, "--record", record], [record, "--record", huge]]) {
      const { code, peak } = peakMemory(args)
      assert.strictEqual(code, 2)
      assert.isBelow(peak, 150)
    }
  })

  it("an endless input is refused at its limit, in under 150 MiB", () => {
    for (const args of [["/dev/zero"], ["/dev/zero", "--record", record], [record, "--record", "/dev/zero"]]) {
      const { code, peak } = peakMemory(args)
      assert.strictEqual(code, 2)
      assert.isBelow(peak, 150)
    }
    const endless = spawnSync("sh", ["-c", `yes | "${process.execPath}" "${stub}" -`], {
      env: { PATH: process.env.PATH },
      encoding: "utf8",
      timeout: 600_000
    })
    assert.strictEqual(endless.status, 2)
    assert.include(endless.stderr, "Standard input is larger than 16 MiB")
  })

  it("an asset of 600 MB is hashed in under 150 MiB of memory", () => {
    const asset = files.write("asset.bin", "")
    truncateSync(asset, 600 * 1000 * 1000)
    const proof = files.write("proof.json", proofFile)
    const { code, peak } = peakMemory([proof, "--asset", asset])
    assert.strictEqual(code, 1)
    assert.isBelow(peak, 150)
  })

  it("a tree of exactly 1 MiB is read, one byte more is refused", () => {
    const shell = (text: string) => `{"creatorWallet":"${author}","pad":"${text}"}`
    const room = MIB - shell("").length
    const fits = sign(utf8(shell("x".repeat(room))))
    const over = sign(utf8(shell("x".repeat(room + 1))))
    assert.strictEqual(verifyTree(fits.tree, { record: { ...fits.record } }).verdict, "valid")
    assert.strictEqual(verifyTree(over.tree, { record: { ...over.record } }).verdict, "invalid")
    const path = files.write("over.json", over.tree)
    assert.strictEqual(treemarkVerify([path, "--record", record]).code, 2)
  })

  it("a proof that is nothing but digits, quotes, backslashes, brackets or commas up to the limit ends in seconds", () => {
    for (const text of ["1", '"', "\\", "[", "{", ",", '{"a":', '""', '"\\u0061"']) {
      const bytes = utf8(text.repeat(Math.floor((4 * MIB) / text.length)))
      const started = processorTime()
      assert.throws(() => verifyProof(bytes))
      assert.isBelow(processorTime() - started, 10_000, text)
    }
  })
})

describe("CIDs made to hurt", () => {
  it("of half a megabyte in any base, or with an inlined identity hash, cost nothing and are answered", () => {
    for (const cid of [
      `z${"1".repeat(500_000)}`,
      `z${"z".repeat(500_000)}`,
      `k${"z".repeat(500_000)}`,
      `Qm${"z".repeat(500_000)}`,
      `b${"a".repeat(500_000)}`,
      "bafkqaaa",
      `b${"7".repeat(64)}`,
      "z",
      "b",
      ""
    ]) {
      const started = processorTime()
      const report = verifyTree(signed.tree, { record: { ...signed.record, assetTreeCid: cid } })
      assert.strictEqual(report.verdict, "invalid", cid.slice(0, 20))
      assert.isBelow(processorTime() - started, 10_000, cid.slice(0, 20))
      const inTree = proofOfTree(encodeDagJson({ ...treeMembers, assetCid: cid }))
      assert.strictEqual(verifyProof(inTree, { asset: utf8("the asset's bytes") }).verdict, "valid", cid.slice(0, 20))
    }
  })
})

describe("structures made to hurt", () => {
  const trees: ReadonlyArray<readonly [string, string]> = [
    ["nesting of 100,000", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["duplicate creatorWallet", `{"creatorWallet":"${author}","creatorWallet":"0x${"1".repeat(40)}"}`],
    ["duplicate by escape", `{"creatorWallet":"${author}","creator\\u0057allet":"0x${"1".repeat(40)}"}`],
    ["half a surrogate", `{"creatorWallet":"${author}","a":"\\ud800"}`],
    ["NUL at the end", `{"creatorWallet":"${author}"}\0`],
    ["byte order mark", `\ufeff{"creatorWallet":"${author}"}`],
    ["not an object", `["${author}"]`],
    ["empty", ""]
  ]
  for (const [title, text] of trees) {
    it(`a signed tree with ${title} is invalid by tree-json, and every other check still has its answer`, () => {
      const report = verifyProof(proofOfTree(utf8(text)))
      assert.strictEqual(report.verdict, "invalid")
      assert.strictEqual(report.checks[0]?.outcome, "fail")
      assert.strictEqual(report.signer, author)
      assert.strictEqual(report.checks.find(({ name }) => name === "tree-sha256")?.outcome, "pass")
    })
  }

  it("a member named __proto__, constructor or hasOwnProperty is data: nobody becomes an author by it", () => {
    const tree = utf8(
      `{"__proto__":{"creatorWallet":"${author}","assetCid":"x"},"constructor":1,"hasOwnProperty":2,"toString":3}`
    )
    const { author: _, ...record } = sign(tree).record
    const report = verifyTree(tree, { record })
    assert.isNull(report.author)
    assert.isNull(report.assetCid)
    assert.strictEqual(report.verdict, "unconfirmed")
    assert.isUndefined(Reflect.get({}, "creatorWallet"))
  })

  it("members of the wrong type are answered, never an exception", () => {
    const strange = [null, true, 0, -1, 1e308, "", "\0", [], {}, [[["x"]]], { "/": "x" }]
    for (const value of strange) {
      for (const name of Object.keys(treeMembers)) {
        const report = verifyProof(proofOfTree(utf8(JSON.stringify({ ...treeMembers, [name]: value }))))
        assert.include(["valid", "unconfirmed", "invalid"], report.verdict)
      }
      for (const name of Object.keys(signed.record)) {
        const report = verifyProof(proofOfTree(signed.tree, { [name]: value }))
        assert.include(["valid", "unconfirmed", "invalid"], report.verdict)
      }
    }
  })

  it("a proof cut off anywhere is never valid", () => {
    for (let length = 0; length < proofFile.length - 3; length += 37) {
      assert.throws(() => verifyProof(proofFile.slice(0, length)))
    }
  })
})

describe("the terminal", () => {
  const nasty = "\u001b[2J\u001b]0;owned\u0007\u009b31m\r\n\u202eevil\u2066\u200b\u2028\0\u007f"

  it("never sees a control, line-breaking or direction-changing character of the input", () => {
    const proof = proofText({
      ...document,
      ledger: { ...ledger, network: nasty },
      commit: { ...document.commit, record: { ...document.commit.record, committer: nasty, author: nasty } }
    })
    const tree = encodeDagJson({ ...treeMembers, assetCid: nasty, creatorWallet: nasty, assetSha256: nasty })
    const runs = [
      treemarkVerify(["-"], { input: proof }),
      treemarkVerify(["-"], { input: proofOfTree(tree, { author: nasty, committer: nasty }) }),
      treemarkVerify(["-", "--json"], { input: proofOfTree(tree) }),
      treemarkVerify(["-"], { input: `{"${nasty}":1,` }),
      treemarkVerify(["-", "--json"], { input: `{"${nasty}":1,` }),
      treemarkVerify([nasty.replaceAll("\0", "")]),
      treemarkVerify(["-"], { input: `{"mediaType":${JSON.stringify(nasty)}}` }),
      treemarkVerify(["-", "--author", nasty.replaceAll("\0", "")], { input: proof })
    ]
    for (const { stdout, stderr } of runs) {
      assert.notMatch(stdout + stderr, /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u)
    }
    assert.include(runs[0]!.stdout, "\\u{1b}[2J")
  })

  it("gets the same values from --json, escaped", () => {
    const { stdout } = treemarkVerify(["-", "--json"], {
      input: proofOfTree(encodeDagJson({ ...treeMembers, assetCid: nasty }))
    })
    assert.strictEqual(JSON.parse(stdout).assetCid, nasty)
  })

  it("that shows colour gets colour, around nothing but our own words", () => {
    const tree = {
      ...treeMembers,
      assetCid: nasty,
      assetCreator: nasty,
      headline: nasty,
      abstract: nasty,
      encodingFormat: nasty,
      license: { name: nasty, document: nasty },
      nftRecord: { chainID: nasty, contractAddress: nasty, tokenID: nasty },
      custom: { generatedBy: nasty }
    }
    const act = { action: nasty, actionName: nasty, abstract: nasty }
    const report: Report = verifyProof(proofOfTree(encodeDagJson(tree), act))
    const coloured = render(report, { colour: true, tree })
    const plain = render(report, { colour: false, tree })
    assert.include(coloured, "\u001b[1m")
    assert.strictEqual(coloured.replaceAll(/\p{Cc}\[\d+m/gu, ""), plain)
    assert.notMatch(plain, /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u)
    assert.isAbove(plain.split("\\u{1b}[2J").length, 11)
  })

  it("is spared values without end", () => {
    const { stdout } = treemarkVerify(["-"], {
      input: proofOfTree(encodeDagJson({ ...treeMembers, assetCid: "x".repeat(100_000) }))
    })
    assert.isBelow(stdout.length, 10_000)
  })
})

describe("files", () => {
  it("whose names look like options are reached after --", () => {
    files.write("--json", proofFile)
    assert.strictEqual(treemarkVerify(["--", "--json"], { cwd: files.folder }).code, 0)
    assert.strictEqual(treemarkVerify([join(files.folder, "--json")]).code, 0)
  })
})
