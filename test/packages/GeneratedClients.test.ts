/**
 * Clients that generators make of /openapi.json: each is type-checked and calls every operation of a running daemon, with nothing written by
 * hand but the calls (generated/*.txt: what they import is made by the test). And linters find no error in the document.
 */
import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { fromRegistry, run, tool, workshop } from "./Installed.ts"

interface Document {
  readonly paths: Record<string, Record<string, { readonly operationId: string; readonly responses: object }>>
}

const GENERATORS = [
  {
    name: "openapi-typescript",
    packages: ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0"],
    command: () => ["openapi-typescript", "openapi.json", "-o", "schema.d.ts"]
  },
  {
    name: "hey-api",
    packages: ["@hey-api/openapi-ts@0.99.0"],
    command: () => ["openapi-ts", "-i", "openapi.json", "-o", "hey"]
  },
  {
    name: "orval",
    packages: ["orval@8.20.0"],
    command: (place: string, url: string) => {
      const output = { target: "orval.ts", client: "fetch", mode: "single", baseUrl: url }
      writeFileSync(
        join(place, "orval.config.mjs"),
        `export default ${JSON.stringify({ treemark: { input: "./openapi.json", output } })}`
      )
      return ["orval", "--config", "orval.config.mjs"]
    }
  }
]

/** Statuses that a good call may have: below a file there is nothing to be found. */
const isGood = (operationId: string, status: number): boolean =>
  operationId.startsWith("ipfsPath") ? [404, 501].includes(status) : status === 200 || status === 201

const packages = Effect.acquireRelease(Effect.sync(workshop), ({ remove }) => Effect.sync(remove))

/** Runs a command of the folder; what it said when it fails. */
const command = (place: string, [name = "", ...args]: ReadonlyArray<string>): void => {
  try {
    const env = { ...process.env, NODE_OPTIONS: "", REDOCLY_TELEMETRY: "off" }
    execFileSync(join(place, "node_modules/.bin", name), args, { cwd: place, stdio: "pipe", encoding: "utf8", env })
  } catch (error) {
    const { stderr, stdout } = error as { readonly stderr: string; readonly stdout: string }
    throw new Error(`${name}: ${stdout}${stderr}`)
  }
}

withDaemon()("the OpenAPI document", (it) => {
  for (const generator of GENERATORS) {
    it.effect(`gives ${generator.name} a client that calls every operation`, ({ skip }) =>
      Effect.gen(function* () {
        const { install } = yield* packages
        const { call, createAccount, url } = yield* RunningDaemon
        const { account, token } = yield* createAccount({ name: generator.name, credits: "2" })
        const place = fromRegistry(skip, () =>
          install(...generator.packages, "typescript@5.9.3", "@types/node@24.19.2")
        )
        const text = (yield* call("/openapi.json")).text
        writeFileSync(join(place, "openapi.json"), text)
        command(place, generator.command(place, url))
        cpSync(new URL(`generated/${generator.name}.txt`, import.meta.url), join(place, "calls.ts"))
        const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2024", "--module", "esnext"]
        command(place, [
          "tsc",
          ...options,
          "--moduleResolution",
          "bundler",
          "--lib",
          "es2024,dom,dom.iterable",
          "calls.ts"
        ])
        const bundled = ["calls.ts", "--bundle", "--platform=node", "--format=esm", "--outfile=calls.mjs"]
        execFileSync(tool("esbuild"), bundled, { cwd: place, stdio: "pipe" })
        const given = JSON.stringify({ url, token, wallet: account.wallet, file: `a note for ${generator.name}` })
        const told = JSON.parse(run(process.execPath, place, "calls.mjs", given)) as Record<string, number>
        const operations = Object.values((JSON.parse(text) as Document).paths).flatMap((methods) =>
          Object.values(methods)
        )
        assert.deepStrictEqual(Object.keys(told).sort(), operations.map(({ operationId }) => operationId).sort())
        for (const { operationId, responses } of operations) {
          const status = told[operationId] ?? 0
          assert.isTrue(isGood(operationId, status), `${operationId}: ${status}`)
          assert.property(responses, String(status), operationId)
        }
      }).pipe(Effect.scoped)
    )
  }

  it.effect("has nothing in it that redocly and spectral call an error", ({ skip }) =>
    Effect.gen(function* () {
      const { install } = yield* packages
      const { call } = yield* RunningDaemon
      const place = fromRegistry(skip, () => install("@redocly/cli@2.77.0", "@stoplight/spectral-cli@6.16.3"))
      writeFileSync(join(place, "openapi.json"), (yield* call("/openapi.json")).text)
      writeFileSync(join(place, ".spectral.yaml"), 'extends: ["spectral:oas"]\n')
      command(place, ["redocly", "lint", "openapi.json", "--extends", "recommended"])
      command(place, ["spectral", "lint", "openapi.json", "--fail-severity", "error"])
      const broken = JSON.parse(readFileSync(join(place, "openapi.json"), "utf8"))
      broken.paths["/commit"].post.operationId = "account"
      writeFileSync(join(place, "openapi.json"), JSON.stringify(broken))
      assert.throws(
        () => command(place, ["redocly", "lint", "openapi.json", "--extends", "recommended"]),
        /operationId/u
      )
    }).pipe(Effect.scoped)
  )
})
