/**
 * The asset trees as the content store holds them, for an audit: each is read whole and hashed. Of a folder a thread reads them, beside
 * the daemon; of storage elsewhere the store itself does, many at a time.
 */
import { Worker } from "node:worker_threads"
import { ContentStore, StorageUnavailable } from "@treemark/core"
import { Context, Effect, Layer, Option, type Scope } from "effect"
import type { TreeFault, TreesAnswered, TreesAsked, TreeWorkerOptions } from "./TreeMessages.ts"

/** Requests to storage elsewhere at the same time: each waits for the network most of its life. */
const READS_AT_ONCE = 32

/** Reads trees until its scope closes; asked for several lots at once it takes them in turn. */
export type TreeReader = (cids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<TreeFault>, StorageUnavailable>

export class StoredTrees extends Context.Service<
  StoredTrees,
  {
    readonly open: Effect.Effect<TreeReader, never, Scope.Scope>
  }
>()("@treemark/daemon/keeping/StoredTrees") {
  /** Of the block folder `folder`. */
  static readonly layerOfFolder = (folder: string): Layer.Layer<StoredTrees> =>
    Layer.succeed(StoredTrees, StoredTrees.of({ open: openFolder(folder) }))

  /** Of whatever the content store is. */
  static readonly layerOfStore: Layer.Layer<StoredTrees, never, ContentStore> = Layer.effect(
    StoredTrees,
    Effect.map(ContentStore, (contents) => StoredTrees.of({ open: Effect.succeed(readerOf(contents)) }))
  )
}

const readerOf =
  (contents: ContentStore["Service"]): TreeReader =>
  (cids) =>
    Effect.forEach(
      cids,
      (cid) =>
        contents.get(cid).pipe(
          Effect.match({
            onSuccess: Option.match({
              onNone: (): ReadonlyArray<TreeFault> => [{ kind: "missing", cid, detail: "" }],
              onSome: (): ReadonlyArray<TreeFault> => []
            }),
            onFailure: ({ cause }): ReadonlyArray<TreeFault> => [
              { kind: "damaged", cid, detail: cause instanceof Error ? cause.message : String(cause) }
            ]
          })
        ),
      { concurrency: READS_AT_ONCE }
    ).pipe(Effect.map((faults) => faults.flat()))

/** The worker stands beside this file, in TypeScript in a checkout and bundled in a release. */
const isSource = import.meta.url.endsWith(".ts")
const workerUrl = (): URL => new URL(`./TreeWorker${isSource ? ".ts" : ".js"}`, import.meta.url)

/** In a checkout the worker finds the sources of core as `bin/treemarkd.js` does, whose hook does not reach other threads. */
const workerArguments = isSource ? [...process.execArgv, "--conditions=@treemark/source"] : process.execArgv

interface Waiting {
  readonly resolve: (faults: ReadonlyArray<TreeFault>) => void
  readonly reject: (error: Error) => void
}

const openFolder = Effect.fnUntraced(function* (folder: string) {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let ended: Error | undefined
  const end = (error: Error) => {
    ended ??= error
    for (const { reject } of waiting.values()) reject(ended)
    waiting.clear()
  }
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const started = new Worker(workerUrl(), {
        workerData: { folder } satisfies TreeWorkerOptions,
        name: "audit-trees",
        execArgv: workerArguments
      })
      started.on("message", ({ faults, id }: TreesAnswered) => {
        waiting.get(id)?.resolve(faults)
        waiting.delete(id)
      })
      started.on("error", end)
      started.on("exit", (code) => end(new Error(`the thread that reads the trees ended with code ${code}`)))
      return started
    }),
    (started) => Effect.promise(() => started.terminate())
  )
  const read: TreeReader = (cids) =>
    Effect.tryPromise({
      try: () =>
        new Promise<ReadonlyArray<TreeFault>>((resolve, reject) => {
          if (ended !== undefined) return reject(ended)
          const id = ++lastId
          waiting.set(id, { resolve, reject })
          worker.postMessage({ id, cids } satisfies TreesAsked)
        }),
      catch: (cause) => new StorageUnavailable({ doing: "the asset trees were read", cause })
    })
  return read
})
