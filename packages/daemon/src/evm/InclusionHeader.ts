/**
 * A block header's RLP, rebuilt from the fields of `eth_getBlockByNumber`. Chains append fields of their own, so each known order is
 * tried, and the keccak-256 decides: what does not hash to the block's hash is no header. Orders: Ethereum (Yellow Paper, EIP-1559, 4895,
 * 4844, 4788, 7685, 7928), Avalanche's subnet-evm and coreth (Granite and Helicon included).
 */
import { encodeRlp, rlpInteger } from "@treemark/core/inclusion"
import { type Hex, hexToBytes, keccak256 } from "viem"

/** A block as JSON-RPC tells it; what is in it is not known before it is looked at. */
export type RpcObject = Readonly<Record<string, unknown>>

/** Bytes are written as they are, numbers without leading zeros. */
interface Field {
  readonly name: string
  readonly kind: "bytes" | "number"
}

const bytes = (name: string): Field => ({ name, kind: "bytes" })
const number = (name: string): Field => ({ name, kind: "number" })

/** What every header has. */
const FIRST: ReadonlyArray<Field> = [
  ...["parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom"].map(bytes),
  ...["difficulty", "number", "gasLimit", "gasUsed", "timestamp"].map(number),
  ...["extraData", "mixHash", "nonce"].map(bytes)
]

const BLOBS = [number("blobGasUsed"), number("excessBlobGas"), bytes("parentBeaconBlockRoot")]
const GRANITE = [number("timestampMilliseconds"), number("minDelayExcess")]
const SETTLED = ["settledHeight", "settledGasUnix", "settledGasNumerator", "settledExcess"].map(number)

/** What may follow, in order; later forks fill more of it. */
const FURTHER: ReadonlyArray<ReadonlyArray<Field>> = [
  [number("baseFeePerGas"), bytes("withdrawalsRoot"), ...BLOBS, bytes("requestsHash"), bytes("blockAccessListHash")],
  [
    number("baseFeePerGas"),
    number("blockGasCost"),
    ...BLOBS,
    ...GRANITE,
    number("targetExcess"),
    ...SETTLED,
    ...["ValidatorTargetGas", "TargetGas", "TargetToExcessScaling", "MinGasPrice", "StaticPricing"].map((name) =>
      number(`gasConfig${name}`)
    )
  ],
  [
    bytes("extDataHash"),
    number("baseFeePerGas"),
    number("extDataGasUsed"),
    number("blockGasCost"),
    ...BLOBS,
    ...GRANITE,
    number("targetExponent"),
    number("minPriceExponent"),
    ...SETTLED
  ]
]

/** What nodes tell of a block beside its header. */
const BESIDE = ["hash", "size", "totalDifficulty", "uncles", "transactions", "withdrawals", "blockExtraData", "author"]
const KNOWN = new Set([...FIRST, ...FURTHER.flat()].map(({ name }) => name).concat(BESIDE))

/** The RLP of the header that hashes to the block's `hash`; undefined when no known order gives it. */
export const rebuildHeader = (block: RpcObject): Uint8Array | undefined => {
  const first = FIRST.map((field) => fieldBytes(block, field))
  if (first.includes(undefined)) return undefined
  for (const fields of FURTHER) {
    const further = fields.map((field) => fieldBytes(block, field))
    for (let length = further.findLastIndex((value) => value !== undefined) + 1; length >= 0; length--) {
      const items = [...first, ...further.slice(0, length)].map((value) => value ?? new Uint8Array())
      const header = encodeRlp(items)
      if (keccak256(header) === block.hash) return header
    }
  }
  return undefined
}

/** Names of the block's fields that no known header has: what a newer fork may have added. */
export const unknownFields = (block: RpcObject): ReadonlyArray<string> =>
  Object.keys(block).filter((name) => !KNOWN.has(name) && block[name] !== null)

const fieldBytes = (block: RpcObject, { name, kind }: Field): Uint8Array | undefined => {
  const text = block[name]
  if (typeof text !== "string") return undefined
  if (kind === "number") return /^0x[0-9a-f]{1,64}$/iu.test(text) ? rlpInteger(BigInt(text)) : undefined
  return /^0x(?:[0-9a-f]{2})*$/iu.test(text) ? hexToBytes(text as Hex) : undefined
}
