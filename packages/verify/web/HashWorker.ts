/**
 * The worker that measures the asset: it reads the file piece by piece, so a file of any size takes a few megabytes of memory, and
 * says how far it is. One message in (the file, and whether its UnixFS CID is wanted), then progress, then the measure or a reason.
 */
import { AssetMeter, type MeasuredAsset } from "@treemark/core/verify"

export interface HashTask {
  readonly file: Blob
  readonly unixfs: boolean
}

export type HashNews =
  | { readonly kind: "progress"; readonly bytes: number }
  | { readonly kind: "done"; readonly measured: MeasuredAsset }
  /** `isUnreadable`: it is the browser that says so, and not a fault met while measuring. */
  | { readonly kind: "failed"; readonly isUnreadable: boolean; readonly reason: string }

/** Bytes read at once. */
const STEP = 1024 * 1024
/** Bytes from one word about progress to the next. */
const TOLD = 16 * STEP

const tell = (news: HashNews): void => self.postMessage(news)

/**
 * The file's bytes, piece by piece; a piece is only good until the next one is asked for. All are read into one buffer, since a
 * buffer for each piece is garbage that piles up to hundreds of megabytes before it is collected.
 */
async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = intoOwnBuffer(file)
  if (reader === undefined) return yield* ownPiecesOf(file)
  let buffer = new ArrayBuffer(STEP)
  while (true) {
    const { done, value } = await reader.read(new Uint8Array(buffer))
    if (done || value === undefined) return
    yield value
    buffer = value.buffer
  }
}

/** Undefined where the browser's files are not streams of bytes (Safari). */
const intoOwnBuffer = (file: Blob): ReadableStreamBYOBReader | undefined => {
  try {
    return file.stream().getReader({ mode: "byob" })
  } catch {
    return undefined
  }
}

async function* ownPiecesOf(file: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += STEP) yield new Uint8Array(await file.slice(at, at + STEP).arrayBuffer())
}

const measure = async ({ file, unixfs }: HashTask): Promise<MeasuredAsset> => {
  const meter = new AssetMeter({ unixfs })
  let read = 0
  let told = 0
  for await (const bytes of piecesOf(file)) {
    meter.update(bytes)
    read += bytes.length
    if (read - told < TOLD && read < file.size) continue
    tell({ kind: "progress", bytes: read })
    told = read
  }
  return meter.measured()
}

/** Makes the thread that this runs in wait for its task. */
export const startHashWorker = (): void => {
  self.onmessage = ({ data }: MessageEvent<HashTask>) => {
    measure(data).then(
      (measured) => tell({ kind: "done", measured }),
      (error: unknown) => tell({ kind: "failed", isUnreadable: error instanceof DOMException, reason: String(error) })
    )
  }
}
