/**
 * The Containerfile, read as what builds it reads it: no root, data that is kept, a health check that works, and a start that gets signals.
 * Where no images can be built, its commands are held against what they call.
 */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"

const repository = new URL("../../", import.meta.url)
const text = (file: string): string => readFileSync(new URL(file, repository), "utf8")

/** Instructions with their arguments, lines that go on joined. */
const instructions = text("Containerfile")
  .replaceAll(/^\s*#.*\n/gmu, "")
  .replaceAll(/\\\n\s*/gu, " ")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [, name = "", argument = ""] = /^([A-Z]+)\s+(.*)$/u.exec(line.trim()) ?? []
    return { name, argument }
  })

const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"))
const of = (name: string): ReadonlyArray<string> =>
  lastStage.filter((one) => one.name === name).map(({ argument }) => argument)

describe("the Containerfile", () => {
  it("has instructions that exist, and an image of the Node that the daemon needs", () => {
    const known = [
      "FROM",
      "WORKDIR",
      "COPY",
      "RUN",
      "ENV",
      "USER",
      "VOLUME",
      "EXPOSE",
      "STOPSIGNAL",
      "HEALTHCHECK",
      "ENTRYPOINT",
      "CMD"
    ]
    for (const { name } of instructions) assert.include(known, name)
    const { engines } = JSON.parse(text("packages/daemon/package.json"))
    const major = /\d+/u.exec(engines.node)?.[0]
    for (const { argument, name } of instructions) {
      if (name === "FROM") assert.match(argument, new RegExp(`/node:${major}-`, "u"))
    }
  })

  it("runs as a user who is not root, with its data in a volume of that user's, and starts the daemon itself", () => {
    assert.deepStrictEqual(of("USER"), ["node"])
    assert.deepStrictEqual(of("VOLUME"), ["/data"])
    assert.match(of("RUN").join(), /chown node:node \/data/u)
    assert.include(of("ENV").join(), "TREEMARK_HOME=/data")
    // As lists: no shell stands between the container's signals and the daemon.
    assert.deepStrictEqual(
      [of("ENTRYPOINT").map((list) => JSON.parse(list)), of("CMD").map((list) => JSON.parse(list))],
      [[["treemarkd"]], [["start"]]]
    )
    const { bin } = JSON.parse(text("packages/daemon/package.json"))
    assert.property(bin, "treemarkd")
    assert.match(
      instructions.find(({ name }) => name === "RUN")?.argument ?? "",
      /npm pack --workspace packages\/daemon/u
    )
  })

  it("has a health check that is well while the daemon is ready, and ill when it is not or gone", async () => {
    const [check = ""] = of("HEALTHCHECK")
    const [program, ...args] = JSON.parse(check.slice(check.indexOf("CMD ") + 4)) as ReadonlyArray<string>
    assert.strictEqual(program, "node")
    let status = 200
    const asked: Array<string | undefined> = []
    const server = createServer((request, response) => {
      asked.push(request.url)
      response.writeHead(status).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const ends = () =>
      promisify(execFile)(
        process.execPath,
        args.map((arg) => arg.replace(":7053", `:${port}`))
      ).then(
        () => 0,
        (error: { readonly code: number }) => error.code
      )
    assert.strictEqual(await ends(), 0)
    status = 503
    assert.strictEqual(await ends(), 1)
    assert.deepStrictEqual(asked, ["/ready", "/ready"])
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    assert.strictEqual(await ends(), 1)
  })
})
