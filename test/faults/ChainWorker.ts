/** The thread of an embedded chain, whose blocks are points of `FailPoints`: before and after each is on disk. */
import { DatabaseSync } from "node:sqlite"
import { pass } from "./FailPoints.ts"

const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (statement) {
  if (statement !== "COMMIT") return exec.call(this, statement)
  pass("before commit block")
  exec.call(this, statement)
  pass("after commit block")
}

await import("../../packages/daemon/src/devchain/ChainWorker.ts")
