/**
 * A real anvil for a test: cancun rules where no others are named, a free port, killed with the scope. The binary comes from an optional dev
 * package (linux x64 only): elsewhere tests that need it are skipped, but never where CI is set (`Parts.ts`).
 * anvil outlives a killed parent, so on Linux `setpriv --pdeathsig` ties it to this process.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { Effect, type Scope } from "effect"
import { http } from "viem"
import { foundry, isMissing } from "./Parts.ts"

const SETPRIV = "/usr/bin/setpriv"
const START_MILLISECONDS = 300_000

const binary = foundry("anvil")

/** True when tests against anvil have to be skipped here. In CI it is always false. */
export const isAnvilMissing = isMissing("anvil")

export interface Anvil {
  /** Where its JSON-RPC answers, `http://127.0.0.1:PORT`. */
  readonly url: string
  /** Kills it before the scope does, to show a node that has gone away. */
  readonly stop: Effect.Effect<void>
}

export interface AnvilOptions {
  readonly chainId: number
  /** More command-line arguments, such as `--no-mining`. */
  readonly extraArgs?: ReadonlyArray<string>
}

const kill = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve()
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })

const launch = ({ chainId, extraArgs = [] }: AnvilOptions): ChildProcess => {
  if (binary === undefined) throw new Error("no anvil: install the package @foundry-rs/anvil-linux-amd64 (linux x64)")
  const rules = extraArgs.includes("--hardfork") ? [] : ["--hardfork", "cancun"]
  const args = [...rules, "--port", "0", "--chain-id", String(chainId), ...extraArgs]
  const stdio = ["ignore", "pipe", "pipe"] as const
  return existsSync(SETPRIV)
    ? spawn(SETPRIV, ["--pdeathsig", "KILL", binary, ...args], { stdio: [...stdio] })
    : spawn(binary, args, { stdio: [...stdio] })
}

const listening = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ""
    const timer = setTimeout(() => reject(new Error(`anvil did not start in time: ${output}`)), START_MILLISECONDS)
    const read = (chunk: Buffer): void => {
      output += chunk.toString("utf8")
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1]
      if (port === undefined) return
      clearTimeout(timer)
      resolve(`http://127.0.0.1:${port}`)
    }
    child.stdout?.on("data", read)
    child.stderr?.on("data", read)
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`anvil ended with code ${code}: ${output}`)))
  })

/** A transport that waits as long as a busy machine takes, and asks again where the node says that it is busy. */
export const patientHttp = (url: string) => http(url, { timeout: 600_000, retryCount: 10 })

/** Starts anvil; it is killed when the scope closes, however the test ends. */
export const startAnvil: (options: AnvilOptions) => Effect.Effect<Anvil, Error, Scope.Scope> = Effect.fn("startAnvil")(
  function* (options) {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => launch(options)),
      (started) => Effect.promise(() => kill(started))
    )
    const url = yield* Effect.tryPromise({ try: () => listening(child), catch: (cause) => cause as Error })
    return { url, stop: Effect.promise(() => kill(child)) }
  }
)
