/**
 * A look at the file itself. Pictures, video and sound are shown from a blob: URL whose type is the one sniffed, in elements that run
 * nothing; everything that is text, markup included, is shown as written. Other kinds, and pictures too large to draw, are only named.
 */
import { SNIFFED_BYTES, type Sniffed, sniff } from "../src/files/Sniff.ts"
import { element } from "./Element.ts"
import { type Key, words } from "./Language.ts"
import { pixelsOf } from "./PictureSize.ts"
import { shownPart } from "./Say.ts"
import { visible } from "./Visible.ts"

/** Larger pictures are not drawn: bytes, and pixels (4 bytes of memory each). */
const PICTURE_BYTES = 64 * 1024 * 1024
const PICTURE_PIXELS = 100_000_000
const TEXT_SHOWN = 8 * 1024
/** A JPEG may hold a long thumbnail before it tells its size. */
const PICTURE_HEAD = 512 * 1024

let shownUrl: string | undefined

/** Shows `file` in `place`, in place of what it showed before. */
export const showPreview = async (place: HTMLElement, file: Blob): Promise<void> => {
  clearPreview(place)
  const head = new Uint8Array(await file.slice(0, SNIFFED_BYTES).arrayBuffer())
  const sniffed = sniff(head, file.size <= head.length)
  place.replaceChildren(sniffed === undefined ? note("noPreview") : await look(file, head, sniffed))
}

export const clearPreview = (place: HTMLElement): void => {
  place.replaceChildren()
  if (shownUrl !== undefined) URL.revokeObjectURL(shownUrl)
  shownUrl = undefined
}

const note = (key: Key): HTMLElement => element("p", { class: "soft" }, words(key))

const look = async (file: Blob, head: Uint8Array, { kind, type }: Sniffed): Promise<HTMLElement> => {
  if (kind === "text") return text(head, file.size)
  if (kind === "image") {
    const pixels = pixelsOf(type, new Uint8Array(await file.slice(0, PICTURE_HEAD).arrayBuffer()))
    if (pixels === undefined || pixels > PICTURE_PIXELS || file.size > PICTURE_BYTES) {
      return note("tooLargeToShow")
    }
  }
  shownUrl = URL.createObjectURL(file.slice(0, file.size, type))
  return { image, video, audio }[kind](shownUrl)
}

const broken = (shown: HTMLElement) => () => shown.replaceWith(note("cannotShow"))

const image = (url: string): HTMLElement => {
  const shown = element("img", {})
  shown.alt = words("previewLabel")
  shown.onerror = broken(shown)
  shown.src = url
  return shown
}

const player = (shown: HTMLVideoElement | HTMLAudioElement, url: string): HTMLElement => {
  shown.controls = true
  shown.preload = "metadata"
  shown.onerror = broken(shown)
  shown.src = url
  return shown
}

const video = (url: string): HTMLElement => player(element("video", { "aria-label": words("previewLabel") }), url)
const audio = (url: string): HTMLElement => player(element("audio", { "aria-label": words("previewLabel") }), url)

const text = (head: Uint8Array, size: number): HTMLElement => {
  const shown = new TextDecoder().decode(head.subarray(0, TEXT_SHOWN), { stream: size > TEXT_SHOWN })
  const box = writtenText(shown, words("previewLabel"))
  return size > TEXT_SHOWN ? element("div", {}, box, note("beginningOnly")) : box
}

/** Text as it is written, in a box that scrolls; line breaks and tabs stay, other unseen characters are shown by their code. */
export const writtenText = (written: string, label: string): HTMLElement => {
  const box = element("pre", { tabindex: "0", role: "group", "aria-label": label })
  box.append(...visible(written, 64 * 1024, "\n\t").map(shownPart))
  return box
}
