/**
 * What a daemon says when commits cannot be made, at every place where somebody looks: `/ready` with the reason, `/metrics`, the log, and the
 * answer to the caller; and that all of them take it back when it is mended.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mnemonicToAccount } from "viem/accounts"
import { COMMIT_CONTRACT_ADDRESS } from "../../packages/daemon/src/evm/LocalNetwork.ts"
import { stranger } from "../daemon/commits/ForeignCommits.ts"
import { isAnvilMissing } from "../layers/Anvil.ts"
import { send } from "../layers/HttpCall.ts"
import { patience } from "../layers/Long.ts"
import { buildDaemon } from "./Bundle.ts"
import { attempt, type Caller, makeCaller, registerAsset } from "./Callers.ts"
import { canClose, chattr } from "./ClosedFiles.ts"
import { anvilChain, type Daemon, homeWith, type Rig, sqliteRig, sqliteRigIn, startDaemon } from "./Rig.ts"
import { CLOCK_FILE, setClock } from "./SteeredClock.ts"

/** `/ready` and `/metrics`, as an operator asks for them. */
const asked = Effect.fnUntraced(function* (rig: Rig, { url }: Daemon) {
  const { hostname, port } = new URL(url)
  const ready = yield* send({ host: hostname, port, path: "/ready" }, {})
  const metrics = yield* send({ socketPath: join(rig.home, "treemarkd.sock"), path: "/metrics" }, {})
  return { ready, metrics: metrics.text }
})

/** Asks until `/ready` has that status. What is asked for often is answered from a second ago. */
const until = Effect.fnUntraced(function* (rig: Rig, daemon: Daemon, status: number) {
  for (let left = 1_200; ; left--) {
    const found = yield* asked(rig, daemon)
    // What /metrics tells is two seconds old at most.
    const isTold = /^treemark_ready\{[^}]*\} 0$/mu.test(found.metrics) === (status === 503)
    if ((found.ready.status === status && isTold) || left === 0) {
      assert.strictEqual(found.ready.status, status, `${found.ready.text} ${daemon.stderr()}`)
      assert.isTrue(isTold, found.metrics)
      return found
    }
    yield* Effect.sleep("250 millis")
  }
})

/** Not ready for a reason, seen everywhere; the caller is refused with one of `codes`. */
const refusing = Effect.fnUntraced(function* (
  { caller, daemon, rig }: { readonly rig: Rig; readonly daemon: Daemon; readonly caller: Caller },
  asset: Parameters<typeof attempt>[2],
  expected: {
    readonly check: RegExp
    readonly reason: RegExp
    readonly codes: ReadonlyArray<string>
    readonly message: string
  }
) {
  const { body, status } = yield* attempt(daemon.url, caller, asset, expected.message)
  assert.strictEqual(status, 500, body)
  const { code = "", detail = "" } = JSON.parse(body) as { readonly code?: string; readonly detail?: string }
  assert.include(expected.codes, code, body)
  assert.isAbove(detail.length, 40, body)
  const { metrics, ready } = yield* until(rig, daemon, 503)
  assert.deepInclude(ready.json(), { code: "not_ready" })
  assert.match(ready.text, expected.reason)
  const failing = [...metrics.matchAll(/^treemark_ready\{check="([^"]+)"\} 0$/gmu)].map(([, check]) => check)
  assert.isTrue(
    failing.some((check) => expected.check.test(check ?? "")),
    failing.join()
  )
  assert.match(daemon.stderr(), new RegExp(`Not ready: [^"]*${expected.check.source}`, "u"))
  return metrics
})

const mended = (rig: Rig, daemon: Daemon) => until(rig, daemon, 200)

describe.concurrent("a daemon that cannot commit says so", () => {
  it.live.skipIf(isAnvilMissing)(
    "when its wallet cannot pay gas, and when another program used the wallet's key",
    () =>
      Effect.gen(function* () {
        const chain = yield* anvilChain
        const rig = sqliteRigIn(yield* homeWith(chain.url, chain.chainId), chain.url)
        const clock = join(rig.home, "clock.json")
        setClock(clock, { offset: 0, speed: 10 })
        const daemon = yield* startDaemon(yield* buildDaemon, rig, { [CLOCK_FILE]: clock })
        const caller = yield* makeCaller(rig, "caller", "credits", "10")
        const asset = yield* registerAsset(daemon.url, caller, "photo")
        const { address } = mnemonicToAccount(`${"test ".repeat(11)}junk`)
        const hold = (value: bigint) => Effect.promise(() => chain.steer.setBalance({ address, value }))
        yield* mended(rig, daemon)

        yield* hold(1n)
        yield* refusing({ rig, daemon, caller }, asset, {
          check: /mainnet committer 0x/u,
          reason: new RegExp(`wallet ${address} holds 0\\.000000000000000001 .*send it native tokens`, "u"),
          codes: ["ledger_unavailable"],
          message: "short of funds"
        })
        yield* hold(10n ** 20n)
        yield* mended(rig, daemon)
        assert.strictEqual((yield* attempt(daemon.url, caller, asset, "with funds")).status, 200)

        yield* stranger(chain.url, COMMIT_CONTRACT_ADDRESS, 0).commit(asset.assetCid, "{}")
        const metrics = yield* refusing({ rig, daemon, caller }, asset, {
          check: /mainnet committer 0x/u,
          reason: /signs nothing more on .*Find and stop the other program/u,
          codes: ["ledger_unavailable"],
          message: "after another program"
        })
        assert.match(metrics, new RegExp(`^treemark_wallet_stopped\\{[^}]*wallet="${address}"\\} 1$`, "mu"))
        assert.include(daemon.stderr(), `another program used the key of wallet ${address}`)
      }).pipe(Effect.scoped),
    patience(1)
  )

  it.live.skipIf(!canClose)(
    "when its store cannot be written; a clock that is set back an hour is no reason",
    () =>
      Effect.gen(function* () {
        const rig = yield* sqliteRig
        const clock = join(rig.home, "clock.json")
        const daemon = yield* startDaemon(yield* buildDaemon, rig, { [CLOCK_FILE]: clock })
        const caller = yield* makeCaller(rig, "caller", "credits", "10")
        const asset = yield* registerAsset(daemon.url, caller, "photo")
        const files = ["treemark.db", "treemark.db-wal"].map((name) => join(rig.home, name))
        yield* Effect.addFinalizer(() => Effect.sync(() => chattr("-i", files)))
        yield* mended(rig, daemon)

        assert.isTrue(chattr("+i", files))
        yield* refusing({ rig, daemon, caller }, asset, {
          check: /store/u,
          reason: /data store takes nothing that is written/u,
          codes: ["storage_unavailable"],
          message: "read-only"
        })
        assert.isTrue(chattr("-i", files))
        yield* mended(rig, daemon)

        setClock(clock, { offset: -3_600_000, speed: 1 })
        yield* Effect.sleep("200 millis")
        assert.strictEqual((yield* attempt(daemon.url, caller, asset, "an hour ago")).status, 200)
        const { metrics } = yield* mended(rig, daemon)
        assert.match(metrics, /^treemark_chain_head_age_seconds\{network="local mainnet"\} (?!-)/mu)
        assert.match(metrics, /^treemark_holds_open 0$/mu)
      }).pipe(Effect.scoped),
    patience(1)
  )
})
