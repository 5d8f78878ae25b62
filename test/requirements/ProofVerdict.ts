/** What the offline verifier says of a tree that the running daemon committed. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import { TREEMARK_VERIFY } from "../layers/Built.ts"
import { RunningDaemon } from "../layers/RunningDaemon.ts"

/** Writes the proof with `treemarkd proof`, then runs `treemark-verify PROOF --json`. */
export const proofVerdict = Effect.fn("proofVerdict")(function* (assetTreeCid: string) {
  const { admin, home } = yield* RunningDaemon
  const file = join(home, `${assetTreeCid}.proof.json`)
  yield* admin("proof", assetTreeCid, "--out", file)
  const { status, stdout } = spawnSync(process.execPath, [TREEMARK_VERIFY, file, "--json"], { encoding: "utf8" })
  return { exitCode: status, report: JSON.parse(stdout) as Record<string, unknown> }
})
