/** Every broken rule in one answer, the same whatever the order of the fields; also through the HTTP API's own decoding. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Exit, Schema } from "effect"
import { decodeBalanceRequest } from "../../../packages/core/src/rules/BalanceRequest.ts"
import { CommitRequest } from "../../../packages/core/src/rules/CommitRequest.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import { fieldProblems, type InvalidFields } from "../../../packages/core/src/rules/FieldProblem.ts"
import { nearestName } from "../../../packages/core/src/rules/NearestName.ts"
import { commitBody, type JsonObject, order, plainBody, reordered, wallet } from "../Generators.ts"

type Listed = ReadonlyArray<readonly [path: string, message: string]>

const refusal = (input: unknown): InvalidFields | undefined =>
  Effect.runSync(
    decodeCommitRequest(input).pipe(Effect.match({ onSuccess: () => undefined, onFailure: (error) => error }))
  )

const problems = (input: unknown): Listed => refusal(input)?.problems.map(({ path, message }) => [path, message]) ?? []

const everythingWrong: JsonObject = {
  encodingFormat: "jpeg",
  assetCid: "no",
  assetTimestampCreated: 1674981199000,
  assetCreator: "x".repeat(22),
  assetSha256: "no",
  testnet: "no",
  author: "no",
  licenseName: 1,
  licenseDocument: ["no"],
  custom: { "/": 1, generatedBy: "x".repeat(22), deep: [{ n: 2 ** 53 }] },
  nftContractAddress: "no",
  nftChainID: 0,
  nftTokenID: "no",
  commitMessage: {},
  action: "no",
  abstract: "x".repeat(256),
  headline: false,
  integrityCid: "no",
  assetTreeSignature: "no",
  actSignature: "no",
  actTimestamp: 1674981199000,
  license_name: "unknown",
  "a/b~c": "unknown"
}

describe("commit rules", () => {
  it("name what is missing beside a signed act, together with every other broken rule", () => {
    const actSignature = `0x${"11".repeat(65)}`
    const assetTreeSignature = actSignature
    const actTimestamp = 1_700_000_000
    const pathsFor = (given: JsonObject) => problems({ ...plainBody, ...given }).map(([path]) => path)
    assert.deepStrictEqual(pathsFor({ actSignature, actTimestamp, assetTreeSignature }), [])
    assert.deepStrictEqual(pathsFor({ actSignature: null, actTimestamp: null }), [])
    assert.deepStrictEqual(pathsFor({ actSignature }), ["/actTimestamp", "/assetTreeSignature"])
    assert.deepStrictEqual(pathsFor({ actSignature, actTimestamp: null, assetTreeSignature }), ["/actTimestamp"])
    assert.deepStrictEqual(pathsFor({ actTimestamp, assetTreeSignature }), ["/actTimestamp"])
    assert.deepStrictEqual(pathsFor({ actSignature: 5, abstract: 5, headline: 5 }), [
      "/abstract",
      "/actSignature",
      "/actTimestamp",
      "/assetTreeSignature",
      "/headline"
    ])
  })

  it("name every broken rule in one answer, ordered by path, none twice", () => {
    const listed = problems(everythingWrong)
    const paths = listed.map(([path]) => path)
    const fields = Object.keys(CommitRequest.fields).filter((name) => name !== "custom")
    assert.deepStrictEqual(
      paths,
      [
        ...fields.map((name) => `/${name}`),
        "/a~1b~0c",
        "/custom/deep/0/n",
        "/custom/generatedBy",
        "/custom/~1",
        "/license_name"
      ].sort()
    )
    assert.strictEqual(new Set(listed.map((problem) => problem.join())).size, listed.length)
  })

  it("name every missing field", () => {
    const missing = Object.keys(plainBody)
      .sort()
      .map((name) => [`/${name}`, "is required"] as const)
    assert.deepStrictEqual(problems({}), missing)
  })

  it.prop("refuse the same whatever the order of the fields", [commitBody, order, order], ([body, way, picks]) => {
    const names = Object.keys(everythingWrong)
    const broken = {
      ...body,
      ...Object.fromEntries(
        picks.map((pick) => names[pick % names.length]!).map((name) => [name, everythingWrong[name]!])
      )
    }
    const listed = problems(broken)
    assert.isAbove(listed.length, 0)
    assert.deepStrictEqual(problems(reordered(broken, way)), listed)
  })

  it.prop("accept every valid body", [commitBody], ([body]) => {
    assert.deepStrictEqual(problems(body), [])
  })

  it("refuse an unknown field with the nearest known name", () => {
    const near = [
      ["assetCID", "assetCid"],
      ["asset_cid", "assetCid"],
      ["assetSha265", "assetSha256"],
      ["timestampCreated", "assetTimestampCreated"],
      ["nftTokenId", "nftTokenID"],
      ["message", "commitMessage"],
      ["tokenId", "nftTokenID"],
      ["authr", "author"],
      ["Abstract", "abstract"]
    ] as const
    for (const [given, known] of near) {
      assert.deepStrictEqual(problems({ ...plainBody, [given]: 1 }), [
        [`/${given}`, `is not a field of this request; the nearest one is "${known}"`]
      ])
    }
  })

  it("refuse __proto__ as an unknown field and take nothing from it", () => {
    const body = JSON.parse(`${JSON.stringify(plainBody).slice(0, -1)},"__proto__":{"testnet":true}}`)
    assert.deepStrictEqual(
      problems(body).map(([path]) => path),
      ["/__proto__"]
    )
  })

  it("refuse a body that is no object", () => {
    for (const body of [null, [], [plainBody], "{}", 1, true, undefined]) {
      assert.deepStrictEqual(problems(body), [["", "must be a JSON object"]])
    }
  })

  it("tell a person what is wrong and that nothing was charged", () => {
    assert.strictEqual(
      refusal({ ...plainBody, licenseName: "x".repeat(22) })!.message,
      "The request breaks a rule: /licenseName must be at most 21 characters; this one has 22. Nothing was charged."
    )
    assert.match(refusal({})!.message, /^The request breaks 5 rules: \/assetCid is required; /)
    assert.match(refusal([])!.message, /: the body must be a JSON object\. /)
  })

  it("answer thousands of unknown fields with the first hundred and the count of the others", () => {
    const unknown = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, i) => [`unknown${String(i).padStart(4, "0")}`, i])
    )
    const listed = problems({ ...plainBody, ...unknown })
    assert.strictEqual(listed.length, 101)
    assert.deepStrictEqual(listed[0], ["", "breaks 2900 more rules than are listed here"])
    assert.strictEqual(listed[100]![0], "/unknown0099")
  })

  it.prop("are the same through the JSON codec that the HTTP API derives", [commitBody, order], ([body, picks]) => {
    const names = Object.keys(everythingWrong)
    const broken = {
      ...body,
      ...Object.fromEntries(
        picks.map((pick) => [names[pick % names.length]!, everythingWrong[names[pick % names.length]!]!])
      )
    }
    const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(CommitRequest), {
      errors: "all",
      onExcessProperty: "error"
    })
    const viaHttp = Effect.runSync(Effect.flip(decode(broken)))
    assert.deepStrictEqual<Listed>(
      fieldProblems(viaHttp.issue).map(({ path, message }) => [path, message]),
      // What one field asks of another is no part of the codec.
      problems(broken).filter(([, message]) => !message.includes("actSignature"))
    )
    assert.deepStrictEqual(Effect.runSync(decode(body)), Effect.runSync(decodeCommitRequest(body)))
  })
})

describe("published schema of the commit request", () => {
  const schema = Schema.toJsonSchemaDocument(CommitRequest).definitions.CommitRequest as {
    readonly required: ReadonlyArray<string>
    readonly properties: { readonly [name: string]: { readonly [key: string]: unknown } }
  }
  const partOf = (name: string): { readonly [key: string]: unknown } => {
    const { anyOf, ...own } = schema.properties[name]!
    return { ...(anyOf as ReadonlyArray<object> | undefined)?.[0], ...own }
  }

  it("describes every field, with its pattern or limit", () => {
    assert.deepStrictEqual(schema.required, Object.keys(plainBody))
    for (const name of Object.keys(CommitRequest.fields)) assert.isString(partOf(name).description, name)
    for (const name of ["assetCreator", "licenseName"]) assert.strictEqual(partOf(name).maxLength, 21)
    assert.strictEqual(partOf("abstract").maxLength, 255)
    for (const name of ["author", "nftContractAddress"]) assert.strictEqual(partOf(name).pattern, "^0x[0-9a-fA-F]{40}$")
    assert.strictEqual(partOf("assetSha256").pattern, "^[0-9a-fA-F]{64}$")
    const { description: _, ...timestamp } = partOf("assetTimestampCreated")
    assert.deepStrictEqual(timestamp, { type: "integer", minimum: 0, maximum: 253402300799 })
    assert.deepStrictEqual(schema.properties.custom!.anyOf, [{ type: "object" }, { type: "string" }, { type: "null" }])
  })
})

describe("balance request", () => {
  it.prop("is one wallet, in any letter case", [wallet], ([address]) => {
    assert.deepStrictEqual(Effect.runSync(decodeBalanceRequest({ wallet: address.toLowerCase() })), { wallet: address })
  })

  it("refuses a missing or wrong wallet, and other fields", () => {
    const problems = (input: unknown) =>
      Effect.runSync(Effect.flip(decodeBalanceRequest(input))).problems.map(({ path, message }) => `${path} ${message}`)
    assert.deepStrictEqual(problems({}), ["/wallet is required"])
    assert.deepStrictEqual(problems({ wallet: null }), ["/wallet must be a string"])
    assert.deepStrictEqual(problems({ walet: 1, wallet: "0x" }), [
      '/walet is not a field of this request; the nearest one is "wallet"',
      "/wallet must be an Ethereum address: 0x followed by 40 hexadecimal digits, such as 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    ])
    assert.deepStrictEqual(problems([]), [" must be a JSON object"])
  })
})

describe("nearest name", () => {
  const word = Arbitrary.schema(Schema.Literals(["author", "abstract", "custom", "headline"]))

  it.prop("is the name itself in any spelling", [word], ([name]) => {
    const known = ["abstract", "author", "custom", "headline"]
    assert.strictEqual(nearestName(name.toUpperCase(), known), name)
    assert.strictEqual(nearestName(`${name}s`, known), name)
    assert.strictEqual(nearestName(name.slice(1), known), name)
  })

  it("is the first of equals, and nothing when nothing is known", () => {
    assert.strictEqual(nearestName("ac", ["ab", "ad"]), "ab")
    assert.isUndefined(nearestName("a", []))
    assert.isTrue(Exit.isSuccess(Effect.runSyncExit(Effect.sync(() => nearestName("k".repeat(60_000), ["author"])))))
  })
})
