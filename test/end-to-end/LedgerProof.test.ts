/** From a commit to a verdict, over a running daemon: the proof's inclusion, the checkpoint, and the verifier that knows only files. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { RunningDaemon, withSharedDaemon } from "../layers/RunningDaemon.ts"
import { treemarkVerify } from "../verify/Command.ts"
import { bytesOf, commitRequest, parsed } from "./Treemarkd.ts"

const json = Effect.fnUntraced(function* (home: string, ...args: ReadonlyArray<string>) {
  const ended = yield* parsed([...args, "--home", home, "--json"])
  assert.strictEqual(ended.code, 0, ended.stderr)
  return ended.json() as Record<string, never>
})

const codes = (stdout: string): Record<string, string> =>
  Object.fromEntries(JSON.parse(stdout).checks.map(({ code, name }: { code: string; name: string }) => [name, code]))

withSharedDaemon()("a commit's proof", (it) => {
  it.effect("is included in its block, and with the exported checkpoint it is on the ledger", () =>
    Effect.gen(function* () {
      const { home } = yield* RunningDaemon
      const photo = join(home, "photo.txt")
      const [request, proof] = [join(home, "request.json"), join(home, "photo.proof.json")]
      writeFileSync(photo, bytesOf("inclusion"))
      const { account } = yield* json(home, "account", "create", "--name", "prover", "--credits", "5")
      const asset = yield* json(home, "asset", "register", photo)
      writeFileSync(request, JSON.stringify(commitRequest(asset as never)))
      const receipt = yield* json(home, "commit", request, "--account", "prover")
      yield* json(home, "proof", receipt.assetTreeCid!, "--out", proof)

      const alone = treemarkVerify([proof, "--json"])
      assert.strictEqual(alone.code, 0)
      assert.strictEqual(codes(alone.stdout)["ledger-inclusion"], "block_not_compared")

      const checkpoint = join(home, "mainnet.checkpoint.json")
      const written = yield* json(home, "checkpoint", "export", "--out", checkpoint)
      assert.deepInclude(written, { chainId: 7_053_001 as never, file: checkpoint as never })
      const compared = treemarkVerify([proof, "--checkpoint", checkpoint, "--asset", photo, "--json"])
      assert.strictEqual(compared.code, 0)
      assert.deepInclude(codes(compared.stdout), { "ledger-inclusion": "ok", "ledger-transaction": "ok" })
      assert.strictEqual(JSON.parse(compared.stdout).provenance.ledger, "ledger")

      const authors = join(home, "authors")
      const { wallet } = account as unknown as { readonly wallet: string }
      writeFileSync(authors, `${wallet} "Ada Lovelace" valid-from=2020-01-01\n`)
      const named = treemarkVerify([proof, "--authors", authors, "--checkpoint", checkpoint])
      assert.include(named.stdout, `\nverdict valid: signed by its author, Ada Lovelace (${wallet}).\n`)
      assert.include(named.stdout, "the block's timestamp")

      const testnet = yield* parsed(["checkpoint", "export", "--network", "testnet", "--home", home])
      const elsewhere = join(home, "testnet.checkpoint.json")
      writeFileSync(elsewhere, testnet.stdout)
      const other = treemarkVerify([proof, "--checkpoint", elsewhere, "--json"])
      assert.deepStrictEqual([other.code, codes(other.stdout)["ledger-inclusion"]], [3, "checkpoint_chain_absent"])
      assert.strictEqual(treemarkVerify([proof, "--checkpoint", elsewhere, "--checkpoint", checkpoint]).code, 0)

      const forged = readFileSync(checkpoint, "utf8").replace(/"0x[0-9a-f]{4}/gu, '"0xdead')
      const lie = treemarkVerify([proof, "--checkpoint", "-", "--json"], { input: forged })
      assert.deepStrictEqual([lie.code, codes(lie.stdout)["ledger-inclusion"]], [1, "checkpoint_block_differs"])
    })
  )

  it.effect("has no checkpoint of a network that is none, and none in a folder that is none", () =>
    Effect.gen(function* () {
      const { home } = yield* RunningDaemon
      assert.strictEqual((yield* parsed(["checkpoint", "export", "--network", "moon", "--home", home])).code, 64)
      const nowhere = yield* parsed(["checkpoint", "export", "--out", "/nowhere/c.json", "--home", home])
      assert.strictEqual(nowhere.code, 1)
      assert.include(nowhere.stderr, "/nowhere/c.json cannot be written")
    })
  )
})
