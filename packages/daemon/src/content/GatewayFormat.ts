/**
 * Which form of the content a gateway request asks for (https://specs.ipfs.tech/http-gateways/trustless-gateway/): `?format=` over
 * the `Accept` header; neither means the plain file. Of the CAR parameters, version 1, depth-first order, duplicates yes or no
 * and `dag-scope` are served; `entity-bytes` may be answered with more blocks than asked for, so it is ignored.
 */
import { Effect } from "effect"
import type { CarOptions } from "./Car.ts"
import { UnsupportedFormat } from "./GatewayErrors.ts"

export const RAW_TYPE = "application/vnd.ipld.raw"
export const CAR_TYPE = "application/vnd.ipld.car"

export type GatewayFormat =
  | { readonly form: "file" }
  | { readonly form: "raw" }
  | { readonly form: "car"; readonly options: CarOptions }

interface Accepted {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

/** Reads the form off the query and the `Accept` header. */
export const gatewayFormat = Effect.fnUntraced(function* (query: URLSearchParams, accept: string | undefined) {
  const asked = query.get("format")
  const accepted = acceptedTypes(accept ?? "")
  if (asked === null) {
    const known = accepted.find(({ type }) => type === RAW_TYPE || type === CAR_TYPE)
    if (known === undefined) return { form: "file" } satisfies GatewayFormat
    if (known.type === RAW_TYPE) return { form: "raw" } satisfies GatewayFormat
    return yield* carFormat(known.parameters, query)
  }
  if (asked === "raw") return { form: "raw" } satisfies GatewayFormat
  if (asked !== "car") {
    return yield* unsupported(
      `The format "${asked}" is not served. Ask for ?format=raw (the block), ?format=car (the whole graph), or leave it out for the file itself.`
    )
  }
  const parameters = accepted.find(({ type }) => type === CAR_TYPE)?.parameters ?? new Map<string, string>()
  return yield* carFormat(parameters, query)
})

const carFormat = Effect.fnUntraced(function* (parameters: ReadonlyMap<string, string>, query: URLSearchParams) {
  const version = parameters.get("version") ?? "1"
  const order = parameters.get("order") ?? "dfs"
  const duplicates = parameters.get("dups") ?? "n"
  const scope = query.get("dag-scope") ?? "all"
  if (version !== "1") return yield* unsupported(`CAR version ${version} is not served. Ask for version=1.`)
  if (order !== "dfs" && order !== "unk") {
    return yield* unsupported(`The CAR block order "${order}" is not served. Ask for order=dfs, or order=unk for any.`)
  }
  if (duplicates !== "y" && duplicates !== "n") {
    return yield* unsupported(`The CAR parameter dups="${duplicates}" is not known. It is y or n.`)
  }
  if (scope !== "all" && scope !== "entity" && scope !== "block") {
    return yield* unsupported(`The dag-scope "${scope}" is not known. It is all, entity or block.`)
  }
  const options: CarOptions = { scope: scope === "block" ? "block" : "all", duplicates: duplicates === "y" }
  return { form: "car", options } satisfies GatewayFormat
})

const unsupported = (problem: string) => Effect.fail(new UnsupportedFormat({ problem }))

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
