/**
 * Every secp256k1 ECDSA vector of Wycheproof through our policy and each recovery backend. What is expected, and why:
 * - a set whose policy is "any s" calls a high s valid where we refuse it (EIP-2: malleable); in Bitcoin's set, whose policy is ours, we agree with every verdict;
 * - DER sets are decoded strictly first (flags BerEncodedSignature, MissingZero, InvalidEncoding, InvalidTypesInSignature end there): our records hold r ‖ s;
 * - P1363 signatures of another length than 64 bytes (SignatureSize) have no form of ours; r or s of 0 or ≥ n (RangeCheck, InvalidSignature) are out of range;
 * - "k*G has a large x-coordinate": x of the point is r + n, which takes a recovery id of 2 or 3; Ethereum has no v for it, so such a signature never leads to its key;
 * - a digest longer than the curve is cut to its leftmost 256 bits (FIPS 186-5), as all of the SHA-512 family need.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { nobleRecoverKey, type RecoverKey, recoverSigner } from "@treemark/core/verify"
import { loadBackend } from "../../../packages/verify/src/backends/Backend.ts"
import { compactOfDer } from "./Der.ts"

type Test = readonly [tcId: number, msg: string, sig: string, valid: 0 | 1, comment: string, flags: string]

interface VectorSet {
  readonly file: string
  readonly hash: string
  readonly form: "der" | "p1363"
  readonly policy: "low s" | "any s"
  readonly count: number
  readonly groups: ReadonlyArray<Group>
}

interface Group {
  readonly publicKey: string
  readonly tests: ReadonlyArray<Test>
}

const { sets }: { readonly sets: ReadonlyArray<VectorSet> } = JSON.parse(
  readFileSync(new URL("../../vectors/wycheproof-ecdsa-secp256k1.json", import.meta.url), "utf8")
)

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const hasNative = ["linux-x64", "darwin-arm64", "win32-x64"].includes(`${process.platform}-${process.arch}`)
const backends: ReadonlyArray<readonly [string, RecoverKey]> = [
  ["noble", nobleRecoverKey],
  ["wasm", (await loadBackend("wasm")).recoverKey],
  ...(hasNative ? [["native", (await loadBackend("native")).recoverKey] as const] : [])
]

const digestOf = (hash: string, message: Uint8Array): Uint8Array => {
  const name = hash.toLowerCase().replace(/^sha-/, "sha")
  const options = name.startsWith("shake") ? { outputLength: name === "shake128" ? 32 : 64 } : {}
  return new Uint8Array(createHash(name, options).update(message).digest()).subarray(0, 32)
}

const isBeyondV = (comment: string): boolean => comment === "k*G has a large x-coordinate"

const compactOf = (form: VectorSet["form"], sig: string): string | undefined => {
  if (form === "der") return compactOfDer(new Uint8Array(Buffer.from(sig, "hex")))
  return sig.length === 128 ? sig : undefined
}

/** The key that recovery finds, or the refusal's code. */
const answer = (backend: RecoverKey, digest: Uint8Array, signature: string): string => {
  let key: Uint8Array | undefined
  const recovery = recoverSigner("", signature, (_, compact, id) => {
    key = backend(digest, compact, id)
    return key
  })
  return recovery.ok ? Buffer.from(key!).toString("hex") : recovery.code
}

describe("Wycheproof's secp256k1 signatures", () => {
  it("are here in full: eleven sets, 4,653 tests", () => {
    assert.strictEqual(sets.length, 11)
    for (const { count, file, groups } of sets) {
      const numbers = groups.flatMap(({ tests }) => tests.map(([tcId]) => tcId))
      assert.strictEqual(new Set(numbers).size, count, file)
    }
    assert.strictEqual(
      sets.map(({ count }) => count).reduce((sum, count) => sum + count),
      4653
    )
  })

  for (const { file, form, groups, hash, policy } of sets) {
    it(`${file.replace(/^.*\//, "")}: accepted exactly when valid with low s, and every backend gives one answer`, () => {
      let accepted = 0
      let highS = 0
      for (const { publicKey, tests } of groups) {
        for (const [tcId, msg, sig, valid, comment, flags] of tests) {
          const what = `${tcId}, ${comment} (${flags})`
          const compact = compactOf(form, sig)
          const answers = (compact === undefined ? [] : ["1b", "1c"]).map((v) => {
            const digest = digestOf(hash, Buffer.from(msg, "hex"))
            const [expected, ...others] = backends.map(([, backend]) => answer(backend, digest, `0x${compact}${v}`))
            for (const other of others) assert.strictEqual(other, expected, what)
            return expected!
          })
          const isHighS = compact !== undefined && BigInt(`0x${compact.slice(64)}`) > HALF_ORDER
          if (valid === 1 && isHighS) {
            assert.deepStrictEqual(answers, ["signature_high_s", "signature_high_s"], what)
            assert.strictEqual(policy, "any s", what)
            highS++
          } else {
            assert.strictEqual(answers.includes(publicKey), valid === 1 && !isBeyondV(comment), what)
          }
          if (answers.includes(publicKey)) accepted++
          if (/\b(RangeCheck|InvalidSignature)\b/.test(flags)) assert.notInclude(answers, publicKey, what)
        }
      }
      assert.isAbove(accepted, 90)
      assert.strictEqual(highS > 0, policy === "any s")
    })
  }

  it("in DER of another spelling are no DER: each way of it that the vectors know is refused", () => {
    const refused = new Map<string, number>()
    for (const { form, groups } of sets) {
      for (const [, , sig, , , flags] of form === "der" ? groups.flatMap(({ tests }) => tests) : []) {
        if (compactOfDer(new Uint8Array(Buffer.from(sig, "hex"))) === undefined) {
          for (const flag of flags.split(" ")) refused.set(flag, (refused.get(flag) ?? 0) + 1)
        }
      }
    }
    for (const flag of ["BerEncodedSignature", "InvalidEncoding", "InvalidTypesInSignature", "MissingZero"]) {
      assert.isAbove(refused.get(flag) ?? 0, 0, flag)
    }
    assert.isUndefined(refused.get("ValidSignature"))
  })
})
