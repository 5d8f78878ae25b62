/** The progress bar of `asset register`: drawn on a terminal, and nowhere else. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { isMissing, SCRIPT } from "../layers/Parts.ts"
import { RunningDaemon, withSharedDaemon } from "../layers/RunningDaemon.ts"
import { BIN, collect, treemarkd } from "./Treemarkd.ts"

const CLEAR_LINE = "\r\x1b[2K"
const isTerminalMissing = process.platform !== "linux" || isMissing("script")

/** Runs the command on a pseudo-terminal; both its outputs come back as one. */
const onTerminal = (args: ReadonlyArray<string>, home: string) =>
  collect(() =>
    spawn(SCRIPT, ["-qec", [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(" "), "/dev/null"], {
      env: { PATH: process.env.PATH, HOME: home, TREEMARK_HOME: home, TERM: "xterm" }
    })
  )

withSharedDaemon()("the progress bar", (it) => {
  it.effect.skipIf(isTerminalMissing)(
    "is drawn on a terminal, ends at its last line, and is not there with --json or in a pipe",
    () =>
      Effect.gen(function* () {
        const { home } = yield* RunningDaemon
        const film = join(home, "film.bin")
        writeFileSync(film, Buffer.alloc(48 << 20, 7))
        const shown = yield* onTerminal(["asset", "register", film], home)
        assert.strictEqual(shown.code, 0, shown.stdout)
        assert.match(shown.stdout, /registering film\.bin [█░]{24} \d+ % \d+\.\d MB\/s/u)
        const afterBar = shown.stdout.slice(shown.stdout.lastIndexOf(CLEAR_LINE) + CLEAR_LINE.length)
        assert.match(afterBar, /^asset {3}baf\w+\r\n/u)
        const asJson = yield* onTerminal(["asset", "register", film, "--json"], home)
        assert.strictEqual((asJson.json() as { readonly size: number }).size, 48 << 20)
        const piped = yield* treemarkd(["asset", "register", film], { home })
        assert.deepStrictEqual([piped.code, piped.stderr], [0, ""])
      })
  )
})
