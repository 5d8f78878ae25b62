/** The headers of the gateway's answers (https://specs.ipfs.tech/http-gateways/path-gateway/, "Response Headers"). */
import type { CID } from "multiformats/cid"
import { fileNameOf } from "./FileName.ts"
import { acceptedFormats, CAR_TYPE, type CarRequest, formatOf, type GatewayFormat, RAW_TYPE } from "./GatewayFormat.ts"

const IMMUTABLE = "public, max-age=29030400, immutable"
const SANDBOX =
  "sandbox; default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** The path as it goes into headers: every name of it percent-encoded. */
export const writtenPath = (text: string, names: ReadonlyArray<string>): string =>
  [text, ...names].map(encodeURIComponent).join("/")

/** Of every answer about `path` (without `/ipfs/`); `roots` are the CIDs that it leads through. */
export const contentHeaders = (path: string, roots: ReadonlyArray<CID | string>, format: GatewayFormat) => ({
  etag: etagOf(path, format),
  "cache-control": IMMUTABLE,
  "x-content-type-options": "nosniff",
  "x-ipfs-path": `/ipfs/${path}`,
  "x-ipfs-roots": roots.join(","),
  "content-security-policy": SANDBOX,
  vary: "accept"
})

/** One form of one content always has the same bytes, but for a CAR, whose order of blocks is a choice: a weak tag. */
const etagOf = (path: string, format: GatewayFormat): string => {
  switch (format.form) {
    case "file":
      return `"${path}"`
    case "raw":
      return `"${path}.raw"`
    case "json":
      return `"${path}.${formatOf(format.type)}"`
    case "car":
      return `W/"${path}.car${carSuffix(format.car)}"`
  }
}

const carSuffix = ({ bytes, duplicates, scope }: CarRequest): string =>
  [scope === "all" ? "" : `.${scope}`, bytes === undefined ? "" : `.${bytes.text}`, duplicates ? ".dups" : ""].join("")

/** `If-None-Match` compares weakly (RFC 9110, section 13.1.2). */
export const isKnownTo = (header: string | undefined, etag: string): boolean => {
  const tags = (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""))
  return tags.includes("*") || tags.includes(etag.replace(/^W\//, ""))
}

/**
 * `Content-Location` where `Accept` decided what the address does not say, or says otherwise: caches that look at addresses alone can
 * then keep the forms apart.
 */
export const contentLocation = (
  path: string,
  query: URLSearchParams,
  accept: string | undefined,
  format: GatewayFormat
): { readonly "content-location"?: string } => {
  const type = typeOf(format)
  const [wanted] = acceptedFormats(accept)
  if (type === undefined || wanted === undefined) return {}
  if (query.has("format") && wanted.type === type) return {}
  const whole = new URLSearchParams(query)
  whole.set("format", formatOf(type) ?? "")
  if (format.form === "car" && format.car.duplicates) whole.set("car-dups", "y")
  return { "content-location": `/ipfs/${path}?${whole}` }
}

const typeOf = (format: GatewayFormat): string | undefined => {
  switch (format.form) {
    case "file":
      return undefined
    case "raw":
      return RAW_TYPE
    case "json":
      return format.type
    case "car":
      return CAR_TYPE
  }
}

/** `Content-Disposition`: what the caller wants it to be called, else `given`; saved and not shown if so asked, or if it can only be saved. */
export const disposition = (
  query: URLSearchParams,
  given: { readonly name?: string; readonly isSaved?: boolean } = {}
): { readonly "content-disposition"?: string } => {
  const name = fileNameOf(query.get("filename") ?? "") ?? given.name
  const download = query.get("download")
  const isSaved = given.isSaved === true || download === "true"
  if (name === undefined && !isSaved && download !== "false") return {}
  return { "content-disposition": `${isSaved ? "attachment" : "inline"}${name === undefined ? "" : named(name)}` }
}

/** Both forms of RFC 6266 where the name is more than plain ASCII. */
const named = (name: string): string => {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_")
  return `; filename="${plain}"${plain === name ? "" : `; filename*=UTF-8''${extended(name)}`}`
}

/** RFC 8187: these four are no attr-char, though encodeURIComponent leaves them. */
const extended = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
