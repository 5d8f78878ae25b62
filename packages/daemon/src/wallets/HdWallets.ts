/**
 * The wallets of the daemon, all of one seed: BIP-32 keys on the BIP-44 path m/44'/60'/0'/0/INDEX
 * (https://github.com/bitcoin/bips/blob/master/bip-0044.mediawiki), as every Ethereum wallet derives them.
 * Index 0 is the service's own (the first committer); accounts have 1 and up. Further committers are on BIP-44's other chain,
 * m/44'/60'/0'/1/N, where no account can ever be; their index here is −N.
 */
import { HDKey } from "@scure/bip32"
import { addressOfPrivateKey, personalMessageHash, type WalletAddress, walletAddress } from "@treemark/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { type DigestSignature, fastestSign } from "./DigestSigning.ts"
import { Seed } from "./Seed.ts"

const PATH = "m/44'/60'/0'"
const ACCOUNTS = 0
const COMMITTERS = 1
const INDEX_LIMIT = 2 ** 31

/** The index of the service's own wallet. */
export const SERVICE_WALLET = 0

/** The index of the nth committer, from 0: the service's own wallet, then those of their own chain. */
export const committerIndex = (n: number): number => (n === 0 ? SERVICE_WALLET : -n)

/** An `index` is a whole number whose magnitude is below 2^31; anything else throws a `RangeError`. */
export interface HdWalletsShape {
  /** The address with its EIP-55 checksum. */
  readonly address: (index: number) => WalletAddress
  /** The 32-byte private key. */
  readonly privateKey: (index: number) => Redacted.Redacted<Uint8Array>
  /** EIP-191 personal_sign of `text`: 65 bytes in hex with `0x`, v 27 or 28. */
  readonly signText: (index: number, text: string) => string
  /** Signs the 32 bytes of `digest` as they are, for transactions. */
  readonly signDigest: (index: number, digest: Uint8Array) => DigestSignature
}

export class HdWallets extends Context.Service<HdWallets, HdWalletsShape>()("@treemark/daemon/wallets/HdWallets") {
  static readonly layer: Layer.Layer<HdWallets, never, Seed> = Layer.effect(
    HdWallets,
    Effect.map(Seed, (seed) => walletsOf(seed.bytes))
  )
}

/** The wallets of a 64-byte BIP-39 seed; each key is derived once. */
export const walletsOf = (seed: Redacted.Redacted<Uint8Array>): HdWalletsShape => {
  const root = HDKey.fromMasterSeed(Redacted.value(seed)).derive(PATH)
  const accounts = root.deriveChild(ACCOUNTS)
  const committers = root.deriveChild(COMMITTERS)
  const sign = fastestSign()
  const wallets = new Map<number, { readonly key: Uint8Array; readonly address: WalletAddress }>()

  const wallet = (index: number) => {
    const known = wallets.get(index)
    if (known !== undefined) return known
    if (!Number.isInteger(index) || Math.abs(index) >= INDEX_LIMIT) {
      throw new RangeError(
        `A wallet index is a whole number from 0 to ${INDEX_LIMIT - 1}, or its negative for a committer; here it is ${index}.`
      )
    }
    const key = (index < 0 ? committers : accounts).deriveChild(Math.abs(index)).privateKey
    if (key === null) throw new RangeError(`The seed has no key at index ${index}.`)
    const made = { key, address: walletAddress(addressOfPrivateKey(key)) }
    wallets.set(index, made)
    return made
  }

  return {
    address: (index) => wallet(index).address,
    privateKey: (index) => Redacted.make(wallet(index).key, { label: "wallet key" }),
    signText: (index, text) => {
      const { r, s, yParity } = sign(personalMessageHash(text), wallet(index).key)
      return `0x${Buffer.concat([r, s]).toString("hex")}${(27 + yParity).toString(16)}`
    },
    signDigest: (index, digest) => sign(digest, wallet(index).key)
  }
}
