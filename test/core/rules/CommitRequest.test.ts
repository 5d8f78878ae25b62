/** Every field of the commit request but the texts: what it accepts, what it becomes, what it refuses and how. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CommitRequest } from "../../../packages/core/src/rules/CommitRequest.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import { commitBody, commitRequest, defaultAction, plainBody } from "../Generators.ts"

const decoded = (fields: { readonly [name: string]: unknown }): CommitRequest =>
  Effect.runSync(decodeCommitRequest({ ...plainBody, ...fields }))

/** The problems of a request whose only fault is in `fields`, as "path message". */
const problems = (fields: { readonly [name: string]: unknown }): ReadonlyArray<string> =>
  Effect.runSync(
    decodeCommitRequest({ ...plainBody, ...fields }).pipe(
      Effect.match({
        onSuccess: () => [],
        onFailure: (error) => error.problems.map(({ path, message }) => `${path} ${message}`)
      })
    )
  )

describe("commit request", () => {
  it("with the required fields only gets testnet false and the default action", () => {
    assert.deepStrictEqual<object>(decoded({}), { ...plainBody, testnet: false, action: defaultAction })
  })

  it.prop("is the same once encoded and decoded again", [commitRequest], ([request]) => {
    const again = Effect.runSync(decodeCommitRequest(Schema.encodeSync(CommitRequest)(request)))
    assert.deepStrictEqual(again, request)
  })

  it.prop("reads null on an optional field as not given", [commitBody], ([body]) => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    const request = Effect.runSync(decodeCommitRequest(body))
    assert.deepStrictEqual(request, Effect.runSync(decodeCommitRequest(given)))
    assert.notInclude(Object.values(request), null)
    assert.notInclude(Object.values(request), undefined)
  })

  it("takes null for every optional field, and for no required one", () => {
    const optional = Object.keys(CommitRequest.fields).filter((name) => !(name in plainBody))
    assert.strictEqual(optional.length, 16)
    assert.deepStrictEqual(decoded(Object.fromEntries(optional.map((name) => [name, null]))), decoded({}))
    assert.deepStrictEqual(
      Object.keys(plainBody).flatMap((name) => problems({ [name]: null })),
      [
        "/encodingFormat must be a string",
        "/assetCid must be a string",
        "/assetTimestampCreated must be an integer: Unix time in whole seconds",
        "/assetCreator must be a string",
        "/assetSha256 must be a string"
      ]
    )
  })

  it("assetSha256 is 64 hexadecimal digits in any letter case, held in lower case", () => {
    const digits = "4F9ddbe2FFba171f50f8d0b45df97ec1defc81ab31f598e5a9054ec0029EB642"
    assert.strictEqual(decoded({ assetSha256: digits }).assetSha256, digits.toLowerCase())
    for (const wrong of [
      "",
      digits.slice(1),
      `${digits}0`,
      `0x${digits}`,
      `0x${digits.slice(2)}`,
      `g${digits.slice(1)}`,
      `${digits}\n`
    ]) {
      assert.deepStrictEqual(problems({ assetSha256: wrong }), [
        "/assetSha256 must be a sha256: 64 hexadecimal digits, without 0x"
      ])
    }
  })

  it("assetTimestampCreated is a whole number of seconds from 0 to 253402300799", () => {
    for (const right of [0, 1674981199, 253_402_300_799]) {
      assert.strictEqual(decoded({ assetTimestampCreated: right }).assetTimestampCreated, right)
    }
    const range = "/assetTimestampCreated must be Unix time in seconds, 0 to 253402300799"
    assert.deepStrictEqual(problems({ assetTimestampCreated: -1 }), [range])
    assert.deepStrictEqual(problems({ assetTimestampCreated: 1674981199999 }), [
      `${range}; this looks like milliseconds, and in seconds it would be 1674981199`
    ])
    assert.include(problems({ assetTimestampCreated: 253_402_300_800 })[0], "milliseconds")
    assert.deepStrictEqual(problems({ assetTimestampCreated: 1_674_981_199_000_000 }), [range])
    assert.deepStrictEqual(problems({ assetTimestampCreated: 1e300 }), [range])
    for (const fraction of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.deepStrictEqual(problems({ assetTimestampCreated: fraction }), [
        "/assetTimestampCreated must be an integer: Unix time in whole seconds"
      ])
    }
    for (const other of ["1674981199", true, [1], "NaN"]) {
      assert.deepStrictEqual(problems({ assetTimestampCreated: other }), [
        "/assetTimestampCreated must be an integer: Unix time in whole seconds"
      ])
    }
  })

  it("addresses are taken in any letter case and held with their EIP-55 checksum", () => {
    const address = "0x51130dB91B91377A24d6Ebeb2a5fC02748b53ce1"
    for (const spelling of [
      address,
      address.toLowerCase(),
      `0x${address.slice(2).toUpperCase()}`,
      "0x51130db91B91377A24d6Ebeb2a5fC02748b53ce1"
    ]) {
      const request = decoded({ author: spelling, nftContractAddress: spelling })
      assert.deepStrictEqual([String(request.author), String(request.nftContractAddress)], [address, address])
    }
    for (const wrong of ["", "0x", address.slice(2), `${address}0`, address.replace("0x", "0X"), "treemark.eth"]) {
      assert.deepStrictEqual(
        problems({ author: wrong, nftContractAddress: wrong }).map((problem) => problem.split(":")[0]),
        ["/author must be an Ethereum address", "/nftContractAddress must be an Ethereum address"]
      )
    }
  })

  it("nftChainID is a positive safe integer", () => {
    for (const right of [1, 10507, Number.MAX_SAFE_INTEGER])
      assert.strictEqual(decoded({ nftChainID: right }).nftChainID, right)
    for (const wrong of [0, -1, 1.5, 2 ** 53, "1", Number.POSITIVE_INFINITY]) {
      assert.deepStrictEqual(problems({ nftChainID: wrong }), [
        "/nftChainID must be a chain id: a positive integer up to 9007199254740991, such as 1"
      ])
    }
  })

  it("nftTokenID is a decimal uint256 in a string, held without leading zeros", () => {
    const largest = (2n ** 256n - 1n).toString()
    for (const right of ["0", "42", largest]) assert.strictEqual(decoded({ nftTokenID: right }).nftTokenID, right)
    assert.strictEqual(decoded({ nftTokenID: "007" }).nftTokenID, "7")
    assert.strictEqual(decoded({ nftTokenID: "000" }).nftTokenID, "0")
    for (const wrong of [
      "",
      "-1",
      "+1",
      "0x2a",
      "1.0",
      "1e3",
      " 1",
      "1\n",
      "٣",
      (2n ** 256n).toString(),
      "9".repeat(79),
      42
    ]) {
      assert.deepStrictEqual(problems({ nftTokenID: wrong }), [
        '/nftTokenID must be a token id: a decimal integer from 0 to 2^256−1 in a string, such as "42"'
      ])
    }
  })

  it("encodingFormat is a MIME type, with parameters or without", () => {
    for (const right of [
      "image/jpeg",
      "application/vnd.c2pa.manifest+json",
      "text/plain; charset=utf-8",
      'text/plain;a="b; \\"c"',
      "video/mp4 ; codecs=avc1"
    ]) {
      assert.strictEqual(decoded({ encodingFormat: right }).encodingFormat, right)
    }
    for (const wrong of [
      "",
      "image",
      "image/",
      "/jpeg",
      "image/jpeg/x",
      "image /jpeg",
      "image/jpeg;",
      "image/jpeg; charset",
      "image/jpeg\n",
      "imäge/jpeg",
      "image/jpeg; a=b c"
    ]) {
      assert.deepStrictEqual(problems({ encodingFormat: wrong }), [
        "/encodingFormat must be a MIME type, such as image/jpeg or text/plain; charset=utf-8"
      ])
    }
  })

  it("CIDs are kept as they are written, and anything else is refused", () => {
    for (const right of [
      "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n",
      "zdj7Wd8AMwqnhJGQCbFxBVodGSBG84TM7Hs1rcJuQMwTyfEDS"
    ]) {
      const request = decoded({ assetCid: right, integrityCid: right })
      assert.deepStrictEqual([request.assetCid, request.integrityCid], [right, right])
    }
    for (const wrong of [
      "",
      "bafyreif123",
      "bafybeiintegrity123",
      "a".repeat(59),
      "ipfs://QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n"
    ]) {
      assert.deepStrictEqual(
        problems({ assetCid: wrong, integrityCid: wrong }).map((problem) => problem.slice(0, 27)),
        ["/assetCid must be a CID (v0", "/integrityCid must be a CID"]
      )
    }
  })

  it("action is a CID or a predefined name, and a near miss is told the name", () => {
    assert.strictEqual(
      decoded({ action: "action-initial-registration-jade" }).action.name,
      "action-initial-registration-jade"
    )
    assert.strictEqual(decoded({ action: defaultAction.nid }).action.name, "action-commit")
    assert.deepStrictEqual(problems({ action: "action-mint-erc721-nft-polygn" }), [
      '/action must be the CID of an action profile, or the name of a predefined action; the nearest name is "action-mint-erc721-nft-polygon"'
    ])
    assert.deepStrictEqual(problems({ action: 1 }), ["/action must be a string"])
  })

  it("assetTreeSignature is hex of 65 or 64 bytes", () => {
    for (const bytes of [64, 65])
      assert.strictEqual(
        decoded({ assetTreeSignature: `0x${"Ab".repeat(bytes)}` }).assetTreeSignature?.length,
        2 + 2 * bytes
      )
    for (const wrong of [
      "",
      "0x",
      "ab".repeat(65),
      `0x${"ab".repeat(63)}`,
      `0x${"ab".repeat(66)}`,
      `0x${"ab".repeat(64)}a`,
      `0x${"ag".repeat(65)}`
    ]) {
      assert.match(problems({ assetTreeSignature: wrong })[0]!, /^\/assetTreeSignature must be a signature/)
    }
  })

  it("testnet is true or false and nothing that looks like it", () => {
    assert.isTrue(decoded({ testnet: true }).testnet)
    for (const wrong of ["true", 1, 0, {}])
      assert.deepStrictEqual(problems({ testnet: wrong }), ["/testnet must be true or false"])
  })
})
