/**
 * Figures on one core, in CPU time of the thread, in turns, as medians of ratios: what each recovery backend reaches alone (text and signature to
 * address), against noble; and what bulk verification keeps of it when the proof around each signature is read and checked, too.
 */

import { recoverSigner } from "../packages/core/src/asset-tree/Signature.ts"
import { loadBackend } from "../packages/verify/src/backends/Backend.ts"
import { answerChunk } from "../packages/verify/src/bulk/AnswerChunk.ts"
import { makeVerifier } from "../packages/verify/src/bulk/Verifier.ts"
import { bulkProof } from "./BulkProofs.ts"
import { type Figure, median, type Row, showAlone } from "./Figure.ts"

const PROOFS = 4000
const ROUNDS = 9

interface Item {
  readonly line: Buffer
  readonly text: string
  readonly signature: string
}

const cpuMicros = (act: () => void): number => {
  const start = process.threadCpuUsage()
  act()
  const { user, system } = process.threadCpuUsage(start)
  return user + system
}

export const recoverBackends: Figure = {
  title: "Recovery backends, one core",
  measure: async () => {
    const items = Array.from({ length: PROOFS }, (_, index): Item => {
      const proof = bulkProof(index)
      const { assetTreeSha256, assetTreeSignature } = proof.commit.record
      return {
        line: Buffer.from(`${JSON.stringify(proof)}\n`),
        text: String(assetTreeSha256),
        signature: String(assetTreeSignature)
      }
    })
    const candidates = await Promise.all(
      (
        [
          ["native", 400],
          ["wasm", 200],
          ["noble", 60]
        ] as const
      ).map(async ([name, batch]) => {
        const backend = await loadBackend(name)
        const verifier = makeVerifier(backend, {})
        return {
          name,
          batch,
          alone: (part: ReadonlyArray<Item>) => {
            for (const { text, signature } of part) recoverSigner(text, signature, backend.recoverKey)
          },
          bulk: (part: ReadonlyArray<Item>, bytes: Uint8Array<ArrayBuffer>) => {
            const chunk = { kind: "lines", buffer: bytes.buffer, length: bytes.length, offset: 0, line: 1 } as const
            if (answerChunk(chunk, verifier, { json: false }).tally.valid !== part.length)
              throw new Error("A proof was not valid.")
          },
          aloneMicros: [] as Array<number>,
          bulkMicros: [] as Array<number>
        }
      })
    )
    for (let round = -2; round < ROUNDS; round++) {
      for (const { batch, alone, bulk, aloneMicros, bulkMicros } of candidates) {
        const from = ((round + 2) * batch) % (PROOFS - batch)
        const part = items.slice(from, from + batch)
        const bytes = new Uint8Array(Buffer.concat(part.map(({ line }) => line)))
        const micros = [cpuMicros(() => alone(part)), cpuMicros(() => bulk(part, bytes))] as const
        if (round < 0) continue
        aloneMicros.push(micros[0] / batch)
        bulkMicros.push(micros[1] / batch)
      }
    }
    const noble = candidates[2]!
    return candidates.flatMap(({ name, aloneMicros, bulkMicros }): ReadonlyArray<Row> => {
      const ratio = (of: ReadonlyArray<number>, to: ReadonlyArray<number>) =>
        median(of.map((one, round) => to[round]! / one))
      const micros = `${median(aloneMicros).toFixed(0)} µs alone, ${median(bulkMicros).toFixed(0)} µs with the proof around it`
      return [
        { what: `${name}: recoveries of noble's`, value: ratio(aloneMicros, noble.aloneMicros) },
        {
          what: `${name}: bulk keeps of the backend alone (${micros})`,
          value: ratio(bulkMicros, aloneMicros),
          min: 0.85
        }
      ]
    })
  }
}

if (import.meta.main) await showAlone(recoverBackends)
