/**
 * The three operations on a node of somebody else's, end to end through the real daemon: balances, commits with many in flight while the node
 * is restarted, what they cost as the node itself reckons it, the log, the audit, and proofs that hold offline.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  concatHex,
  createPublicClient,
  createWalletClient,
  formatEther,
  type Hex,
  numberToHex,
  type PrivateKeyAccount,
  parseEther,
  size
} from "viem"
import { commitAbi, commitDeployedBytecode } from "../../packages/daemon/src/evm/CommitContract.ts"
import { indexedLedgerCode } from "../daemon/commits/ForeignCommits.ts"
import { bytesOf, commitRequest, treemarkd } from "../end-to-end/Treemarkd.ts"
import { patientHttp } from "../layers/Anvil.ts"
import { type RegisteredAsset, type RunningDaemon, startDaemon } from "../layers/RunningDaemon.ts"
import { treemarkVerify } from "../verify/Command.ts"

export interface Node {
  readonly url: string
  readonly chainId: number
  /** Has tokens to give. */
  readonly rich: PrivateKeyAccount
}

/** Which commit contract: ours, or one with `getCommits`, as the live networks have it. */
export type Contract = "events" | "indexed"

/** Clients of the node that are none of ours. */
export const clientsOf = ({ rich, url }: Node) => {
  const transport = patientHttp(url)
  const client = createPublicClient({ transport, pollingInterval: 100, cacheTime: 0 })
  const wallet = createWalletClient({ account: rich, transport })
  const mined = (hash: Hex) => client.waitForTransactionReceipt({ hash, timeout: 120_000 })
  return {
    client,
    wallet,
    give: (to: Hex, tokens: string) =>
      Effect.promise(async () => mined(await wallet.sendTransaction({ to, value: parseEther(tokens), chain: null }))),
    /** Code that returns the runtime code behind it. */
    deploy: (runtime: Hex) =>
      Effect.promise(async () => {
        const data = concatHex(["0x61", numberToHex(size(runtime), { size: 2 }), "0x80600c6000396000f3", runtime])
        const { contractAddress } = await mined(await wallet.sendTransaction({ data, chain: null, gas: 2_000_000n }))
        return contractAddress as Hex
      })
  }
}

/** A daemon whose mainnet is the node, with a committer that can pay gas. */
export const daemonOn = Effect.fnUntraced(function* (node: Node, contract: Contract) {
  const { deploy, give } = clientsOf(node)
  const address = yield* deploy(contract === "events" ? commitDeployedBytecode : indexedLedgerCode())
  const daemon = yield* startDaemon({
    settings: `
[profiles.peer]
base = "local"
[profiles.peer.mainnet]
name = "peer"
chain_id = ${node.chainId}
rpc = "${node.url}"
contract = "${address}"
explorer = "https://explorer.example/tx/HASH"
get_commits = ${contract === "indexed"}
`,
    env: { TREEMARK_PROFILE: "peer" }
  })
  const { committer } = (yield* daemon.admin("wallet", "show")) as { readonly committer: Hex }
  yield* give(committer, "50")
  return { address, committer, daemon }
})

export interface Made {
  readonly message: string
  readonly txHash: Hex
  readonly assetTreeCid: string
  /** Native tokens, as the receipt of the call has it. */
  readonly gas: string
}

type Daemon = RunningDaemon["Service"]

/** One commit, asked for with the same key until it is answered with 200. */
export const commitUntilMade = Effect.fnUntraced(function* (
  daemon: Daemon,
  token: string,
  asset: RegisteredAsset,
  message: string
) {
  for (;;) {
    const answer = yield* daemon
      .call("/commit", {
        headers: { authorization: `token ${token}`, "idempotency-key": message.replaceAll(" ", "-") },
        body: commitRequest(asset, { commitMessage: message })
      })
      .pipe(Effect.timeout("60 seconds"), Effect.option)
    if (answer._tag === "Some" && answer.value.status === 200) {
      const { assetTreeCid, txHash } = answer.value.json() as { readonly assetTreeCid: string; readonly txHash: Hex }
      const [receipt = ""] = String(answer.value.headers["treemark-receipt"]).split(".")
      const { gas } = JSON.parse(Buffer.from(receipt, "base64url").toString("utf8")) as { readonly gas: string }
      return { message, txHash, assetTreeCid, gas } satisfies Made as Made
    }
    if (answer._tag === "Some") assert.include([409, 429, 500, 503], answer.value.status, answer.value.text)
    yield* Effect.sleep("200 millis")
  }
})

/** Runs a command of the daemon's and answers its JSON. */
export const told = Effect.fnUntraced(function* (daemon: Daemon, ...args: ReadonlyArray<string>) {
  const ended = yield* treemarkd([...args, "--json"], { home: daemon.home, env: { TREEMARK_PROFILE: "peer" } })
  assert.strictEqual(ended.code, 0, `${args.join(" ")}: ${ended.stderr}`)
  return ended.json() as never
})

/** The proofs of these commits hold offline against a checkpoint of the daemon's, down to the transaction and its sender. */
export const assertProofsHold = Effect.fnUntraced(function* (daemon: Daemon, made: ReadonlyArray<Made>) {
  const checkpoint = join(daemon.home, "peer.checkpoint.json")
  yield* told(daemon, "checkpoint", "export", "--out", checkpoint)
  for (const { assetTreeCid, txHash } of made) {
    const file = join(daemon.home, `${txHash}.proof.json`)
    yield* told(daemon, "proof", assetTreeCid, "--out", file)
    const { code, stdout } = treemarkVerify([file, "--checkpoint", checkpoint, "--json"])
    const { checks, provenance } = JSON.parse(stdout) as {
      readonly checks: ReadonlyArray<{ readonly name: string; readonly code: string }>
      readonly provenance: { readonly ledger: string }
    }
    const codes = Object.fromEntries(checks.map((check) => [check.name, check.code]))
    const missing = (JSON.parse(readFileSync(file, "utf8")) as { inclusionMissing?: string }).inclusionMissing
    assert.deepInclude(
      codes,
      { "ledger-inclusion": "ok", "ledger-transaction": "ok", "transaction-sender": "ok", "ledger-contract": "ok" },
      missing ?? stdout
    )
    assert.deepStrictEqual([code, provenance.ledger], [0, "ledger"], stdout)
  }
})

export interface RunOptions {
  readonly contract: Contract
  readonly commits: number
  /** Ends the node and starts it again, while a third of the commits is made; none: it is left alone. */
  readonly restart?: Effect.Effect<void, Error>
  /** Whether the node has `debug_traceTransaction`. */
  readonly traces: boolean
}

interface Trace {
  readonly gas: number
  readonly failed: boolean
}

const IN_FLIGHT = 16

export const wholeRun = Effect.fnUntraced(function* (node: Node, options: RunOptions) {
  const { client, give } = clientsOf(node)
  const { address, committer, daemon } = yield* daemonOn(node, options.contract)
  const rich = yield* daemon.createAccount({ name: "with credits", credits: "1000" })
  const poor = yield* daemon.createAccount({ name: "with tokens" })
  const wallet = poor.account.wallet as Hex
  const asset = yield* daemon.register(bytesOf(`of ${address}`), "text/plain")

  yield* give(wallet, "2.34567")
  const balance = yield* daemon.call("/balance/mainnet", { body: { wallet } })
  assert.deepStrictEqual(balance.json(), { balance: "2.3456" }, balance.text)
  const all = yield* daemon.call("/balance/all-networks", {
    headers: { authorization: `token ${rich.token}` },
    body: { wallet }
  })
  assert.deepInclude(all.json(), { wallet, balance: "2.3456" }, all.text)

  const made: Array<Made> = []
  const began = performance.now()
  const working = yield* Effect.forkChild(
    Effect.forEach(
      Array.from({ length: options.commits }, (_, at) => `commit ${at}`),
      (message) => Effect.map(commitUntilMade(daemon, rich.token, asset, message), (one) => void made.push(one)),
      { concurrency: IN_FLIGHT, discard: true }
    )
  )
  if (options.restart !== undefined) {
    yield* Effect.sync(() => made.length).pipe(
      Effect.delay("50 millis"),
      Effect.repeat({ until: (count) => count >= options.commits / 3 })
    )
    yield* options.restart
  }
  yield* Fiber.join(working)
  const seconds = (performance.now() - began) / 1_000
  process.stderr.write(`${options.contract}: ${options.commits} commits in ${seconds.toFixed(1)} s\n`)

  made.push(yield* commitUntilMade(daemon, poor.token, asset, "paid with tokens"))
  yield* told(daemon, "account", "close", "with tokens")
  const rest = yield* Effect.promise(() => client.getBalance({ address: wallet }))
  assert.isBelow(Number(formatEther(rest)), 2.2457)

  const events = yield* Effect.promise(() =>
    client.getContractEvents({ address, abi: commitAbi, eventName: "Commit", fromBlock: 0n })
  )
  const onLedger = events.map((event) => {
    const { abstract } = JSON.parse(event.args.commitData ?? "{}") as { readonly abstract: string }
    return `${abstract} ${event.transactionHash}`
  })
  assert.deepStrictEqual(onLedger.sort(), made.map(({ message, txHash }) => `${message} ${txHash}`).sort())

  for (const { gas, txHash } of made.filter((_, at) => at % 10 === 0)) {
    const receipt = yield* Effect.promise(() => client.getTransactionReceipt({ hash: txHash }))
    assert.strictEqual(gas, formatEther(receipt.gasUsed * receipt.effectiveGasPrice))
    if (!options.traces) continue
    const tracing = { disableStack: true, disableStorage: true }
    const trace = yield* Effect.promise(
      () => client.request({ method: "debug_traceTransaction", params: [txHash, tracing] } as never) as Promise<Trace>
    )
    assert.deepInclude(trace, { gas: Number(receipt.gasUsed), failed: false })
  }

  const { commits } = (yield* told(daemon, "log", asset.assetCid)) as {
    readonly commits: ReadonlyArray<{ readonly status: string }>
  }
  assert.strictEqual(commits.map(({ status }) => status).join(""), "G".repeat(made.length))
  yield* assertProofsHold(daemon, [made[0]!, made[Math.floor(made.length / 2)]!, made.at(-1)!])
  const audit = (yield* told(daemon, "audit")) as { readonly findings?: ReadonlyArray<unknown> }
  assert.deepStrictEqual(audit.findings ?? [], [])
  return { address, asset, committer, daemon, made, rich }
})
