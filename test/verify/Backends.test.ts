/** The three recovery backends give the same answers and the same refusals, and none is replaced by another in silence. */
import { createHash } from "node:crypto"
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { KnownSigners, nobleRecoverKey, type RecoverKey, recoverSigner } from "@treemark/core/verify"
import { privateNegate, signRecoverable } from "tiny-secp256k1"
import { addressOfPrivateKey, personalMessageHash } from "../../packages/core/src/asset-tree/Signature.ts"
import { loadBackend } from "../../packages/verify/src/backends/Backend.ts"
import type { BackendName } from "../../packages/verify/src/backends/BackendName.ts"
import { bindingIn } from "../../packages/verify/src/backends/Native.ts"
import { UnusableInput } from "../../packages/verify/src/UnusableInput.ts"
import { amountOf } from "../layers/Long.ts"
import { scratch } from "./Command.ts"

const files = scratch()
afterAll(files.remove)

const hasNative = ["linux-x64", "darwin-arm64", "win32-x64"].includes(`${process.platform}-${process.arch}`)
const faster: ReadonlyArray<BackendName> = hasNative ? ["wasm", "native"] : ["wasm"]

const vectors = <A>(name: string): A =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"))
const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex")
const seeded = (seed: string): Uint8Array => new Uint8Array(createHash("sha256").update(seed).digest())
const answer = (text: string, signature: string, recoverKey: RecoverKey): string => {
  const recovery = recoverSigner(text, signature, recoverKey)
  return recovery.ok ? recovery.signer : recovery.code
}

/** Number `index` of the random signatures: most are somebody's, some changed in one place, some of random bytes. */
const randomCase = (index: number): { readonly text: string; readonly signature: string } => {
  const text = hex(seeded(`text ${index}`))
  const { signature, recoveryId } = signRecoverable(personalMessageHash(text), seeded(`key ${index}`))
  const bytes = Uint8Array.of(...signature, recoveryId + (index % 2 === 0 ? 27 : 0))
  const noise = seeded(`noise ${index}`)
  switch (index % 5) {
    case 1:
      bytes[noise[0]! % 65]! ^= 1 << (noise[1]! % 8)
      break
    case 2:
      bytes.set(noise, 0)
      break
    case 3:
      bytes.set(privateNegate(bytes.subarray(32, 64)), 32)
      break
  }
  return { text, signature: `0x${hex(bytes)}` }
}

const SIGNATURES = amountOf("TREEMARK_TEST_SIGNATURES", { whole: 10_000, part: 1_000 })

describe("backends", () => {
  it(`give the answer and the refusal that noble gives, on ${SIGNATURES} random signatures`, {
    timeout: 600_000
  }, async () => {
    const backends = await Promise.all(faster.map((name) => loadBackend(name)))
    const seen = new Map<string, number>()
    for (let index = 0; index < SIGNATURES; index++) {
      const { text, signature } = randomCase(index)
      const expected = answer(text, signature, nobleRecoverKey)
      const kind = expected.startsWith("0x") ? "a signer" : expected
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
      for (const { name, recoverKey } of backends) {
        assert.strictEqual(answer(text, signature, recoverKey), expected, `${name}, number ${index}`)
      }
    }
    assert.isAbove(seen.get("a signer")!, 0.5 * SIGNATURES)
    assert.isAbove(seen.get("signature_unrecoverable")!, 0.05 * SIGNATURES)
    assert.isAbove(seen.get("signature_high_s")!, 0.15 * SIGNATURES)
    assert.isAbove(seen.get("signature_recovery_id")!, 0.0005 * SIGNATURES)
  })

  it("give the same on every published invalid or unusual vector", async () => {
    const backends = await Promise.all(faster.map((name) => loadBackend(name)))
    let compared = 0
    const compare = (signature: string, digest: Uint8Array): void => {
      const over =
        (recoverKey: RecoverKey): RecoverKey =>
        (_, compact, id) =>
          recoverKey(digest, compact, id)
      const expected = answer("", signature, over(nobleRecoverKey))
      for (const { name, recoverKey } of backends) {
        assert.strictEqual(answer("", signature, over(recoverKey)), expected, `${name}: ${signature}`)
        compared++
      }
    }
    interface Invalid {
      readonly input: {
        readonly hash?: string
        readonly signature?: string
        readonly v?: string
        readonly r?: string
        readonly s?: string
      }
    }
    for (const { input } of vectors<ReadonlyArray<Invalid>>("ecdsa-invalid")) {
      if (input.hash === undefined) continue
      const signature = input.signature ?? `${input.r}${input.s!.slice(2)}${input.v!.slice(2)}`
      compare(signature, Buffer.from(input.hash.slice(2), "hex"))
    }
    interface Wycheproof {
      readonly tests: ReadonlyArray<{ readonly msg: string; readonly sig: string }>
    }
    for (const { msg, sig } of vectors<Wycheproof>("wycheproof-ecdsa-secp256k1-sha256-p1363").tests) {
      const digest = createHash("sha256").update(Buffer.from(msg, "hex")).digest()
      for (const v of ["1b", "1c", "00", "01", "02", "1d", "25", ""]) compare(`0x${sig}${v}`, digest)
    }
    interface Mutation {
      readonly input: { readonly message: string; readonly signature: string }
    }
    for (const { input } of vectors<ReadonlyArray<Mutation>>("derived-commit-mutations")) {
      compare(input.signature, personalMessageHash(input.message))
    }
    assert.isAbove(compared, 1500)
  })

  it("give the same at both ends of every range, in any letter case", async () => {
    const backends = await Promise.all(["noble" as const, ...faster].map((name) => loadBackend(name)))
    const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const half = n >> 1n
    const numbers = [0n, 1n, half, half + 1n, n - 1n, n, n + 1n, 2n ** 256n - 1n]
    for (const r of numbers) {
      for (const s of numbers) {
        const digits = [r, s].map((number) => number.toString(16).padStart(64, "0")).join("")
        for (const signature of [`0x${digits}1b`, `0x${digits.toUpperCase()}1C`]) {
          const [expected, ...others] = backends.map(({ recoverKey }) => answer("text", signature, recoverKey))
          for (const other of others) assert.strictEqual(other, expected)
          if (r === 0n || r >= n || s === 0n || s >= n) assert.strictEqual(expected, "signature_out_of_range")
          else if (s > half) assert.strictEqual(expected, "signature_high_s")
          else assert.match(expected!, /^0x|^signature_unrecoverable$/)
        }
      }
    }
  })

  it("are refused by name when they do not run here, and nothing else runs instead", async () => {
    const missing = async () => undefined
    const loaders = { noble: async () => nobleRecoverKey, wasm: missing, native: missing }
    for (const name of ["wasm", "native"] as const) {
      const refusal = await loadBackend(name, loaders).catch((error: unknown) => error)
      assert.instanceOf(refusal, UnusableInput)
      assert.strictEqual((refusal as UnusableInput).code, "backend_unavailable")
      assert.include((refusal as UnusableInput).message, `The ${name} backend does not run here`)
    }
    assert.strictEqual((await loadBackend("auto", loaders)).name, "noble")
  })

  it("that compute something else are never used", async () => {
    const wrong: RecoverKey = (digest, compact, id) => nobleRecoverKey(digest, compact, id === 0 ? 1 : 0)
    const broken: RecoverKey = () => {
      throw new Error("broken")
    }
    const loaders = { noble: async () => nobleRecoverKey, wasm: async () => broken, native: async () => wrong }
    assert.strictEqual((await loadBackend("auto", loaders)).name, "noble")
    assert.instanceOf(await loadBackend("native", loaders).catch((error: unknown) => error), UnusableInput)
  })

  it.skipIf(!hasNative)("with auto are the fastest that is installed", async () => {
    assert.strictEqual((await loadBackend("auto")).name, "native")
    assert.strictEqual((await loadBackend("noble")).name, "noble")
  })
})

describe("the native backend", () => {
  const installed = dirname(fileURLToPath(import.meta.resolve("secp256k1/package.json")))

  it("is not there when the package has no binary, although its own entry would work", () => {
    const folder = join(files.folder, "secp256k1")
    mkdirSync(folder)
    for (const name of ["package.json", "index.js", "elliptic.js", "bindings.js"]) {
      copyFileSync(join(installed, name), join(folder, name))
    }
    assert.isUndefined(bindingIn(folder))
    assert.isUndefined(bindingIn(undefined))
  })

  it.skipIf(!hasNative)("passes over a binary that does not load, and takes the next", () => {
    const place = `prebuilds/${process.platform}-${process.arch}`
    const folder = join(files.folder, "two")
    mkdirSync(join(folder, place), { recursive: true })
    files.write(`two/${place}/a.node`, "not a binary")
    assert.isUndefined(bindingIn(folder))
    const [real] = readdirSync(join(installed, place)).sort()
    copyFileSync(join(installed, place, real!), join(folder, place, "b.node"))
    assert.isDefined(bindingIn(folder))
  })
})

describe("tables of known signers", () => {
  it("give the key that recovery gives, whoever is expected and whatever is changed", () => {
    const signers = new KnownSigners()
    const key = seeded("a known signer")
    const address = addressOfPrivateKey(key)
    const cases = Array.from({ length: 60 }, (_, index) => {
      const digest = seeded(`digest ${index}`)
      const { signature, recoveryId } = signRecoverable(digest, key)
      return { digest, signature, recoveryId: recoveryId as 0 | 1 }
    })
    for (const { digest, signature, recoveryId } of cases) signers.recoverKey(digest, signature, recoveryId, undefined)
    for (const { digest, signature, recoveryId } of cases) {
      const otherS = Uint8Array.of(...signature.subarray(0, 63), signature[63]! ^ 1)
      const otherId = recoveryId === 0 ? 1 : 0
      for (const [compact, id] of [
        [signature, recoveryId],
        [signature, otherId],
        [otherS, recoveryId]
      ] as const) {
        for (const expected of [address, `0x${"1".repeat(40)}`, undefined]) {
          assert.deepStrictEqual(
            signers.recoverKey(digest, compact, id, expected),
            nobleRecoverKey(digest, compact, id)
          )
        }
      }
    }
  })
})
