/**
 * Generators of every domain type: what callers may send (texts with emoji, surrogate pairs and control characters; any JSON in
 * `custom`; CIDs of all kinds), and what core makes of it. Everything here is valid; tests break it on purpose.
 */
import { Arbitrary, Effect, Schema } from "effect"
import { ACTION_COMMIT, PREDEFINED_ACTIONS } from "../../packages/core/src/asset-tree/Action.ts"
import { sha256Of } from "../../packages/core/src/asset-tree/Checksum.ts"
import { cidOf, DAG_JSON_CODE, DAG_PB_CODE, RAW_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import { addressOfPrivateKey } from "../../packages/core/src/asset-tree/Signature.ts"
import { AccountId, Caller } from "../../packages/core/src/identity/Caller.ts"
import { walletAddress } from "../../packages/core/src/identity/WalletAddress.ts"
import type { JsonValue } from "../../packages/core/src/json/JsonValue.ts"
import { type Amount, amount } from "../../packages/core/src/money/Amount.ts"
import type { CommitRequest } from "../../packages/core/src/rules/CommitRequest.ts"
import { decodeCommitRequest } from "../../packages/core/src/rules/CommitRules.ts"

export type Json = JsonValue
export type JsonObject = { readonly [key: string]: Json }

/** Whether the keys of every object in `value` stand in one order by their UTF-8 bytes and by their UTF-16 units. */
export const hasOneOrder = (value: Json): boolean => {
  if (value === null || typeof value !== "object") return true
  const keys = Array.isArray(value) ? [] : Object.keys(value).sort()
  const pairs = keys.slice(1).map((key, index) => [keys[index]!, key] as const)
  return (
    pairs.every(([one, other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0) &&
    Object.values(value).every(hasOneOrder)
  )
}

const integer = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const oneOf = <A>(choices: ReadonlyArray<Arbitrary.Arbitrary<A>>): Arbitrary.Arbitrary<A> =>
  Arbitrary.flatMap(integer(0, choices.length - 1), (chosen) => choices[chosen]!)

const anyOf = <A>(values: ReadonlyArray<A>): Arbitrary.Arbitrary<A> =>
  Arbitrary.map(integer(0, values.length - 1), (chosen) => values[chosen]!)

/** Single code points that have broken encoders before. */
const codePoint = anyOf([
  ..."aZ09 _-./~\"'\\{}:,",
  "\n",
  "\t",
  "\0",
  "\u007f",
  "é",
  "\u0301",
  "ß",
  "中",
  "\u200d",
  "\u2028",
  "\ud7ff",
  "\ue000",
  "\ufeff",
  "\ufffd",
  "\uffff",
  "👩",
  "🏽",
  "\u{10000}",
  "\u{10ffff}"
])

/** Well-formed text of `minLength` to `maxLength` code points. */
export const text = (minLength: number, maxLength: number): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(Arbitrary.array(codePoint, { minLength, maxLength }), (points) => points.join(""))

export const bytes32: Arbitrary.Arbitrary<Uint8Array> = Arbitrary.map(integer(1, Number.MAX_SAFE_INTEGER), (seed) =>
  sha256Of(new TextEncoder().encode(`seed ${seed}`))
)

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** A secp256k1 private key; a sha256 is one except with a chance of 2^-128. */
export const privateKey = bytes32

/** An address as somebody may write it: checksummed, in lower case, or in upper case after the 0x. */
export const addressText = Arbitrary.flatMap(privateKey, (key) => {
  const address = addressOfPrivateKey(key)
  return anyOf([address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
})

export const wallet = Arbitrary.map(addressText, walletAddress)

export const sha256Text = Arbitrary.flatMap(bytes32, (bytes) => anyOf([hex(bytes), hex(bytes).toUpperCase()]))

export const cidText = Arbitrary.flatMap(bytes32, (bytes) =>
  anyOf([
    cidOf(RAW_CODE, bytes),
    cidOf(DAG_PB_CODE, bytes),
    cidOf(DAG_JSON_CODE, bytes),
    "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n",
    "zdj7Wd8AMwqnhJGQCbFxBVodGSBG84TM7Hs1rcJuQMwTyfEDS"
  ])
)

export const actionText = oneOf([anyOf(PREDEFINED_ACTIONS.flatMap(({ name, nid }) => [name, nid])), cidText])

/** Amounts from nothing to far beyond 2^64 smallest units, dense around the places where 4 decimals cut. */
export const anyAmount: Arbitrary.Arbitrary<Amount> = oneOf([
  Arbitrary.map(integer(0, Number.MAX_SAFE_INTEGER), (units) => amount(BigInt(units))),
  Arbitrary.map(bytes32, (bytes) => amount(BigInt(`0x${hex(bytes)}`))),
  Arbitrary.map(Arbitrary.all([integer(0, 1_000_000), integer(-2, 2)]), ([steps, off]) => {
    const units = BigInt(steps) * 100_000_000_000_000n + BigInt(off)
    return amount(units < 0n ? 0n : units)
  })
])

const number = oneOf([
  integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  Arbitrary.map(integer(-1_000_000, 1_000_000), (numerator) => numerator / 1024),
  anyOf([0.1, -1.5e-7, 5e-324, 1 / 3, 123456.789, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])
])

const scalar: Arbitrary.Arbitrary<Json> = oneOf<Json>([text(0, 12), number, anyOf<Json>([true, false, null])])

/** Keys, the awkward ones among them; `/` alone is the one that dag-json reserves. */
const key = oneOf([
  Arbitrary.filter(text(0, 6), (candidate) => candidate !== "/"),
  anyOf(["", "__proto__", "constructor", "toString", "10", "9", "a/b", "~0", "//"])
])

/** Object.fromEntries makes `__proto__` a property of its own. */
const objectOf = (member: Arbitrary.Arbitrary<Json>): Arbitrary.Arbitrary<JsonObject> =>
  Arbitrary.map(Arbitrary.array(Arbitrary.all([key, member]), { maxLength: 5 }), (members) =>
    Object.fromEntries(members)
  )

const nested = (depth: number): Arbitrary.Arbitrary<Json> =>
  depth === 0
    ? scalar
    : oneOf<Json>([scalar, objectOf(nested(depth - 1)), Arbitrary.array(nested(depth - 1), { maxLength: 4 })])

export const json = nested(3)

/** No object in it has keys that UTF-8 and UTF-16 order differently, which `custom` refuses. */
export const custom: Arbitrary.Arbitrary<JsonObject> = Arbitrary.filter(objectOf(json), hasOneOrder)

const mediaType = anyOf([
  "image/jpeg",
  "application/vnd.c2pa+json",
  'text/plain; charset="utf-8"',
  "video/mp4;codecs=avc1"
])

const tokenId = oneOf([
  Arbitrary.map(bytes32, (bytes) => BigInt(`0x${hex(bytes)}`).toString()),
  anyOf(["0", "1", "007", (2n ** 256n - 1n).toString()])
])

const requiredMembers = Arbitrary.all({
  encodingFormat: mediaType,
  assetCid: cidText,
  assetTimestampCreated: oneOf([integer(0, 253_402_300_799), anyOf([0, 253_402_300_799])]),
  assetCreator: text(0, 21),
  assetSha256: sha256Text
})

const signature = Arbitrary.map(Arbitrary.all([bytes32, bytes32]), ([r, s]) => `0x${hex(r)}${hex(s)}1b`)

const optionalMembers = Arbitrary.all({
  testnet: Arbitrary.schema(Schema.Boolean),
  author: addressText,
  licenseName: text(0, 21),
  licenseDocument: text(0, 30),
  custom: oneOf<JsonObject | string>([custom, Arbitrary.map(custom, (value) => JSON.stringify(value))]),
  nftContractAddress: addressText,
  nftChainID: integer(1, Number.MAX_SAFE_INTEGER),
  nftTokenID: tokenId,
  commitMessage: text(0, 30),
  action: actionText,
  abstract: text(0, 255),
  headline: text(0, 30),
  integrityCid: cidText,
  assetTreeSignature: signature
})

/** What happens to an optional member: given, left out, or null. */
const fate = anyOf(["given", "given", "absent", "null"] as const)

/** A valid body of a commit request, as JSON. */
export const commitBody: Arbitrary.Arbitrary<JsonObject> = Arbitrary.map(
  Arbitrary.all([requiredMembers, optionalMembers, Arbitrary.array(fate, { minLength: 14, maxLength: 14 })]),
  ([members, optional, fates]) => ({
    ...members,
    ...Object.fromEntries(
      Object.entries(optional).flatMap(
        ([name, value], index): ReadonlyArray<readonly [string, Json]> =>
          fates[index] === "absent" ? [] : [[name, fates[index] === "null" ? null : value]]
      )
    )
  })
)

export const commitRequest: Arbitrary.Arbitrary<CommitRequest> = Arbitrary.map(commitBody, (body) =>
  Effect.runSync(decodeCommitRequest(body))
)

export const caller: Arbitrary.Arbitrary<Caller> = Arbitrary.map(
  wallet,
  (address) =>
    new Caller({
      accountId: AccountId.make("acc_0123456789abcdef"),
      name: "Generated",
      serviceName: "capture",
      wallet: address
    })
)

/** The same JSON with the members of every object in another order: `order` picks each next member. */
export const reordered = (value: Json, order: ReadonlyArray<number>): Json => {
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map((member) => reordered(member, order))
  const left = Object.entries(value)
  const members: Array<readonly [string, Json]> = []
  for (let turn = 0; left.length > 0; turn++) {
    const [taken] = left.splice(order[turn % order.length]! % left.length, 1)
    members.push([taken![0], reordered(taken![1], order)])
  }
  return Object.fromEntries(members)
}

export const order = Arbitrary.array(integer(0, 1000), { minLength: 8, maxLength: 24 })

/** A body with the required members only. */
export const plainBody = {
  encodingFormat: "application/json",
  assetCid: "bafkreicptxn6f752c4pvb6gqwro7s7wb336idkzr6wmolkifj3aafhvwii",
  assetTimestampCreated: 1674981199,
  assetCreator: "Bofu Chen",
  assetSha256: "4f9ddbe2ffba171f50f8d0b45df97ec1defc81ab31f598e5a9054ec0029eb642"
}

export const defaultAction = ACTION_COMMIT
