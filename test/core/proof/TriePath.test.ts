/** Paths through tries: ethereum/tests' published tries, random ones built by another implementation, and forgeries. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { createMerkleProof, MerklePatriciaTrie } from "@ethereumjs/mpt"
import { bytesToHex, type Hex, hexToBytes, keccak256 } from "viem"
import { encodeRlp, type RlpItem } from "../../../packages/core/src/proof/Rlp.ts"
import { valueAt } from "../../../packages/core/src/proof/TriePath.ts"
import { seeded } from "./Seeded.ts"

interface Vector {
  readonly id: string
  readonly input: { readonly puts: ReadonlyArray<readonly [key: Hex, value: Hex | null]> }
  readonly expected: { readonly root: Hex }
}
const vectors: ReadonlyArray<Vector> = JSON.parse(readFileSync("test/vectors/tries.json", "utf8"))

const trieOf = async (puts: Vector["input"]["puts"]) => {
  const trie = new MerklePatriciaTrie()
  const held = new Map<Hex, Hex>()
  for (const [key, value] of puts) {
    if (value === null) await trie.del(hexToBytes(key))
    else await trie.put(hexToBytes(key), hexToBytes(value))
    if (value === null) held.delete(key)
    else held.set(key, value)
  }
  return { trie, held }
}

/** As `Prove` of go-ethereum lists them: nodes that stand inside their parent are not listed. */
const pathTo = async (trie: MerklePatriciaTrie, key: Hex): Promise<ReadonlyArray<Uint8Array>> =>
  (await createMerkleProof(trie, hexToBytes(key))).filter(({ length }, at) => at === 0 || length >= 32)

const show = (value: Uint8Array | undefined): string => (value === undefined ? "nothing" : bytesToHex(value))

const hash = (bytes: Uint8Array): Uint8Array => keccak256(bytes, "bytes")

describe("a path through a trie", () => {
  for (const { id, input, expected } of vectors) {
    it(`leads to every value of ${id} of ethereum/tests`, async () => {
      const { trie, held } = await trieOf(input.puts)
      assert.strictEqual(bytesToHex(trie.root()), expected.root)
      for (const [key, value] of held) {
        assert.strictEqual(show(valueAt(trie.root(), hexToBytes(key), await pathTo(trie, key))), value)
      }
    })
  }

  it("leads to every value of random tries, with short values inside their parents, and to no other", async () => {
    const random = seeded(3)
    for (let round = 0; round < 40; round++) {
      const puts = Array.from({ length: 1 + random(60) }, (): readonly [Hex, Hex] => [
        bytesToHex(Uint8Array.from({ length: 1 + random(3) }, () => random(20))),
        bytesToHex(Uint8Array.from({ length: 1 + random(random(4) === 0 ? 200 : 6) }, () => random(256)))
      ])
      const { trie, held } = await trieOf(puts)
      const root = trie.root()
      for (const [key, value] of held) {
        const path = await pathTo(trie, key)
        assert.strictEqual(show(valueAt(root, hexToBytes(key), path)), value)
        for (const other of held.keys()) {
          const found = show(valueAt(root, hexToBytes(other), path))
          assert.include([held.get(other), "nothing"], found)
        }
        assert.isUndefined(valueAt(root, hexToBytes(key), [...path, path.at(-1)!]), "a node too many")
        assert.isUndefined(valueAt(root, hexToBytes(key), path.slice(0, -1)), "a node too few")
        assert.isUndefined(valueAt(root, hexToBytes(key), [...path].reverse().concat(path.length === 1 ? path : [])))
        assert.isUndefined(valueAt(hash(root), hexToBytes(key), path), "another root")
        const longer = show(valueAt(root, hexToBytes(`${key}00`), path))
        assert.include([held.get(`${key}00`), "nothing"], longer)
      }
    }
  })

  it("is broken by any byte changed in any node", async () => {
    const puts = Array.from({ length: 40 }, (_, at): readonly [Hex, Hex] => [
      bytesToHex(Uint8Array.of(at, at)),
      bytesToHex(new Uint8Array(40).fill(at + 1))
    ])
    const { trie } = await trieOf(puts)
    const key = puts[17]![0]
    const path = await pathTo(trie, key)
    for (const [index, node] of path.entries()) {
      for (let at = 0; at < node.length; at++) {
        const changed = Uint8Array.from(node)
        changed[at]! ^= 1 << (at % 8)
        assert.isUndefined(valueAt(trie.root(), hexToBytes(key), path.with(index, changed)))
      }
    }
  })

  it("through malformed nodes leads nowhere, even when the hashes fit", () => {
    const key = Uint8Array.of(0x12)
    const value = new Uint8Array(40).fill(7)
    const empty = new Uint8Array()
    const at = (node: RlpItem): Uint8Array | undefined => valueAt(hash(encodeRlp(node)), key, [encodeRlp(node)])
    const branch = (child: RlpItem, nibble = 1): ReadonlyArray<RlpItem> =>
      Array.from({ length: 17 }, (_, index) => (index === nibble ? child : empty))
    assert.deepStrictEqual(at([Uint8Array.of(0x20, 0x12), value]), value)
    assert.deepStrictEqual(at(branch([Uint8Array.of(0x32), Uint8Array.of(9)])), Uint8Array.of(9))
    for (const [what, node] of [
      ["no list", value],
      ["an empty list", []],
      ["one item", [Uint8Array.of(0x20, 0x12)]],
      ["three items", [Uint8Array.of(0x20, 0x12), value, value]],
      ["sixteen items", branch(empty).slice(1)],
      ["an unknown flag", [Uint8Array.of(0x40, 0x12), value]],
      ["a filled half byte beside an even flag", [Uint8Array.of(0x21, 0x12), value]],
      ["no path at all", [empty, value]],
      ["another path", [Uint8Array.of(0x20, 0x13), value]],
      ["a path too short", [Uint8Array.of(0x31), value]],
      ["a path too long", [Uint8Array.of(0x20, 0x12, 0x12), value]],
      ["a path of a megabyte", [new Uint8Array(1_000_000), value]],
      ["an extension that goes nowhere", [Uint8Array.of(0x00), value.subarray(0, 32)]],
      ["an empty value", [Uint8Array.of(0x20, 0x12), empty]],
      ["a list for a value", [Uint8Array.of(0x20, 0x12), [value]]],
      ["an empty child", branch(empty)],
      ["a child of 31 bytes", branch(value.subarray(0, 31))],
      ["an inline child of 32 bytes", branch([Uint8Array.of(0x32), value])]
    ] as const) {
      assert.isUndefined(at(node), what)
    }
  })
})
