/** ethers, viem, eth-account and web3.py: what each signs is verified here, what is signed here each verifies, and each reads the ledger alike. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { buildTree, checkRequest } from "@treemark/core/plain"
import { Effect } from "effect"
import { Contract, JsonRpcProvider, verifyMessage, Wallet } from "ethers"
import { createPublicClient, type Hex, http, recoverMessageAddress } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { commitAbi } from "../../packages/daemon/src/evm/CommitContract.ts"
import { bytesOf, commitRequest } from "../end-to-end/Treemarkd.ts"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { treemarkVerify } from "../verify/Command.ts"
import { told } from "./ChainRun.ts"
import { found } from "./Programs.ts"

interface Read {
  readonly txHash: string
  readonly recorder: string
  readonly commitData: string
}

const python = (asked: object) => {
  const program = join(found("TREEMARK_PEER_WEB3"), "python")
  const input = JSON.stringify(asked)
  const ended = spawnSync(program, [join(import.meta.dirname, "python/clients.py")], { input, encoding: "utf8" })
  assert.strictEqual(ended.status, 0, ended.stderr)
  return JSON.parse(ended.stdout) as {
    signature: string
    signer: string
    commits: ReadonlyArray<Read>
    balance: string
  }
}

const SIGNERS: Readonly<Record<string, (text: string, key: Hex) => Promise<string>>> = {
  ethers: (text, key) => new Wallet(key).signMessage(text),
  viem: (message, key) => privateKeyToAccount(key).signMessage({ message }),
  "eth-account": async (sign, key) => python({ sign, key }).signature
}

const recovered = (text: string, signature: string) =>
  Effect.promise(async () => ({
    ethers: verifyMessage(text, signature),
    viem: await recoverMessageAddress({ message: text, signature: signature as Hex }),
    "eth-account": python({ recover: text, signature }).signer
  }))

withDaemon()("client libraries", (it) => {
  for (const [name, sign] of Object.entries(SIGNERS)) {
    it.effect(`${name} signs a tree, and it is verified here`, () =>
      Effect.gen(function* () {
        const daemon = yield* RunningDaemon
        const { token } = yield* daemon.createAccount({ name, serviceName: "studio", credits: "1" })
        const asset = yield* daemon.register(bytesOf(name), "text/plain")
        const key = generatePrivateKey()
        const author = privateKeyToAccount(key).address
        const body = commitRequest(asset, { author })
        const checked = checkRequest(body)
        if (!checked.ok) return assert.fail(JSON.stringify(checked.errors))
        const tree = buildTree(checked.request, { author, serviceName: "studio", signedAt: "elsewhere" })
        const assetTreeSignature = yield* Effect.promise(() => sign(tree.sha256, key))
        const headers = { authorization: `token ${token}` }
        const answer = yield* daemon.call("/commit", { headers, body: { ...body, assetTreeSignature } })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.json().assetTreeCid, tree.cid)
        const proof = join(daemon.home, `${name}.proof.json`)
        yield* told(daemon, "proof", tree.cid, "--out", proof)
        const { code, stdout } = treemarkVerify([proof, "--author", author, "--json"])
        assert.strictEqual(code, 0, stdout)
        assert.deepInclude(JSON.parse(stdout), { verdict: "valid", signer: author })
      })
    )
  }

  it.effect("each verifies what the daemon signed, and reads the same commits from the ledger", () =>
    Effect.gen(function* () {
      const daemon = yield* RunningDaemon
      const { account, token } = yield* daemon.createAccount({ name: "read", credits: "1" })
      const asset = yield* daemon.register(bytesOf("read"), "text/plain")
      const headers = { authorization: `token ${token}` }
      const made = yield* daemon.call("/commit", { headers, body: commitRequest(asset) })
      assert.strictEqual(made.status, 200, made.text)
      const listed = yield* daemon.call(`/assets/${asset.assetCid}/commits`)
      const [entry] = listed.json().commits as ReadonlyArray<{
        readonly txHash: string
        readonly commit: { readonly assetTreeSha256: string; readonly assetTreeSignature: string }
      }>
      const signers = yield* recovered(entry!.commit.assetTreeSha256, entry!.commit.assetTreeSignature)
      assert.deepStrictEqual([...new Set(Object.values(signers))], [account.wallet])

      const rpc = `${daemon.url}/rpc/mainnet`
      const { committer } = (yield* daemon.admin("wallet", "show")) as { readonly committer: Hex }
      const networks = yield* daemon.call("/networks")
      const [{ contract }] = networks.json().networks as unknown as readonly [{ readonly contract: Hex }]
      const byEthers = yield* Effect.promise(async () => {
        const provider = new JsonRpcProvider(rpc)
        const reader = new Contract(contract, JSON.stringify(commitAbi), provider)
        const events = await reader.queryFilter(reader.filters.Commit!(committer), 0)
        const balance = await provider.getBalance(committer)
        provider.destroy()
        const commits = events.map((event) => {
          assert.isTrue("args" in event)
          const { args, transactionHash } = event as typeof event & { readonly args: Record<string, string> }
          return { txHash: transactionHash, recorder: args.recorder!, commitData: args.commitData! }
        })
        return { commits, balance: String(balance) }
      })
      const byViem = yield* Effect.promise(async () => {
        const client = createPublicClient({ transport: http(rpc) })
        const args = { recorder: committer }
        const asked = { address: contract, abi: commitAbi, eventName: "Commit", args, fromBlock: 0n } as const
        const events = await client.getContractEvents(asked)
        const commits = events.map(({ args, transactionHash }) => ({
          txHash: transactionHash,
          recorder: args.recorder,
          commitData: args.commitData
        }))
        return { commits, balance: String(await client.getBalance({ address: committer })) }
      })
      assert.isTrue(byViem.commits.some(({ txHash }) => txHash === entry!.txHash))
      assert.deepStrictEqual(byEthers, byViem as never)
      assert.deepStrictEqual(python({ rpc, contract, abi: commitAbi, recorder: committer }) as never, byViem as never)
    })
  )
})
