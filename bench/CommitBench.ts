/** The two sides of the commit figures, in one process over one embedded chain: the daemon's durable path, and viem alone. */
import { createHash, randomBytes } from "node:crypto"
import { NodeServices } from "@effect/platform-node"
import { amount, Caller, commitAsset, decodeCommitRequest, UNITS_PER_TOKEN, walletAddress } from "@treemark/core"
import { Effect, Layer, Logger, ManagedRuntime, Stream, type Tracer } from "effect"
import { HttpServer } from "effect/http"
import { encodeFunctionData, type Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { Accounts } from "../packages/daemon/src/accounts/Accounts.ts"
import { Idempotency } from "../packages/daemon/src/books/Idempotency.ts"
import { headersOf } from "../packages/daemon/src/books/Keys.ts"
import { historyOf } from "../packages/daemon/src/commits/History.ts"
import { Assets } from "../packages/daemon/src/content/Assets.ts"
import { LocalChains } from "../packages/daemon/src/devchain/LocalChains.ts"
import { commitAbi } from "../packages/daemon/src/evm/CommitContract.ts"
import { Networks } from "../packages/daemon/src/evm/Networks.ts"
import { CommitResponse } from "../packages/daemon/src/http/commit/CommitApi.ts"
import { storedAnswer } from "../packages/daemon/src/http/edge/IdempotencyKey.ts"
import { PublicUrl, servicesLayer } from "../packages/daemon/src/Services.ts"
import * as Settings from "../packages/daemon/src/Settings.ts"

export interface CommitBench {
  /** One commit from its idempotency key to its stored answer, without spans, as the daemon runs it. */
  readonly durable: () => Promise<unknown>
  /** One transaction of the same size: signed by viem, sent, its receipt awaited. */
  readonly bare: () => Promise<unknown>
  readonly close: () => Promise<void>
}

const GAS = 100_000n
const GWEI_100 = 100_000_000_000n

export interface CommitBenchOptions {
  /** A PostgreSQL instead of the file in `home`. */
  readonly databaseUrl?: string | undefined
  /** Whom to tell of the spans of each commit. */
  readonly tracer?: Tracer.Tracer
}

export const openCommitBench = async (
  home: string,
  { databaseUrl, tracer }: CommitBenchOptions = {}
): Promise<CommitBench> => {
  const runtime = ManagedRuntime.make(
    servicesLayer.pipe(
      Layer.provide(Layer.succeed(PublicUrl, "http://127.0.0.1:7053")),
      Layer.provideMerge(
        Settings.layer({ home }, databaseUrl === undefined ? {} : { TREEMARK_DATABASE_URL: databaseUrl })
      ),
      Layer.provideMerge(Layer.mergeAll(NodeServices.layer, HttpServer.layerServices)),
      Layer.provide(Logger.layer([]))
    )
  )
  const { account, asset } = await runtime.runPromise(
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { account } = yield* accounts.create({
        name: "bench",
        serviceName: "bench",
        credits: amount(1_000_000n * UNITS_PER_TOKEN),
        tokens: amount(0n)
      })
      const asset = yield* (yield* Assets).register({
        bytes: Stream.succeed(randomBytes(1_000)),
        fileName: undefined,
        contentType: "application/octet-stream",
        accountId: account.id
      })
      return { account, asset }
    })
  )
  const caller = new Caller({
    accountId: account.id,
    name: account.name,
    serviceName: account.serviceName,
    wallet: account.wallet
  })

  let made = 0
  const durable = () => {
    const body = {
      encodingFormat: asset.encodingFormat,
      assetCid: asset.assetCid,
      assetTimestampCreated: 1_780_000_000,
      assetCreator: "Jane Roe",
      assetSha256: asset.assetSha256,
      abstract: `Commit number ${++made}`,
      commitMessage: "The durable path",
      headline: "A bench"
    }
    const key = `bench-${made}`
    const fingerprint = createHash("sha256").update(JSON.stringify(body)).digest("hex")
    return runtime.runPromise(
      Effect.gen(function* () {
        const request = yield* decodeCommitRequest(body)
        const idempotency = yield* Idempotency
        return yield* idempotency.run({ accountId: account.id, operation: "commit", key, fingerprint }, (call) =>
          Effect.map(commitAsset({ caller, request, call }), ({ answer, receipt }) =>
            storedAnswer(CommitResponse, answer, headersOf(receipt))
          )
        )
      }).pipe(tracer === undefined ? Effect.withTracerEnabled(false) : Effect.withTracer(tracer))
    )
  }

  await durable()
  const { network, record } = await runtime.runPromise(
    Effect.gen(function* () {
      const network = (yield* Networks).role("mainnet")
      const [first] = yield* historyOf(network, asset.assetCid)
      return { network, record: first!.commitData }
    })
  )
  const wallet = privateKeyToAccount(`0x${randomBytes(32).toString("hex")}`)
  await runtime.runPromise(
    Effect.flatMap(LocalChains, ({ fund }) =>
      fund("mainnet", walletAddress(wallet.address), amount(1_000n * UNITS_PER_TOKEN))
    )
  )
  let nonce = 0
  const bare = async () => {
    const serializedTransaction = await wallet.signTransaction({
      chainId: network.chainId,
      nonce: nonce++,
      to: network.contract as Hex,
      data: encodeFunctionData({ abi: commitAbi, functionName: "commit", args: [asset.assetCid, record] }),
      gas: GAS,
      maxFeePerGas: GWEI_100,
      maxPriorityFeePerGas: 0n,
      type: "eip1559"
    })
    const hash = await network.client.sendRawTransaction({ serializedTransaction })
    for (;;) {
      const receipt = await network.client.getTransactionReceipt({ hash }).catch(() => undefined)
      if (receipt !== undefined) return receipt
      await runtime.runPromise(Effect.raceFirst(Effect.sleep(10), network.nextBlock))
    }
  }
  return { durable, bare, close: () => runtime.dispose() }
}
