/** A link to the page that shows this asset's history to anybody, as text to copy and as a QR code for whoever stands beside. */

import { useMemo, useState } from "preact/hooks"
import encodeQR from "qr"
import { useAnswer } from "../Hooks.ts"
import { words } from "../Language.ts"
import { Copy } from "../Parts.tsx"
import { Strange } from "../Say.tsx"
import type { NodeFacts } from "../Types.ts"

const LOCAL = /^https?:\/\/(?:localhost|127\.|\[::1\])/

export const Share = ({ assetCid, isTestnet }: { readonly assetCid: string; readonly isTestnet: boolean }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="share" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words("share")}</summary>
      {isOpen && <Link path={`/explorer/asset/${encodeURIComponent(assetCid)}${isTestnet ? "?testnet=true" : ""}`} />}
    </details>
  )
}

const Link = ({ path }: { readonly path: string }) => {
  const [facts] = useAnswer<NodeFacts>("/console/node")
  if (facts.is === "waiting") return <p class="soft">{words("loading")}</p>
  const url = `${facts.is === "here" ? facts.value.publicUrl : location.origin}${path}`
  return (
    <div class="card">
      <p>{words("shareMeans")}</p>
      <p>
        <a href={path}>
          <Strange text={url} longest={500} />
        </a>{" "}
        <Copy text={url} />
      </p>
      <Code text={url} />
      {LOCAL.test(url) && <p class="soft">{words("shareLocal")}</p>}
    </div>
  )
}

const Code = ({ text }: { readonly text: string }) => {
  const { path, size } = useMemo(() => {
    const dots = encodeQR(text, "raw", { ecc: "medium", border: 3 })
    return {
      size: dots.length,
      path: dots.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")
    }
  }, [text])
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={words("qrLabel")}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  )
}
