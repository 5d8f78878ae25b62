/** What people sign in place of the checksum's 64 characters, each with the digest that their key then signed. */
import { sha256 } from "@noble/hashes/sha2.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { checksumOf } from "../../asset-tree/Checksum.ts"
import type { Evidence } from "../Evidence.ts"
import { computedTreeCid, namedTreeCids } from "../TreeChecks.ts"
import type { NearMissKind } from "./NearMiss.ts"
import { type Variant, variantsOf } from "./Serialisations.ts"

export interface OtherDigest {
  readonly kind: NearMissKind
  readonly digest: Uint8Array
  readonly over: string
  readonly remedy: string
}

/** The EIP-191 message (version 0x45) around `content`: the bytes that are hashed. */
export const personalMessage = (content: Uint8Array): Uint8Array =>
  concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${content.length}`), content)

export const personalDigest = (text: string): Uint8Array => keccak_256(personalMessage(utf8ToBytes(text)))

const SIGN_THE_TEXT = "the 64 hexadecimal digits themselves were signed, as text"

/** One after the other, the most usual first; later ones are computed only when asked for. */
export function* otherDigests(evidence: Evidence, checksum: string): Generator<OtherDigest> {
  const raw = hexToBytes(checksum)
  const upper = checksum.toUpperCase()
  const text = (kind: NearMissKind, signed: string, over: string, remedy = SIGN_THE_TEXT): OtherDigest => ({
    kind,
    digest: personalDigest(signed),
    over,
    remedy
  })
  yield text("signed_with_0x", `0x${checksum}`, "over the checksum with 0x kept before it")
  const bytes = keccak_256(personalMessage(raw))
  yield { kind: "signed_raw_bytes", digest: bytes, over: "over the checksum's 32 raw bytes", remedy: SIGN_THE_TEXT }
  if (upper !== checksum) {
    yield text(
      "signed_upper_case",
      upper,
      "over the checksum in upper case",
      "the digits a to f were signed in lower case"
    )
  }
  yield text("signed_with_newline", `${checksum}\n`, "over the checksum with a newline behind it (echo adds one)")
  yield text("signed_in_quotes", `"${checksum}"`, "over the checksum in quotes (jq prints them without -r)")
  const own = evidence.tree?.sha256
  if (own !== undefined && own !== checksum) {
    yield text(
      "signed_other_tree",
      own,
      "over the checksum of the tree that is here, while the commit record names another checksum",
      "the record of this very tree were given"
    )
  }
  for (const variant of variantsOf(evidence)) {
    yield text(
      SIGNED_VARIANT[variant.of],
      checksumOf(variant.bytes),
      `over the checksum of the tree ${variant.words}`,
      "those very bytes were given as the tree, or the bytes that are here were signed"
    )
  }
  yield* withoutMessage(checksum, raw)
  if (evidence.input.tree !== undefined && evidence.tree?.problem?.code !== "tree_too_large") {
    const whole = keccak_256(personalMessage(evidence.input.tree))
    yield {
      kind: "signed_tree_bytes",
      digest: whole,
      over: "over the tree itself",
      remedy: "its sha256 were signed: the 64 hexadecimal digits, as text"
    }
  }
  for (const cid of cidsOf(evidence)) yield text("signed_cid", cid, "over the tree's CID", SIGN_THE_TEXT)
}

/** Digests that were signed without the message of EIP-191 around them, or hashed by another function. */
function* withoutMessage(checksum: string, raw: Uint8Array): Generator<OtherDigest> {
  const remedy = "it were made with personal_sign (EIP-191), as wallets sign messages"
  const kind = "signed_without_prefix"
  yield {
    kind,
    digest: keccak_256(utf8ToBytes(checksum)),
    over: "over the checksum, without the prefix of EIP-191",
    remedy
  }
  yield { kind, digest: keccak_256(raw), over: "over the checksum's raw bytes, without the prefix of EIP-191", remedy }
  yield {
    kind: "signed_digest_directly",
    digest: raw,
    over: "with the checksum itself as the digest, not a message",
    remedy
  }
  const message = sha256(personalMessage(utf8ToBytes(checksum)))
  yield {
    kind: "signed_sha256_digest",
    digest: message,
    over: "over the right message, hashed by sha256",
    remedy: KECCAK
  }
  const plain = sha256(utf8ToBytes(checksum))
  yield { kind: "signed_sha256_digest", digest: plain, over: "over the checksum, hashed by sha256", remedy }
}

const KECCAK = "the message were hashed by keccak-256, as EIP-191 asks"

const LONGEST_CID = 128

const cidsOf = (evidence: Evidence): ReadonlyArray<string> =>
  [...new Set([...namedTreeCids(evidence), computedTreeCid(evidence)])].flatMap((cid) =>
    cid !== undefined && cid.length <= LONGEST_CID && cid.isWellFormed() ? [cid] : []
  )

const SIGNED_VARIANT: Readonly<Record<Variant["of"], NearMissKind>> = {
  newline_added: "signed_other_line_ends",
  newline_lost: "signed_other_line_ends",
  line_ends: "signed_other_line_ends",
  bom_added: "signed_other_line_ends",
  bom_lost: "signed_other_line_ends",
  pretty_json: "signed_pretty_json",
  canonical_json: "signed_canonical_json"
}
