/** Workers of bulk that end: what they had is verified again, once; what ends two is reported; nothing hangs and nothing is lost. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { afterAll, assert, describe, it } from "@effect/vitest"
import type { Chunk, WorkerOptions } from "../../packages/verify/src/bulk/Chunk.ts"
import { Pool } from "../../packages/verify/src/bulk/Pool.ts"
import { type StartWorker, startWorker } from "../../packages/verify/src/bulk/StartWorker.ts"
import { validLine } from "./BulkProofs.ts"
import { scratch } from "./Command.ts"

const files = scratch()
afterAll(files.remove)

const options: WorkerOptions = { backend: "wasm", question: {}, json: true }

const chunkOf = (from: number, count: number): Chunk => {
  const text = Array.from({ length: count }, (_, at) => `${validLine((from + at) % 12)}\n`).join("")
  const bytes = new TextEncoder().encode(text)
  return { kind: "lines", buffer: bytes.buffer, length: bytes.length, offset: 0, line: from + 1 }
}

/** Verifies 12 chunks of 5 lines and gives each line's verdict, or its error's code. */
const verdicts = async (start: StartWorker, size = 2) => {
  const found: Array<string> = []
  const pool = await Pool.start(
    size,
    options,
    (answer) => {
      for (const line of new TextDecoder().decode(answer.results).trimEnd().split("\n")) {
        const { verdict, error, line: number } = JSON.parse(line)
        assert.strictEqual(number, found.length + 1)
        found.push(verdict ?? error.code)
      }
    },
    start
  )
  try {
    for (let chunk = 0; chunk < 12; chunk++) await pool.give(chunkOf(chunk * 5, 5))
    await pool.drained()
  } finally {
    await pool.stop()
  }
  return found
}

/** The real worker, which does `before` with each chunk that it gets. */
const workerThat = (name: string, before: string) => {
  const real = join(import.meta.dirname, "../../packages/verify/src/bulk/Worker.ts")
  const path = join(files.folder, `${name}.mjs`)
  writeFileSync(
    path,
    `import { parentPort } from "node:worker_threads"
     import { existsSync, writeFileSync } from "node:fs"
     parentPort.on("message", (chunk) => { ${before} })
     await import(${JSON.stringify(real)})`
  )
  return (workerOptions: WorkerOptions): Worker =>
    new Worker(path, { workerData: workerOptions, execArgv: ["--conditions=@treemark/source"], stderr: true })
}

const all = Array.from({ length: 60 }, () => "valid")

const untilItFails = async (act: () => Promise<void>): Promise<unknown> => {
  for (;;) {
    try {
      await act()
    } catch (error) {
      return error
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe("a worker that ends", () => {
  it("because it is killed is replaced, and every proof gets its result once and in order", async () => {
    const workers: Array<Worker> = []
    const start: StartWorker = (workerOptions) => {
      const worker = startWorker(workerOptions)
      const postMessage = worker.postMessage.bind(worker)
      if (workers.length < 3) {
        worker.postMessage = (message: unknown) => {
          postMessage(message)
          void worker.terminate()
        }
      }
      workers.push(worker)
      return worker
    }
    assert.deepStrictEqual(
      await verdicts(start, 1),
      all.map((_, at) => (at < 5 ? "worker_failed" : "valid"))
    )
    assert.isAtLeast(workers.length, 4)
  })

  for (const [title, how] of [
    ["exits", "process.exit(3)"],
    ["throws", 'parentPort.postMessage = () => {}; throw new Error("a fault")']
  ] as const) {
    it(`because it ${title} once costs nothing: its chunk is verified again in a new one`, async () => {
      const marker = JSON.stringify(join(files.folder, `${title}.marker`))
      const start = workerThat(
        title,
        `if (chunk.line === 21 && !existsSync(${marker})) { writeFileSync(${marker}, ""); ${how} }`
      )
      assert.deepStrictEqual(await verdicts(start), all)
    })

    it(`because it ${title} at the same chunk twice reports those proofs as not verified, and only those`, async () => {
      const start = workerThat(`${title}-always`, `if (chunk.line === 21) { ${how} }`)
      assert.deepStrictEqual(
        await verdicts(start),
        all.map((_, at) => (at >= 20 && at < 25 ? "worker_failed" : "valid"))
      )
    })
  }

  it("before it has started is told, not waited for", async () => {
    const path = files.write("never.mjs", "process.exit(1)")
    const failure = await Pool.start(
      2,
      options,
      () => {},
      () => new Worker(path)
    ).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.instanceOf(failure, Error)
  })

  it("again and again with nothing to do is an error, not a loop", async () => {
    let started = 0
    const start: StartWorker = (workerOptions) => {
      started++
      const worker = startWorker(workerOptions)
      worker.once("message", () => setTimeout(() => worker.terminate(), 10))
      return worker
    }
    const pool = await Pool.start(1, options, () => {}, start)
    const failure = await untilItFails(() => pool.drained())
    await pool.stop()
    assert.instanceOf(failure, Error)
    assert.isAtMost(started, 6)
  })
})
