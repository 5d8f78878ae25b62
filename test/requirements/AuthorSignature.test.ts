/**
 * decisions.md, section 5: an author whose key is elsewhere builds the same tree with `@treemark/core`, signs its checksum with any
 * wallet, and sends the signature along. The daemon never sees the key; what is not the author's signature is 400 and free.
 */
import { assert, describe } from "@effect/vitest"
import { assetTreeOf, DagJson, decodeCommitRequest, walletAddress } from "@treemark/core"
import { Effect } from "effect"
import { Signature, Wallet } from "ethers"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { proofVerdict } from "./ProofVerdict.ts"
import { type Json, Studio, type StudioShape, withStudio } from "./Studio.ts"

const SERVICE = "darkroom"
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The checksum of the tree that the daemon will build of this request, as the author computes it. */
const checksumOf = Effect.fnUntraced(function* (
  studio: StudioShape,
  changes: Json & { readonly author: string },
  signedAt: "daemon" | "elsewhere" = "elsewhere"
) {
  const request = yield* decodeCommitRequest(studio.request(changes))
  const author = walletAddress(changes.author)
  return DagJson.encode(assetTreeOf({ request, author, serviceName: SERVICE, signedAt })).sha256
})

const byViem = () => {
  const account = privateKeyToAccount(generatePrivateKey())
  return { address: account.address as string, sign: (message: string) => account.signMessage({ message }) }
}
const byEthers = () => {
  const wallet = Wallet.createRandom()
  return { address: wallet.address, sign: (message: string): Promise<string> => wallet.signMessage(message) }
}

const hexOf = (value: bigint) => value.toString(16).padStart(64, "0")

withStudio({ serviceName: SERVICE })("decisions.md, assetTreeSignature", (it) => {
  for (const [wallet, make] of [
    ["a viem account", byViem],
    ["an ethers wallet", byEthers]
  ] as const) {
    describe(`signed by ${wallet} that the daemon never sees`, () => {
      it.effect("it is accepted and kept; the source type is Capture; the proof is valid for the author", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const author = make()
          const changes = { author: author.address, headline: wallet, custom: { caption: "seen from above" } }
          const checksum = yield* checksumOf(studio, changes)
          const assetTreeSignature = yield* Effect.promise(() => author.sign(checksum))
          const { txHash, assetTreeCid } = yield* studio.commit({ ...changes, assetTreeSignature })
          const tree = yield* studio.tree(assetTreeCid)
          assert.strictEqual(tree.sha256, checksum)
          assert.strictEqual(tree.members.assetSourceType, `${SERVICE}Capture`)
          assert.strictEqual(tree.members.creatorWallet, author.address)
          const { commit } = yield* studio.record(txHash)
          assert.strictEqual(commit.assetTreeSignature, assetTreeSignature)
          assert.strictEqual(commit.author, author.address)
          assert.notStrictEqual(commit.committer, author.address)
          const { exitCode, report } = yield* proofVerdict(assetTreeCid)
          assert.strictEqual(report.verdict, "valid")
          assert.strictEqual(exitCode, 0)
          assert.include(JSON.stringify(report.signer), author.address)
        })
      )

      it.effect("by somebody else, or over another tree: 400 at /assetTreeSignature, and free", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const [author, other] = [make(), make()]
          const changes = { author: author.address, headline: "not so" }
          const checksum = yield* checksumOf(studio, changes)
          const others = [
            yield* Effect.promise(() => other.sign(checksum)),
            yield* Effect.promise(async () => author.sign("0".repeat(64))),
            yield* Effect.promise(async () => author.sign(`0x${checksum}`)),
            yield* Effect.flatMap(checksumOf(studio, { ...changes, headline: "not  so" }), (sha256) =>
              Effect.promise(() => author.sign(sha256))
            ),
            yield* Effect.flatMap(checksumOf(studio, changes, "daemon"), (sha256) =>
              Effect.promise(() => author.sign(sha256))
            )
          ]
          for (const assetTreeSignature of others) {
            const problem = yield* studio.refusedFields({ ...changes, assetTreeSignature }, ["/assetTreeSignature"])
            assert.include(problem.detail, checksum)
            assert.include(problem.detail, author.address)
          }
        })
      )
    })
  }

  it.effect(
    "the other forms of the same signature (v 0/1, EIP-2098, upper case) are accepted and stored as v 27/28",
    () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const author = byEthers()
        const changes = { author: author.address }
        const checksum = yield* checksumOf(studio, changes)
        const signature = yield* Effect.promise(() => author.sign(checksum))
        const { compactSerialized, yParity } = Signature.from(signature)
        const forms = [
          `${signature.slice(0, 130)}0${yParity}`,
          compactSerialized,
          `0x${signature.slice(2).toUpperCase()}`
        ]
        for (const assetTreeSignature of forms) {
          const { txHash } = yield* studio.commit({ ...changes, assetTreeSignature })
          assert.strictEqual((yield* studio.record(txHash)).commit.assetTreeSignature, signature)
        }
      })
  )

  it.effect("high s is refused as malleable: 400 at /assetTreeSignature, and free", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const author = byEthers()
      const changes = { author: author.address }
      const { r, s, v } = Signature.from(
        yield* Effect.flatMap(checksumOf(studio, changes), (checksum) => Effect.promise(() => author.sign(checksum)))
      )
      const assetTreeSignature = `${r}${hexOf(ORDER - BigInt(s))}${(v === 27 ? 28 : 27).toString(16)}`
      const problem = yield* studio.refusedFields({ ...changes, assetTreeSignature }, ["/assetTreeSignature"])
      assert.match(problem.detail, /malleable|high s/)
    })
  )

  it.effect("a malformed signature is 400 at /assetTreeSignature, and free", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const author = byEthers()
      const zero = "0".repeat(64)
      const one = hexOf(1n)
      for (const assetTreeSignature of [
        "",
        "0x",
        `0x${"a".repeat(129)}`,
        `0x${"a".repeat(131)}`,
        `0x${"g".repeat(130)}`,
        "a".repeat(130),
        `0x${zero}${zero}1b`,
        `0x${one}${zero}1b`,
        `0x${zero}${one}1b`,
        `0x${hexOf(ORDER)}${one}1b`,
        `0x${one}${one}1d`,
        `0x${one}${one}ff`,
        42,
        {}
      ]) {
        yield* studio.refusedFields({ author: author.address, assetTreeSignature }, ["/assetTreeSignature"])
      }
    })
  )

  it.effect("without author the author is the caller's wallet, so somebody else's signature is refused", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const author = byViem()
      const checksum = yield* checksumOf(studio, { author: studio.account.wallet })
      const assetTreeSignature = yield* Effect.promise(() => author.sign(checksum))
      const problem = yield* studio.refusedFields({ assetTreeSignature }, ["/assetTreeSignature"])
      assert.include(problem.detail, author.address)
      assert.include(problem.detail, studio.account.wallet)
    })
  )

  it.effect("null for assetTreeSignature is the same as leaving it out: the daemon signs", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { assetTreeCid } = yield* studio.commit({ assetTreeSignature: null })
      assert.strictEqual((yield* studio.tree(assetTreeCid)).members.assetSourceType, `${SERVICE}Upload`)
    })
  )
})
