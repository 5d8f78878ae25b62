/** Near misses of the tree's checksum and CID: the tree changed by accident, another value in their place, another spelling. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { checksumOf, isSha256Text } from "../../asset-tree/Checksum.ts"
import { DAG_PB_CODE, parseCid, SHA2_256_CODE } from "../../asset-tree/Cid.ts"
import { textMember } from "../../json/JsonValue.ts"
import { parseBase64 } from "../../proof/Base64.ts"
import { type Evidence, signerOf } from "../Evidence.ts"
import { namedTreeCids } from "../TreeChecks.ts"
import type { NearMiss } from "./Explanation.ts"
import { knownPeople } from "./KnownPeople.ts"
import type { NearMissKind } from "./NearMiss.ts"
import { type Variant, variantsOf } from "./Serialisations.ts"
import { plainFileDigests } from "./UnixfsDigests.ts"

/** Longer texts are no misspelt hash or CID. */
const LONGEST = 200

const BYTES: Readonly<Record<Variant["of"], NearMissKind>> = {
  newline_added: "bytes_newline_lost",
  newline_lost: "bytes_newline_added",
  bom_added: "bytes_bom_lost",
  bom_lost: "bytes_bom_added",
  line_ends: "bytes_line_ends",
  pretty_json: "bytes_pretty_json",
  canonical_json: "bytes_canonical_json"
}

/** For the check tree-sha256, when it fails. */
export const checksumMiss = (evidence: Evidence): NearMiss | undefined => {
  const { namedSha256: named, tree } = evidence
  if (named === undefined || tree === undefined) return undefined
  if (!isSha256Text(named)) {
    return spelledDigest(named) === tree.sha256
      ? {
          kind: "hash_spelling",
          advice: `The checksum is the tree's own, spelled in another way. Write it as ${tree.sha256}: 64 hexadecimal digits and nothing else.`
        }
      : undefined
  }
  return variantMiss(evidence, named, "checksum") ?? hashedOtherwise(evidence, named) ?? soundRecord(evidence)
}

/** For the check tree-cid, when it fails. */
export const treeCidMiss = (evidence: Evidence): NearMiss | undefined => {
  const { tree, input } = evidence
  const [named, other] = namedTreeCids(evidence)
  if (named === undefined || tree === undefined || input.tree === undefined) return undefined
  const cid = parseCid(named)
  if (cid === undefined) return spelledCid(named, tree.sha256)
  const digest = bytesToHex(cid.digest)
  if (digest === tree.sha256 && cid.hash === SHA2_256_CODE) {
    return {
      kind: "cid_other_codec",
      advice:
        other === undefined
          ? `The CID has the tree's sha256 in it, but the codec 0x${cid.codec.toString(16)}. It would fit as a raw (0x55) or dag-json (0x0129) CID.`
          : "The two CIDs differ in how they name the tree; the first has the tree's sha256 in it. It would pass if the proof and the record used one spelling and one codec (raw 0x55 or dag-json 0x0129)."
    }
  }
  if (cid.codec === DAG_PB_CODE && plainFileDigests(input.tree).includes(digest)) {
    return {
      kind: "cid_of_file",
      advice:
        "This is the CID that ipfs add gives to the tree as a file (UnixFS, dag-pb). It would pass as the CID of the bare block: ipfs add --cid-version 1 --raw-leaves, for a small file."
    }
  }
  return variantMiss(evidence, digest, "CID") ?? ofAsset(evidence, digest, "CID")
}

const variantMiss = (evidence: Evidence, digest: string, what: string): NearMiss | undefined => {
  for (const { of, words, bytes } of variantsOf(evidence)) {
    if (checksumOf(bytes) !== digest) continue
    return {
      kind: BYTES[of],
      advice: `The ${what} belongs to this tree ${words} (${bytes.length} bytes; here are ${evidence.input.tree?.length}). It would fit those very bytes: the tree is hashed as it was stored, never written again.`
    }
  }
  return undefined
}

const hashedOtherwise = (evidence: Evidence, named: string): NearMiss | undefined => {
  const bytes = evidence.input.tree
  const own = evidence.tree?.sha256
  if (bytes === undefined || own === undefined) return undefined
  if (named === checksumOf(utf8ToBytes(own))) {
    return {
      kind: "hash_of_hash",
      advice: `The value named is the sha256 of the checksum's text: the tree was hashed, and the hash once more. It would pass as ${own}.`
    }
  }
  if (named === bytesToHex(keccak_256(bytes))) {
    return {
      kind: "hash_keccak",
      advice: `The value named is the tree's keccak-256. It would pass as its sha256, ${own}.`
    }
  }
  return ofAsset(evidence, named, "checksum")
}

const ofAsset = ({ input, tree }: Evidence, digest: string, what: string): NearMiss | undefined =>
  digest === input.asset?.sha256 || digest === textMember(tree?.members, "assetSha256")?.toLowerCase()
    ? {
        kind: "hash_of_asset",
        advice: `The ${what} named for the tree is the asset's own. Name the tree's: its sha256 is ${tree?.sha256}.`
      }
    : undefined

/** The record holds together without the tree, so it is the tree that does not belong here. */
const soundRecord = (evidence: Evidence): NearMiss | undefined => {
  const signer = signerOf(evidence)
  const who = signer === undefined ? undefined : knownPeople(evidence)(signer)
  return who === undefined
    ? undefined
    : {
        kind: "record_of_other_tree",
        advice: `The commit record is sound by itself: ${signer}, ${who}, signed the checksum that it names. The tree beside it is another one, or was changed. It would verify with the tree whose sha256 is ${evidence.namedSha256}.`
      }
}

/** The digest (hex) in a text that is a checksum in another spelling. */
const spelledDigest = (text: string): string | undefined => {
  if (text.length > LONGEST) return undefined
  const bare = text.replaceAll(/[\s"':-]/g, "").replace(/^(?:sha256|sha2256)/i, "")
  const digits = bare.replace(/^0x/i, "")
  if (isSha256Text(digits)) return digits.toLowerCase()
  const base64 = parseBase64(bare)
  if (base64?.length === 32) return bytesToHex(base64)
  const cid = parseCid(bare)
  return cid?.hash === SHA2_256_CODE ? bytesToHex(cid.digest) : undefined
}

const spelledCid = (text: string, sha256: string): NearMiss | undefined => {
  const bare = bareCid(text)
  const cid = bare === undefined ? undefined : (parseCid(bare) ?? parseCid(bare.toLowerCase()))
  if (bare === undefined || cid === undefined || bytesToHex(cid.digest) !== sha256) return undefined
  return {
    kind: "cid_spelling",
    advice:
      "The tree's CID is there, but with something around it. Write the CID alone, without ipfs://, a path or blanks."
  }
}

/** The CID in a text that has something around it. */
export const bareCid = (text: string): string | undefined => {
  if (text.length > LONGEST) return undefined
  const bare = text
    .trim()
    .replace(/^(?:ipfs:\/\/|\/?ipfs\/|https?:\/\/[^/]+\/ipfs\/)/i, "")
    .replace(/[/?#].*$/, "")
  return bare === "" || bare === text ? undefined : bare
}
