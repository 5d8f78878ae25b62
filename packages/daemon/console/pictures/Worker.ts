/**
 * Draws pictures small, in a thread of its own: bytes of strangers, so what they are is told by their first bytes and not by anybody's word, how
 * many pixels they have is read before anything is decoded, and what comes out is a new picture that this thread encoded. No daemon decodes one.
 */
import { mediaIn } from "../../../verify/src/files/Sniff.ts"
import { pixelsOf } from "../../../verify/web/PictureSize.ts"

export interface PictureTask {
  readonly id: number
  readonly assetCid: string
  /** The longest side that is wanted, in pixels. */
  readonly box: number
}

export interface PictureNews {
  readonly id: number
  /** Undefined: nothing that can or may be drawn. */
  readonly picture: Blob | undefined
}

/** A JPEG may hold a long thumbnail before it tells its size. */
const HEAD = 512 * 1024
const MOST_BYTES = 64 * 1024 * 1024
/** 4 bytes of memory each, for as long as one is drawn; one is drawn at a time. */
const MOST_PIXELS = 64_000_000
/** What cameras put into a photo is good for so small a place. */
const THUMBNAIL_BOX = 400

const types = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"])

const readAtMost = async (answer: Response, most: number): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const reader = answer.body?.getReader()
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  for (let size = 0; reader !== undefined; ) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > most) {
      await reader.cancel()
      return undefined
    }
    parts.push(value)
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(path, { headers, credentials: "omit", redirect: "error" })

/** The whole picture, once its beginning tells that it may be drawn. */
const pictureOf = async (assetCid: string): Promise<Blob | undefined> => {
  const path = `/ipfs/${encodeURIComponent(assetCid)}`
  const first = await ask(path, { range: `bytes=0-${HEAD - 1}` })
  if (!first.ok) return undefined
  const size = Number(/\/(\d+)$/.exec(first.headers.get("content-range") ?? "")?.[1] ?? HEAD)
  const head = size > MOST_BYTES ? undefined : await readAtMost(first, HEAD)
  if (head === undefined) return undefined
  const type = mediaIn(head)?.type ?? ""
  const pixels = types.has(type) ? pixelsOf(type, head) : undefined
  if (pixels === undefined || pixels === 0 || pixels > MOST_PIXELS) return undefined
  const whole = size <= head.length ? head : await readAtMost(await ask(path), MOST_BYTES)
  return whole && new Blob([whole], { type })
}

const small = async (assetCid: string, box: number): Promise<Blob | undefined> => {
  if (box <= THUMBNAIL_BOX) {
    const found = await ask(`/console/thumbnails/${encodeURIComponent(assetCid)}`)
    if (found.status === 200) return found.blob()
  }
  const picture = await pictureOf(assetCid)
  if (picture === undefined) return undefined
  const drawn = await createImageBitmap(picture)
  const scale = Math.min(1, box / Math.max(drawn.width, drawn.height))
  const [width, height] = [drawn.width, drawn.height].map((side) => Math.max(1, Math.round(side * scale)))
  const canvas = new OffscreenCanvas(width ?? 1, height ?? 1)
  const context = canvas.getContext("2d")
  if (context !== null) context.imageSmoothingQuality = "medium"
  context?.drawImage(drawn, 0, 0, canvas.width, canvas.height)
  drawn.close()
  return canvas.convertToBlob({ type: "image/webp", quality: 0.82 })
}

let before: Promise<unknown> = Promise.resolve()

self.onmessage = ({ data: { assetCid, box, id } }: MessageEvent<PictureTask>) => {
  before = before.then(async () => {
    const picture = await small(assetCid, box).catch(() => undefined)
    self.postMessage({ id, picture } satisfies PictureNews)
  })
}
