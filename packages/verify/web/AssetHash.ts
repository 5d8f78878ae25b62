/**
 * Measures a file in a worker of its own. Pages from file:// may not load a worker's file, so the page's one script is the worker's too
 * (main.ts), by a blob: URL, which the page's policy allows for workers alone.
 */
import type { MeasuredAsset } from "@treemark/core/verify"
import type { HashNews, HashTask } from "./HashWorker.ts"

/** Only known while the page's script runs for the first time. */
const CODE = typeof document === "undefined" ? "" : (document.currentScript?.textContent ?? "")

export interface Hashing {
  readonly measured: Promise<MeasuredAsset>
  /** Ends the worker; `measured` is then never settled. */
  readonly stop: () => void
}

/** The browser does not let the file be read: it was moved, changed or taken away. */
export class UnreadableAsset extends Error {}

/** Starts measuring; `progress` is told the bytes read so far. Rejects with {@link UnreadableAsset} when the file cannot be read. */
export const hashAsset = (task: HashTask, progress: (bytes: number) => void): Hashing => {
  const url = URL.createObjectURL(new Blob([CODE], { type: "text/javascript" }))
  const worker = new Worker(url)
  const stop = (): void => {
    worker.terminate()
    URL.revokeObjectURL(url)
  }
  const measured = new Promise<MeasuredAsset>((resolve, reject) => {
    const fail = (error: Error) => {
      stop()
      reject(error)
    }
    worker.onmessage = ({ data }: MessageEvent<HashNews>) => {
      if (data.kind === "progress") return progress(data.bytes)
      if (data.kind === "failed") return fail(data.isUnreadable ? new UnreadableAsset() : new Error(data.reason))
      stop()
      resolve(data.measured)
    }
    worker.onerror = () => fail(new Error("The part of this page that reads files did not run."))
    worker.postMessage(task)
  })
  return { measured, stop }
}
