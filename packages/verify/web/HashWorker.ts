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
  | { readonly kind: "failed"; readonly reason: string }

/** Bytes read at once; the next piece is read while one is hashed. */
const STEP = 4 * 1024 * 1024

const tell = (news: HashNews): void => self.postMessage(news)

const measure = async ({ file, unixfs }: HashTask): Promise<MeasuredAsset> => {
  const meter = new AssetMeter({ unixfs })
  const piece = (at: number): Promise<ArrayBuffer> => file.slice(at, at + STEP).arrayBuffer()
  let next = piece(0)
  for (let at = 0; at < file.size; at += STEP) {
    const bytes = new Uint8Array(await next)
    next = piece(at + STEP)
    meter.update(bytes)
    tell({ kind: "progress", bytes: at + bytes.length })
  }
  return meter.measured()
}

/** Makes the thread that this runs in wait for its task. */
export const startHashWorker = (): void => {
  self.onmessage = ({ data }: MessageEvent<HashTask>) => {
    measure(data).then(
      (measured) => tell({ kind: "done", measured }),
      (error: unknown) => tell({ kind: "failed", reason: error instanceof Error ? error.message : "it cannot be read" })
    )
  }
}
