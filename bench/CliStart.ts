/**
 * Figure: CPU time (user + system) of commands that are typed often, and of a daemon until it is ready, as ratios to `node -e 0`. Whole
 * processes, run in turns, medians; bundled as released, and from the checkout. The daemon's bundle is built for it.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { cpuMillis, type Figure, median, type Row, showAlone } from "./Figure.ts"

const BUNDLED_GOAL = 4
const CHECKOUT_GOAL = 15
const READY_GOAL = 25

const RUNS = 15
const STARTS = 5
const daemonPackage = resolve(import.meta.dirname, "../packages/daemon")
const checkout = join(daemonPackage, "bin/treemarkd.js")

interface Started {
  /** CPU milliseconds until it said that it is ready. */
  readonly cpu: number
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Clock ticks of user and system time, which the kernel counts 100 of in a second. */
const cpuOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /su, "")
    .split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const start = async (bin: string, home: string): Promise<Started> => {
  const child = spawn(process.execPath, [bin, "start", "--port", "0", "--json", "--home", home], {
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "ignore"]
  })
  const [line] = await once(child.stdout, "data")
  const cpu = cpuOf(child.pid ?? 0)
  const stop = async () => {
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await ended
  }
  return { cpu, url: JSON.parse(String(line)).addresses.main, stop }
}

const treemarkd = (bin: string, ...args: ReadonlyArray<string>) =>
  JSON.parse(execFileSync(process.execPath, [bin, ...args, "--json"], { encoding: "utf8" }))

/** A home with an account, and a commit of one asset. */
const fill = (bin: string, home: string, folder: string): string => {
  const file = join(folder, "note.txt")
  writeFileSync(file, "a note")
  treemarkd(bin, "account", "create", "--name", "bench", "--credits", "1", "--home", home)
  execFileSync(process.execPath, [bin, "add", file, "--home", home], { stdio: "ignore" })
  return treemarkd(bin, "asset", "list", "--home", home).assets[0].assetCid
}

const measure = async (): Promise<ReadonlyArray<Row>> => {
  const folder = mkdtempSync(join(tmpdir(), "treemark-bench-"))
  const built = mkdtempSync(join(daemonPackage, ".build-bench-"))
  try {
    execFileSync(process.execPath, [join(daemonPackage, "build.ts"), join(built, "dist")], { stdio: "inherit" })
    const bundled = join(built, "dist/treemarkd.js")
    const home = join(folder, "home")
    const starts = { first: [] as Array<number>, again: [] as Array<number> }
    for (let run = 0; run < STARTS; run++) {
      for (const which of ["first", "again"] as const) {
        const { cpu, stop } = await start(bundled, join(folder, `start-${run}`))
        starts[which].push(cpu)
        await stop()
      }
    }
    const daemon = await start(bundled, home)
    try {
      const assetCid = fill(bundled, home, folder)
      const commands = [["status"], ["account", "show", "bench"], ["log", assetCid]]
      const node: Array<number> = []
      const taken = commands.map(() => ({ bundled: [] as Array<number>, checkout: [] as Array<number> }))
      for (let run = 0; run < RUNS; run++) {
        node.push(cpuMillis(process.execPath, ["-e", "0"]))
        for (const [at, command] of commands.entries()) {
          taken[at]?.bundled.push(cpuMillis(process.execPath, [bundled, ...command, "--home", home]))
          taken[at]?.checkout.push(cpuMillis(process.execPath, [checkout, ...command, "--home", home]))
        }
      }
      const peer = median(node)
      const row = (what: string, millis: number, max: number): Row => ({
        what: `${what}: CPU of node -e 0 (${millis.toFixed(0)} ms, node -e 0 ${peer.toFixed(0)} ms)`,
        value: millis / peer,
        max
      })
      const name = (command: ReadonlyArray<string>) =>
        `treemarkd ${command.slice(0, 2).join(" ").replace(assetCid, "CID")}`
      return [
        ...commands.flatMap((command, at) => [
          row(`${name(command)}, bundled`, median(taken[at]?.bundled ?? []), BUNDLED_GOAL),
          row(`${name(command)}, from the checkout`, median(taken[at]?.checkout ?? []), CHECKOUT_GOAL)
        ]),
        row("a daemon until it is ready, bundled", median(starts.again), READY_GOAL),
        row("the first start, which makes wallets and chains", median(starts.first), READY_GOAL)
      ]
    } finally {
      await daemon.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    rmSync(built, { recursive: true, force: true })
  }
}

export const cliStart: Figure = { title: "commands, and the daemon's start", measure }

if (import.meta.main) await showAlone(cliStart)
