/** Layers in memory of what a commit reads and keeps besides money: registrations, blocks, and the keys of callers. */
import { Effect, Layer, Option } from "effect"
import { sha256Of } from "../asset-tree/Checksum.ts"
import { cidOfSha256, parseCid, SHA2_256_CODE } from "../asset-tree/Cid.ts"
import { signPersonalMessage } from "../asset-tree/Signature.ts"
import type { Caller } from "../identity/Caller.ts"
import { ContentStore } from "../ledger/ContentStore.ts"
import { type Registration, Registry } from "../ledger/Registry.ts"
import { Signer, SignerUnavailable } from "../signing/Signer.ts"

/** The assets of `registered`, and no others. */
export const registryInMemory = (registered: ReadonlyArray<Registration>): Layer.Layer<Registry> => {
  const byCid = new Map(registered.map((one) => [one.assetCid, one]))
  return Layer.succeed(Registry, {
    find: (assetCid) => Effect.succeed(Option.fromUndefinedOr(byCid.get(assetCid)))
  })
}

/** Blocks by their CID; one whose bytes are not its own is a mistake of the program, and dies. */
export const contentInMemory = (
  locationOf: ContentStore["Service"]["locationOf"] = (cid) => `ipfs://${cid}`
): Layer.Layer<ContentStore> =>
  Layer.sync(ContentStore, () => {
    const blocks = new Map<string, Uint8Array>()
    return ContentStore.of({
      put: (cid, bytes) =>
        Effect.suspend(() => {
          if (!isOf(cid, bytes)) return Effect.die(new Error(`The bytes given for ${cid} do not hash to it.`))
          blocks.set(cid, bytes.slice())
          return Effect.void
        }),
      get: (cid) => Effect.sync(() => Option.map(Option.fromUndefinedOr(blocks.get(cid)), (bytes) => bytes.slice())),
      locationOf
    })
  })

/** Signs with `keyOf` the caller, 32 bytes; a caller without one cannot sign. */
export const signerInMemory = (keyOf: (caller: Caller) => Uint8Array | undefined): Layer.Layer<Signer> =>
  Layer.succeed(Signer, {
    signChecksum: (caller, checksum) => {
      const key = keyOf(caller)
      if (key !== undefined) return Effect.sync(() => signPersonalMessage(checksum, key))
      return Effect.fail(new SignerUnavailable({ cause: new Error(`No key of ${caller.accountId} is known here.`) }))
    }
  })

const isOf = (cid: string, bytes: Uint8Array): boolean => {
  const parsed = parseCid(cid)
  if (parsed?.hash !== SHA2_256_CODE || parsed.version !== 1) return false
  return cidOfSha256(parsed.codec, sha256Of(bytes)) === cid
}
