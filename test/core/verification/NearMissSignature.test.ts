/** Near misses of signatures: each mistake is really made, with a real key and other libraries (ethers, node:crypto), and is then named. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import {
  explain,
  type NearMiss,
  type NearMissKind,
  parseAuthors,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { hexlify, keccak256, SigningKey, toUtf8Bytes, Wallet } from "ethers"
import { evidenceOf } from "../../../packages/core/src/verification/Evidence.ts"
import { MOST_RECOVERIES } from "../../../packages/core/src/verification/explain/SignatureMisses.ts"
import { otherDigests } from "../../../packages/core/src/verification/explain/SignedOtherwise.ts"
import {
  author,
  authorKey,
  committer,
  ledger,
  sign,
  signed,
  stranger,
  strangerKey,
  treeMembers,
  utf8
} from "./Fixtures.ts"

const wallet = new Wallet(hexlify(authorKey))
const key = new SigningKey(hexlify(authorKey))
const committerKey = new Uint8Array(32).fill(5)
const checksum = signed.record.assetTreeSha256
const raw = Buffer.from(checksum, "hex")
const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex")
const text = new TextDecoder().decode(signed.tree)
const pretty = JSON.stringify(JSON.parse(text), null, 2)

const right = wallet.signMessageSync(checksum)
const [r, s, v] = [right.slice(2, 66), right.slice(66, 130), Number.parseInt(right.slice(130), 16)]
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const highS = (ORDER - BigInt(`0x${s}`)).toString(16).padStart(64, "0")
const byte = (value: number): string => value.toString(16).padStart(2, "0")
const withV = (value: number | string): string => `0x${r}${s}${typeof value === "string" ? value : byte(value)}`
const ofDigest = (digest: string | Uint8Array): string => key.sign(digest).serialized

const withSignature = (signature: string, changes: VerifyInput = {}): VerifyInput => ({
  tree: signed.tree,
  record: { ...signed.record, assetTreeSignature: signature },
  ...changes
})

/** The one near miss of a verification, and where it is told. */
const missesOf = (input: VerifyInput): ReadonlyArray<NearMiss & { readonly check: string }> =>
  explain(input, verify(input)).flatMap(({ check, nearMiss }) => (nearMiss === null ? [] : [{ check, ...nearMiss }]))

const missOf = (input: VerifyInput) => {
  const misses = missesOf(input)
  assert.strictEqual(misses.length, 1, JSON.stringify(misses))
  return misses[0]!
}

const mistakes: ReadonlyArray<readonly [title: string, kind: NearMissKind, signature: string, says: string]> = [
  ["the checksum with 0x kept", "signed_with_0x", wallet.signMessageSync(`0x${checksum}`), "0x kept"],
  ["the checksum's 32 raw bytes", "signed_raw_bytes", wallet.signMessageSync(raw), "32 raw bytes"],
  ["the checksum in upper case", "signed_upper_case", wallet.signMessageSync(checksum.toUpperCase()), "upper case"],
  ["a newline behind the checksum", "signed_with_newline", wallet.signMessageSync(`${checksum}\n`), "newline"],
  ["the checksum in quotes", "signed_in_quotes", wallet.signMessageSync(`"${checksum}"`), "quotes"],
  ["pretty JSON", "signed_pretty_json", wallet.signMessageSync(sha256(pretty)), "two spaces"],
  ["pretty JSON with a newline", "signed_pretty_json", wallet.signMessageSync(sha256(`${pretty}\n`)), "and a newline"],
  ["a tree with a newline", "signed_other_line_ends", wallet.signMessageSync(sha256(`${text}\n`)), "with a newline"],
  ["the tree itself", "signed_tree_bytes", wallet.signMessageSync(signed.tree), "the tree itself"],
  ["the CID", "signed_cid", wallet.signMessageSync(signed.record.assetTreeCid), "CID"],
  ["the text without EIP-191", "signed_without_prefix", ofDigest(keccak256(toUtf8Bytes(checksum))), "EIP-191"],
  ["the bytes without EIP-191", "signed_without_prefix", ofDigest(keccak256(raw)), "EIP-191"],
  ["the checksum as a digest", "signed_digest_directly", ofDigest(raw), "as the digest"],
  [
    "the message hashed by sha256",
    "signed_sha256_digest",
    ofDigest(`0x${sha256(`\x19Ethereum Signed Message:\n64${checksum}`)}`),
    "keccak-256"
  ],
  ["the text hashed by sha256", "signed_sha256_digest", ofDigest(`0x${sha256(checksum)}`), "hashed by sha256"],
  ["v the other one", "signature_v_flipped", withV(v === 27 ? 28 : 27), `v were ${v}`],
  ["v of EIP-155, chain 1", "signature_v_eip155", withV(v - 27 + 37), "chain 1 (EIP-155)"],
  [
    "v of EIP-155, chain 7053001",
    "signature_v_eip155",
    withV((v - 27 + 35 + 2 * 7053001).toString(16).padStart(8, "0")),
    "chain 7053001"
  ],
  ["v of a compressed key", "signature_v_other", withV(v + 4), "v were 27 or 28"],
  ["s flipped, with its v", "signature_s_flipped", `0x${r}${highS}${byte(v === 27 ? 28 : 27)}`, "EIP-2"],
  ["s flipped, v left", "signature_s_flipped", `0x${r}${highS}${byte(v)}`, "EIP-2"],
  ["no 0x", "signature_spelling", right.slice(2), "0x and 130"],
  ["0X and blanks", "signature_spelling", ` 0X${right.slice(2)}\n`, "0x and 130"],
  ["quotes", "signature_spelling", `"${right}"`, "0x and 130"]
]

describe("a near miss of a signature", () => {
  for (const [title, kind, signature, says] of mistakes) {
    it(`is named: ${title}`, () => {
      const miss = missOf(withSignature(signature))
      assert.strictEqual(miss.kind, kind)
      assert.include(miss.advice, `This signature is by ${author}, the author that the tree names, `)
      assert.include(miss.advice, says)
      assert.include(miss.advice, "It would verify if ")
    })
  }

  it("is named: v cut off, where the other v is meant (with v 27 the 64 bytes are EIP-2098 and hold)", () => {
    const trees = Array.from({ length: 16 }, (_, at) => sign(utf8(JSON.stringify({ ...treeMembers, at }))))
    const outcomes = trees.map(({ tree, record }) => {
      const isEven = record.assetTreeSignature.endsWith("1b")
      const input = { tree, record: { ...record, assetTreeSignature: record.assetTreeSignature.slice(0, 130) } }
      if (isEven) assert.isEmpty(missesOf(input).filter(({ check }) => check !== "tree-cid"))
      else assert.strictEqual(missOf(input).kind, "signature_v_cut_off")
      return isEven
    })
    assert.sameMembers([...new Set(outcomes)], [true, false])
  })

  it("is named: canonical JSON where the tree is as another client wrote it", () => {
    const commit = sign(utf8(pretty))
    for (const [form, words] of [
      [text, "canonical JSON"],
      [JSON.stringify({ b: 1, ...JSON.parse(text) }), "without spaces"]
    ] as const) {
      const tree = form === text ? commit.tree : utf8(JSON.stringify(JSON.parse(form), null, 2))
      const { record } = sign(tree)
      const miss = missOf({ tree, record: { ...record, assetTreeSignature: wallet.signMessageSync(sha256(form)) } })
      assert.strictEqual(miss.kind, "signed_canonical_json")
      assert.include(miss.advice, words)
    }
  })

  it("is named: Windows line ends, a byte order mark", () => {
    const commit = sign(utf8(pretty))
    for (const changed of [pretty.replaceAll("\n", "\r\n"), `\ufeff${pretty}`]) {
      const signature = wallet.signMessageSync(sha256(changed))
      const miss = missOf({ tree: commit.tree, record: { ...commit.record, assetTreeSignature: signature } })
      assert.strictEqual(miss.kind, "signed_other_line_ends")
    }
  })

  it("is named: the signature is over this tree, while the record names another one's checksum", () => {
    const record = { ...signed.record, assetTreeSha256: sha256("another tree") }
    const miss = missesOf({ tree: signed.tree, record }).find(({ kind }) => kind === "signed_other_tree")
    assert.include(miss?.advice, author)
  })

  it("is named: the right signature by another key, of somebody who is known", () => {
    const byCommitter = sign(signed.tree, { key: committerKey }).record
    const miss = missOf({ tree: signed.tree, record: { ...byCommitter } })
    assert.deepStrictEqual([miss.kind, miss.check], ["signed_by_other_key", "signer-is-author"])
    assert.include(miss.advice, `${committer}, the committer that the commit record names, over the checksum`)
    const { committer: _, ...rest } = byCommitter
    assert.include(missOf({ tree: signed.tree, record: rest, ledger }).advice, "the sender of the transaction")
    const authors = parseAuthors(utf8(`${stranger} Grace\n`))
    assert.isTrue(authors.ok)
    const byStranger = sign(signed.tree, { key: strangerKey }).record
    const listed = missOf({
      tree: signed.tree,
      record: { ...byStranger },
      authors: authors.ok ? authors.authors : undefined
    })
    assert.include(listed.advice, "in your authors file as Grace")
    const expected = missOf({ tree: signed.tree, record: { ...signed.record }, expectedAuthor: stranger })
    assert.deepStrictEqual([expected.kind, expected.check], ["signed_by_other_key", "expected-author"])
  })

  it("is found for whoever is expected with --author, too", () => {
    const mistake = new Wallet(hexlify(strangerKey)).signMessageSync(`0x${checksum}`)
    assert.include(missOf(withSignature(mistake, { expectedAuthor: stranger })).advice, "whom you named")
  })

  it("does not exist for an unrelated signature, whatever is wrong with how it is written", () => {
    const other = new Wallet(hexlify(strangerKey)).signMessageSync("something else")
    for (const signature of [
      other,
      other.slice(2),
      other.slice(0, 130),
      `${other.slice(0, 130)}25`,
      `${other.slice(0, 130)}1f`,
      wallet.signMessageSync("another text"),
      "0x",
      "",
      `0x${"0".repeat(130)}`,
      `0x${"f".repeat(130)}`,
      "z".repeat(130),
      "0x".repeat(1_000_000)
    ]) {
      assert.isEmpty(missesOf(withSignature(signature)), signature.slice(0, 140))
    }
  })

  it("does not exist where the signature holds", () => {
    assert.isEmpty(missesOf(withSignature(right)))
  })

  it("changes neither the verdict nor a check: the report is the same before and after", () => {
    for (const [, , signature] of mistakes) {
      const input = withSignature(signature)
      const report = verify(input)
      const before = structuredClone(report)
      const explanations = explain(input, report)
      assert.deepStrictEqual(report, before)
      assert.deepStrictEqual(verify(input), before)
      assert.notStrictEqual(report.verdict, "valid")
      assert.deepStrictEqual(
        explanations.map(({ check, outcome, code, expected, actual }) => ({
          name: check,
          outcome,
          code,
          expected,
          actual
        })),
        report.checks
      )
    }
  })

  it("costs at most 24 recoveries, and no guess is left out for that, however the tree is written", () => {
    for (const tree of [text, pretty, `${pretty}\r\n`, `\ufeff${pretty.replaceAll("\n", "\r\n")}\n`]) {
      const record = { ...sign(utf8(tree)).record, assetTreeSha256: sha256("another"), assetTreeCid: "another" }
      const guesses = [...otherDigests(evidenceOf({ tree: utf8(tree), record }), record.assetTreeSha256)]
      assert.isAtLeast(guesses.length, 15)
      assert.isAtMost(guesses.length + 1, MOST_RECOVERIES)
      assert.strictEqual(new Set(guesses.map(({ digest }) => hexlify(digest))).size, guesses.length)
    }
    assert.isAtMost(MOST_RECOVERIES, 24)
  })
})
