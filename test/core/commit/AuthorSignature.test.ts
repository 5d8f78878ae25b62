/**
 * Commits whose author signed elsewhere (decisions.md, section 5): the signature is checked against the very tree, and the
 * daemon never holds that key. Keys and signatures are made by viem and ethers.
 */
import { assert, describe, it } from "@effect/vitest"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Effect, Exit } from "effect"
import { Wallet } from "ethers"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { assetTreeOf } from "../../../packages/core/src/asset-tree/AssetTree.ts"
import { addressOfPrivateKey, canonicalSignature } from "../../../packages/core/src/asset-tree/Signature.ts"
import { DagJson } from "../../../packages/core/src/asset-tree/TreeFormat.ts"
import { commitAsset } from "../../../packages/core/src/commit/CommitAsset.ts"
import { AccountId, Caller } from "../../../packages/core/src/identity/Caller.ts"
import { walletAddress } from "../../../packages/core/src/identity/WalletAddress.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import { commitPorts, Trace } from "../../layers/CommitPorts.ts"
import { plainBody } from "../Generators.ts"

const callerKey = Buffer.from("46".repeat(32), "hex")
const authorKey: Hex = `0x${"c8".repeat(32)}`
const author = privateKeyToAccount(authorKey)
const caller = new Caller({
  accountId: AccountId.make("acc_0123456789abcdef"),
  name: "Ann",
  serviceName: "capture",
  wallet: walletAddress(addressOfPrivateKey(callerKey))
})
const body = { ...plainBody, author: author.address, custom: { usedBy: "🎨", "\ufffd": 1 } }
const registered = [{ assetCid: body.assetCid, assetSha256: body.assetSha256 }]

/** The checksum that the author signs: anybody can compute it from the request and the service name. */
const checksumFor = (given: object, serviceName = "capture"): string => {
  const request = Effect.runSync(decodeCommitRequest(given))
  const tree = assetTreeOf({ request, author: request.author ?? caller.wallet, serviceName, signedAt: "elsewhere" })
  return DagJson.encode(tree).sha256
}

const commitSigned = Effect.fnUntraced(
  function* (assetTreeSignature: string, given: object = body) {
    const request = yield* decodeCommitRequest({ ...given, assetTreeSignature })
    const exit = yield* Effect.exit(
      commitAsset({ caller, request, call: { id: "commit-1", key: undefined, isNew: true } })
    )
    return { exit, trace: yield* Trace }
  },
  Effect.provide(commitPorts({ registered, privateKey: callerKey }))
)

const refusal = Effect.fnUntraced(function* (signature: string, given: object = body) {
  const { exit, trace } = yield* commitSigned(signature, given)
  const error = yield* Effect.flip(exit)
  assert(error._tag === "InvalidFields")
  assert.deepStrictEqual(
    error.problems.map(({ path }) => path),
    ["/assetTreeSignature"]
  )
  assert.deepStrictEqual([trace.charges, trace.commits, trace.signed], [[], [], []])
  return error.message
})

const sign = (message: string) => Effect.promise(() => author.signMessage({ message }))

/** r ‖ s ‖ v with s replaced by n − s: recovers the same signer in lenient libraries. */
const highS = (signature: string): string => {
  const order = secp256k1.Point.CURVE().n
  const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, "0")
  return `${signature.slice(0, 66)}${s}${signature.endsWith("1b") ? "1c" : "1b"}`
}

/** EIP-2098: 64 bytes, the recovery id in the highest bit of s. */
const compact = (signature: string): string => {
  const bytes = Buffer.from(signature.slice(2), "hex")
  if (bytes[64] === 28) bytes[32]! |= 0x80
  return `0x${bytes.subarray(0, 64).toString("hex")}`
}

describe("a signature made elsewhere", () => {
  it.effect.each([
    ["a viem account", (message: string) => author.signMessage({ message })],
    ["an ethers wallet", (message: string) => new Wallet(authorKey).signMessage(message)]
  ] as const)("by %s over the tree's checksum is recorded, and the caller's wallet signs nothing", ([, signWith]) =>
    Effect.gen(function* () {
      const signature = yield* Effect.promise(() => signWith(checksumFor(body)))
      const { exit, trace } = yield* commitSigned(signature)
      assert.isTrue(Exit.isSuccess(exit))
      const record = JSON.parse(trace.commits[0]!.commitData)
      assert.deepStrictEqual([record.author, record.assetTreeSignature], [author.address, signature])
      assert.strictEqual(record.assetTreeSha256, checksumFor(body))
      assert.include(new TextDecoder().decode([...trace.stored.values()][0]), '"assetSourceType":"captureCapture"')
      assert.deepStrictEqual(trace.signed, [])
    })
  )

  it.effect("is recorded as 65 bytes with v 27 or 28 in lower case, in whatever form it came", () =>
    Effect.gen(function* () {
      for (const headline of ["one", "two", "three", "four", "five", "six"]) {
        const given = { ...body, headline }
        const signature = yield* sign(checksumFor(given))
        const v = Number.parseInt(signature.slice(-2), 16)
        const forms = [
          signature,
          `0x${signature.slice(2).toUpperCase()}`,
          `${signature.slice(0, -2)}0${v - 27}`,
          compact(signature)
        ]
        for (const form of forms) {
          const { exit, trace } = yield* commitSigned(form, given)
          assert.isTrue(Exit.isSuccess(exit), form)
          assert.strictEqual(JSON.parse(trace.commits[0]!.commitData).assetTreeSignature, signature)
          assert.strictEqual(canonicalSignature(form), signature)
        }
      }
    })
  )

  it.effect("by the caller without an author named is the caller's", () =>
    Effect.gen(function* () {
      const { author: _, ...given } = body
      const signature = yield* Effect.promise(() =>
        privateKeyToAccount(`0x${callerKey.toString("hex")}`).signMessage({ message: checksumFor(given) })
      )
      const { exit, trace } = yield* commitSigned(signature, given)
      assert.isTrue(Exit.isSuccess(exit))
      assert.strictEqual(JSON.parse(trace.commits[0]!.commitData).author, caller.wallet)
    })
  )

  it.effect("by another key is refused, with both addresses and the checksum named", () =>
    Effect.gen(function* () {
      const other = privateKeyToAccount(`0x${"11".repeat(32)}`)
      const signature = yield* Effect.promise(() => other.signMessage({ message: checksumFor(body) }))
      const message = yield* refusal(signature)
      for (const part of [other.address, author.address, checksumFor(body), "EIP-191"]) assert.include(message, part)
    })
  )

  it.effect(
    "over another tree is refused: another member, another service, or the tree that the daemon would sign",
    () =>
      Effect.gen(function* () {
        const request = yield* decodeCommitRequest(body)
        const uploaded = assetTreeOf({
          request,
          author: walletAddress(author.address),
          serviceName: "capture",
          signedAt: "daemon"
        })
        const others = [
          checksumFor({ ...body, headline: "x" }),
          checksumFor(body, "other"),
          DagJson.encode(uploaded).sha256
        ]
        for (const checksum of others) assert.include(yield* refusal(yield* sign(checksum)), checksumFor(body))
      })
  )

  it.effect("over the raw 32 bytes, with 0x, or in upper case is refused", () =>
    Effect.gen(function* () {
      const checksum = checksumFor(body)
      const raw = yield* Effect.promise(() => author.signMessage({ message: { raw: `0x${checksum}` } }))
      for (const signature of [raw, yield* sign(`0x${checksum}`), yield* sign(checksum.toUpperCase())]) {
        assert.include(yield* refusal(signature), "sign those 64 characters as text")
      }
    })
  )

  it.effect("with high s is refused as malleable", () =>
    Effect.gen(function* () {
      const signature = yield* sign(checksumFor(body))
      assert.include(yield* refusal(highS(signature)), "malleable")
    })
  )

  it.effect("that is none is refused: a wrong v, r of zero, s of the order, r of no point", () =>
    Effect.gen(function* () {
      const signature = yield* sign(checksumFor(body))
      const zero = "0".repeat(64)
      const order = secp256k1.Point.CURVE().n.toString(16)
      const broken = [
        `${signature.slice(0, -2)}1d`,
        `${signature.slice(0, -2)}23`,
        `0x${zero}${signature.slice(66)}`,
        `${signature.slice(0, 66)}${order}1b`,
        `0x${"0".repeat(63)}5${signature.slice(66)}`
      ]
      for (const none of broken) assert.include(yield* refusal(none), "is not a usable signature")
    })
  )

  it.effect("that is no hex of 64 or 65 bytes is refused by the rules already", () =>
    Effect.gen(function* () {
      for (const malformed of ["", "0x", "0x1234", `0x${"zz".repeat(65)}`]) {
        const error = yield* Effect.flip(decodeCommitRequest({ ...body, assetTreeSignature: malformed }))
        assert.deepStrictEqual(
          error.problems.map(({ path }) => path),
          ["/assetTreeSignature"]
        )
      }
    })
  )
})
