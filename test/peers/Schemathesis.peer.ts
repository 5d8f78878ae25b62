/**
 * schemathesis: the whole OpenAPI document, by its examples, at its borders, at random and in sequences of calls. `TREEMARK_PEERS_FUZZ_SECONDS`
 * says for how long; no answer may be an error of the server's, be of a status or form that is not declared, or miss a header.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { patience } from "../layers/Long.ts"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { found } from "./Programs.ts"

const SECONDS = Number(process.env.TREEMARK_PEERS_FUZZ_SECONDS ?? 120)

const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "unsupported_method",
  "allow_header_conformance"
]

/** A stored file is served as it was registered, whatever type it was said to be of: schemathesis reads it by that type. */
const isStoredFile = (failure: string): boolean => /ST110|deserializ/u.test(failure) && failure.includes("/ipfs/")

const failuresOf = (junit: string): ReadonlyArray<string> =>
  [...junit.matchAll(/<testcase name="([^"]*)"[^>]*>([\s\S]*?)<\/testcase>/gu)].flatMap(([, name = "", inside = ""]) =>
    [...inside.matchAll(/<(?:failure|error)[\s\S]*?(?:\/>|<\/(?:failure|error)>)/gu)].map(
      ([text]) => `${name}: ${text}`
    )
  )

withDaemon()("the OpenAPI document", (it) => {
  it.effect(
    `is what the daemon does, for ${SECONDS} seconds`,
    () =>
      Effect.gen(function* () {
        const daemon = yield* RunningDaemon
        const { token } = yield* daemon.createAccount({ name: "schemathesis", credits: "10000" })
        const report = join(daemon.home, "junit.xml")
        const seed = String(Math.floor(Math.random() * 2 ** 31))
        const args = [
          ...["run", `${daemon.url}/openapi.json`, "-H", `Authorization: token ${token}`, "--seed", seed],
          ...[
            "--max-time",
            String(SECONDS),
            "-n",
            "20",
            "--phases",
            "examples,coverage,fuzzing,stateful",
            "--no-color"
          ],
          ...["--checks", CHECKS.join(","), "--continue-on-failure", "--suppress-health-check", "all"],
          ...["--request-timeout", "60", "--report", "junit", "--report-junit-path", report]
        ]
        const output = yield* Effect.callback<string>((resume) => {
          const child = spawn(join(found("TREEMARK_PEER_SCHEMATHESIS"), "st"), args, { cwd: daemon.home })
          let said = ""
          child.stdout.on("data", (text: Buffer) => (said += text.toString("utf8")))
          child.stderr.on("data", (text: Buffer) => (said += text.toString("utf8")))
          child.once("close", () => resume(Effect.succeed(said)))
          return Effect.sync(() => child.kill("SIGKILL"))
        })
        const generated = Number(/(\d+) generated/u.exec(output)?.[1] ?? 0)
        process.stderr.write(`schemathesis: seed ${seed}, ${generated} calls\n`)
        assert.isAbove(generated, 50, output.slice(-5_000))
        const failures = failuresOf(readFileSync(report, "utf8")).filter((failure) => !isStoredFile(failure))
        assert.deepStrictEqual(failures, [], output.slice(-20_000))
        const bugs = daemon.log().match(/A request failed by a bug.*/gu) ?? []
        assert.deepStrictEqual(bugs, [])
      }),
    patience(SECONDS / 30)
  )
})
