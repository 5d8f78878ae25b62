/** What the tests of an asset's history share: commands and their JSON, a terminal, an anvil with the contract, checks of a CAR. */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { createReadStream, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { CarBlockIterator } from "@ipld/car/iterator"
import * as DagJson from "@ipld/dag-json"
import { Effect, type Schema } from "effect"
import { createTestClient, http } from "viem"
import { commitDeployedBytecode } from "../../packages/daemon/src/evm/CommitContract.ts"
import { startAnvil } from "../layers/Anvil.ts"
import { isMissing, SCRIPT } from "../layers/Parts.ts"
import { type RunningDaemon, startDaemon } from "../layers/RunningDaemon.ts"
import { BIN, collect, parsed } from "./Treemarkd.ts"

export const CONTRACT = "0x0000000000000000000000000000000000007053"

export const ESCAPE = /\p{Cc}\[/u
export const isTerminalMissing = process.platform !== "linux" || isMissing("script")

/** Runs the command on a pseudo-terminal; both its outputs come back as one. */
export const onTerminal = (args: ReadonlyArray<string>, home: string, env: Readonly<Record<string, string>> = {}) =>
  collect(() =>
    spawn(SCRIPT, ["-qec", [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(" "), "/dev/null"], {
      env: { PATH: process.env.PATH, HOME: home, TREEMARK_HOME: home, TERM: "xterm", ...env }
    })
  )

interface LogLine {
  readonly index: number | null
  readonly status: string
  readonly codes: ReadonlyArray<string>
  readonly reason: string | null
  readonly word: "author" | "recorder" | null
  readonly txHash: string
  readonly blockNumber: number
  readonly recorder: string
  readonly author: string | null
  readonly signer: string | null
  readonly action: string | null
  readonly assetTreeCid: string | null
  readonly commit?: { readonly [member: string]: Schema.Json }
  readonly commitData?: string
}

/** Runs a command against the daemon of `home`. */
export const told = Effect.fnUntraced(function* (home: string, ...args: ReadonlyArray<string>) {
  const ended = yield* parsed([...args, "--home", home])
  assert.strictEqual(ended.code, 0, ended.stderr)
  return ended.stdout
})
export const json = <A>(home: string, ...args: ReadonlyArray<string>) =>
  Effect.map(told(home, ...args, "--json"), (text) => JSON.parse(text) as A)
export const logOf = (home: string, ...args: ReadonlyArray<string>) =>
  Effect.map(json<{ readonly commits: ReadonlyArray<LogLine> }>(home, "log", ...args), ({ commits }) => commits)

export const letters = (commits: ReadonlyArray<LogLine>): string => commits.map(({ status }) => status).join("")

/** Commits what the request says, for the account `name`. */
export const commit = Effect.fnUntraced(function* (home: string, name: string, request: object) {
  const file = join(home, "request.json")
  writeFileSync(file, JSON.stringify(request))
  return yield* json<{ readonly assetTreeCid: string; readonly txHash: string }>(
    home,
    "commit",
    file,
    "--account",
    name
  )
})

export const treeAt = (daemon: RunningDaemon["Service"], cid: string) =>
  Effect.map(daemon.call(`/ipfs/${cid}?format=raw`, { method: "GET" }), ({ text }) => text)

export const SETTINGS = `
[profiles.own]
base = "local"
[profiles.own.testnet]
treeFormat = "nit"
`
export interface Vector {
  readonly id: string
  readonly input: { readonly commit: { readonly [member: string]: Schema.Json }; readonly assetCid?: string }
}
export const vectors = <A>(name: string): ReadonlyArray<A> =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"))

/** Root first, then the proofs in their order; each block has the hash it is named by. */
export const assertCar = async (
  file: string,
  index: { readonly commits: ReadonlyArray<{ readonly proof: string | null }> },
  proofFile: (name: string) => Uint8Array
) => {
  const iterator = await CarBlockIterator.fromIterable(createReadStream(file))
  const [root] = await iterator.getRoots()
  const blocks: Array<{ readonly cid: string; readonly bytes: Uint8Array }> = []
  for await (const { bytes, cid } of iterator) {
    assert.strictEqual(
      createHash("sha256").update(bytes).digest("hex"),
      Buffer.from(cid.multihash.digest).toString("hex")
    )
    blocks.push({ cid: String(cid), bytes })
  }
  assert.strictEqual(blocks[0]?.cid, String(root))
  const document = DagJson.decode(blocks[0]!.bytes) as { readonly commits: ReadonlyArray<{ readonly proof: unknown }> }
  const links = document.commits.flatMap(({ proof }) => (proof === null ? [] : [String(proof)]))
  assert.deepStrictEqual(
    blocks.slice(1).map(({ cid }) => cid),
    links
  )
  const named = index.commits.flatMap(({ proof }) => (proof === null ? [] : [proof]))
  for (const [at, name] of named.entries())
    assert.deepStrictEqual(Buffer.from(blocks[at + 1]!.bytes), Buffer.from(proofFile(name)))
  const withNames = {
    ...document,
    commits: document.commits.map((one, at) => ({ ...one, proof: index.commits[at]!.proof }))
  }
  assert.deepStrictEqual(withNames, index as never)
}

/** A daemon whose mainnet is the node at `url`. */
export const daemonAt = (url: string) =>
  startDaemon({
    settings: `
[profiles.own]
base = "local"
[profiles.own.mainnet]
name = "public"
chain_id = 5003
rpc = "${url}"
contract = "${CONTRACT}"
explorer = "https://explorer.example/tx/HASH"
fromBlock = 0
`,
    env: { TREEMARK_PROFILE: "own" }
  })

export const anvilWithContract = Effect.gen(function* () {
  const anvil = yield* startAnvil({ chainId: 5_003 })
  const steer = createTestClient({ mode: "anvil", transport: http(anvil.url) })
  yield* Effect.promise(() => steer.setCode({ address: CONTRACT, bytecode: commitDeployedBytecode }))
  return anvil
})
