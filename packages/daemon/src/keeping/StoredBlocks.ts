/**
 * The blocks of asset trees and of assets' files as the content store holds them, for an audit: each is read whole and hashed. Of a folder a
 * thread reads them, beside the daemon; of storage elsewhere the store itself does, many at a time.
 */
import { Worker } from "node:worker_threads"
import { ContentStore, StorageUnavailable } from "@treemark/core"
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { readCid } from "../content/BlockCid.ts"
import { linksOf } from "../content/BlockGraph.ts"
import type { BlockFault, BlocksAnswered, BlocksAsked, BlocksRead, BlockWorkerOptions } from "./BlockMessages.ts"

/** Requests to storage elsewhere at the same time: each waits for the network most of its life. */
const READS_AT_ONCE = 32

/** Reads blocks until its scope closes; asked for several lots at once it takes them in turn. */
export interface BlockReader {
  /** Each CID is one block. */
  readonly trees: (cids: ReadonlyArray<string>) => Effect.Effect<BlocksRead, StorageUnavailable>
  /** Each CID is the root of a file, whose blocks are read as well. */
  readonly files: (cids: ReadonlyArray<string>) => Effect.Effect<BlocksRead, StorageUnavailable>
}

export class StoredBlocks extends Context.Service<
  StoredBlocks,
  {
    readonly open: Effect.Effect<BlockReader, never, Scope.Scope>
  }
>()("@treemark/daemon/keeping/StoredBlocks") {
  /** Of the block folder `folder`. */
  static readonly layerOfFolder = (folder: string): Layer.Layer<StoredBlocks> =>
    Layer.succeed(StoredBlocks, StoredBlocks.of({ open: openFolder(folder) }))

  /** Of whatever the content store is. */
  static readonly layerOfStore: Layer.Layer<StoredBlocks, never, ContentStore> = Layer.effect(
    StoredBlocks,
    Effect.map(ContentStore, (contents) => StoredBlocks.of({ open: Effect.succeed(readerOf(contents)) }))
  )
}

type Found = Uint8Array | Omit<BlockFault, "cid">

const readerOf = (contents: ContentStore["Service"]): BlockReader => {
  const read = (cid: string) =>
    contents.get(cid).pipe(
      Effect.match({
        onSuccess: Option.match({
          onNone: (): Found => ({ kind: "missing", detail: "" }),
          onSome: (bytes): Found => bytes
        }),
        onFailure: ({ cause }): Found => ({
          kind: "damaged",
          detail: cause instanceof Error ? cause.message : String(cause)
        })
      })
    )

  /** The blocks `cids` and those below them that `seen` does not hold yet. */
  const below = Effect.fnUntraced(function* (asset: string) {
    const seen = new Set([asset])
    const faults: Array<BlockFault> = []
    for (let level: ReadonlyArray<string> = [asset]; level.length > 0; ) {
      const links = yield* Effect.forEach(
        level,
        (text) =>
          Effect.map(read(text), (found) => {
            if (!(found instanceof Uint8Array)) return void faults.push({ ...found, cid: text, asset })
            const cid = readCid(text)
            return cid === undefined ? undefined : linksOf({ cid, bytes: found }).map(String)
          }),
        { concurrency: READS_AT_ONCE }
      )
      level = [...new Set(links.flatMap((found) => found ?? []))].filter((link) => !seen.has(link))
      for (const link of level) seen.add(link)
    }
    return { blocks: seen.size, faults }
  })

  return {
    trees: (cids) =>
      Effect.forEach(
        cids,
        (cid) => Effect.map(read(cid), (found) => (found instanceof Uint8Array ? [] : [{ ...found, cid }])),
        { concurrency: READS_AT_ONCE }
      ).pipe(Effect.map((faults) => ({ blocks: cids.length, faults: faults.flat() }))),
    files: (cids) => Effect.map(Effect.forEach(cids, below), together)
  }
}

const together = (parts: ReadonlyArray<BlocksRead>): BlocksRead => ({
  blocks: parts.reduce((sum, { blocks }) => sum + blocks, 0),
  faults: parts.flatMap(({ faults }) => faults)
})

/** The worker stands beside this file, in TypeScript in a checkout and bundled in a release. */
const isSource = import.meta.url.endsWith(".ts")
const workerUrl = (): URL => new URL(`./BlockWorker${isSource ? ".ts" : ".js"}`, import.meta.url)

/** In a checkout the worker finds the sources of core as `bin/treemarkd.js` does, whose hook does not reach other threads. */
const workerArguments = isSource ? [...process.execArgv, "--conditions=@treemark/source"] : process.execArgv

interface Waiting {
  readonly resolve: (read: BlocksRead) => void
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
        workerData: { folder } satisfies BlockWorkerOptions,
        name: "audit-blocks",
        execArgv: workerArguments
      })
      started.on("message", ({ id, ...read }: BlocksAnswered) => {
        waiting.get(id)?.resolve(read)
        waiting.delete(id)
      })
      started.on("error", end)
      started.on("exit", (code) => end(new Error(`the thread that reads the blocks ended with code ${code}`)))
      return started
    }),
    (started) => Effect.promise(() => started.terminate())
  )
  const read = (cids: ReadonlyArray<string>, graphs: boolean) =>
    Effect.tryPromise({
      try: () =>
        new Promise<BlocksRead>((resolve, reject) => {
          if (ended !== undefined) return reject(ended)
          const id = ++lastId
          waiting.set(id, { resolve, reject })
          worker.postMessage({ id, cids, graphs } satisfies BlocksAsked)
        }),
      catch: (cause) => new StorageUnavailable({ doing: "the blocks of the content were read", cause })
    })
  return { trees: (cids) => read(cids, false), files: (cids) => read(cids, true) } satisfies BlockReader
})
