/** Instruments as text (https://github.com/prometheus/OpenMetrics, 1.0): a family each, the samples of a counter named `_total`, `# EOF` at the end. */
import { Context, Metric } from "effect"

export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"

type Snapshot = ReturnType<typeof Metric.snapshotUnsafe>[number]

/** Every instrument that was used. */
export const openMetrics = (): string => {
  const families = Map.groupBy(Metric.snapshotUnsafe(Context.empty()), ({ id }) => id)
  const lines = [...families].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, members]) => familyOf(members))
  return `${[...lines, "# EOF"].join("\n")}\n`
}

const TYPES: { readonly [type: string]: string } = { Counter: "counter", Gauge: "gauge", Histogram: "histogram" }

const familyOf = (members: ReadonlyArray<Snapshot>): ReadonlyArray<string> => {
  const [first] = members
  const type = first === undefined ? undefined : TYPES[first.type]
  if (first === undefined || type === undefined) return []
  const help = first.description === undefined ? [] : [`# HELP ${first.id} ${escaped(first.description)}`]
  return [`# TYPE ${first.id} ${type}`, ...help, ...members.flatMap(samplesOf)]
}

const samplesOf = (metric: Snapshot): ReadonlyArray<string> => {
  const { attributes, id } = metric
  if (metric.type === "Counter") return [`${id}_total${labels(attributes)} ${metric.state.count}`]
  if (metric.type === "Gauge") return [`${id}${labels(attributes)} ${metric.state.value}`]
  if (metric.type !== "Histogram") return []
  const { buckets, count, sum } = metric.state
  return [
    ...buckets
      .filter(([bound]) => Number.isFinite(bound))
      .map(([bound, below]) => `${id}_bucket${labels(attributes, bound.toString())} ${below}`),
    `${id}_bucket${labels(attributes, "+Inf")} ${count}`,
    `${id}_sum${labels(attributes)} ${sum}`,
    `${id}_count${labels(attributes)} ${count}`
  ]
}

const labels = (attributes: Readonly<Record<string, string>> | undefined, le?: string): string => {
  const pairs = [...Object.entries(attributes ?? {}), ...(le === undefined ? [] : [["le", le] as const])]
  return pairs.length === 0 ? "" : `{${pairs.map(([name, value]) => `${name}="${escaped(value)}"`).join(",")}}`
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
