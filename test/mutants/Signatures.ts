/** Keys, signatures, addresses and access tokens. */
import type { Mutant } from "./Mutant.ts"

const VECTORS = "core/verification/Signatures.vectors"
const KEYSTORE = "daemon/wallets/Keystore"
const TOKENS = "daemon/accounts/AccessTokens"

export const SIGNATURES: ReadonlyArray<Mutant> = [
  {
    what: "the other signature of the same key, which anybody can make, is taken",
    file: "core/src/asset-tree/Signature.ts",
    from: "if (s > HALF_ORDER) {",
    to: "if (s > ORDER) {",
    in: VECTORS,
    test: "high s is always refused"
  },
  {
    what: "r and s out of their range are left to whatever library does the arithmetic",
    file: "core/src/asset-tree/Signature.ts",
    from: "r === ZERO || r >= ORDER || s === ZERO || s >= ORDER",
    to: 'r === ""',
    in: VECTORS,
    test: "→ signature_out_of_range"
  },
  {
    what: "any last byte of a signature is taken",
    file: "core/src/asset-tree/Signature.ts",
    from: "const recoveryId = parts.v >= 27 ? parts.v - 27 : parts.v",
    to: "const recoveryId = parts.v % 2 === 0 ? 0 : 1",
    in: VECTORS,
    test: "v may be 27/28 or 0/1, and nothing else"
  },
  {
    what: "the message is hashed without the words that keep it from being a transaction",
    file: "core/src/asset-tree/Signature.ts",
    from: "const PREFIX_64 = prefixOf(64)",
    to: 'const PREFIX_64 = utf8ToBytes("")',
    in: "core/verification/LiveCommits.vectors",
    test: "the mainnet commit of block 387179 recovers"
  },
  {
    what: "the short form's recovery bit stays in s",
    file: "core/src/asset-tree/Signature.ts",
    from: "bytes[32]! &= 0x7f",
    to: "bytes[32]! &= 0xff",
    in: "core/commit/AuthorSignature",
    test: "is recorded as 65 bytes with v 27 or 28"
  },
  {
    what: "another's signature over the tree is recorded as the author's",
    file: "core/src/commit/PrepareCommit.ts",
    from: "if (recovered.signer !== input.author) {",
    to: "if (recovered.signer === undefined) {",
    in: "core/commit/AuthorSignature",
    test: "by another key is refused"
  },
  {
    what: "anybody's signature makes an act the author's",
    file: "core/src/commit/SignedAct.ts",
    from: "if (recovered.signer !== author) {",
    to: "if (recovered.signer === undefined) {",
    in: "core/commit/SignedAct",
    test: "of the same text elsewhere is refused"
  },
  {
    what: "a signed act is recorded a second time",
    file: "core/src/commit/SignedAct.ts",
    from: "if (holder !== undefined && holder !== commitId) return yield* refuseRepeated",
    to: "if (holder !== undefined && holder === commitId) return yield* refuseRepeated",
    in: "core/commit/SignedAct",
    test: "is recorded once on a chain"
  },
  {
    what: "an act that was signed long ago is recorded today",
    file: "core/src/commit/SignedAct.ts",
    from: "if (Math.abs(seconds - now) <= ACT_WINDOW) return",
    to: "if (seconds - now <= ACT_WINDOW) return",
    in: "core/commit/SignedAct",
    test: "counts within 15 minutes of the clock"
  },
  {
    what: "a transaction's sender is found from a signature with a high s, which nodes refuse",
    file: "core/src/proof/SignedTransaction.ts",
    from: "s > 0n && s <= ORDER >> 1n",
    to: "s > 0n && s < ORDER",
    in: "core/proof/SignedTransaction",
    test: "that is malformed, by length, shape"
  },
  {
    what: "addresses are written without the checksum that finds a mistyped digit",
    file: "core/src/identity/Eip55.ts",
    from: ">= 8 ? digit.toUpperCase() : digit",
    to: ">= 16 ? digit.toUpperCase() : digit",
    in: "core/identity/Eip55",
    test: "agrees with viem on every address"
  },
  {
    what: "keys that begin alike are taken for one",
    file: "core/src/identity/Eip55.ts",
    from: "met !== undefined && isSameBytes(met.publicKey, publicKey)",
    to: "met !== undefined",
    in: "core/identity/Eip55",
    test: "of a public key is its own"
  },
  {
    what: "a changed key file is decrypted",
    file: "daemon/src/wallets/Keystore.ts",
    from: "mac.length !== crypto.mac.length || !timingSafeEqual(mac, crypto.mac)",
    to: "mac.length !== crypto.mac.length",
    in: KEYSTORE,
    test: "a changed ciphertext or mac is refused"
  },
  {
    what: "a key file takes all of the machine's memory",
    file: "daemon/src/wallets/Keystore.ts",
    from: "return 128 * n * r <= MAX_SCRYPT_BYTES ||",
    to: "return 128 * n * r > 0 ||",
    in: KEYSTORE,
    test: "refuses parameters that are no scrypt"
  },
  {
    what: "all key files are encrypted with the same initial vector",
    file: "daemon/src/wallets/Keystore.ts",
    from: "const iv = yield* random.randomBytes(16)",
    to: "const iv = new Uint8Array(16)",
    in: KEYSTORE,
    test: "encrypting twice shares no salt"
  },
  {
    what: "a store whose seed is gone gets new wallets",
    file: "daemon/src/wallets/Seed.ts",
    from: "if (present === undefined && expectedId !== undefined) {",
    to: "if (present !== undefined && expectedId === undefined) {",
    in: "daemon/wallets/Seed",
    test: "a data store whose seed is gone or swapped"
  },
  {
    what: "restoring words writes over another seed",
    file: "daemon/src/wallets/Seed.ts",
    from: "else if ((yield* derive(present)).seed.id !== seed.id) return yield* new SeedExists({ file })",
    to: "else yield* writeSeed(place, entropy)",
    in: "daemon/wallets/Seed",
    test: "the same words again change nothing"
  },
  {
    what: "a committer's wallet is an account's",
    file: "daemon/src/wallets/HdWallets.ts",
    from: "(index < 0 ? committers : accounts)",
    to: "(index < 0 ? accounts : accounts)",
    in: "daemon/wallets/HdWallets",
    test: "further committers are on a chain of their own"
  },
  {
    what: "a token works in the millisecond in which it expires",
    file: "daemon/src/accounts/AccessTokenStore.ts",
    from: "known.expires_at <= now",
    to: "known.expires_at < now",
    in: TOKENS,
    test: "a token works up to the millisecond before it expires"
  },
  {
    what: "a revoked token works",
    file: "daemon/src/accounts/AccessTokenStore.ts",
    from: "known === undefined || known.revoked_at !== null",
    to: "known === undefined",
    in: TOKENS,
    test: "an unknown, a malformed, an expired and a revoked token are refused alike"
  },
  {
    what: "a disabled account's token works",
    file: "daemon/src/accounts/AccessTokenStore.ts",
    from: "if (known.disabled_at !== null) return",
    to: "if (known.disabled_at === 0) return",
    in: TOKENS,
    test: "the token of a disabled account is known but refused"
  },
  {
    what: "the store holds access tokens as they are",
    file: "daemon/src/accounts/TokenText.ts",
    from: 'TokenHash.make(createHash("sha256").update(Redacted.value(token), "utf8").digest("hex"))',
    to: 'TokenHash.make(Buffer.from(Redacted.value(token)).toString("hex").slice(0, 64))',
    in: TOKENS,
    test: "a token names its caller, and the store holds its sha256"
  }
]
