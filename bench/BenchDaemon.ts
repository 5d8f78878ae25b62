/** A daemon of the benches in a process of its own, as people start it, and the few calls that set one up. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { join, resolve } from "node:path"

const TREEMARKD = resolve(import.meta.dirname, "../packages/daemon/bin/treemarkd.js")

interface To {
  readonly url?: string
  readonly socketPath?: string
}

export interface Said {
  readonly status: number
  readonly text: string
  readonly millis: number
}

const locate = (url: string) => {
  const { hostname, port } = new URL(url)
  return { hostname, port }
}

export const call = (to: To, method: string, path: string, body?: unknown, headers = {}): Promise<Said> =>
  new Promise((done, fail) => {
    const began = performance.now()
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const where = to.socketPath === undefined ? locate(to.url ?? "") : { socketPath: to.socketPath }
    const type = bytes === undefined ? {} : { "content-type": "application/json" }
    const outgoing = request({ ...where, path, method, headers: { ...type, ...headers } }, (incoming) => {
      let text = ""
      incoming.on("data", (part: Buffer) => (text += part.toString("utf8")))
      incoming.on("end", () => done({ status: incoming.statusCode ?? 0, text, millis: performance.now() - began }))
    })
    outgoing.on("error", fail)
    outgoing.end(bytes)
  })

export const post = async (to: To, path: string, body: unknown, headers = {}): Promise<Record<string, unknown>> => {
  const { status, text } = await call(to, "POST", path, body, headers)
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

export interface BenchDaemon {
  readonly url: string
  readonly home: string
  readonly pid: number
  /** Milliseconds from the start of the process until it said that it was ready. */
  readonly readyMillis: number
  /** Ends it as an operator does. */
  readonly stop: () => Promise<void>
}

export const startDaemon = async (home: string, env: NodeJS.ProcessEnv = {}): Promise<BenchDaemon> => {
  const began = performance.now()
  const child = spawn(process.execPath, [TREEMARKD, "start", "--port", "0", "--json"], {
    env: { ...process.env, TREEMARK_HOME: home, TREEMARK_LOG_LEVEL: "Warn", ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const line = await firstLine(child)
  const { addresses } = JSON.parse(line) as { readonly addresses: { readonly main: string } }
  return {
    url: addresses.main,
    home,
    pid: child.pid ?? 0,
    readyMillis: performance.now() - began,
    stop: () =>
      new Promise((done) => {
        child.once("close", () => done())
        child.kill("SIGTERM")
      })
  }
}

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((done, fail) => {
    child.stdout?.once("data", (text: Buffer) => done(text.toString("utf8")))
    child.once("close", (code) => fail(new Error(`the daemon ended with ${code} before it was ready`)))
  })

/** An account with credits, over the private socket. */
export const openAccount = async ({ home }: BenchDaemon, name: string) => {
  const account = { name, serviceName: "bench", credits: "100000", tokens: "0" }
  const made = await post({ socketPath: join(home, "treemarkd.sock") }, "/accounts", account)
  return made as { readonly token: string; readonly account: { readonly id: string; readonly wallet: string } }
}

/** Resident memory of a process now, and the most it ever had, in MiB. */
export const memoryOf = (pid: number): { readonly now: number; readonly most: number } => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0)
  return { now: kib("VmRSS") / 1024, most: kib("VmHWM") / 1024 }
}

const TICKS_PER_SECOND = 100

/** CPU milliseconds (user and system) that a process has used, all its threads. */
export const cpuOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND
}

/** Registers bytes; answers what a commit of them says of the asset. */
export const registerAsset = async ({ url }: BenchDaemon, token: string, bytes: Buffer, type = "image/png") => {
  const headers = { authorization: `token ${token}`, "content-type": type }
  const { assetCid, assetSha256, encodingFormat } = await post({ url }, "/assets", bytes, headers)
  return { assetCid, assetSha256, encodingFormat, assetTimestampCreated: 1_700_000_000, assetCreator: "Ada" }
}
