/** The examples of services, each from the tarballs in an empty folder, as somebody runs them who has nothing of this repository but the example. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { getAddress } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { fromRegistry, run, workshop } from "./Installed.ts"

const EXAMPLES = resolve(import.meta.dirname, "../../examples")

interface Tree {
  readonly creatorWallet: string
  readonly assetSourceType: string
}

interface Receipt {
  readonly assetCid: string
  readonly assetTreeCid: string
  readonly txHash: string
}

interface Serving {
  readonly process: ChildProcess
  /** The address that is the end of its first line. */
  readonly url: string
}

const serving = async (place: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, args, {
    cwd: place,
    env: { PATH: process.env.PATH, TREEMARK_HOME: join(place, "home"), PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let log = ""
  child.stderr.on("data", (text: Buffer) => (log += text.toString("utf8")))
  const [line] = await Promise.race([once(child.stdout, "data"), once(child, "exit")])
  const [, url] = /(http:\/\/127\.0\.0\.1:\d+)/u.exec(String(line)) ?? []
  if (url === undefined) throw new Error(`It does not serve: ${String(line)} ${log}`)
  return { process: child, url } satisfies Serving
}

describe("the examples of services", { timeout: 600_000 }, () => {
  const packages = workshop()
  const children: Array<ChildProcess> = []
  const serve = async (...args: Parameters<typeof serving>) => {
    const started = await serving(...args)
    children.push(started.process)
    return started
  }
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL")
    packages.remove()
  })

  /** The example beside what its package.json names, ours from the tarballs. */
  const installed = (name: string): string => {
    const folder = join(EXAMPLES, name)
    const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    const others = Object.entries(dependencies).filter(([dependency]) => !dependency.startsWith("@treemark/"))
    const place = packages.install(
      packages.tarball("core"),
      packages.tarball("daemon"),
      ...others.map(([dependency, version]) => `${dependency}@${version}`)
    )
    for (const file of readdirSync(folder)) {
      if (file !== "package.json") cpSync(join(folder, file), join(place, file))
    }
    return place
  }

  const treemarkd = (place: string, ...args: ReadonlyArray<string>) =>
    JSON.parse(
      run(
        process.execPath,
        place,
        join("node_modules", "@treemark", "daemon", "bin", "treemarkd.js"),
        ...args,
        "--json"
      )
    )

  it("express: commits an upload in the name of its author, whose key only another process has", async ({ skip }) => {
    const place = fromRegistry(skip, () => installed("express"))
    const bin = join("node_modules", "@treemark", "daemon", "bin", "treemarkd.js")
    const daemon = await serve(place, [bin, "start", "--port", "0"], {})
    const { token } = treemarkd(place, "account", "create", "--name", "gallery", "--credits", "1")
    const env = { TREEMARK_URL: daemon.url, TREEMARK_TOKEN: token }
    const service = await serve(place, ["server.mjs"], env)
    const key = generatePrivateKey()
    writeFileSync(join(place, "photo.jpg"), "a photo of Ada's")
    const author = spawn(process.execPath, ["author.mjs", service.url, "photo.jpg"], {
      cwd: place,
      env: { PATH: process.env.PATH, AUTHOR_KEY: key },
      stdio: ["ignore", "pipe", "inherit"]
    })
    const [told] = await once(author.stdout, "data")
    const receipt = JSON.parse(String(told)) as Receipt
    assert.match(receipt.txHash, /^0x[0-9a-f]{64}$/u)
    const tree = (await (await fetch(`${daemon.url}/ipfs/${receipt.assetTreeCid}`)).json()) as Tree
    assert.strictEqual(tree.creatorWallet, getAddress(privateKeyToAccount(key).address))
    assert.strictEqual(tree.assetSourceType, "galleryCapture")

    const address = privateKeyToAccount(generatePrivateKey()).address
    const post = (path: string, body: string, type: string) =>
      fetch(`${service.url}${path}`, { method: "POST", headers: { "content-type": type }, body })
    const refused = await post(`/works?author=${address}&creator=${"x".repeat(22)}`, "other", "image/jpeg")
    assert.strictEqual(refused.status, 400)
    assert.include(await refused.text(), "/assetCreator")
    const { id, sign } = (await (await post(`/works?author=${address}&creator=Eve`, "other", "image/jpeg")).json()) as {
      readonly id: string
      readonly sign: string
    }
    const signature = await privateKeyToAccount(key).signMessage({ message: sign })
    const forged = await post(`/works/${id}/signature`, JSON.stringify({ signature }), "application/json")
    assert.strictEqual(forged.status, 400)
    assert.include(await forged.text(), "/assetTreeSignature")
  })

  it("hono: serves with the daemon inside of its process, and ends well", async ({ skip }) => {
    const place = fromRegistry(skip, () => installed("hono"))
    const { token } = treemarkd(place, "account", "create", "--name", "studio", "--credits", "1")
    const service = await serve(place, ["server.mjs"], { TREEMARK_TOKEN: token })
    const body = new Blob(["a note"], { type: "text/plain" })
    const answer = await fetch(`${service.url}/works?creator=Ada`, { method: "POST", body })
    assert.strictEqual(answer.status, 201)
    const receipt = (await answer.json()) as Receipt
    const { commits } = (await (await fetch(`${service.url}/works/${receipt.assetCid}`)).json()) as {
      readonly commits: ReadonlyArray<Receipt>
    }
    assert.deepStrictEqual(
      commits.map(({ txHash }) => txHash),
      [receipt.txHash]
    )
    const refused = await fetch(`${service.url}/works?creator=${"x".repeat(22)}`, { method: "POST", body })
    assert.deepInclude(await refused.json(), { code: "invalid_fields" })
    const exit = once(service.process, "exit")
    service.process.kill("SIGTERM")
    assert.deepStrictEqual((await exit)[0], 0)
  })
})
