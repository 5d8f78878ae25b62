/** Content identifiers and actions, against the vectors of multiformats and the published table of profiles. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { base36 } from "multiformats/bases/base36"
import { base58btc } from "multiformats/bases/base58"
import { CID } from "multiformats/cid"
import { ACTION_COMMIT, PREDEFINED_ACTIONS, parseAction } from "../../../packages/core/src/asset-tree/Action.ts"
import { checksumOf } from "../../../packages/core/src/asset-tree/Checksum.ts"
import { cidOf, DAG_JSON_CODE, parseCid, RAW_CODE, treeCidOf } from "../../../packages/core/src/asset-tree/Cid.ts"
import { ActionText } from "../../../packages/core/src/rules/RequestFields.ts"
import { processorTime } from "../../layers/Timing.ts"
import { actionText, bytes32, cidText } from "../Generators.ts"

interface CidVector {
  readonly id: string
  readonly input: { readonly cid?: string }
  readonly expected: {
    readonly "multiformats 14"?: {
      readonly error?: string
      readonly version?: number
      readonly codec?: string
      readonly hash?: string
      readonly digest?: string
    }
  }
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"))
const vectors = (read("cid") as ReadonlyArray<CidVector>).filter(({ expected }) => expected["multiformats 14"])
const actions: { readonly [name: string]: string } = read("actions").actions

const hex = (code: number): string => `0x${code.toString(16).padStart(2, "0")}`

describe("content identifiers", () => {
  it.each(vectors)("takes apart or refuses $id as published", ({ input, expected }) => {
    const parsed = parseCid(input.cid!)
    const wanted = expected["multiformats 14"]!
    if (wanted.error !== undefined) return assert.isUndefined(parsed)
    assert.deepStrictEqual(
      {
        version: parsed!.version,
        codec: hex(parsed!.codec),
        hash: hex(parsed!.hash),
        digest: Buffer.from(parsed!.digest).toString("hex")
      },
      { version: wanted.version as 0 | 1, codec: wanted.codec, hash: wanted.hash, digest: wanted.digest! }
    )
  })

  it("has vectors of accepted and of refused CIDs", () => {
    assert.deepStrictEqual(
      [...new Set(vectors.map(({ expected }) => "error" in expected["multiformats 14"]!))].sort(),
      [false, true]
    )
  })

  it.prop("names bytes by their sha256", [bytes32], ([bytes]) => {
    for (const codec of [RAW_CODE, DAG_JSON_CODE]) {
      const parsed = parseCid(cidOf(codec, bytes))!
      assert.strictEqual(Buffer.from(parsed.digest).toString("hex"), checksumOf(bytes))
      assert.deepStrictEqual([parsed.version, parsed.codec, parsed.hash], [1, codec, 0x12])
    }
    assert.strictEqual(treeCidOf(bytes), cidOf(DAG_JSON_CODE, bytes))
  })

  it.prop("accepts what multiformats parses", [cidText], ([text]) => {
    assert.strictEqual(parseCid(text)?.codec, CID.parse(text).code)
  })

  it("refuses text that is no CID: paths, URLs, padding, another base, upper case", () => {
    const cid = ACTION_COMMIT.nid
    for (const text of [
      "",
      " ",
      `/ipfs/${cid}`,
      `ipfs://${cid}`,
      ` ${cid}`,
      `${cid}\n`,
      cid.toUpperCase(),
      cid.slice(0, -1),
      `f01551220${"ab".repeat(32)}`
    ]) {
      assert.isUndefined(parseCid(text), JSON.stringify(text))
    }
  })

  it("refuses very long base58 at once, for reading it takes quadratic time", () => {
    const started = processorTime()
    assert.isUndefined(parseCid(`z${"2".repeat(60_000)}`))
    assert.isUndefined(parseCid(`Q${"m".repeat(60_000)}`))
    assert.isBelow(processorTime() - started, 200)
  })
})

describe("actions", () => {
  it("are the published names and Nids", () => {
    assert.deepStrictEqual(Object.fromEntries(PREDEFINED_ACTIONS.map(({ name, nid }) => [name, nid])), actions)
    for (const [name, nid] of Object.entries(actions)) assert.deepStrictEqual(parseAction(name), { name, nid })
  })

  it("are read back from a Nid as the first name that has it, and as action-commit when none has", () => {
    assert.strictEqual(parseAction(actions["action-initial-registration-jade"]!)?.name, "action-initial-registration")
    assert.strictEqual(parseAction(actions["action-mint-erc721-nft-jade"]!)?.name, "action-mint-erc721-nft")
    const own = cidOf(RAW_CODE, new Uint8Array([1]))
    assert.deepStrictEqual(parseAction(own), { name: "action-commit", nid: own })
    assert.isUndefined(parseAction("action-unknown"))
    assert.isUndefined(parseAction("toString"))
  })

  it.prop("are the same once encoded and decoded again", [actionText], ([text]) => {
    const action = Schema.decodeSync(ActionText)(text)
    assert.deepStrictEqual(Schema.decodeSync(ActionText)(Schema.encodeSync(ActionText)(action)), action)
  })
})

describe("the CIDs that trees and assets usually have", () => {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567018=A"
  const expected = (text: string) => {
    try {
      const { version, code, multihash } = CID.parse(text)
      return { version, codec: code, hash: multihash.code, digest: [...multihash.digest] }
    } catch {
      return undefined
    }
  }

  it.prop(
    "are read as multiformats reads them, and so is every change of one letter but to a capital",
    [bytes32],
    ([digest]) => {
      for (const cid of [cidOf(RAW_CODE, digest), cidOf(DAG_JSON_CODE, digest)]) {
        for (let at = 0; at < cid.length; at++) {
          const letter = alphabet[(digest[at % 32]! + at) % alphabet.length]!
          const text = cid.slice(0, at) + letter + cid.slice(at + 1)
          const parsed = parseCid(text)
          assert.deepStrictEqual(
            parsed && { ...parsed, digest: [...parsed.digest] },
            letter === "A" ? undefined : expected(text),
            text
          )
        }
        assert.deepStrictEqual([...parseCid(cid)!.digest], expected(cid)!.digest)
      }
    }
  )

  it("have one spelling in base32 and base36: capitals and padding, which multiformats reads there, are refused", () => {
    const cid = CID.parse(cidOf(RAW_CODE, new Uint8Array([1])))
    const spellings = [cid.toString(), cid.toString(base36), cid.toString(base58btc)]
    for (const text of spellings) assert.strictEqual(parseCid(text)?.codec, RAW_CODE)
    for (const text of spellings.slice(0, 2)) {
      const capitals = text.charAt(0) + text.slice(1).toUpperCase()
      assert.isDefined(expected(capitals))
      assert.isUndefined(parseCid(capitals))
      assert.isUndefined(parseCid(text.slice(0, -3) + text.slice(-3).toUpperCase()))
    }
    for (const padding of ["=", "======"]) {
      assert.isDefined(expected(cid.toString() + padding))
      assert.isUndefined(parseCid(cid.toString() + padding))
    }
  })
})
