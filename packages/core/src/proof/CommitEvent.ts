/**
 * The event that carries a commit record: `Commit(address indexed recorder, string indexed assetCid, string commitData)` of ERC-7053
 * (https://eips.ethereum.org/EIPS/eip-7053). An indexed string is the keccak-256 of its UTF-8 bytes; the data is the ABI encoding
 * of one string: 32 bytes with the number 32, 32 bytes with the length, the text, zeros up to a multiple of 32.
 */

import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Log } from "./Receipt.ts"
import { rlpInteger } from "./Rlp.ts"

/** Topics are 32 bytes as hex without `0x`; an address is its last 40 digits. */
export interface EventTopics {
  readonly event: string
  readonly recorder: string
  readonly assetCid: string
}

const WORD = 32

/** keccak-256 of `text` in UTF-8, hex without `0x`: an indexed string, an event's signature. */
export const topicOf = (text: string): string => bytesToHex(keccak_256(utf8ToBytes(text)))

export const commitTopic = (): string => topicOf("Commit(address,string,string)")

/** The topics of a log with three of them, as a Commit event has. */
export const topicsOf = ({ topics }: Log): EventTopics | undefined => {
  const [event, recorder, assetCid] = topics.map(bytesToHex)
  if (topics.length !== 3 || event === undefined || recorder === undefined || assetCid === undefined) return undefined
  return { event, recorder, assetCid }
}

/** Data of the event with this commit data. */
export const eventData = (commitData: string): Uint8Array => {
  const text = utf8ToBytes(commitData)
  const padding = new Uint8Array((WORD - (text.length % WORD)) % WORD)
  return concatBytes(word(WORD), word(text.length), text, padding)
}

const word = (value: number): Uint8Array => {
  const bytes = new Uint8Array(WORD)
  const digits = rlpInteger(value)
  bytes.set(digits, WORD - digits.length)
  return bytes
}
