/**
 * How bytes lie in the chain's file: deflated (RFC 1951) against bytes that both sides know. A receipt repeats its transaction, a header
 * the first header, nodes of the state the nodes they replace, so each costs little more than what is new in it.
 *
 * Gotcha: {@link TRANSACTION_SAMPLE} is part of the format. What was packed against it is lost with any other.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib"

/** What commits have in common: the words of a commit record, as they stand in call data. */
export const TRANSACTION_SAMPLE = Buffer.from(
  '0x"}bafybeibafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m{"assetTreeCid":"baguqeera","assetTreeSha256":"","assetTreeSignature":"0x1b1c","author":"0x","committer":"0x","action":"bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m","actionName":"action-commit","actionResult":"http://127.0.0.1:7053/ipfs/baguqeera","provider":"Treemark","abstract":"","actSignature":"0x","timestampCreated":17'
)

/** `bytes` as they are stored; `known` is what {@link unpacked} has to be given again. */
export const packed = (bytes: Uint8Array, known: Uint8Array): Uint8Array =>
  known.length === 0
    ? deflateRawSync(bytes, { memLevel: 5 })
    : deflateRawSync(bytes, { memLevel: 5, dictionary: known })

export const unpacked = (stored: Uint8Array, known: Uint8Array): Uint8Array =>
  known.length === 0 ? inflateRawSync(stored) : inflateRawSync(stored, { dictionary: known })

export const NOTHING = new Uint8Array()
