/**
 * Where peers are kept between runs: `TREEMARK_PEERS`, else `~/.cache/treemark-peers`. What is made is made beside its place and moved there
 * whole, under a name that holds its version, so that a run that was cut off leaves nothing that the next one would take.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

export const CACHE =
  process.env.TREEMARK_PEERS ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "treemark-peers")

/** A peer that cannot be had on this machine: what was tried, and what came of it. */
export class NotHad extends Error {
  override readonly name = "NotHad"
}

/** Runs a program to its end and answers what it printed; the end of what it complained about is in the failure. */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}
): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, NODE_OPTIONS: "", ...options.env }
    const child = spawn(program, [...args], { stdio: ["ignore", "pipe", "pipe"], cwd: options.cwd ?? "/", env })
    let printed = ""
    let complained = ""
    child.stdout.on("data", (text: Buffer) => (printed += text.toString("utf8")))
    child.stderr.on("data", (text: Buffer) => (complained = (complained + text.toString("utf8")).slice(-2_000)))
    const failed = (how: string) =>
      reject(
        new NotHad(`${[program, ...args].join(" ")}: ${how}. ${complained.trim().split("\n").slice(-3).join(" ")}`)
      )
    child.once("error", (error) => failed(error.message))
    child.once("close", (code, signal) => (code === 0 ? resolve(printed) : failed(`ended with ${code ?? signal}`)))
  })

/** What is at `path` below the cache; `make` is given a draft's path to fill when it is not there. */
export const kept = async (path: string, make: (draft: string) => Promise<void>): Promise<string> => {
  const place = join(CACHE, path)
  if (existsSync(place)) return place
  mkdirSync(dirname(place), { recursive: true })
  const drafts = mkdtempSync(join(dirname(place), "draft-"))
  try {
    const draft = join(drafts, "it")
    await make(draft)
    renameSync(draft, place)
  } finally {
    rmSync(drafts, { recursive: true, force: true })
  }
  return place
}
