/**
 * Figures of `treemark-verify bulk` as people run it, whole processes on all cores, against a plain loop over ethers v6 (JSON.parse, sha256,
 * verifyMessage) on the same proofs, in turns, medians. TREEMARK_BENCH_PROOFS sets the number of proofs.
 * Needs `npm run build -w packages/verify`.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { verifyMessage } from "ethers"
import { writeProofs } from "./BulkProofs.ts"
import { type Figure, median, type Row, showAlone } from "./Figure.ts"

const PROOFS = Number(process.env.TREEMARK_BENCH_PROOFS ?? 40_000)
const ROUNDS = 3
const ETHERS_PROOFS = 400
const bin = resolve(import.meta.dirname, "../packages/verify/dist/bin.js")

interface Loop {
  readonly rate: number
  readonly cpuMicros: number
}

/** Proofs a second of a loop that somebody would write in ten minutes. It checks less than bulk does. */
const ethersLoop = (lines: ReadonlyArray<string>): Loop => {
  const started = performance.now()
  const cpu = process.threadCpuUsage()
  for (const line of lines) {
    const { tree, commit } = JSON.parse(line)
    const sha256 = createHash("sha256").update(Buffer.from(tree.bytes, "base64")).digest("hex")
    const signer = verifyMessage(sha256, commit.record.assetTreeSignature)
    if (sha256 !== commit.record.assetTreeSha256 || signer !== commit.record.author)
      throw new Error("A proof was not valid.")
  }
  const { user, system } = process.threadCpuUsage(cpu)
  return { rate: (lines.length / (performance.now() - started)) * 1000, cpuMicros: (user + system) / lines.length }
}

interface Run {
  /** From the start of the process to its end. */
  readonly rate: number
  /** CPU time of one proof, user and system, the start of the process included. */
  readonly cpuMicros: number
  readonly peakMegabytes: number
}

const bulkRun = (args: ReadonlyArray<string>, count: number): Promise<Run> =>
  new Promise((done, failed) => {
    const started = performance.now()
    const child = spawn(process.execPath, [bin, "bulk", ...args], { env: {}, stdio: ["ignore", "ignore", "ignore"] })
    let [peak, cpu] = [0, 0]
    const watch = setInterval(() => {
      peak = Math.max(peak, peakOf(child.pid!))
      cpu = Math.max(cpu, cpuSecondsOf(child.pid!))
    }, 20)
    child.on("exit", (code) => {
      clearInterval(watch)
      const seconds = (performance.now() - started) / 1000
      if (code === 0) done({ rate: count / seconds, cpuMicros: (cpu / count) * 1e6, peakMegabytes: peak })
      else failed(new Error(`treemark-verify bulk ${args.join(" ")} ended with ${code}.`))
    })
  })

/** The most memory that the process has had, as Linux keeps it; 0 elsewhere. */
const peakOf = (pid: number): number => {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    return Number(kilobytes ?? 0) / 1024
  } catch {
    return 0
  }
}

/** CPU time so far, in seconds (proc_pid_stat(5), fields 14 and 15, in hundredths); 0 where there is no /proc. */
const cpuSecondsOf = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}

const firstLines = (path: string, count: number): ReadonlyArray<string> => {
  const file = openSync(path, "r")
  const buffer = Buffer.alloc(count * 4096)
  const length = readSync(file, buffer)
  closeSync(file)
  return buffer.toString("utf8", 0, length).split("\n").slice(0, count)
}

export const bulkVerify: Figure = {
  title: `treemark-verify bulk, ${PROOFS} proofs, whole processes`,
  measure: async () => {
    if (!existsSync(bin)) throw new Error("There is no bundle yet. Run `npm run build -w packages/verify` first.")
    const folder = mkdtempSync(join(tmpdir(), "treemark-bench-"))
    try {
      const path = join(folder, "proofs.ndjson")
      const fewer = join(folder, "fewer.ndjson")
      const fewerCount = Math.ceil(PROOFS / 4)
      writeProofs(path, PROOFS)
      writeProofs(fewer, fewerCount)
      const lines = firstLines(path, ETHERS_PROOFS)
      const ethers: Array<Loop> = []
      const native: Array<Run> = []
      const nativeJson: Array<Run> = []
      const one: Array<Run> = []
      const wasm: Array<Run> = []
      ethersLoop(lines.slice(0, 50))
      for (let round = 0; round < ROUNDS; round++) {
        ethers.push(ethersLoop(lines))
        native.push(await bulkRun([path, "--backend", "native"], PROOFS))
        one.push(await bulkRun([path, "--backend", "native", "--workers", "1"], PROOFS))
        ethers.push(ethersLoop(lines))
        wasm.push(await bulkRun([fewer, "--backend", "wasm"], fewerCount))
        nativeJson.push(await bulkRun([path, "--backend", "native", "--json"], PROOFS))
      }
      return rows({ ethers, native, nativeJson, one, wasm })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

const rows = (runs: {
  readonly ethers: ReadonlyArray<Loop>
  readonly native: ReadonlyArray<Run>
  readonly nativeJson: ReadonlyArray<Run>
  readonly one: ReadonlyArray<Run>
  readonly wasm: ReadonlyArray<Run>
}): ReadonlyArray<Row> => {
  const rate = (of: ReadonlyArray<Run>) => median(of.map((run) => run.rate))
  const each = (of: ReadonlyArray<Run>) => `${rate(of).toFixed(0)} proofs/s`
  const ethers = median(runs.ethers.map((loop) => loop.rate))
  const ethersMicros = median(runs.ethers.map((loop) => loop.cpuMicros))
  const cpu = (of: ReadonlyArray<Run>) => median(of.map((run) => run.cpuMicros))
  const workers = median(runs.native.map((run, round) => run.rate / runs.one[round]!.rate))
  const peak = Math.max(...[...runs.native, ...runs.nativeJson, ...runs.wasm].map((run) => run.peakMegabytes))
  const against = `an ethers v6 loop (${ethers.toFixed(0)} proofs/s)`
  return [
    { what: `native, all cores (${each(runs.native)}) of ${against}`, value: rate(runs.native) / ethers, min: 25 },
    { what: `native, all cores, --json (${each(runs.nativeJson)}) of the same`, value: rate(runs.nativeJson) / ethers },
    { what: `wasm, all cores (${each(runs.wasm)}) of the same`, value: rate(runs.wasm) / ethers, min: 6 },
    {
      what: `native: CPU of an ethers proof (${ethersMicros.toFixed(0)} µs) to one of bulk (${cpu(runs.one).toFixed(0)} µs)`,
      value: ethersMicros / cpu(runs.one)
    },
    { what: `wasm: the same (${cpu(runs.wasm).toFixed(0)} µs)`, value: ethersMicros / cpu(runs.wasm) },
    { what: `all cores of one worker (${each(runs.one)}), native`, value: workers, min: 1.6 },
    { what: "peak memory", value: peak, max: 300, unit: "MB" }
  ]
}

if (import.meta.main) await showAlone(bulkVerify)
