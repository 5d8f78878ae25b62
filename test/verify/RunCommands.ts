/** Runs the commands of explanations with bash and the tools themselves: cast comes from its npm package, the others from the system. */
import { spawnSync } from "node:child_process"
import { dirname } from "node:path"
import { assert } from "@effect/vitest"
import type { Explanation } from "@treemark/core/verify"
import { foundry, isMissing } from "../layers/Parts.ts"

type Command = Explanation["commands"][number]

/** The file of cast; undefined where its package is not installed. */
export const cast = foundry("cast")
if (cast === undefined && process.env.CI !== undefined) throw new Error("no cast: install @foundry-rs/cast-linux-amd64")

/** Tools that are not here. */
export const without = (["openssl", "jq", "cast"] as const).filter(isMissing)

/** No package has the binary of ipfs. */
export const canRun = ({ line, tool }: Command): boolean =>
  tool !== "ipfs" && !without.some((missing) => new RegExp(`\\b${missing}\\b`).test(line))

export const bash = (line: string, folder: string, rpcUrl = "") =>
  spawnSync("bash", ["-o", "pipefail", "-c", line], {
    cwd: folder,
    env: { PATH: `${cast === undefined ? "" : dirname(cast)}:${process.env.PATH}`, RPC_URL: rpcUrl, HOME: folder },
    encoding: "utf8",
    timeout: 600_000
  })

/** Runs all that can be run here, in `folder`: each prints what is said, or fails where that is said; answers how many ran. */
export const runAll = (explanations: ReadonlyArray<Explanation>, folder: string, rpcUrl?: string): number => {
  let count = 0
  for (const { check, commands } of explanations) {
    for (const command of commands.filter(canRun)) {
      if (command.needsNode && rpcUrl === undefined) continue
      const { status, stdout, stderr } = bash(command.line, folder, rpcUrl)
      const isFailing = command.note?.startsWith("it fails") === true
      assert.strictEqual(status === 0, !isFailing, `${check}: ${command.line}\n${stderr}`)
      if (command.prints !== null) assert.strictEqual(stdout.trim(), command.prints, `${check}: ${command.line}`)
      else if (!isFailing) assert.isNotEmpty(stdout.trim(), command.line)
      count++
    }
  }
  return count
}
