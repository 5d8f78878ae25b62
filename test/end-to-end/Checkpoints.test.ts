/** Checkpoints with witnesses: exported and signed by one daemon, cosigned by another on the same chain, counted by the verifier. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createTestClient, http } from "viem"
import { isAnvilMissing } from "../layers/Anvil.ts"
import { treemarkVerify } from "../verify/Command.ts"
import { anvilWithContract, CONTRACT, commit, daemonAt, json, told } from "./HistoryRig.ts"
import { bytesOf, commitRequest, parsed } from "./Treemarkd.ts"

interface Signed {
  readonly signer: string
  readonly signers: ReadonlyArray<string>
  readonly blocks: number
}

interface File {
  readonly mediaType: string
  readonly chainId: number
  readonly contracts: ReadonlyArray<string>
  readonly entries: ReadonlyArray<{ readonly number: number; readonly hash: string }>
  readonly signatures?: ReadonlyArray<{ readonly signer: string; readonly signature: string }>
}

const read = (file: string): File => JSON.parse(readFileSync(file, "utf8"))

describe.skipIf(isAnvilMissing)("a checkpoint", () => {
  it.live(
    "is exported with its contract, signed, cosigned by a daemon that has seen it, and counts for a quorum of two",
    () =>
      Effect.gen(function* () {
        const anvil = yield* anvilWithContract
        const steer = createTestClient({ mode: "anvil", transport: http(anvil.url) })
        const [ours, theirs] = yield* Effect.all([daemonAt(anvil.url), daemonAt(anvil.url)], { concurrency: 2 })
        const { home } = ours
        const { committer } = yield* json<{ readonly committer: `0x${string}` }>(home, "wallet", "show")
        yield* Effect.promise(() => steer.setBalance({ address: committer, value: 10n ** 20n }))
        yield* told(home, "account", "create", "--name", "studio", "--credits", "5")
        const asset = yield* ours.register(bytesOf("witnessed"), "text/plain")
        const { assetTreeCid } = yield* commit(home, "studio", commitRequest(asset))
        const proof = join(home, "proof.json")
        yield* told(home, "proof", assetTreeCid, "--out", proof)

        const file = join(home, "chain.checkpoint.json")
        yield* told(home, "checkpoint", "export", "--out", file)
        assert.deepStrictEqual(read(file).contracts, [CONTRACT])
        const unsigned = readFileSync(file, "utf8")

        const alone = yield* json<Signed>(home, "checkpoint", "sign", file)
        assert.deepStrictEqual([alone.signer, alone.signers], [committer, [committer]])
        assert.strictEqual(alone.blocks, read(file).entries.length)
        assert.deepStrictEqual(yield* json<Signed>(home, "checkpoint", "sign", file), alone)
        assert.lengthOf(read(file).signatures ?? [], 1)

        const witness = yield* json<{ readonly committer: string }>(theirs.home, "wallet", "show")
        const said = yield* told(theirs.home, "checkpoint", "cosign", file)
        assert.include(said, `is signed by ${witness.committer}; so far 2 have signed it`)
        assert.deepStrictEqual(
          read(file).signatures?.map(({ signer }) => signer),
          [committer, witness.committer]
        )
        const { signatures: _, ...content } = read(file)
        assert.deepStrictEqual(content, JSON.parse(unsigned))

        const authors = join(home, "witnesses.authors")
        writeFileSync(authors, `${committer} Ours witness\n${witness.committer} Theirs witness\n`)
        const counted = treemarkVerify([proof, "--json", "--checkpoint", file, "--quorum", "2"])
        assert.deepInclude(JSON.parse(counted.stdout).provenance, { time: "ledger" })
        assert.strictEqual(counted.code, 0)
        assert.strictEqual(treemarkVerify([proof, "--checkpoint", file, "--quorum", "3"]).code, 3)
        const known = treemarkVerify([proof, "--json", "--checkpoint", file, "--quorum", "2", "--authors", authors])
        assert.deepStrictEqual(
          JSON.parse(known.stdout).witnesses.map(({ name }: { readonly name: string }) => name),
          ["Ours", "Theirs"]
        )

        const apart = join(home, "apart.checkpoint.json")
        writeFileSync(file, unsigned)
        const studio = yield* ours.showAccount("studio")
        const named = yield* json<Signed>(home, "checkpoint", "cosign", file, "--account", "studio", "--out", apart)
        assert.deepStrictEqual([named.signer, read(apart).signatures?.length], [studio.wallet, 1])
        assert.strictEqual(readFileSync(file, "utf8"), unsigned)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "that says what our node has not seen, is damaged or falsely signed gets no signature, and is left as it is",
    () =>
      Effect.gen(function* () {
        const anvil = yield* anvilWithContract
        const steer = createTestClient({ mode: "anvil", transport: http(anvil.url) })
        yield* Effect.promise(() => steer.mine({ blocks: 9 }))
        const { home } = yield* daemonAt(anvil.url)
        const good = join(home, "good.json")
        yield* told(home, "checkpoint", "export", "--out", good)
        const file = read(good)
        yield* told(home, "checkpoint", "sign", good)
        const [signature] = read(good).signatures!
        const [entry] = file.entries
        const lie = `0x${"ab".repeat(32)}`
        const hostile = join(home, "hostile.json")

        const refused = Effect.fnUntraced(function* (text: string, code: string, ...words: ReadonlyArray<string>) {
          writeFileSync(hostile, text)
          const ended = yield* parsed(["checkpoint", "cosign", hostile, "--home", home, "--json"])
          assert.strictEqual(ended.code, 1, text)
          const { error } = ended.json() as { readonly error: { readonly code: string; readonly message: string } }
          assert.strictEqual(error.code, code, error.message)
          for (const word of [...words, "Nothing was signed."]) assert.include(error.message, word)
          assert.strictEqual(readFileSync(hostile, "utf8"), text)
        })
        const withEntries = (entries: File["entries"]) => JSON.stringify({ ...file, entries })

        yield* refused(
          withEntries([{ number: entry!.number, hash: lie }]),
          "checkpoint_not_seen",
          `block ${entry!.number} has the hash ${entry!.hash}`,
          "ask whoever made it"
        )
        const made = Array.from({ length: 8 }, (_, at) => ({ number: 1_000 + at, hash: lie }))
        yield* refused(
          withEntries([...file.entries, ...made]),
          "checkpoint_not_seen",
          "block 1000 is not there",
          "block 1004",
          "(and 3 more)"
        )
        const nowhere = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
        yield* refused(
          JSON.stringify({ ...file, contracts: [CONTRACT, nowhere] }),
          "checkpoint_not_seen",
          `no contract is at ${nowhere}`
        )
        yield* refused(JSON.stringify({ ...file, chainId: 1 }), "checkpoint_other_chain", "5003 (public)")
        yield* refused(JSON.stringify({ ...file, note: "and more", signatures: [signature] }), "checkpoint_signature")
        yield* refused(JSON.stringify({ ...file, weight: 2 ** 60 }), "checkpoint_not_signable")
        yield* refused(readFileSync(good, "utf8").slice(0, 90), "checkpoint_not_json")
        yield* refused(JSON.stringify({ ...file, mediaType: "text/plain" }), "checkpoint_media_type")
        yield* refused(withEntries([entry!, entry!]), "checkpoint_members")

        yield* anvil.stop
        yield* refused(JSON.stringify(file), "checkpoint_unread", "public")
        const missing = yield* parsed(["checkpoint", "sign", join(home, "none.json"), "--home", home])
        assert.deepStrictEqual([missing.code, missing.stderr.includes("none.json cannot be read")], [1, true])
      }).pipe(Effect.scoped),
    120_000
  )
})
