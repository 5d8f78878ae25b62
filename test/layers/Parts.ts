/**
 * Programs that some tests need and npm does not bring along. Where one is not installed those tests are skipped, and the run ends with one
 * line that says so (`PlainSummary.ts`); where CI is set they run and fail.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const VERSIONS = "/usr/lib/postgresql"

/** The folder of PostgreSQL's programs, of the newest version there is. */
export const postgresFolder = (): string | undefined => {
  if (!existsSync(VERSIONS)) return undefined
  const newest = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))
  return newest.map((version) => join(VERSIONS, version, "bin")).find((bin) => existsSync(join(bin, "initdb")))
}

/** Debian's Chromium. */
export const CHROMIUM = "/usr/bin/chromium"

/** `script` of util-linux, which gives a command a terminal. */
export const SCRIPT = "/usr/bin/script"

/** A program of Foundry, which comes in an optional package for linux x64. */
export const foundry = (name: "anvil" | "cast"): string | undefined => {
  try {
    const manifest = createRequire(import.meta.url).resolve(`@foundry-rs/${name}-linux-amd64/package.json`)
    const binary = join(dirname(manifest), "bin", name)
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}

const runs = (program: string, argument: string, said: RegExp): boolean =>
  said.test(spawnSync(program, [argument], { encoding: "utf8" }).stdout ?? "")

interface Part {
  /** What needs it, after "tests". */
  readonly tests: string
  readonly isThere: () => boolean
  /** The Debian package; undefined for what npm brings. */
  readonly debian?: string
}

const PARTS = {
  postgres: { tests: "on PostgreSQL", isThere: () => postgresFolder() !== undefined, debian: "postgresql" },
  chromium: { tests: "of pages in a browser", isThere: () => existsSync(CHROMIUM), debian: "chromium" },
  strace: { tests: "of sockets and files opened", isThere: () => runs("strace", "-V", /strace/), debian: "strace" },
  parallel: {
    tests: "under GNU parallel",
    isThere: () => runs("parallel", "--version", /^GNU parallel/),
    debian: "parallel"
  },
  openssl: {
    tests: "of --explain that use openssl",
    isThere: () => runs("openssl", "version", /SSL/),
    debian: "openssl"
  },
  jq: { tests: "of --explain that use jq", isThere: () => runs("jq", "--version", /jq/), debian: "jq" },
  script: { tests: "on a terminal", isThere: () => existsSync(SCRIPT), debian: "bsdutils" },
  anvil: { tests: "on an anvil node", isThere: () => foundry("anvil") !== undefined },
  cast: { tests: "of --explain that use cast", isThere: () => foundry("cast") !== undefined }
} satisfies Readonly<Record<string, Part>>

/** True when tests that need the part have to be skipped here; in CI it never is. */
export const isMissing = (name: keyof typeof PARTS): boolean => process.env.CI === undefined && !PARTS[name].isThere()

/** One line that names what was skipped for want of which part, and how to get it; undefined when all are here. */
export const missingLine = (): string | undefined => {
  const parts: ReadonlyArray<Part> = (Object.keys(PARTS) as ReadonlyArray<keyof typeof PARTS>)
    .filter(isMissing)
    .map((name) => PARTS[name])
  if (parts.length === 0) return undefined
  const debian = parts.flatMap((part) => part.debian ?? [])
  const ways = [
    ...(debian.length === 0 ? [] : [`apt-get install -y ${debian.join(" ")}`]),
    ...(debian.length === parts.length ? [] : ["npm ci --include=optional on Linux x64, for anvil and cast"])
  ]
  return `Skipped for want of a program: tests ${parts.map(({ tests }) => tests).join(", ")}. To run them too: ${ways.join("; ")}`
}
