/** What a forger has at hand: keys, hashes, canonical JSON and CIDs, with ethers and node:crypto alone, so that none of it is core's. */
import { createHash } from "node:crypto"
import { computeAddress, hashMessage, SigningKey, verifyMessage } from "ethers"

export interface Hand {
  readonly name: string
  readonly key: SigningKey
  /** EIP-55. */
  readonly address: string
}

const hand = (name: string, fill: string): Hand => {
  const key = new SigningKey(`0x${fill.repeat(32)}`)
  return { name, key, address: computeAddress(key.publicKey) }
}

/** The first two are the author and the stranger of the other tests. */
export const HANDS = {
  ada: hand("Ada", "07"),
  bob: hand("Bob", "09"),
  service: hand("Service", "05"),
  mallory: hand("Mallory", "11"),
  witness: hand("Witness", "21"),
  second: hand("Second", "22"),
  third: hand("Third", "23")
} as const

/** The commit contracts that are known without being told (decisions.md, section 10). */
export const KNOWN: Readonly<Record<number, string>> = {
  10507: "0x7EC2F14ABE8b0Ea2F657bBb62b6fEfDe161c9001",
  10508: "0x02eFA51b583d03342687b585417e5A62cd8273a4",
  7053001: "0x0000000000000000000000000000000000007053",
  7053002: "0x0000000000000000000000000000000000007053"
}

/** Signing and recovering is by far the dearest; most cases have one of a few signatures over one of a few texts. */
export const remembered = <A>(make: (key: string) => A): ((key: string) => A) => {
  const known = new Map<string, A>()
  return (key) => {
    const found = known.get(key) ?? make(key)
    if (known.size < 20_000) known.set(key, found)
    return found
  }
}

/** EIP-191 over `text`, 65 bytes. */
export const signText = (by: Hand, text: string): string => signDigest(by, hashMessage(text))

export const signDigest = ({ key, name }: Hand, digest: string): string => signed(name, key)(digest)

const signers = new Map<string, (digest: string) => string>()
const signed = (name: string, key: SigningKey) => {
  const known = signers.get(name) ?? remembered((digest) => key.sign(digest).serialized)
  signers.set(name, known)
  return known
}

/** Who signed `text`, by EIP-191. */
export const signerOfText = (text: string, signature: string): string => recovered(`${signature} ${text}`)
const recovered = remembered((both) => {
  const [signature = ""] = both.split(" ", 1)
  return verifyMessage(both.slice(signature.length + 1), signature)
})

export const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex")

/** Canonical dag-json: no white space, keys in the order of their UTF-8 bytes. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`
}

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567"

const base32 = (bytes: Uint8Array): string => {
  let bits = ""
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0")
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("")
}

const CODECS = { raw: [0x55], "dag-json": [0xa9, 0x02], "dag-pb": [0x70] } as const

/** The CIDv1 of a sha256 (hex) under a codec. */
export const cidOfDigest = (codec: keyof typeof CODECS, digest: string): string =>
  `b${base32(Buffer.from([1, ...CODECS[codec], 0x12, 32, ...Buffer.from(digest, "hex")]))}`
