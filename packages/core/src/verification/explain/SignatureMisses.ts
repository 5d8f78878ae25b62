/**
 * Near misses of a signature: what else it could be over, and how else it could be written, until its key is one that is known. The number of
 * recoveries is bounded, and a stranger's signature finds nothing.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { isSha256Text } from "../../asset-tree/Checksum.ts"
import { nobleRecoverKey } from "../../asset-tree/Signature.ts"
import { addressOfPublicKey } from "../../identity/Eip55.ts"
import { type Evidence, signerOf } from "../Evidence.ts"
import type { NearMiss } from "./Explanation.ts"
import { knownPeople } from "./KnownPeople.ts"
import type { NearMissKind } from "./NearMiss.ts"
import { otherDigests, personalDigest } from "./SignedOtherwise.ts"

/** Recovering a key is by far the dearest step. */
export const MOST_RECOVERIES = 24

interface Guess {
  readonly kind: NearMissKind
  readonly digest: Uint8Array
  readonly compact: Uint8Array
  readonly recoveryId: 0 | 1
  /** What the signature is, after "by 0x…, who". */
  readonly over: string
  /** After "It would verify if". */
  readonly remedy: string
}

/** The mistake that explains why the signature does not lead to the author. */
export const signatureMiss = (evidence: Evidence): NearMiss | undefined => {
  const { checksum, signature } = evidence
  if (checksum === undefined || !isSha256Text(checksum) || signature === undefined) return undefined
  const whoIs = knownPeople(evidence)
  const signer = signerOf(evidence)
  const role = signer === undefined ? undefined : whoIs(signer)
  if (signer !== undefined && role !== undefined) {
    return {
      kind: "signed_by_other_key",
      advice: `This signature is by ${signer}, ${role}, over the checksum as it should be: the right signature by another key than the one expected. It would verify if that signer were the author you expect (--author ${signer}).`
    }
  }
  let recoveries = 0
  for (const guess of guesses(evidence, checksum, signature)) {
    if (++recoveries > MOST_RECOVERIES) return undefined
    const found = signerOfGuess(guess)
    const who = found === undefined ? undefined : whoIs(found)
    if (who === undefined) continue
    return {
      kind: guess.kind,
      advice: `This signature is by ${found}, ${who}, ${guess.over}. It would verify if ${guess.remedy}.`
    }
  }
  return undefined
}

const signerOfGuess = ({ digest, compact, recoveryId }: Guess): string | undefined => {
  try {
    const key = nobleRecoverKey(digest, compact, recoveryId)
    return key === undefined ? undefined : addressOfPublicKey(key)
  } catch {
    return undefined
  }
}

function* guesses(evidence: Evidence, checksum: string, signature: string): Generator<Guess> {
  const read = readLoosely(signature)
  if (read === undefined) return
  const { compact, v, isSpelled } = read
  const digest = personalDigest(checksum)
  const form = formOf(read)
  for (const recoveryId of form.ids) {
    if (form.kind === undefined && !isSpelled) continue
    yield { ...(form.kind === undefined ? SPELLING : FORMS[form.kind](v)), digest, compact: form.compact, recoveryId }
  }
  const [recoveryId] = form.ids
  if (form.kind !== undefined || recoveryId === undefined) return
  const flipped = recoveryId === 0 ? 1 : 0
  yield { ...FORMS.signature_v_flipped(v), digest, compact, recoveryId: flipped }
  for (const other of otherDigests(evidence, checksum)) yield { ...other, compact, recoveryId }
}

interface LooseSignature {
  readonly compact: Uint8Array
  /** undefined: 64 bytes. */
  readonly v: number | undefined
  /** Its text is not 0x and hexadecimal. */
  readonly isSpelled: boolean
}

const LONGEST = 200

/** `r ‖ s ‖ v` in hexadecimal, with or without 0x, in quotes or blanks; v of up to 4 bytes. */
const readLoosely = (signature: string): LooseSignature | undefined => {
  if (signature.length > LONGEST) return undefined
  const digits = signature.replaceAll(/[\s"']/g, "").replace(/^0x/i, "")
  if (!/^[0-9a-fA-F]{128,136}$/.test(digits)) return undefined
  const tail = digits.slice(128)
  return {
    compact: hexToBytes(digits.slice(0, 128)),
    v: tail === "" ? undefined : Number.parseInt(tail, 16),
    isSpelled: signature !== `0x${digits}`
  }
}

type Form = "signature_s_flipped" | "signature_v_cut_off" | "signature_v_eip155" | "signature_v_other"

interface ReadForm {
  /** What is wrong with how it is written; undefined when nothing is. */
  readonly kind: Form | undefined
  readonly compact: Uint8Array
  readonly ids: ReadonlyArray<0 | 1>
}

const BOTH = [0, 1] as const

const formOf = ({ compact, v }: LooseSignature): ReadForm => {
  const topBit = compact[32]! >> 7
  if (v === undefined && topBit === 0) return { kind: "signature_v_cut_off", compact, ids: [1, 0] }
  if (v === undefined) {
    const cleared = compact.slice()
    cleared[32]! &= 0x7f
    return { kind: undefined, compact: cleared, ids: [1] }
  }
  if (BigInt(`0x${bytesToHex(compact.subarray(32))}`) > HALF_ORDER) {
    return { kind: "signature_s_flipped", compact, ids: BOTH }
  }
  if (v >= FIRST_EIP155) return { kind: "signature_v_eip155", compact, ids: BOTH }
  if (v === 0 || v === 27) return { kind: undefined, compact, ids: [0] }
  return v === 1 || v === 28
    ? { kind: undefined, compact, ids: [1] }
    : { kind: "signature_v_other", compact, ids: BOTH }
}

const HALF_ORDER = secp256k1.Point.CURVE().n >> 1n
const FIRST_EIP155 = 35

type Words = Pick<Guess, "kind" | "over" | "remedy">

const SPELLING: Words = {
  kind: "signature_spelling",
  over: "over the checksum as it should be, but spelled with more or less than 0x and hexadecimal digits",
  remedy: "it were written as 0x and 130 hexadecimal digits, with nothing around them"
}

const FORMS: Readonly<Record<Form | "signature_v_flipped", (v: number | undefined) => Words>> = {
  signature_v_cut_off: () => ({
    kind: "signature_v_cut_off",
    over: "over the checksum as it should be, but its last byte (v) was cut off",
    remedy: "all 65 bytes (130 hexadecimal digits) were given"
  }),
  signature_s_flipped: () => ({
    kind: "signature_s_flipped",
    over: "over the checksum as it should be, but in its malleable form, which anybody can make of it (high s, EIP-2)",
    remedy: "s were replaced by the order of the curve minus s and v by the other one, which is what the signer made"
  }),
  signature_v_eip155: (v = FIRST_EIP155) => ({
    kind: "signature_v_eip155",
    over: `over the checksum as it should be, but v is ${v}, the form of a transaction on chain ${Math.floor((v - FIRST_EIP155) / 2)} (EIP-155)`,
    remedy: `v were ${27 + ((v - FIRST_EIP155) % 2)}: a message is signed for no chain`
  }),
  signature_v_other: (v) => ({
    kind: "signature_v_other",
    over: `over the checksum as it should be, but its last byte (v) is ${v}`,
    remedy: "v were 27 or 28"
  }),
  signature_v_flipped: (v) => ({
    kind: "signature_v_flipped",
    over: "over the checksum as it should be, but its recovery id (v) is the other one",
    remedy:
      v === undefined
        ? "the highest bit of s were the other one"
        : `v were ${v % 2 === 1 ? "28" : "27"} instead of ${v}`
  })
}
