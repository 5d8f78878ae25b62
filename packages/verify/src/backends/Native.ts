/**
 * The backend `native`: libsecp256k1 as an addon, from the optional package secp256k1. Its binding is loaded by hand: the package's own
 * entry falls back to elliptic.js without a word when there is none, and lets environment variables name another file.
 */
import { readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { RecoverKey } from "@treemark/core/verify"

interface Binding {
  /** Writes the public key (65 bytes) to `output`; 0 when there is one. */
  readonly ecdsaRecover: (output: Uint8Array, compact: Uint8Array, recoveryId: number, digest: Uint8Array) => number
}

/** `undefined` when the package is not installed, or brings no binary for this platform. */
export const loadNative = async (): Promise<RecoverKey | undefined> => {
  const binding = bindingIn(packageFolder())
  if (binding === undefined) return undefined
  return (digest, compact, recoveryId) => {
    const publicKey = new Uint8Array(65)
    return binding.ecdsaRecover(publicKey, compact, recoveryId, digest) === 0 ? publicKey : undefined
  }
}

const packageFolder = (): string | undefined => {
  try {
    return dirname(fileURLToPath(import.meta.resolve("secp256k1/package.json")))
  } catch {
    return undefined
  }
}

/** One built on this machine, else the first of those in the package that loads (there is one for glibc and one for musl). */
export const bindingIn = (folder: string | undefined): Binding | undefined => {
  if (folder === undefined) return undefined
  const require = createRequire(import.meta.url)
  for (const place of [join("build", "Release"), join("prebuilds", `${process.platform}-${process.arch}`)]) {
    for (const file of binariesIn(join(folder, place))) {
      try {
        const { Secp256k1 }: { Secp256k1: new () => Binding } = require(file)
        return new Secp256k1()
      } catch {}
    }
  }
  return undefined
}

const binariesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".node"))
      .sort()
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}
