/** The last word of a bulk run, as a line of JSON or for people. */
import type { BackendName } from "../backends/BackendName.ts"
import { printableLine } from "../Printable.ts"
import { grouped } from "./Progress.ts"
import type { Tally } from "./Tally.ts"

export interface Summary extends Tally {
  readonly total: number
  /** Links, devices and the like that were passed over. */
  readonly skipped: number
  readonly seconds: number
  /** Which recovery backend ran. */
  readonly backend: BackendName
  readonly workers: number
  readonly exitCode: 0 | 1 | 2 | 3
}

/** `{"summary":{…}}`, so that it cannot be taken for a result. */
export const jsonSummary = (summary: Summary): string =>
  printableLine({ summary: { ...summary, seconds: Math.round(summary.seconds * 1000) / 1000 } })

export const plainSummary = (summary: Summary): string => {
  const { total, valid, unconfirmed, invalid, unusable, skipped, seconds, backend, workers } = summary
  if (total === 0) return "There was no proof to verify.\n"
  const rate = grouped(Math.round(total / Math.max(seconds, 0.001)))
  const passedOver = skipped === 0 ? "" : `, ${grouped(skipped)} skipped`
  return (
    `${grouped(total)} proofs: ${grouped(valid)} valid, ${grouped(unconfirmed)} unconfirmed, ` +
    `${grouped(invalid)} invalid, ${grouped(unusable)} unusable${passedOver}\n` +
    `${seconds.toFixed(1)} s, ${rate} proofs/s, backend ${backend}, ${workers === 1 ? "1 worker" : `${workers} workers`}\n`
  )
}
