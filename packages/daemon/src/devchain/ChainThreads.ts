/**
 * The two threads of the embedded chains of a process: one writes them all and answers the daemon; one, started when somebody asks,
 * answers callers from outside. Both end with the scope.
 */
import { Clock, Duration, Effect, type Scope } from "effect"
import type { ChainFile } from "./ChainMessages.ts"
import { ChainThread } from "./ChainThread.ts"
import type { Answer } from "./JsonRpc.ts"
import { OutsideQueue } from "./OutsideQueue.ts"
import { ReaderThread } from "./ReaderThread.ts"
import { limitExceeded, RpcError } from "./RpcError.ts"

const DEADLINE = Duration.seconds(10)

export interface ChainThreads {
  readonly writer: ChainThread
  /** Answers for the chain in `file`; `write` asks the thread that writes. */
  readonly outside: (file: ChainFile, write: (method: string, params: unknown) => Promise<unknown>) => Answer
  /** Lets nothing from outside be under way on the chain, which is about to be closed. */
  readonly quiet: (file: ChainFile) => Promise<void>
}

/** Threads stand beside this file, in TypeScript in a checkout and bundled in a release. */
const threadUrl = (name: string): URL =>
  new URL(`./${name}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

/** `deadline`: for each call of the daemon to a chain, and for how long one from outside waits for its turn; 10 s by default. */
export const chainThreads = (deadline: Duration.Duration = DEADLINE): Effect.Effect<ChainThreads, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const services = yield* Effect.context<never>()
    const writer = new ChainThread({
      url: threadUrl("ChainWorker"),
      now: () => clock.currentTimeMillisUnsafe(),
      deadline: Duration.toMillis(deadline),
      onFault: (chainId, message) => {
        Effect.runForkWith(services)(Effect.logError(`Embedded chain ${chainId}: ${message}`))
      }
    })
    const reader = yield* Effect.acquireRelease(
      Effect.sync(() => new ReaderThread(threadUrl("ChainReadWorker"))),
      (thread) => Effect.promise(() => thread.stop())
    )
    const queue = new OutsideQueue({
      run: ({ file, method, params }, cpuMillis) => reader.run({ file, method, params, cpuMillis }),
      patience: Duration.toMillis(deadline),
      now: () => performance.now()
    })
    return {
      writer,
      outside: (file, write) => async (method, params, request) => {
        if (request.signal.aborted) throw limitExceeded("nobody waits for the answer any more")
        const forget = () => queue.forget(request)
        request.signal.addEventListener("abort", forget, { once: true })
        try {
          const answer = await queue.ask({ file, method, params, request })
          if (answer.kind === "json") return answer.json
          if (answer.kind === "forward") return JSON.stringify(await write(method, params))
          const { code, data, message } = answer.error
          throw new RpcError(code, message, data)
        } finally {
          request.signal.removeEventListener("abort", forget)
        }
      },
      quiet: ({ chainId }) => {
        queue.clear(new RpcError(4900, "The embedded chain is closed."), chainId)
        return reader.stop()
      }
    }
  })
