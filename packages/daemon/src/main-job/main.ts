/**
 * `npm start`: Treemark's whole job on a real photo, on the embedded chains. Starts the daemon unless one runs, makes an account,
 * registers and commits the photo over HTTP, writes the proof and verifies it offline; then serves until Ctrl-C (`--once`: exits).
 */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { amount, UNITS_PER_TOKEN } from "@treemark/core"
import { verifyProof } from "@treemark/verify"
import { Cause, Console, Context, Deferred, Effect, Exit, Layer, Option, Runtime, Schema } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { DaemonControl } from "../admin/AdminHandlers.ts"
import { readDaemonFile } from "../admin/DaemonFile.ts"
import { Admin } from "../cli/Admin.ts"
import { explain, failed, report } from "../cli/Failures.ts"
import { logToStandardError, outliveOutputs } from "../cli/Logging.ts"
import { endAtOnceWhenToldTwice, endInTime } from "../cli/Stop.ts"
import { serverLayer } from "../Server.ts"
import { Settings, layer as settingsLayer } from "../Settings.ts"
import { nextSteps, step } from "./Narrator.ts"

const PHOTO = fileURLToPath(new URL("../../sample/espresso.png", import.meta.url))
/** Unix seconds: what the time chunk of the PNG says. */
const PHOTO_TAKEN = 1_375_712_134
const ACCOUNT = "first-steps"

class MainJobFailed extends Schema.TaggedError<MainJobFailed>()("MainJobFailed", {
  doing: Schema.String,
  answer: Schema.String
}) {
  override get message() {
    return `${this.doing} did not work: ${this.answer}`
  }
}

const Registered = Schema.Struct({ assetCid: Schema.String, assetSha256: Schema.String, encodingFormat: Schema.String })
const Committed = Schema.Struct({
  txHash: Schema.String,
  assetCid: Schema.String,
  assetTreeCid: Schema.String,
  explorer: Schema.String
})
const Balance = Schema.Struct({ balance: Schema.String })

/** The job itself, against the daemon at `url`. */
const mainJob = Effect.fn("mainJob")(function* (url: string, home: string) {
  const { client } = yield* Admin
  const http = yield* HttpClient.HttpClient
  const call = <A, I>(
    doing: string,
    request: HttpClientRequest.HttpClientRequest,
    answer: Schema.Codec<A, I>
  ): Effect.Effect<A, MainJobFailed> =>
    http.execute(request).pipe(
      Effect.flatMap(
        (response): Effect.Effect<A, { readonly message: string }> =>
          response.status < 300
            ? HttpClientResponse.schemaBodyJson(answer)(response)
            : Effect.flatMap(response.text, (message) => Effect.fail({ message }))
      ),
      Effect.mapError(({ message }) => new MainJobFailed({ doing, answer: message }))
    )
  const post = (path: string, body: unknown, token?: string) =>
    HttpClientRequest.post(`${url}${path}`).pipe(
      HttpClientRequest.setBody(HttpBody.jsonUnsafe(body)),
      token === undefined ? (request) => request : HttpClientRequest.setHeader("Authorization", `token ${token}`)
    )

  const { account, token } = yield* firstAccount(client)
  yield* step("account", `${account.name}, ${account.credits} credits, wallet ${account.wallet}`)

  const asset = yield* call(
    "Registering the photo",
    HttpClientRequest.post(`${url}/assets`).pipe(
      HttpClientRequest.setHeader("Authorization", `token ${token}`),
      HttpClientRequest.setBody(HttpBody.uint8Array(yield* Effect.promise(() => readFile(PHOTO)), "image/png"))
    ),
    Registered
  )
  yield* step("registered", `${asset.assetCid} (${asset.encodingFormat}, sha256 ${asset.assetSha256.slice(0, 16)}…)`)

  const request = {
    encodingFormat: asset.encodingFormat,
    assetCid: asset.assetCid,
    assetTimestampCreated: PHOTO_TAKEN,
    assetCreator: "Rachel Michetti",
    assetSha256: asset.assetSha256,
    licenseName: "CC0-1.0",
    licenseDocument: "https://creativecommons.org/publicdomain/zero/1.0/",
    headline: "Espresso",
    abstract: "A cup of espresso at Pikolo Espresso Bar.",
    commitMessage: "First commit of the sample photo."
  }
  const commit = yield* call("Committing the photo", post("/commit", request, token), Committed)
  yield* step("committed", `transaction ${commit.txHash}`)
  yield* step("asset tree", commit.assetTreeCid)

  const mainnet = yield* call("Asking the mainnet", post("/balance/mainnet", { wallet: account.wallet }), Balance)
  const all = yield* call(
    "Asking all networks",
    post("/balance/all-networks", { wallet: account.wallet }, token),
    Balance
  )
  yield* step("balances", `mainnet ${mainnet.balance}, all networks ${all.balance}`)
  const after = yield* client.accounts.show({ params: { account: account.id } })
  yield* step("charged", `0.1 + gas for the commit, 0.01 for all networks; ${after.credits} credits left`)

  const { proof } = yield* client.operations.proof({ params: { assetTreeCid: commit.assetTreeCid } })
  const proofFile = join(home, "espresso.proof.json")
  yield* Effect.promise(() => writeFile(proofFile, proof))
  yield* step("proof", proofFile)

  const report = verifyProof(yield* Effect.promise(() => readFile(proofFile)))
  yield* step("verified", `${report.verdict}, offline: signed by ${report.signer}, author ${report.author}`)
  if (report.verdict !== "valid") {
    return yield* new MainJobFailed({ doing: "Verifying the proof", answer: JSON.stringify(report) })
  }
  yield* nextSteps({ url, token, wallet: account.wallet, request, explorer: commit.explorer, proofFile, photo: PHOTO })
})

/** The account of an earlier run gets a further token; else a new one with 5 credits and 100 tokens of the local chains. */
const firstAccount = Effect.fnUntraced(function* (client: Admin["Service"]["client"]) {
  const known = yield* Effect.option(client.accounts.show({ params: { account: ACCOUNT } }))
  if (Option.isSome(known)) {
    const account = yield* client.accounts.credit({
      params: { account: ACCOUNT },
      payload: { credits: amount(UNITS_PER_TOKEN) }
    })
    const { token } = yield* client.accounts.issueToken({
      params: { account: ACCOUNT },
      payload: { label: "npm start", expiresAt: null }
    })
    return { account, token }
  }
  return yield* client.accounts.create({
    payload: {
      name: ACCOUNT,
      serviceName: "treemark",
      credits: amount(5n * UNITS_PER_TOKEN),
      tokens: amount(100n * UNITS_PER_TOKEN)
    }
  })
})

/** Where a person goes on, signed in to the account of the job. */
const namingConsole = Effect.gen(function* () {
  const { client } = yield* Admin
  const { url } = yield* client.console.signIn({ payload: { account: ACCOUNT } })
  yield* Console.log(`\nThe console, signed in (the address works once, within two minutes):\n  ${url}`)
})

const program = Effect.gen(function* () {
  yield* outliveOutputs
  const { values } = yield* Effect.try({
    try: () => parseArgs({ options: { once: { type: "boolean", default: false } } }),
    catch: (error) =>
      failed(
        "usage",
        `${error instanceof Error ? error.message : String(error)}. The only option is --once: npm start -- --once`
      )
  })
  const settings = yield* Settings
  const running = yield* readDaemonFile(settings.home)
  yield* endAtOnceWhenToldTwice
  const started = Option.isNone(running) ? yield* Layer.build(serverLayer) : undefined
  if (started !== undefined) yield* endInTime
  const daemon = Option.getOrUndefined(yield* readDaemonFile(settings.home))
  const url = daemon?.addresses.main ?? ""
  yield* step("daemon", `${url} (${Option.isSome(running) ? "was running" : "started"}), data in ${settings.home}`)
  yield* mainJob(url, settings.home).pipe(Effect.provide(Admin.layerRunning(settings.home)))
  if (!values.once) yield* Effect.provide(namingConsole, Admin.layerRunning(settings.home))
  if (values.once || started === undefined) return
  yield* Console.log("\nServing until Ctrl-C.")
  yield* Deferred.await(Context.get(started, DaemonControl).stopRequested)
}).pipe(
  Effect.scoped,
  Effect.mapError(explain),
  Effect.tapCause((cause) => report(cause, false)),
  Effect.provide(Layer.mergeAll(settingsLayer({ profile: "local" }), FetchHttpClient.layer)),
  Effect.provide(Layer.merge(NodeServices.layer, logToStandardError))
)

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  teardown: (exit, onExit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)
})
