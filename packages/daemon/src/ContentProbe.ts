/**
 * Whether the content store takes and gives back bytes: what `/ready` asks of it. A folder is asked with a file of its own that is
 * written, read and removed; storage elsewhere with one block that is always the same. The answer is kept for a while, since probes come often.
 */
import { randomUUID } from "node:crypto"
import { mkdir, open, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { ContentStore, StorageUnavailable } from "@treemark/core"
import { Duration, Effect, Option } from "effect"
import { cidOfBlock } from "./content/BlockCid.ts"
import { Settings } from "./Settings.ts"

/** For how long an answer holds. */
const KEPT = Duration.seconds(5)

const RAW = 0x55
const DOING = "the content store was tried out"
const BYTES = new TextEncoder().encode("Treemark writes and reads this block to see whether it can.\n")

const tryFolder = (folder: string): Effect.Effect<void, StorageUnavailable> =>
  Effect.tryPromise({
    try: async () => {
      const drafts = join(folder, "tmp")
      const path = join(drafts, `ready-${randomUUID()}`)
      await mkdir(drafts, { recursive: true, mode: 0o700 })
      try {
        const file = await open(path, "wx", 0o600)
        try {
          await file.writeFile(BYTES)
          await file.datasync()
        } finally {
          await file.close()
        }
        if (Buffer.compare(await readFile(path), BYTES) !== 0) throw new Error("it gave back other bytes than it took")
      } finally {
        await rm(path, { force: true })
      }
    },
    catch: (cause) => new StorageUnavailable({ doing: DOING, cause })
  })

const tryStore = (contents: ContentStore["Service"]): Effect.Effect<void, StorageUnavailable> =>
  Effect.gen(function* () {
    const cid = cidOfBlock(RAW, BYTES).toString()
    yield* contents.put(cid, BYTES)
    if (Option.isSome(yield* contents.get(cid))) return
    return yield* new StorageUnavailable({ doing: DOING, cause: new Error("it does not have what it took") })
  })

/** Succeeds when the content store works. */
export const makeContentProbe = Effect.gen(function* () {
  const { contentFolder, contentUrl, home } = yield* Settings
  const contents = yield* ContentStore
  const folder = Option.getOrElse(contentFolder, () => join(home, "blocks"))
  const result = Effect.result(Option.isSome(contentUrl) ? tryStore(contents) : tryFolder(folder))
  return Effect.flatMap(yield* Effect.cachedWithTTL(result, KEPT), Effect.fromResult)
})
