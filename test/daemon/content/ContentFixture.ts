/** A real content store in a folder of its own, and bytes that are the same on every run, as kubo's tests make them. */
import { createCipheriv, createHash } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { ContentStore } from "@treemark/core"
import { Effect, Layer, Option, Stream } from "effect"
import type { CID } from "multiformats/cid"
import * as AssetStore from "../../../packages/daemon/src/content/AssetStore.ts"
import { readCid } from "../../../packages/daemon/src/content/BlockCid.ts"
import * as BlockFolder from "../../../packages/daemon/src/content/BlockFolder.ts"
import { openFile } from "../../../packages/daemon/src/content/UnixfsExport.ts"
import { storeLayer, tempFolder } from "../store/TempStore.ts"

export const PUBLIC_URL = "http://127.0.0.1:7053"
export const CHUNK = 262_144

const PIECE = 1 << 20

/** The file of one block, where the content store keeps it. */
export const blockFile = (folder: string, cid: string): string => join(folder, cid.slice(-3, -1), cid)

/** Every file of blocks in the folder, drafts included. */
export const filesIn = (folder: string) =>
  Effect.promise(async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  })

/** Runs `use` on an empty content store in the folder it is told. */
export const withBlocks = <A, E>(
  use: (folder: string) => Effect.Effect<A, E, ContentStore | BlockFolder.BlockFolder>
) =>
  Effect.gen(function* () {
    const folder = join(yield* tempFolder, "blocks")
    return yield* use(folder).pipe(Effect.provide(BlockFolder.layer({ folder, publicUrl: PUBLIC_URL })))
  }).pipe(Effect.scoped)

/** The content store, the registrations and the migrated database they stand in. */
export const assetsLayer = (home: string) =>
  AssetStore.layer.pipe(
    Layer.provideMerge(BlockFolder.layer({ folder: join(home, "blocks"), publicUrl: PUBLIC_URL, isOwn: true })),
    Layer.provideMerge(storeLayer(join(home, "treemark.db")))
  )

/**
 * `size` bytes of the ChaCha20 key stream whose key is the sha256 of `seed` (zero nonce and counter): the very bytes of
 * DeterministicRandomReader in kubo's test/cli/testutils/random_deterministic.go.
 */
export const keyStream = (seed: string, size: number): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    const cipher = createCipheriv("chacha20", createHash("sha256").update(seed).digest(), Buffer.alloc(16))
    const pieces = Math.ceil(size / PIECE)
    return Stream.range(1, Math.max(pieces, 1)).pipe(
      Stream.rechunk(1),
      Stream.map((piece) => cipher.update(Buffer.alloc(Math.max(0, Math.min(PIECE, size - (piece - 1) * PIECE)))))
    )
  })

export const bytesOf = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runCollect(stream), (pieces) => Buffer.concat(pieces))

/** Part of a stored file, as the exporter reads it. */
export const readStored = Effect.fnUntraced(function* (cid: CID | string, start = 0, end?: number) {
  const contents = yield* ContentStore
  const root = typeof cid === "string" ? readCid(cid)! : cid
  const block = yield* contents.get(root.toString())
  const file = openFile(contents, root, Option.getOrThrow(block))!
  return yield* bytesOf(file.read(start, end ?? file.size))
})

export const sha256Hex = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
