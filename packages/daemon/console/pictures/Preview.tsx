/**
 * What an asset looks like, where that can be shown without running anything of it: pictures that the worker drew anew, films and sound in the
 * browser's own players. Anything else (pages, SVG, PDF, programs) is a sign of its kind.
 */
import { useState } from "preact/hooks"
import { words } from "../Language.ts"
import { seen } from "../Say.tsx"
import { usePicture } from "./Pictures.ts"

interface Shown {
  readonly assetCid: string
  readonly encodingFormat: string
  readonly name: string | null
  /** Null: its bytes are not on this daemon. */
  readonly size: number | null
}

const TILE = 360
const LARGE = 1_600

const Kind = ({ asset, isLarge }: { readonly asset: Shown; readonly isLarge: boolean }) => {
  const kind = asset.encodingFormat
    .split(/[/;+]/)[1]
    ?.replace(/^(?:x-|vnd\.)/, "")
    .slice(0, 12)
  return (
    <span class={isLarge ? "kind large" : "kind"} aria-hidden="true">
      {kind === undefined ? "?" : seen(kind)}
    </span>
  )
}

const addressOf = ({ assetCid }: Shown): string => `/ipfs/${encodeURIComponent(assetCid)}`
const isOf = (asset: Shown, kind: string): boolean => asset.size !== null && asset.encodingFormat.startsWith(`${kind}/`)

/** For a list: a film shows its first picture. */
export const Tile = ({ asset }: { readonly asset: Shown }) => {
  const [isBroken, setBroken] = useState(false)
  const picture = usePicture(asset.assetCid, isOf(asset, "image"), TILE)
  if (isOf(asset, "video") && !isBroken) {
    return (
      <video
        src={`${addressOf(asset)}#t=0.1`}
        preload="metadata"
        muted
        tabIndex={-1}
        aria-hidden="true"
        onError={() => setBroken(true)}
      />
    )
  }
  if (picture === undefined) return <span class="waiting" />
  if (picture === null || isBroken) return <Kind asset={asset} isLarge={false} />
  return <img src={picture} alt="" onError={() => setBroken(true)} />
}

/** For the asset's own view. */
export const Preview = ({ asset }: { readonly asset: Shown }) => {
  const [isBroken, setBroken] = useState(false)
  const isPicture = isOf(asset, "image")
  const picture = usePicture(asset.assetCid, isPicture, LARGE)
  const name = seen(asset.name ?? asset.assetCid)
  const broken = () => setBroken(true)
  if (isOf(asset, "video") && !isBroken) {
    // biome-ignore lint/a11y/useMediaCaption: what is said in somebody's film is not ours to write down
    return <video src={addressOf(asset)} preload="metadata" controls aria-label={name} onError={broken} />
  }
  if (isOf(asset, "audio") && !isBroken) {
    // biome-ignore lint/a11y/useMediaCaption: as above
    return <audio src={addressOf(asset)} preload="metadata" controls aria-label={name} onError={broken} />
  }
  if (picture === undefined) return <p class="soft">{words("loading")}</p>
  if (picture !== null && !isBroken) return <img src={picture} alt={name} onError={broken} />
  return (
    <>
      <Kind asset={asset} isLarge />
      <p class="soft">{words(isPicture ? "notDrawn" : asset.size === null ? "notHere" : "notShown")}</p>
    </>
  )
}
