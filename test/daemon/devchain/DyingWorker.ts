/** A worker that is ready, answers nothing, and dies when asked to: for the test of the link. */
import { parentPort } from "node:worker_threads"

parentPort?.on("message", ({ method }: { readonly method: string }) => {
  if (method === "eth_die") throw new Error("struck by lightning")
})
parentPort?.postMessage({ kind: "ready" })
