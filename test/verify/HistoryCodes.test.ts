/** What can be wrong with a history: each has its own code, at its place, and the list is closed. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { encodeDagJson } from "../../packages/core/src/asset-tree/DagJson.ts"
import { commitDataOf } from "../../packages/core/src/proof/CommitRecord.ts"
import { type ProofDocument, proofOf, proofText } from "../../packages/core/src/proof/Proof.ts"
import { HISTORY_CODES } from "../../packages/verify/src/history/HistoryCodes.ts"
import { findings } from "../../packages/verify/src/history/VerifyHistory.ts"
import { author, committer, sign, stranger, utf8, without } from "../core/verification/Fixtures.ts"
import { repository } from "./Command.ts"
import {
  blocksOf,
  type Change,
  nameOf,
  proofOfCommit,
  rawBlock,
  withCommit,
  writeBytes,
  writeCar,
  writeFolder
} from "./HistoryFixtures.ts"
import { copied, readReport, sourceOf } from "./HistoryReports.ts"
import { good, historyJson, keep, type Problem, shapeOf } from "./HistoryRuns.ts"

/** Codes that a test of this file has seen; the list is closed, so all must be. */
const seen = new Set<string>()
const seeing = <
  A extends {
    readonly commits: ReadonlyArray<{ readonly problems: ReadonlyArray<Problem> }>
    readonly problems: ReadonlyArray<Problem>
  }
>(
  run: A
): A => {
  for (const { code } of [...run.problems, ...run.commits.flatMap(({ problems }) => problems)]) seen.add(code)
  return run
}

/** One thing wrong with a history of three good commits, or of those that `parts` says, and where it shows. */
interface Wrong {
  readonly code: string
  readonly letters: string
  readonly at?: string
  readonly change?: Change
  readonly parts?: ReadonlyArray<{ readonly proof: ProofDocument }>
  readonly after?: (folder: string) => void
}

const swapped: Change = (index) => ({ ...index, commits: [1, 0, 2].map((at) => index.commits[at]) })
const zeros = `0x${"0".repeat(64)}`

const inAnyForm: ReadonlyArray<Wrong> = [
  { code: "commit_out_of_order", letters: "GBG", change: swapped, at: "/commits/1" },
  {
    code: "commit_twice",
    letters: "GBG",
    parts: [0, 0, 2].map((index) => ({ proof: proofOfCommit(index) })),
    at: "/commits/1"
  },
  { code: "proof_other_transaction", letters: "GBG", change: withCommit(1, { txHash: zeros }) },
  { code: "proof_other_block", letters: "GBG", change: withCommit(1, { blockHash: zeros }) },
  { code: "proof_other_log", letters: "GGB", change: withCommit(2, { logIndex: 9 }) },
  { code: "proof_other_recorder", letters: "GBG", change: withCommit(1, { recorder: author }) },
  {
    code: "proof_other_chain",
    letters: "BBB",
    change: (index) => ({ ...index, network: { ...index.network, chainId: 1 } })
  },
  {
    code: "proof_other_contract",
    letters: "BBB",
    change: (index) => ({ ...index, network: { ...index.network, contract: committer } })
  },
  {
    code: "proof_other_asset",
    letters: "BBB",
    change: (index) => ({ ...index, assetCid: "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m" })
  },
  {
    code: "proof_left_out",
    letters: "GNG",
    change: withCommit(1, { proof: null, reason: "gone" }),
    after: (folder) => rmSync(join(folder, nameOf(1))),
    at: "/commits/1"
  }
]

const inFolders: ReadonlyArray<Wrong> = [
  { code: "proof_missing", letters: "GBG", after: (folder) => rmSync(join(folder, nameOf(1))), at: nameOf(1) },
  {
    code: "proof_unusable",
    letters: "GBG",
    after: (folder) => writeFileSync(join(folder, nameOf(1)), "{}"),
    at: nameOf(1)
  },
  {
    code: "proof_unreadable",
    letters: "GBG",
    after: (folder) => writeFileSync(join(folder, nameOf(1)), Buffer.alloc(17 * 1024 * 1024)),
    at: nameOf(1)
  },
  { code: "proof_named_twice", letters: "GBG", change: withCommit(1, { proof: nameOf(0) }), at: "/commits/1" },
  {
    code: "name_leaves_folder",
    letters: "GBG",
    change: withCommit(1, { proof: "../0002.proof.json" }),
    at: "../0002.proof.json"
  },
  {
    code: "name_leaves_folder",
    letters: "GBG",
    change: withCommit(1, { proof: "/etc/hostname" }),
    at: "/etc/hostname"
  },
  { code: "name_leaves_folder", letters: "GBG", change: withCommit(1, { proof: "inner/0002.proof.json" }) },
  { code: "name_leaves_folder", letters: "GBG", change: withCommit(1, { proof: "a\0b" }) },
  { code: "name_leaves_folder", letters: "GBG", change: withCommit(1, { proof: ".." }) },
  {
    code: "file_is_link",
    letters: "GBG",
    after: (folder) => {
      writeFileSync(join(folder, "elsewhere"), readFileSync(join(folder, nameOf(1))))
      rmSync(join(folder, nameOf(1)))
      symlinkSync(join(folder, "elsewhere"), join(folder, nameOf(1)))
    }
  },
  {
    code: "file_not_regular",
    letters: "GBG",
    after: (folder) => {
      rmSync(join(folder, nameOf(1)))
      execFileSync("mkfifo", [join(folder, nameOf(1))])
    }
  },
  {
    code: "file_not_regular",
    letters: "GBG",
    after: (folder) => {
      rmSync(join(folder, nameOf(1)))
      mkdirSync(join(folder, nameOf(1)))
    }
  }
]

describe("what is wrong with a history has its own code", () => {
  for (const { after, at, change, code, letters, parts } of [...inAnyForm, ...inFolders]) {
    it(`${code}, in a folder${at === undefined ? "" : `, at ${JSON.stringify(at)}`}`, () => {
      const folder = writeFolder(parts ?? good, change)
      after?.(folder)
      const run = seeing(historyJson(folder))
      const shape = shapeOf(run)
      assert.strictEqual(shape.letters, letters)
      for (const [number, letter] of [...letters].entries()) {
        if (letter !== "G") assert.include(shape.codes[number]!, code)
        else assert.isEmpty(shape.codes[number]!)
      }
      assert.strictEqual(run.code, letters.includes("B") ? 1 : 3)
      const place = run.commits.flatMap(({ problems }: { problems: ReadonlyArray<Problem> }) => problems)[0]
      if (at !== undefined) assert.strictEqual(place.at, at)
    })
  }

  for (const { change, code, letters, parts } of inAnyForm) {
    it(`${code}, in a CAR`, async () => {
      const blocks = blocksOf(parts ?? good, change)
      const unique = blocks.filter(({ cid }, at) => blocks.findIndex((block) => block.cid === cid) === at)
      const shape = shapeOf(historyJson(await writeCar(unique)))
      assert.strictEqual(shape.letters, letters)
      for (const [number, letter] of [...letters].entries())
        if (letter !== "G") assert.include(shape.codes[number]!, code)
    })
  }

  it("proof_asset_unknown: a tree that names no asset is unconfirmed at best", () => {
    const proof = proofOfCommit(1)
    const bytes = Buffer.from(proof.tree.bytes, "base64").toString().replace('"assetCid"', '"assetCiD"')
    const nameless = { ...proof, tree: { ...proof.tree, bytes: Buffer.from(bytes).toString("base64") } }
    const run = seeing(historyJson(writeFolder([good[0]!, { proof: nameless }])))
    assert.deepStrictEqual(shapeOf(run).codes, [[], ["proof_asset_unknown"]])
    const { record, tree } = sign(encodeDagJson(without("assetCid")))
    const { ledger } = proof
    const sound = proofOf({ tree: { cid: record.assetTreeCid, bytes: tree }, commitData: commitDataOf(record), ledger })
    const alone = seeing(historyJson(writeFolder([good[0]!, { proof: sound }])))
    assert.deepStrictEqual(shapeOf(alone).codes, [[], ["proof_asset_unknown"]])
    assert.deepStrictEqual(shapeOf(alone).letters.at(-1), "U")
  })

  it("file_unreferenced: a proof that the index does not name makes the whole invalid, the commits stay as they are", () => {
    const folder = writeFolder(good)
    writeFileSync(join(folder, "9999.proof.json"), proofText(proofOfCommit(7)))
    writeFileSync(join(folder, "README"), "not a proof")
    const run = seeing(historyJson(folder))
    assert.strictEqual(run.code, 1)
    assert.deepStrictEqual(shapeOf(run), { letters: "GGG", codes: [[], [], []], strays: ["file_unreferenced"] })
    assert.strictEqual(run.problems[0].at, "9999.proof.json")
  })

  it("of a CAR: blocks that are missing, damaged, there twice, not linked to, or linked to by another kind of CID", async () => {
    const blocks = blocksOf(good)
    const [root, first, second, third] = blocks as [never, never, never, never]
    const damaged = (block: { cid: string; bytes: Uint8Array }) => ({
      ...block,
      bytes: Uint8Array.from(block.bytes, (byte, at) => (at === 9 ? byte ^ 1 : byte))
    })
    const identity = { cid: CID.createV1(0x55, Digest.create(0, utf8("12345"))).toString(), bytes: utf8("12345") }
    const cases: ReadonlyArray<
      readonly [
        string,
        ReadonlyArray<{ cid: string; bytes: Uint8Array }>,
        string,
        ReadonlyArray<string>,
        ReadonlyArray<string>
      ]
    > = [
      ["missing", [root, first, third], "GBG", ["proof_missing"], []],
      ["damaged", [root, first, damaged(second), third], "GBG", ["block_hash_differs"], []],
      ["twice", [root, first, second, third, second], "GGG", [], ["block_twice"]],
      ["not linked to", [root, first, second, third, rawBlock(utf8("more"))], "GGG", [], ["block_unreferenced"]],
      [
        "not linked to, and damaged",
        [root, first, second, third, damaged(rawBlock(utf8("more and more")))],
        "GGG",
        [],
        ["block_unreferenced"]
      ],
      [
        "of another hash",
        [root, first, second, third, identity],
        "GGG",
        [],
        ["block_hash_unknown", "block_unreferenced"]
      ],
      ["the root, damaged", [damaged(root), first, second, third], "", [], ["block_hash_differs"]]
    ]
    for (const [title, content, letters, codes, strays] of cases) {
      const run = seeing(historyJson(await writeCar(content)))
      assert.strictEqual(run.code, 1, title)
      assert.deepStrictEqual(
        shapeOf(run),
        { letters, codes: [...letters].map((letter) => (letter === "B" ? [...codes] : [])), strays: [...strays] },
        title
      )
    }
    const rootless = Buffer.from(readFileSync(keep(await writeCar([root, first]))))
    const cut = rootless.indexOf(Buffer.from((root as { bytes: Uint8Array }).bytes))
    const withoutRoot = Buffer.concat([
      rootless.subarray(0, 60),
      rootless.subarray(cut + (root as { bytes: Uint8Array }).bytes.length)
    ])
    const run = seeing(historyJson(writeBytes(withoutRoot)))
    assert.deepStrictEqual([run.code, shapeOf(run).strays], [1, ["root_missing"]])
    const linked = withCommit(1, { proof: "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG" })
    assert.deepStrictEqual(
      shapeOf(seeing(historyJson(await writeCar(blocksOf(good, linked).filter((_, at) => at !== 2))))).codes,
      [[], ["link_malformed"], []]
    )
    const twice = withCommit(1, { proof: blocks[1]!.cid })
    assert.include(shapeOf(historyJson(await writeCar(blocksOf(good, twice)))).codes[1]!, "proof_named_twice")
  })
})

it("act_copied: a signed act is its author's once, and the second time the word of whoever recorded it", () => {
  const copies = [copied(0, committer), copied(1, stranger)]
  const [first, second] = [...findings(sourceOf(copies), { verifyBytes: readReport })]
  assert.deepStrictEqual([first?.status, second?.status], ["G", "R"])
  assert.deepStrictEqual([first?.act?.by, second?.act?.by], ["author", "recorder"])
  assert.deepStrictEqual(
    second?.problems.map(({ code, at }) => [code, at]),
    [["act_copied", "/commits/1"]]
  )
  for (const { code } of second?.problems ?? []) seen.add(code)
})

describe("the codes of a history", () => {
  const documented = readFileSync(resolve(repository, "docs/proof-format.md"), "utf8")

  it("are a closed list, each explained in docs/proof-format.md with what it leads to", () => {
    assert.deepStrictEqual(Object.keys(HISTORY_CODES), [
      "proof_left_out",
      "proof_missing",
      "proof_unreadable",
      "proof_unusable",
      "proof_named_twice",
      "name_leaves_folder",
      "file_is_link",
      "file_not_regular",
      "file_unreferenced",
      "link_malformed",
      "block_hash_differs",
      "block_hash_unknown",
      "block_twice",
      "block_unreferenced",
      "root_missing",
      "commit_out_of_order",
      "commit_twice",
      "act_copied",
      "proof_other_asset",
      "proof_asset_unknown",
      "proof_other_chain",
      "proof_other_contract",
      "proof_other_transaction",
      "proof_other_block",
      "proof_other_log",
      "proof_other_recorder"
    ])
    for (const [code, { leadsTo }] of Object.entries(HISTORY_CODES)) {
      assert.match(documented, new RegExp(`^\\| \`${code}\` \\| ${leadsTo} \\| \\S`, "m"), code)
    }
  })

  it("are all met by the tests above", () => {
    assert.sameMembers([...seen], Object.keys(HISTORY_CODES))
  })
})
