/**
 * Which form of the content a gateway request asks for (https://specs.ipfs.tech/http-gateways/trustless-gateway/): `?format=` over
 * the `Accept` header; neither means the plain file. Of the CAR parameters, `car-…` in the query go before those of `Accept`; version 1,
 * depth-first order, duplicates yes or no, `dag-scope` and `entity-bytes` are served.
 */
import { Effect } from "effect"
import { type EntityBytes, readEntityBytes } from "./EntityBytes.ts"
import { UnsupportedFormat } from "./GatewayErrors.ts"

export const RAW_TYPE = "application/vnd.ipld.raw"
export const CAR_TYPE = "application/vnd.ipld.car"
export const DAG_JSON_TYPE = "application/vnd.ipld.dag-json"
export const JSON_TYPE = "application/json"

/** What is asked of a CAR, with the texts that its tag is made of. */
export interface CarRequest {
  readonly scope: "all" | "entity" | "block"
  readonly bytes: { readonly text: string; readonly range: EntityBytes } | undefined
  readonly duplicates: boolean
}

/** `isExplicit`: by the query, so that nothing else may be answered. A browser's `file` is shown and not saved where both can be. */
export type GatewayFormat =
  | { readonly form: "file"; readonly isBrowser: boolean }
  | { readonly form: "raw" }
  | { readonly form: "json"; readonly type: typeof DAG_JSON_TYPE | typeof JSON_TYPE; readonly isExplicit: boolean }
  | { readonly form: "car"; readonly car: CarRequest }

interface Accepted {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

const FORMATS: Readonly<Record<string, string>> = {
  raw: RAW_TYPE,
  car: CAR_TYPE,
  "dag-json": DAG_JSON_TYPE,
  json: JSON_TYPE
}

/** The value of `?format=` that means the media type; `undefined` for types that are no format. */
export const formatOf = (type: string): string | undefined =>
  Object.entries(FORMATS).find(([, one]) => one === type)?.[0]

/** The types of an `Accept` header that are formats, the most wanted first. */
export const acceptedFormats = (accept: string | undefined): ReadonlyArray<Accepted> =>
  acceptedTypes(accept ?? "").filter(({ type }) => formatOf(type) !== undefined)

/** Reads the form off the query and the `Accept` header. Of several CARs in `Accept` the first that can be served is it. */
export const gatewayFormat = Effect.fnUntraced(function* (query: URLSearchParams, accept: string | undefined) {
  const asked = query.get("format")
  const accepted = acceptedFormats(accept)
  const type = asked === null ? accepted[0]?.type : FORMATS[asked]
  switch (type) {
    case RAW_TYPE:
      return { form: "raw" } satisfies GatewayFormat
    case DAG_JSON_TYPE:
    case JSON_TYPE:
      return { form: "json", type, isExplicit: asked !== null } satisfies GatewayFormat
    case CAR_TYPE: {
      const wanted = accepted.filter((one) => one.type === CAR_TYPE)
      const ways = (wanted.length === 0 ? [undefined] : wanted).map((one) => carRequest(one?.parameters, query))
      const car = yield* ways.find((way) => !(way instanceof UnsupportedFormat)) ?? ways[0]!
      return { form: "car", car } satisfies GatewayFormat
    }
  }
  if (asked !== null) {
    return yield* unsupported(
      "format",
      `The format "${asked}" is not served. Ask for ?format=raw (the block), ?format=car (the whole graph), ?format=dag-json (an asset tree), or leave it out for the file itself.`
    )
  }
  const isBrowser = acceptedTypes(accept ?? "").some((one) => one.type === "text/html")
  return { form: "file", isBrowser } satisfies GatewayFormat
})

const carRequest = (inAccept: ReadonlyMap<string, string> | undefined, query: URLSearchParams) => {
  const parameter = (name: string) => query.get(`car-${name}`) ?? inAccept?.get(name)
  const version = parameter("version") ?? "1"
  const order = parameter("order") ?? "dfs"
  const duplicates = parameter("dups") ?? "n"
  const bytes = query.get("entity-bytes")
  const scope = query.get("dag-scope") ?? (bytes === null ? "all" : "entity")
  if (version !== "1") return unsupported("car-version", `CAR version ${version} is not served. Ask for version=1.`)
  if (order !== "dfs" && order !== "unk") {
    return unsupported(
      "car-order",
      `The CAR block order "${order}" is not served. Ask for order=dfs, or order=unk for any.`
    )
  }
  if (duplicates !== "y" && duplicates !== "n") {
    return unsupported("car-dups", `The CAR parameter dups="${duplicates}" is not known. It is y or n.`)
  }
  if (scope !== "all" && scope !== "entity" && scope !== "block") {
    return unsupported("dag-scope", `The dag-scope "${scope}" is not known. It is all, entity or block.`)
  }
  const range = bytes === null ? undefined : readEntityBytes(bytes)
  if (bytes !== null && range === undefined) {
    return unsupported(
      "entity-bytes",
      `The entity-bytes "${bytes}" is no range. It is FROM:TO, both counted and with the last byte in it, such as 0:1023; -1024:* is the last 1024 bytes.`
    )
  }
  const asked = bytes === null || range === undefined || scope !== "entity" ? undefined : { text: bytes, range }
  return Effect.succeed<CarRequest>({ scope, bytes: asked, duplicates: duplicates === "y" })
}

const unsupported = (parameter: string, problem: string) => new UnsupportedFormat({ parameter, problem })

/** The media ranges of an `Accept` header, the most wanted first; those with q=0 are left out. */
const acceptedTypes = (accept: string): ReadonlyArray<Accepted> =>
  accept
    .split(",")
    .map((range) => {
      const [type = "", ...rest] = range.split(";").map((part) => part.trim().toLowerCase())
      const parameters = new Map(
        rest.map((parameter): [string, string] => {
          const [name = "", value = ""] = parameter.split("=", 2)
          return [name.trim(), value.trim().replace(/^"(.*)"$/, "$1")]
        })
      )
      return { type, parameters, quality: Number(parameters.get("q") ?? "1") }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
