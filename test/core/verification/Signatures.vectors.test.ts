/** Signatures that others published (test/vectors: EIP-191, EIP-2098, go-ethereum, OpenZeppelin, Wycheproof), through our one policy. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { isAddressText, type JsonObject, recoverSigner, verify } from "@treemark/core/verify"
import { Signature as EthersSignature, recoverAddress } from "ethers"
import {
  nobleRecoverKey,
  personalMessageHash,
  type RecoverKey,
  signPersonalMessage
} from "../../../packages/core/src/asset-tree/Signature.ts"
import { author, authorKey, checkOf, inputOf, signed } from "./Fixtures.ts"

const vectors = <A>(name: string): A =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"))
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replace(/^0x/, ""), "hex"))
const hex = (data: Uint8Array): string => `0x${Buffer.from(data).toString("hex")}`
const codeOf = (text: string, signature: string) => {
  const recovery = recoverSigner(text, signature)
  return recovery.ok ? recovery.signer : recovery.code
}

const textOf = (messageHex: string): string | undefined => {
  const text = new TextDecoder().decode(bytes(messageHex))
  return hex(new TextEncoder().encode(text)) === messageHex ? text : undefined
}

interface Standard {
  readonly id: string
  readonly input: {
    readonly message?: string
    readonly messageHex?: string
    readonly signature?: string
    readonly privateKey?: string
  }
  readonly expected: { readonly signer?: string; readonly hash?: string }
}

describe("EIP-191", () => {
  for (const { id, input, expected } of vectors<ReadonlyArray<Standard>>("eip191-standard")) {
    const text = input.message ?? textOf(input.messageHex!)
    if (text === undefined) {
      it(`${id}: bytes that are no text sign as bytes, which their hex text must not pass for`, () => {
        const hexText = input.messageHex!.slice(2)
        if (expected.hash !== undefined) assert.notStrictEqual(hex(personalMessageHash(hexText)), expected.hash)
        if (input.signature !== undefined) assert.notStrictEqual(codeOf(hexText, input.signature), expected.signer)
      })
      continue
    }
    it(id, () => {
      if (expected.hash !== undefined) assert.strictEqual(hex(personalMessageHash(text)), expected.hash)
      if (input.signature !== undefined) assert.strictEqual(codeOf(text, input.signature), expected.signer)
      if (input.signature !== undefined && input.privateKey !== undefined) {
        assert.strictEqual(signPersonalMessage(text, bytes(input.privateKey)), input.signature)
      }
    })
  }
})

describe("EIP-2098", () => {
  interface Compact {
    readonly input: { readonly message: string; readonly compact: string }
    readonly expected: { readonly address: string; readonly compactToFull: string }
  }
  it("the 64-byte form recovers as the 65-byte form does", () => {
    for (const { input, expected } of vectors<ReadonlyArray<Compact>>("eip2098")) {
      assert.strictEqual(codeOf(input.message, input.compact), expected.address)
      assert.strictEqual(codeOf(input.message, expected.compactToFull), expected.address)
    }
  })
})

describe("mutated signatures of live commits", () => {
  interface Mutation {
    readonly id: string
    readonly input: { readonly message: string; readonly signature: string }
    readonly expected: { readonly originalSigner: string }
    readonly verified: { readonly ethers: unknown }
  }
  const outcomes: { readonly [kind: string]: string } = {
    "high-s twin (n-s, v flipped)": "signature_high_s",
    "EIP-2098 64-byte": "the signer",
    "s=0": "signature_out_of_range",
    "r=0": "signature_out_of_range",
    "v=29": "signature_recovery_id",
    "upper-case hex": "the signer",
    "trailing byte": "signature_malformed",
    "all zero": "signature_out_of_range",
    "v as 0/1": "the signer",
    "truncated 64 bytes (no v)": "another signer",
    "one nibble changed in s": "another signer"
  }
  const mutations = vectors<ReadonlyArray<Mutation>>("derived-commit-mutations")

  for (const { id, input, expected, verified } of mutations) {
    const outcome = outcomes[id.slice(id.indexOf(": ") + 2)]
    it(`${id} → ${outcome}`, () => {
      const record: JsonObject = {
        assetTreeSha256: input.message,
        assetTreeSignature: input.signature,
        author: expected.originalSigner
      }
      const report = verify({ record })
      const check = report.checks.find(({ name }) => name === "signature")!
      assert.isDefined(outcome)
      if (outcome === "the signer") assert.strictEqual(report.signer, expected.originalSigner)
      else if (outcome === "another signer") {
        assert.notStrictEqual(report.signer, expected.originalSigner)
        assert.strictEqual(report.signer, verified.ethers)
        assert.strictEqual(report.checks.find(({ name }) => name === "signer-is-author")?.code, "signer_not_author")
      } else {
        assert.strictEqual(check.code, outcome)
        assert.strictEqual(report.verdict, "invalid")
        assert.isNull(report.signer)
      }
    })
  }

  it("every kind of mutation occurs", () => {
    const kinds = new Set(mutations.map(({ id }) => id.slice(id.indexOf(": ") + 2)))
    assert.deepStrictEqual([...kinds].sort(), Object.keys(outcomes).sort())
  })
})

describe("forms of one signature", () => {
  const { assetTreeSha256: text, assetTreeSignature: full } = signed.record
  const body = full.slice(0, -2)
  const parity = Number.parseInt(full.slice(-2), 16) - 27

  it("v may be 27/28 or 0/1, and nothing else", () => {
    for (let v = 0; v < 256; v++) {
      const outcome = codeOf(text, `${body}${v.toString(16).padStart(2, "0")}`)
      if (v === parity || v === 27 + parity) assert.strictEqual(outcome, author)
      else if (v < 2 || v === 27 || v === 28) assert.isTrue(isAddressText(outcome) && outcome !== author)
      else assert.strictEqual(outcome, "signature_recovery_id", `v = ${v}`)
    }
  })

  it("EIP-2098 and upper-case hex are accepted by verification, and the author stays the author", () => {
    const compact = EthersSignature.from(full).compactSerialized
    for (const assetTreeSignature of [compact, `0x${full.slice(2).toUpperCase()}`]) {
      const report = verify(inputOf({ ...signed, record: { ...signed.record, assetTreeSignature } }))
      assert.strictEqual(report.verdict, "valid")
    }
  })

  it("without 0x, with white space, cut off, empty or with other letters it is malformed", () => {
    for (const signature of [
      full.slice(2),
      ` ${full}`,
      `${full}\n`,
      full.slice(0, -1),
      "",
      "0x",
      `0X${full.slice(2)}`,
      full.replace(/.$/, "g")
    ]) {
      assert.strictEqual(codeOf(text, signature), "signature_malformed", JSON.stringify(signature))
    }
  })
})

describe("a signature of a contract wallet", () => {
  const text = signed.record.assetTreeSha256
  const full = signed.record.assetTreeSignature
  const word = (number: number): string => number.toString(16).padStart(64, "0")
  const bytes = full.slice(2)
  const magic = "6492".repeat(16)
  const forms: ReadonlyArray<readonly [string, string]> = [
    ["of two owners, one after the other", `0x${bytes}${bytes}`],
    ["in words of the ABI", `0x${word(0)}${word(64)}${word(65)}${bytes.padEnd(192, "0")}`],
    [
      "wrapped in the wallet's creation (ERC-6492)",
      `0x${word(96)}${word(160)}${word(224)}${"00".repeat(2000)}${magic}`
    ],
    ["of many owners, with a contract's among them", `0x${bytes.repeat(3)}${word(5)}12345678`],
    ["in capitals", `0x${bytes.repeat(2).toUpperCase()}`],
    ["as short as they come", `0x${"ab".repeat(96)}`],
    ["as long as is read", `0x${"ab".repeat(16 * 1024)}`]
  ]
  for (const [form, signature] of forms) {
    it(`is not checked, and said to be one: ${form}`, () => {
      assert.strictEqual(codeOf(text, signature), "contract_wallet_signature")
      const report = verify(inputOf({ ...signed, record: { ...signed.record, assetTreeSignature: signature } }))
      assert.strictEqual(report.verdict, "unconfirmed")
      assert.deepStrictEqual([report.signer, report.answers.who], [null, "nobody"])
      assert.deepStrictEqual(checkOf(report, "signature").outcome, "skipped")
    })
  }

  it("is told apart from a key's with bytes too many, and from what is no hex or too long", () => {
    for (const signature of [
      `${full}00`,
      `0x${"ab".repeat(95)}`,
      `0x${"ab".repeat(96)}a`,
      `0x${"ab".repeat(96)}\n`,
      `0x${"ab".repeat(95)}gg`,
      "ab".repeat(97),
      `0x${"ab".repeat(16 * 1024 + 1)}`
    ]) {
      assert.strictEqual(codeOf(text, signature), "signature_malformed", signature.slice(0, 20))
    }
  })
})

describe("recovery backends", () => {
  it("only do the arithmetic: the policy refuses before a backend is asked", () => {
    let asked = 0
    const counting: RecoverKey = (digest, compact, id) => {
      asked++
      return nobleRecoverKey(digest, compact, id)
    }
    const highS =
      vectors<ReadonlyArray<{ input: { message: string; signature: string } }>>("derived-commit-mutations")[0]!
    assert.isFalse(recoverSigner(highS.input.message, highS.input.signature, counting).ok)
    assert.strictEqual(asked, 0)
    assert.isTrue(recoverSigner("text", signPersonalMessage("text", authorKey), counting).ok)
    assert.strictEqual(asked, 1)
  })

  it("that find nothing, or throw, give a refusal and never an exception", () => {
    for (const backend of [
      () => undefined,
      () => {
        throw new Error("broken")
      }
    ] satisfies ReadonlyArray<RecoverKey>) {
      const recovery = recoverSigner("text", signPersonalMessage("text", authorKey), backend)
      assert.strictEqual(recovery.ok ? "ok" : recovery.code, "signature_unrecoverable")
    }
  })

  it("can be handed to verification", () => {
    const report = verify({
      ...inputOf(signed),
      recover: (text, signature) => recoverSigner(text, signature, nobleRecoverKey)
    })
    assert.strictEqual(report.verdict, "valid")
  })
})

describe("go-ethereum and OpenZeppelin", () => {
  interface Invalid {
    readonly id: string
    readonly input: {
      readonly hash?: string
      readonly signature?: string
      readonly v?: string
      readonly r?: string
      readonly s?: string
    }
    readonly verified: { readonly ethers?: unknown }
  }
  /** Their digests are not of texts, so the digest stands in for the message's hash. */
  const overDigest = (digest: string, signature: string) =>
    recoverSigner("", signature, (_, compact, id) => nobleRecoverKey(bytes(digest), compact, id))

  for (const { id, input, verified } of vectors<ReadonlyArray<Invalid>>("ecdsa-invalid")) {
    if (input.hash === undefined) continue
    const signature = input.signature ?? `${input.r}${input.s!.slice(2)}${input.v!.slice(2)}`
    it(`${id} → ${typeof verified.ethers === "string" ? "recovers as in ethers" : "refused"}`, () => {
      const recovery = overDigest(input.hash!, signature)
      if (typeof verified.ethers === "string") assert.strictEqual(recovery.ok && recovery.signer, verified.ethers)
      else assert.isFalse(recovery.ok)
    })
  }
})

describe("Wycheproof", () => {
  interface Wycheproof {
    readonly tests: ReadonlyArray<{
      readonly id: number
      readonly comment: string
      readonly publicKey: string
      readonly msg: string
      readonly sig: string
      readonly result: string
    }>
  }
  const { tests } = vectors<Wycheproof>("wycheproof-ecdsa-secp256k1-sha256-p1363")
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

  it("an accepted signature always leads to the key that made it, an invalid one never does, and high s is always refused", () => {
    let accepted = 0
    for (const { id, publicKey, msg, sig, result } of tests) {
      const digest = createHash("sha256").update(bytes(msg)).digest()
      const keys: Array<string> = []
      for (const v of ["1b", "1c"]) {
        recoverSigner("", `0x${sig}${v}`, (_, compact, recoveryId) => {
          const key = nobleRecoverKey(digest, compact, recoveryId)
          if (key !== undefined) keys.push(Buffer.from(key).toString("hex"))
          return key
        })
      }
      const isHighS = sig.length === 128 && BigInt(`0x${sig.slice(64)}`) > ORDER / 2n
      const isAccepted = keys.includes(publicKey)
      if (isAccepted) accepted++
      assert.strictEqual(isAccepted, result === "valid" && !isHighS, `test ${id}`)
    }
    assert.isAbove(accepted, 50)
  })

  it("ethers agrees on every signature that it and we accept", () => {
    let compared = 0
    for (const { msg, sig } of tests) {
      const digest = createHash("sha256").update(bytes(msg)).digest()
      for (const v of ["1b", "1c"]) {
        const ours = recoverSigner("", `0x${sig}${v}`, (_, compact, id) => nobleRecoverKey(digest, compact, id))
        if (!ours.ok) continue
        assert.strictEqual(recoverAddress(digest, `0x${sig}${v}`), ours.signer)
        compared++
      }
    }
    assert.isAbove(compared, 100)
  })
})
