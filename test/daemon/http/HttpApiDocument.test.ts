/** docs/http-api.md: its generated parts are what the definitions say. Where it differs, the test shows the text to put there. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { PROBLEMS } from "../../../packages/daemon/src/http/ApiErrors.ts"
import { TreemarkApi } from "../../../packages/daemon/src/http/TreemarkApi.ts"

const document = readFileSync(new URL("../../../docs/http-api.md", import.meta.url), "utf8")

const generatedPart = (name: string): string | undefined =>
  new RegExp(`<!-- generated: ${name} -->\n([^]*?)<!-- end -->`).exec(document)?.[1]

interface Described {
  readonly summary: string
  readonly security: ReadonlyArray<unknown>
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("")

describe("docs/http-api.md", () => {
  it("lists every address with what it is and whether it needs a token", () => {
    const paths = OpenApi.fromApi(TreemarkApi).paths as unknown as Record<string, Record<string, Described>>
    const rows = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `\`${method.toUpperCase()} ${path}\``,
        operation.summary,
        operation.security.length > 0 ? "yes" : "no"
      ])
    )
    assert.strictEqual(generatedPart("operations"), table(["Address", "What it is", "Token"], rows))
  })

  it("lists every code with its status and its title", () => {
    const rows = Object.entries(PROBLEMS).map(([code, { status, title }]) => [String(status), `\`${code}\``, title])
    assert.strictEqual(generatedPart("problems"), table(["Status", "Code", "Title"], rows))
  })
})
