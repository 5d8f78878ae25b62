/** A worker that is ready, answers nothing, and dies when asked to: for the test of the link. */
import { parentPort } from "node:worker_threads"

parentPort?.on("message", ({ chainId, kind, method }: { chainId: number; kind: string; method?: string }) => {
  if (method === "eth_die") throw new Error("struck by lightning")
  if (kind === "open") parentPort?.postMessage({ kind: "ready", chainId })
})
