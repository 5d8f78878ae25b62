/** `/metrics` as OpenMetrics has it: counters end in `_total`, buckets add up, labels are escaped, and `# EOF` is the end. */
import { assert, describe, it } from "@effect/vitest"
import { Metric } from "effect"
import { note } from "../../../packages/daemon/src/telemetry/Metrics.ts"
import { openMetrics } from "../../../packages/daemon/src/telemetry/OpenMetrics.ts"

const linesOf = (name: string) =>
  openMetrics()
    .split("\n")
    .filter((line) => line.includes(name))

describe("OpenMetrics", () => {
  it("a counter's family has the plain name and its samples end in _total", () => {
    const counter = Metric.counter("test_calls", { description: "Calls", incremental: true })
    note(counter, 2, { operation: "GET /a" })
    note(counter, 1, { operation: 'with "quotes"\nand \\' })
    assert.deepStrictEqual(linesOf("test_calls"), [
      "# TYPE test_calls counter",
      "# HELP test_calls Calls",
      'test_calls_total{operation="GET /a"} 2',
      'test_calls_total{operation="with \\"quotes\\"\\nand \\\\"} 1'
    ])
  })

  it("buckets of a histogram are cumulative, the last is +Inf and equals the count", () => {
    const histogram = Metric.histogram("test_seconds", { description: "Times", boundaries: [0.1, 1] })
    for (const value of [0.05, 0.5, 0.5, 5]) note(histogram, value)
    assert.deepStrictEqual(linesOf("test_seconds").slice(2), [
      'test_seconds_bucket{le="0.1"} 1',
      'test_seconds_bucket{le="1"} 3',
      'test_seconds_bucket{le="+Inf"} 4',
      "test_seconds_sum 6.05",
      "test_seconds_count 4"
    ])
  })

  it("ends with # EOF and one line feed", () => {
    assert.isTrue(openMetrics().endsWith("\n# EOF\n"))
  })
})
