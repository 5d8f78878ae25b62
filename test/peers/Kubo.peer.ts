/** Kubo: it names files as we do, takes our CARs, and runs the `ipfs` commands that `--explain` gives. A repository of its own, never on any network. */
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert } from "@effect/vitest"
import { Effect } from "effect"
import { bytesOf, commitRequest } from "../end-to-end/Treemarkd.ts"
import { patience } from "../layers/Long.ts"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { treemarkVerify } from "../verify/Command.ts"
import { told } from "./ChainRun.ts"
import { found } from "./Programs.ts"

const KIB = 1_024
const CHUNK = 256 * KIB
/** At and about every border of the tree: one chunk, one node of 174 chunks, two levels of nodes. */
const SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 174 * CHUNK, 174 * CHUNK + 1, 100_000_000]

const folder = mkdtempSync(join(tmpdir(), "treemark-kubo-"))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
const env = { PATH: process.env.PATH, HOME: folder, IPFS_PATH: join(folder, "repository"), IPFS_TELEMETRY: "off" }

const ipfs = (...args: ReadonlyArray<string>) =>
  execFileSync(found("TREEMARK_PEER_IPFS"), args, { env, maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "pipe"] })

/** Bytes that look random and are the same in every run. */
const bytesOfSize = (size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  const seed = createHash("sha256").update(String(size)).digest()
  for (let at = 0; at < size; at++) bytes[at] = seed[at % 31]! ^ (at >> 3) ^ (at >> 11)
  return bytes
}

withDaemon({ env: { TREEMARK_STORAGE_QUOTA: "0" } })("Kubo", (it) => {
  it.effect(
    "gives files of 0 bytes to 100 MB the CIDs that we give them",
    () =>
      Effect.gen(function* () {
        const daemon = yield* RunningDaemon
        ipfs("init", "--profile=test")
        for (const size of SIZES) {
          const file = join(folder, "file")
          const bytes = bytesOfSize(size)
          writeFileSync(file, bytes)
          const { assetCid } = yield* daemon.register(bytes)
          const shape = ["--cid-version=1", "--raw-leaves", "--chunker=size-262144", "--max-file-links=174"]
          const theirs = ipfs("add", "--only-hash", "--quieter", ...shape, file)
            .toString()
            .trim()
          assert.strictEqual(assetCid, theirs, `a file of ${size} bytes`)
        }
      }),
    patience(2)
  )

  it.effect(
    "takes our CARs of a file and of a tree, and gives back the same",
    () =>
      Effect.gen(function* () {
        const daemon = yield* RunningDaemon
        const { token } = yield* daemon.createAccount({ name: "kubo", credits: "1" })
        const bytes = bytesOfSize(180 * CHUNK)
        const asset = yield* daemon.register(bytes)
        const headers = { authorization: `token ${token}` }
        const made = yield* daemon.call("/commit", { headers, body: commitRequest(asset) })
        assert.strictEqual(made.status, 200, made.text)
        const tree = String(made.json().assetTreeCid)
        for (const cid of [asset.assetCid, tree]) {
          const car = yield* daemon.call(`/ipfs/${cid}?format=car`, { method: "GET" })
          assert.strictEqual(car.status, 200, car.text.slice(0, 500))
          const file = join(folder, `${cid}.car`)
          writeFileSync(file, car.bytes)
          assert.include(ipfs("dag", "import", "--pin-roots", file).toString(), cid)
        }
        assert.strictEqual(Buffer.compare(ipfs("cat", asset.assetCid), bytes), 0)
        const raw = yield* daemon.call(`/ipfs/${tree}?format=raw`, { method: "GET" })
        assert.strictEqual(Buffer.compare(ipfs("block", "get", tree), raw.bytes), 0)
        assert.deepStrictEqual(JSON.parse(ipfs("dag", "get", tree).toString()), JSON.parse(raw.text))
        assert.include(ipfs("pin", "ls", "--type=recursive").toString(), tree)

        const car = join(folder, "theirs.car")
        writeFileSync(car, ipfs("dag", "export", asset.assetCid))
        const ours = yield* daemon.call(`/ipfs/${asset.assetCid}?format=car`, { method: "GET" })
        assert.strictEqual(Buffer.compare(readFileSync(car), ours.bytes), 0, "our CAR and theirs differ")
      }),
    patience(2)
  )

  it.effect(
    "prints what --explain says that it prints",
    () =>
      Effect.gen(function* () {
        const daemon = yield* RunningDaemon
        const { token } = yield* daemon.createAccount({ name: "explained", credits: "1" })
        const headers = { authorization: `token ${token}` }
        const path = `${dirname(found("TREEMARK_PEER_IPFS"))}:${folder}:${process.env.PATH}`
        rmSync(join(folder, "ipfs"), { force: true })
        execFileSync("ln", ["-s", found("TREEMARK_PEER_IPFS"), join(folder, "ipfs")])
        let ran = 0
        for (const bytes of [bytesOf("explained"), bytesOfSize(3 * CHUNK)]) {
          const asset = yield* daemon.register(bytes, "text/plain")
          const made = yield* daemon.call("/commit", { headers, body: commitRequest(asset) })
          assert.strictEqual(made.status, 200, made.text)
          const [proof, file] = [join(folder, "proof.json"), join(folder, "asset")]
          rmSync(proof, { force: true })
          yield* told(daemon, "proof", String(made.json().assetTreeCid), "--out", proof)
          writeFileSync(file, bytes)
          const { stdout } = treemarkVerify([proof, "--asset", file, "--explain", "--json"])
          const { explanations } = JSON.parse(stdout) as {
            readonly explanations: ReadonlyArray<{
              readonly commands: ReadonlyArray<{
                readonly tool: string
                readonly line: string
                readonly prints: string | null
              }>
            }>
          }
          for (const { line, prints } of explanations
            .flatMap(({ commands }) => commands)
            .filter(({ tool }) => tool === "ipfs")) {
            const ended = spawnSync("bash", ["-o", "pipefail", "-c", line], {
              cwd: folder,
              env: { ...env, PATH: path },
              encoding: "utf8"
            })
            assert.strictEqual(ended.status, 0, `${line}\n${ended.stderr}`)
            assert.strictEqual(ended.stdout.trim(), prints, line)
            ran++
          }
        }
        assert.isAbove(ran, 2)
      }),
    patience(2)
  )
})
