/** interface.md, "Commit request": a row of the table at a time, over HTTP against the real daemon. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { CIDS_ACCEPTED, FIELD_ROWS } from "./CommitFieldRows.ts"
import { COMMIT, type Json, openStudio, Studio, withStudio } from "./Studio.ts"

const memberAt = (tree: Json, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], tree)

/** Each refusal names the field alone, says what would be right, and costs nothing. */
const refuses = Effect.fnUntraced(function* (field: string, value: unknown, words: RegExp) {
  const studio = yield* Studio
  const problem = yield* studio.refusedFields({ [field]: value }, [`/${field}`])
  assert.match(problem.errors?.[0]?.message ?? "", words, JSON.stringify(value))
  assert.include(problem.detail, `/${field}`)
  assert.include(problem.detail, "Nothing was charged")
})

withStudio()("interface.md, Commit request", (it) => {
  for (const row of FIELD_ROWS) {
    const { field } = row

    it.effect(`"${row.row}": another JSON type is 400 at /${field}`, () =>
      Effect.forEach(row.otherTypes, (value) => refuses(field, value, /must/), { discard: true })
    )

    if (row.refused.length > 0) {
      it.effect(`"${row.row}": a value it cannot be is 400 at /${field}, and the message says what it can be`, () =>
        Effect.forEach(row.refused, ([value, words]) => refuses(field, value, words), { discard: true })
      )
    }

    if (row.accepted.length > 0) {
      it.effect(`"${row.row}": accepted, and the asset tree holds it`, () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          for (const [value, stored = value] of row.accepted) {
            const { assetTreeCid } = yield* studio.commit({ [field]: value })
            const { members } = yield* studio.tree(assetTreeCid)
            if (row.treePath !== undefined) assert.deepStrictEqual(memberAt(members, row.treePath), stored)
            else assert.isFalse(Object.hasOwn(members, field))
          }
        })
      )
    }

    if (row.required) {
      it.effect(`"${row.row}": it is required, so leaving it out or null is 400 at /${field}`, () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const problem = yield* studio.refusedFields({ [field]: undefined }, [`/${field}`])
          assert.deepStrictEqual(problem.errors, [{ path: `/${field}`, message: "is required" }])
          yield* refuses(field, null, /must be/)
        })
      )
    } else {
      it.effect(`"${row.row}": not required, and null is the same as leaving it out`, () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const without = yield* studio.commit()
          const withNull = yield* studio.commit({ [field]: null })
          assert.strictEqual(withNull.assetTreeCid, without.assetTreeCid)
          const [one, other] = [yield* studio.record(without.txHash), yield* studio.record(withNull.txHash)]
          assert.deepStrictEqual(
            { ...other.commit, timestampCreated: 0 },
            { ...one.commit, timestampCreated: 0 },
            "the records differ in nothing but their time"
          )
        })
      )
    }
  }

  it.effect('"assetCid": a CID of any version and base is understood; one that is not registered says so', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const assetCid of CIDS_ACCEPTED) {
        const answer = studio.post(COMMIT, studio.request({ assetCid }))
        const problem = yield* studio.refused(answer, 400, "asset_not_registered")
        assert.include(problem.detail, assetCid)
      }
    })
  )

  it.effect('"assetSha256": upper-case digits are accepted and stored in lower case', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { assetSha256 } = studio.asset
      const { assetTreeCid } = yield* studio.commit({ assetSha256: assetSha256.toUpperCase() })
      assert.strictEqual((yield* studio.tree(assetTreeCid)).members.assetSha256, assetSha256)
    })
  )

  it.effect('"assetSha256": it must equal the sha256 in the asset\'s registration', () =>
    Effect.gen(function* () {
      const other = yield* openStudio()
      yield* refuses("assetSha256", other.asset.assetSha256, /sha256 in the asset's registration/)
    })
  )

  it.effect('"nftTokenID": leading zeros are dropped, so that one id has one text', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { assetTreeCid } = yield* studio.commit({ nftTokenID: "007" })
      const { members } = yield* studio.tree(assetTreeCid)
      assert.deepStrictEqual(members.nftRecord, { chainID: null, contractAddress: null, tokenID: "7" })
    })
  )

  it.effect('"commitMessage": it is in the commit record as `abstract`, and not in the asset tree', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const commitMessage = "Cropped 👩‍🎨"
      const { txHash, assetTreeCid } = yield* studio.commit({ commitMessage })
      assert.strictEqual((yield* studio.record(txHash)).commit.abstract, commitMessage)
      assert.strictEqual(assetTreeCid, (yield* studio.commit()).assetTreeCid)
    })
  )

  it.effect("half of a surrogate pair is refused in every text, with its place", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const changes of [
        { assetCreator: "cut \ud83d" },
        { commitMessage: "\udc69 cut" },
        { custom: { caption: "\ud83d" } },
        { custom: { "\ud83d": 1 } }
      ]) {
        const answer = studio.post(COMMIT, studio.request(changes))
        const problem = yield* studio.refused(answer, 400, "malformed_json")
        assert.match(problem.detail, /half of a surrogate pair.*line 1, column \d+/)
      }
    })
  )

  it.effect("an unknown field is refused with the nearest known name", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const [unknown, known] of [
        ["asetCid", "assetCid"],
        ["licenceName", "licenseName"],
        ["nftChainId", "nftChainID"],
        ["message", "commitMessage"]
      ] as const) {
        const problem = yield* studio.refusedFields({ [unknown]: "x" }, [`/${unknown}`])
        assert.strictEqual(
          problem.errors?.[0]?.message,
          `is not a field of this request; the nearest one is "${known}"`
        )
      }
    })
  )

  it.effect("every broken rule is reported in one answer, ordered by path, whatever the order of the fields", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const broken = {
        encodingFormat: undefined,
        assetCid: "x",
        assetTimestampCreated: "now",
        assetCreator: "a".repeat(22),
        assetSha256: "y",
        testnet: "yes",
        author: "z",
        licenseName: "b".repeat(22),
        licenseDocument: 1,
        custom: { generatedBy: "c".repeat(22), "/": 1, deep: { "/": 2 } },
        nftContractAddress: "0x",
        nftChainID: 0,
        nftTokenID: "-1",
        commitMessage: 2,
        action: "none",
        abstract: "d".repeat(256),
        headline: 3,
        integrityCid: "w",
        "a/b~c": 4
      }
      const paths = Object.keys(broken).map((name) => `/${name}`)
      const expected = paths
        .filter((path) => path !== "/custom" && path !== "/a/b~c")
        .concat("/a~1b~0c", "/custom/generatedBy", "/custom/~1", "/custom/deep/~1")
        .sort()
      const problem = yield* studio.refusedFields(broken, expected)
      const turned = Object.fromEntries(Object.entries(studio.request(broken)).reverse())
      const again = yield* studio.refused(studio.post(COMMIT, turned), 400, "invalid_fields")
      assert.deepStrictEqual(again.errors, problem.errors)
    })
  )
})
