/** `treemark-verify history`: every commit of an exported history in order, and where it breaks, from a folder or a CAR. */
import { rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { HistoryDocument } from "../../packages/core/src/history/HistoryFile.ts"
import { proofText } from "../../packages/core/src/proof/Proof.ts"
import { author, stranger, utf8 } from "../core/verification/Fixtures.ts"
import { repository, treemarkVerify } from "./Command.ts"
import {
  blocksOf,
  invalidProof,
  nameOf,
  proofOfCommit,
  unconfirmedProof,
  withCommit,
  writeBytes,
  writeCar,
  writeFolder
} from "./HistoryFixtures.ts"
import { good, history, historyJson, shapeOf } from "./HistoryRuns.ts"

const mixed = [
  { proof: proofOfCommit(0) },
  { proof: unconfirmedProof(1) },
  { proof: proofOfCommit(2), isLeftOut: true },
  { proof: invalidProof(3) },
  { proof: proofOfCommit(4) }
]

describe("a history", () => {
  it("whose commits all hold is valid, with a G for each in the ledger's order, from a folder and from a CAR", async () => {
    for (const path of [writeFolder(good), await writeCar(blocksOf(good))]) {
      const run = historyJson(path)
      assert.strictEqual(run.code, 0)
      assert.deepStrictEqual(shapeOf(run), { letters: "GGG", codes: [[], [], []], strays: [] })
      assert.deepInclude(run.summary, { verdict: "valid", commits: 3, good: 3, breaksAt: null })
      assert.deepStrictEqual(
        run.commits.map(({ blockNumber, logIndex }: never) => [blockNumber, logIndex]),
        [
          [10, 0],
          [10, 1],
          [11, 0]
        ]
      )
    }
  })

  it("has the verdict of its worst commit, a letter for each, and says which is the first that is not good", async () => {
    for (const path of [writeFolder(mixed), await writeCar(blocksOf(mixed))]) {
      const run = historyJson(path)
      assert.strictEqual(run.code, 1)
      assert.strictEqual(shapeOf(run).letters, "GUNBG")
      assert.deepInclude(run.summary, {
        verdict: "invalid",
        good: 2,
        unconfirmed: 1,
        bad: 1,
        notChecked: 1,
        breaksAt: 2
      })
    }
  })

  it("with commits that have no proof, or another signer than the author, is unconfirmed at best", () => {
    assert.strictEqual(historyJson(writeFolder([good[0]!, mixed[2]!])).code, 3)
    assert.strictEqual(historyJson(writeFolder([good[0]!, mixed[1]!])).code, 3)
  })

  it("gives each proof the report that it has alone, whatever is asked of it", () => {
    const folder = writeFolder(mixed)
    const authors = join(folder, "my.authors")
    writeFileSync(authors, `${stranger} Stranger\n`)
    for (const args of [[], ["--author", author], ["--authors", authors]]) {
      for (const commit of historyJson(folder, ...args).commits) {
        if (commit.proof === null) continue
        const alone = JSON.parse(treemarkVerify([join(folder, commit.proof), "--json", ...args]).stdout)
        assert.deepStrictEqual(commit.report, alone)
      }
    }
  })

  it("without an index is every *.proof.json of the folder, sorted by its place on the ledger", () => {
    const folder = writeFolder([2, 0, 3, 1].map((index) => ({ proof: proofOfCommit(index) })))
    rmSync(join(folder, "history.json"))
    const run = historyJson(folder)
    assert.strictEqual(run.code, 0)
    assert.deepStrictEqual(
      run.commits.map(({ proof }: { proof: string }) => proof),
      [1, 3, 0, 2].map(nameOf)
    )
    writeFileSync(join(folder, "x.proof.json"), "nonsense")
    writeFileSync(join(folder, "same.proof.json"), proofText(proofOfCommit(0)))
    const broken = historyJson(folder)
    assert.deepStrictEqual(shapeOf(broken), {
      letters: "GBGGG",
      codes: [[], ["commit_twice"], [], [], []],
      strays: ["proof_unusable"]
    })
  })

  it("is told to people with a line a commit, what is wrong below it, and the verdict last", () => {
    const { code, stdout } = history(writeFolder(mixed))
    assert.strictEqual(code, 1)
    assert.match(
      stdout,
      /^asset bafk\w+, chain 7053001, contract 0x\w{40}\nrecorder expected: 0x\w{40}, because it recorded the first commit;.*--recorder\n\nG {4}1 {2}block 10, log 0 {2}0x/
    )
    for (const letter of [
      "U    2  block 10, log 1",
      "N    3  block 11, log 0",
      "B    4  block 11, log 1",
      "G    5  block 12"
    ]) {
      assert.include(stdout, `\n${letter}`)
    }
    assert.include(stdout, "[proof_left_out] at /commits/2\n          actual    The tree could not be fetched.")
    assert.include(stdout, "[tree_sha256_differs]")
    assert.match(
      stdout,
      /\n✗ invalid: 5 commits: 2 good, 1 unconfirmed, 1 bad, 1 without a proof\. The first that is not good is number 2 of 5\.\n.* backend \w+\.\n$/
    )
  })

  it("never prints what could steer a terminal, and its JSON is one document", () => {
    const folder = writeFolder(good, (index) => ({
      ...index,
      commits: [{ ...index.commits[0], proof: "\u001b[2J\u202e.proof.json" }]
    }))
    for (const args of [[], ["--json"]]) {
      const { stdout } = history(folder, ...args)
      assert.notMatch(stdout, /[^\n\P{Cc}]|\p{Cf}/u)
    }
  })
})

describe("what is no history", () => {
  const index = (change: (document: HistoryDocument) => unknown) => writeFolder(good, change)
  const empty = () => {
    const folder = index((document) => document)
    for (const at of [0, 1, 2]) rmSync(join(folder, nameOf(at)))
    rmSync(join(folder, "history.json"))
    return folder
  }
  const linkedIndex = () => {
    const folder = index((document) => document)
    rmSync(join(folder, "history.json"))
    symlinkSync("/dev/zero", join(folder, "history.json"))
    return folder
  }
  const cases: ReadonlyArray<readonly [title: string, code: string, path: () => string]> = [
    ["an empty folder", "history_empty", empty],
    ["an index that is a link to a device", "file_unreadable", linkedIndex],
    ["an index of nothing", "history_empty", () => index((document) => ({ ...document, commits: [] }))],
    [
      "an index that is not JSON",
      "history_not_json",
      () => {
        const folder = index((document) => document)
        writeFileSync(join(folder, "history.json"), '{"a":1,"a":2}')
        return folder
      }
    ],
    [
      "an index of a later version",
      "history_version",
      () => index((document) => ({ ...document, mediaType: "application/vnd.treemark.history+json;version=2" }))
    ],
    ["another JSON file", "history_members", () => index(() => ({ a: 1 }))],
    ["an index without a network", "history_members", () => index(({ network: _, ...rest }) => rest)],
    [
      "an index with a commit that is none",
      "history_members",
      () => index((document) => ({ ...document, commits: [7] }))
    ],
    [
      "an index with a proof that is neither a name nor null",
      "history_members",
      () => index(withCommit(1, { proof: { "/": "x" } }))
    ],
    ["no such file", "file_unreadable", () => join(repository, "nonexistent")],
    ["a device", "file_unreadable", () => "/dev/zero"],
    ["a file of lines", "container_unknown", () => writeBytes(utf8(proofText(proofOfCommit(0))))],
    ["standard input", "usage", () => "-"]
  ]
  for (const [title, code, path] of cases) {
    it(`is unusable and says why: ${title}`, () => {
      const run = treemarkVerify(["history", path(), "--json"])
      assert.strictEqual(run.code, 2)
      assert.strictEqual(JSON.parse(run.stdout).error.code, code)
      assert.match(run.stderr, /^treemark-verify: .+\.\n$/)
    })
  }

  it("has help, and refuses an option that it does not know", () => {
    assert.include(treemarkVerify(["history", "--help"]).stdout, "N  no proof in the export")
    assert.strictEqual(treemarkVerify(["history", "a", "b"]).code, 2)
    assert.strictEqual(treemarkVerify(["history", "a", "--jsno"]).code, 2)
    assert.strictEqual(treemarkVerify(["history", "a", "--backend", "gpu"]).code, 2)
  })
})
