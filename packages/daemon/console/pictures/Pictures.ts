/**
 * Small pictures of assets, drawn by the worker one after the other: what came into sight last is drawn first (of what came at once, the first), what
 * went out of sight before its turn is not drawn at all, and only so many are kept.
 */
import { useEffect, useState } from "preact/hooks"
import type { PictureNews, PictureTask } from "./Worker.ts"

const KEPT = 600
const WORKER = "/console/pictures.js"

/** An address of the drawn picture; null when there is none to be had, undefined while nobody knows. */
export type Picture = string | null | undefined

interface Wish {
  readonly key: string
  /** Alike for what came into sight at once. */
  readonly turn: number
  readonly task: PictureTask
  readonly tell: (picture: Picture) => void
}

/** Drawn ones by asset and size, the one used last at the end. */
const drawn = new Map<string, string | null>()
let wishes: ReadonlyArray<Wish> = []
let current: Wish | undefined
let ids = 0
let turn = 0
let worker: Worker | undefined

interface TrustedTypes {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: () => string }
  ) => {
    readonly createScriptURL: (asked: string) => string
  }
}

/** The page's policy lets no text become a program; the one address that may is written here. */
const started = (): Worker => {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy("treemark-pictures", { createScriptURL: () => WORKER })
  const made = new Worker(policy?.createScriptURL(WORKER) ?? WORKER)
  made.onmessage = ({ data }: MessageEvent<PictureNews>) => ended(data)
  made.onerror = () => ended({ id: current?.task.id ?? 0, picture: undefined })
  return made
}

const keep = (key: string, picture: string | null): void => {
  drawn.set(key, picture)
  for (const [oldest, url] of drawn) {
    if (drawn.size <= KEPT) return
    drawn.delete(oldest)
    if (url !== null) URL.revokeObjectURL(url)
  }
}

const ended = ({ id, picture }: PictureNews): void => {
  if (current?.task.id !== id) return
  const url = picture === undefined ? null : URL.createObjectURL(picture)
  keep(current.key, url)
  current.tell(url)
  current = undefined
  next()
}

const next = (): void => {
  if (current !== undefined) return
  const latest = wishes.at(-1)?.turn
  current = wishes.find((wish) => wish.turn === latest)
  if (current === undefined) return
  wishes = wishes.filter((wish) => wish !== current)
  worker ??= started()
  worker.postMessage(current.task)
}

/** The asset drawn at most `box` pixels wide and high; asked for while the view that uses it is there. */
export const usePicture = (assetCid: string, isWanted: boolean, box: number): Picture => {
  const key = `${box} ${assetCid}`
  const [picture, setPicture] = useState<Picture>(isWanted ? drawn.get(key) : null)
  useEffect(() => {
    if (!isWanted) return setPicture(null)
    const known = drawn.get(key)
    if (known !== undefined) {
      drawn.delete(key)
      drawn.set(key, known)
      return setPicture(known)
    }
    let isHere = true
    if (wishes.at(-1)?.turn !== turn) setTimeout(() => turn++)
    const wish: Wish = {
      key,
      turn,
      task: { id: ++ids, assetCid, box },
      tell: (made) => {
        if (isHere) setPicture(made)
      }
    }
    wishes = [...wishes, wish]
    next()
    return () => {
      isHere = false
      wishes = wishes.filter((one) => one !== wish)
    }
  }, [key, isWanted])
  return picture
}
