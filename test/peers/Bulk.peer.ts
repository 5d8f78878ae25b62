/**
 * Dask: bulk verification of many proofs over the parts of a file, with one worker killed on the way. The results are complete, in order, and
 * those of one process. `TREEMARK_PEERS_PROOFS` says how many proofs.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, closeSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { patience } from "../layers/Long.ts"
import { invalidLine, unconfirmedLine, validLine } from "../verify/BulkProofs.ts"
import { scratch, stub } from "../verify/Command.ts"
import { found } from "./Programs.ts"

const PROOFS = Number(process.env.TREEMARK_PEERS_PROOFS ?? 20_000)
/** So many differ; they come again and again, so that a place that is out of order shows. */
const DIFFERENT = 499

const files = scratch()
afterAll(files.remove)

const different = Array.from({ length: DIFFERENT }, (_, index) => {
  if (index % 100 === 20) return invalidLine(index)
  return index % 100 === 40 ? unconfirmedLine(index) : validLine(index)
})
const proofs = join(files.folder, "proofs.ndjson")
const file = openSync(proofs, "w")
for (let at = 0; at < PROOFS; at++) writeSync(file, `${different[at % DIFFERENT]}\n`)
closeSync(file)
const command = files.write("treemark-verify", `#!/bin/sh\nexec "${process.execPath}" "${stub}" "$@"\n`)
chmodSync(command, 0o755)

interface Result {
  readonly assetTreeCid?: string | null
  readonly verdict: string
}

const expected = (() => {
  const input = `${different.join("\n")}\n`
  const { stdout } = spawnSync(command, ["bulk", "-", "--json"], { input, encoding: "utf8", maxBuffer: 2 ** 28 })
  const results = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Result & { readonly summary?: unknown })
  return results.filter(({ summary }) => summary === undefined)
})()

const ENGINES = [{ name: "Dask", variable: "TREEMARK_PEER_DASK", program: "dasked.py" }]

describe("bulk", () => {
  for (const { name, program, variable } of ENGINES) {
    it(
      `over ${name}'s partitions gives what one process gives, with a worker killed on the way`,
      () => {
        const bin = found(variable)
        const results = join(files.folder, `${program}.ndjson`)
        const ended = spawnSync(join(bin, "python"), [join(import.meta.dirname, "python", program), proofs, results], {
          env: { PATH: `${files.folder}:${bin}:${process.env.PATH}`, HOME: files.folder },
          encoding: "utf8"
        })
        assert.strictEqual(ended.status, 0, ended.stderr.slice(-5_000))
        const { killed, partitions } = JSON.parse(ended.stdout.trimEnd().split("\n").at(-1) ?? "{}")
        assert.strictEqual(killed, 1)
        assert.isAbove(partitions, 8)
        const lines = readFileSync(results, "utf8").trimEnd().split("\n")
        assert.lengthOf(lines, PROOFS)
        const wrong = lines.findIndex((line, at) => {
          const { assetTreeCid = null, verdict } = expected[at % DIFFERENT] ?? { verdict: "none" }
          return line !== `{"assetTreeCid": ${JSON.stringify(assetTreeCid)}, "verdict": "${verdict}"}`
        })
        assert.strictEqual(wrong, -1, lines[wrong])
      },
      patience(5)
    )
  }
})
