import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import {
  CHECKPOINT_LIMIT,
  CHECKPOINT_MEDIA_TYPE,
  checkpointChecksum,
  checkpointsDisagreement,
  checkpointText,
  parseCheckpoint
} from "@treemark/core/verify"
import { verifyMessage } from "ethers"
import { addressOfPrivateKey, signPersonalMessage } from "../../../packages/core/src/asset-tree/Signature.ts"
import { checkpointDocument, checkpointFileText } from "../../../packages/core/src/proof/CheckpointFile.ts"
import { author, authorKey, stranger, strangerKey, utf8 } from "../verification/Fixtures.ts"

const hash = (digit: string): string => `0x${digit.repeat(64)}`
const file = (changes: object) =>
  JSON.stringify({ mediaType: CHECKPOINT_MEDIA_TYPE, chainId: 10507, entries: [], ...changes })
const refusalOf = (text: string | Uint8Array) => {
  const reading = parseCheckpoint(typeof text === "string" ? utf8(text) : text)
  return reading.ok ? undefined : { code: reading.code, paths: reading.problems.map(({ path }) => path) }
}

describe("a checkpoint file", () => {
  it("gives back the blocks it was made of, in order, a line each", () => {
    const hashes = new Map([
      [20, hash("b")],
      [3, hash("a")]
    ])
    const text = checkpointText({ chainId: 10507, hashes })
    assert.deepStrictEqual(parseCheckpoint(utf8(text)), {
      ok: true,
      checkpoint: { chainId: 10507, hashes, contracts: [], signers: [] }
    })
    assert.include(text, `\n    {"number":3,"hash":"${hash("a")}"},\n    {"number":20,`)
    assert.isTrue(parseCheckpoint(utf8(checkpointText({ chainId: 1, hashes: new Map() }))).ok)
  })

  it("reads hashes in any letter case and members it does not know", () => {
    const reading = parseCheckpoint(utf8(file({ madeBy: "ada", entries: [{ number: 1, hash: hash("A"), note: 1 }] })))
    assert.deepStrictEqual(reading.ok ? [...reading.checkpoint.hashes] : [], [[1, hash("a")]])
  })

  it("that is damaged is refused, and every wrong member is named", () => {
    for (const [changes, paths] of [
      [{ chainId: "1" }, ["/chainId"]],
      [{ chainId: -1 }, ["/chainId"]],
      [{ entries: {} }, ["/entries"]],
      [{ entries: [1] }, ["/entries/0"]],
      [{ entries: [{ number: 1 }] }, ["/entries/0/hash"]],
      [{ entries: [{ number: 1.5, hash: "0x12" }] }, ["/entries/0/number", "/entries/0/hash"]],
      [{ entries: [1, 2].map(() => ({ number: 7, hash: hash("a") })) }, ["/entries/1/number"]]
    ] as const) {
      assert.deepStrictEqual(refusalOf(file(changes)), { code: "checkpoint_members", paths: [...paths] })
    }
    assert.lengthOf(refusalOf(file({ entries: Array.from({ length: 1000 }, () => 1) }))?.paths ?? [], 10)
  })

  it("is told apart from other files, and strict JSON", () => {
    assert.strictEqual(refusalOf("{}")?.code, "checkpoint_media_type")
    assert.strictEqual(refusalOf(file({ mediaType: 1 }))?.code, "checkpoint_media_type")
    for (const text of ["", "[]", '{"chainId":1,"chainId":1}', `${file({})}x`, "[".repeat(100_000)]) {
      assert.strictEqual(refusalOf(text)?.code, "checkpoint_not_json")
    }
    assert.strictEqual(refusalOf(new Uint8Array(CHECKPOINT_LIMIT + 1))?.code, "checkpoint_too_large")
  })
})

describe("a signed checkpoint file", () => {
  const keys = [authorKey, strangerKey]
  const contracts = ["0x0000000000000000000000000000000000007053"]
  const hashes = new Map([
    [20, hash("b")],
    [3, hash("a")]
  ])
  const content = { chainId: 10507, hashes, contracts }
  const signatureBy = (file: object, key: Uint8Array) => ({
    signer: addressOfPrivateKey(key),
    signature: signPersonalMessage(checkpointChecksum(file) ?? "", key)
  })
  const signatures = keys.map((key) => signatureBy(checkpointDocument(content), key))
  const read = (text: string) => {
    const reading = parseCheckpoint(utf8(text))
    assert.isTrue(reading.ok, reading.ok ? "" : reading.message)
    return reading.ok ? reading.checkpoint : undefined
  }

  it("gives back its contracts and signers; without them it is the file that it always was", () => {
    const text = checkpointText({ ...content, signatures })
    assert.deepStrictEqual(read(text), { chainId: 10507, hashes, contracts, signers: [author, stranger] })
    assert.include(
      text,
      '  "contracts": ["0x0000000000000000000000000000000000007053"],\n  "entries": [\n    {"number":3,'
    )
    assert.include(text, `  ],\n  "signatures": [\n    {"signer":"${author}",`)
    assert.strictEqual(
      checkpointText({ chainId: 10507, hashes, contracts: [], signatures: [] }),
      checkpointText({ chainId: 10507, hashes })
    )
    assert.deepStrictEqual(Object.keys(checkpointDocument({ chainId: 1, hashes })), ["mediaType", "chainId", "entries"])
  })

  it("signs the sha256 of the canonical text of everything but its signatures, as these fixed bytes show", () => {
    const canonical =
      '{"chainId":10507,"contracts":["0x0000000000000000000000000000000000007053"],' +
      `"entries":[{"hash":"${hash("a")}","number":3},{"hash":"${hash("b")}","number":20}],` +
      `"mediaType":"${CHECKPOINT_MEDIA_TYPE}"}`
    const sum = createHash("sha256").update(canonical).digest("hex")
    assert.strictEqual(checkpointChecksum(checkpointDocument({ ...content, signatures })), sum)
    assert.strictEqual(verifyMessage(sum, signatures[0]!.signature), author)
  })

  it("reads in any order of members and white space, and in any letter case of addresses", () => {
    const { entries, mediaType, ...rest } = checkpointDocument({ ...content, signatures })
    const lower = signatures.map(({ signature, signer }) => ({ signature, signer: signer.toLowerCase() }))
    for (const file of [
      { entries, ...rest, mediaType },
      { signatures: lower, mediaType, entries, contracts, chainId: 10507 }
    ]) {
      assert.deepStrictEqual(read(JSON.stringify(file, null, 7))?.signers, [author, stranger])
    }
  })

  it("takes a further signature without touching the others, or what else the file holds", () => {
    const bare = { ...checkpointDocument(content), note: "by the archive", "1": [{ a: null }] }
    const first = { ...bare, signatures: [signatureBy(bare, authorKey)] }
    const text = checkpointFileText({ ...first, signatures: [...first.signatures, signatureBy(first, strangerKey)] })
    assert.deepStrictEqual(read(text)?.signers, [author, stranger])
    assert.strictEqual(JSON.parse(text).note, "by the archive")
  })

  it("that says something else than what was signed, by whomever, is refused whole", () => {
    const file = checkpointDocument({ ...content, signatures })
    const [byAuthor, byStranger] = signatures
    for (const changes of [
      { chainId: 10508 },
      { entries: [{ number: 3, hash: hash("c") }] },
      { entries: file.entries.slice(1) },
      { contracts: [] },
      { contracts: undefined },
      { contracts: [...contracts, author] },
      { note: "added" },
      { signatures: [byAuthor, { ...byStranger, signer: author }] },
      { signatures: [byAuthor, { ...byStranger, signature: "0x" }] },
      { signatures: [byAuthor, { ...byStranger, signature: `0x${"00".repeat(96)}${"6492".repeat(16)}` }] },
      { signatures: [byStranger, { ...byAuthor, signature: byStranger?.signature }] },
      { number: 1e300 },
      { "/": 1 }
    ]) {
      const refusal = parseCheckpoint(utf8(JSON.stringify({ ...file, ...changes })))
      assert.strictEqual(
        refusal.ok ? "read" : refusal.code,
        "checkpoint_signature",
        JSON.stringify(changes).slice(0, 60)
      )
    }
  })

  it("with lists of another kind, or with more than can be looked at, names them", () => {
    for (const [changes, paths] of [
      [{ contracts: "0x" }, ["/contracts"]],
      [{ contracts: null }, ["/contracts"]],
      [{ contracts: [author, "0x12", 1] }, ["/contracts/1", "/contracts/2"]],
      [{ contracts: Array.from({ length: 1025 }, () => author) }, ["/contracts"]],
      [{ signatures: {} }, ["/signatures"]],
      [{ signatures: [1] }, ["/signatures/0"]],
      [{ signatures: [{ signer: "ada", signature: 1 }] }, ["/signatures/0/signer", "/signatures/0/signature"]],
      [{ signatures: Array.from({ length: 65 }, () => signatures[0]) }, ["/signatures"]]
    ] as const) {
      assert.deepStrictEqual(refusalOf(file(changes)), { code: "checkpoint_members", paths: [...paths] })
    }
    assert.deepStrictEqual(read(file({ signatures: [], contracts: [author.toLowerCase(), author] }))?.contracts, [
      author
    ])
  })
})

describe("two checkpoints that disagree", () => {
  it("are named with the block; other chains, other blocks and the same hash are no disagreement", () => {
    const named = (name: string, blocks: ReadonlyArray<readonly [number, string]>, chainId = 1) => ({
      chainId,
      hashes: new Map(blocks),
      contracts: [],
      signers: [],
      name
    })
    const mine = named("mine", [
      [1, hash("a")],
      [2, hash("b")]
    ])
    const [agreeing, elsewhere] = [named("agreeing", [[2, hash("b")]]), named("elsewhere", [[2, hash("c")]], 2)]
    assert.isUndefined(checkpointsDisagreement([mine, agreeing, elsewhere, named("later", [[3, hash("c")]])]))
    assert.deepStrictEqual(checkpointsDisagreement([elsewhere, mine, agreeing, named("theirs", [[2, hash("c")]])]), {
      chainId: 1,
      number: 2,
      first: { name: "mine", hash: hash("b") },
      second: { name: "theirs", hash: hash("c") }
    })
    assert.isUndefined(checkpointsDisagreement([]))
  })
})
