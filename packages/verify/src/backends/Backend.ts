/**
 * The curve arithmetic behind one contract (core's `RecoverKey`), from three sources: `noble` is always there, auditable, and what the
 * others are compared with; `native` (the secp256k1 addon) and `wasm` (tiny-secp256k1) are optional packages. Which signatures
 * are accepted is decided before a backend is asked, so that all three give the same answers and the same refusals.
 */
import { nobleRecoverKey, type RecoverKey } from "@treemark/core/verify"
import { UnusableInput } from "../UnusableInput.ts"
import type { BackendChoice, BackendName } from "./BackendName.ts"

export interface Backend {
  readonly name: BackendName
  readonly recoverKey: RecoverKey
}

/** How a backend is fetched: `undefined` when its package is not installed or does not run here. */
export type BackendLoader = () => Promise<RecoverKey | undefined>

const LOADERS: Readonly<Record<BackendName, BackendLoader>> = {
  noble: async () => nobleRecoverKey,
  wasm: async () => (await import("./Wasm.ts")).loadWasm(),
  native: async () => (await import("./Native.ts")).loadNative()
}

const FASTEST_FIRST = ["native", "wasm", "noble"] as const

const PACKAGES = { noble: "@noble/curves", wasm: "tiny-secp256k1", native: "secp256k1" } as const

/**
 * The backend named, or with `auto` the fastest that runs here. One named and not to be had is refused ({@link UnusableInput}),
 * never replaced in silence.
 */
export const loadBackend = async (choice: BackendChoice, loaders = LOADERS): Promise<Backend> => {
  for (const name of choice === "auto" ? FASTEST_FIRST : [choice]) {
    const recoverKey = await loaders[name]()
    if (recoverKey !== undefined && isRight(recoverKey)) return { name, recoverKey }
  }
  const wanted = choice === "auto" ? "noble" : choice
  throw new UnusableInput(
    "backend_unavailable",
    `The ${wanted} backend does not run here: its package ${PACKAGES[wanted]} is not installed, or not for this platform (${process.platform}-${process.arch}). Nothing was checked. Use --backend auto, or noble, which runs everywhere.`
  )
}

const bytes = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** A signature of the digest 0x0101… by the private key 0x0707…, and its public key. */
const SAMPLE = {
  digest: new Uint8Array(32).fill(1),
  compact: bytes(
    "8964e5a86ae770d76a0cb2be7d946fa4a286039af48f75bd4651eb068a74fc7a137695e117d53e4f1bd6050707d712c5dd185aee0265b4872a2c23d9dc460594"
  ),
  recoveryId: 1,
  publicKey:
    "04989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80"
} as const

/** A binary that loads and computes something else must not decide anything. */
const isRight = (recoverKey: RecoverKey): boolean => {
  try {
    const key = recoverKey(SAMPLE.digest, SAMPLE.compact, SAMPLE.recoveryId)
    return (
      key !== undefined && Array.from(key, (byte) => byte.toString(16).padStart(2, "0")).join("") === SAMPLE.publicKey
    )
  } catch {
    return false
  }
}
