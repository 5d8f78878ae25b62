/** A reader that answers one method and never comes back from any other: for the test of the thread that is ended then. */
import { parentPort } from "node:worker_threads"

parentPort?.on("message", ({ method }: { readonly method: string }) => {
  while (method === "eth_loop") {
    // Nothing but the end of the thread ends this.
  }
  parentPort?.postMessage({ kind: "json", json: '"here"', cpuMillis: 1 })
})
parentPort?.postMessage("ready")
