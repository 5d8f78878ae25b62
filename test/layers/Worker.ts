/** The end of a worker, for what the files that share it share: vitest ends one by SIGTERM, on which Node runs no exit handlers. */

const cleanups: Array<() => void> = []

/** Runs `cleanup`, which has to be quick and cannot wait, when there are no more files for this worker. */
export const atEndOfWorker = (cleanup: () => void): void => {
  if (cleanups.push(cleanup) > 1) return
  process.once("SIGTERM", () => {
    for (const each of cleanups) each()
    process.kill(process.pid, "SIGKILL")
  })
}
