/** The signer: the caller's own wallet signs, and nothing signs for a caller the seed has no key of. */
import { assert, describe, it } from "@effect/vitest"
import { Caller, checksumOf, recoverSigner, Signer, walletAddress } from "@treemark/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as WalletSigner from "../../../packages/daemon/src/accounts/WalletSigner.ts"
import { openAccount, withBank } from "../books/Bank.ts"

const CHECKSUM = checksumOf(new TextEncoder().encode("a tree"))

const sign = (caller: Caller) =>
  Effect.flatMap(Signer, (signer) => signer.signChecksum(caller, CHECKSUM)).pipe(Effect.provide(WalletSigner.layer))

describe("the wallet signer", () => {
  it.live("signs a checksum with the wallet of the caller, each caller with its own", () =>
    withBank(
      Effect.gen(function* () {
        for (const name of ["alice", "bob"]) {
          const caller = yield* openAccount(name, 0n)
          const signature = yield* sign(caller)
          assert.match(signature, /^0x[0-9a-f]{128}(1b|1c)$/)
          assert.deepStrictEqual(recoverSigner(CHECKSUM, signature), { ok: true, signer: caller.wallet })
        }
      })
    )
  )

  it.live("does not sign when the seed's wallet is not the account's, or the caller is unknown", () =>
    withBank(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const alice = yield* openAccount("alice", 0n)
        const stranger = walletAddress(`0x${"1".repeat(40)}`)
        assert.strictEqual(
          (yield* Effect.flip(sign(new Caller({ ...alice, wallet: stranger }))))._tag,
          "SignerUnavailable"
        )
        yield* sql`UPDATE account SET wallet = ${stranger}`
        const error = yield* Effect.flip(sign(new Caller({ ...alice, wallet: stranger })))
        assert.strictEqual(error._tag, "SignerUnavailable")
        assert.include(String(error.cause), "not the caller's")
        yield* sql`DELETE FROM access_token`
        yield* sql`DELETE FROM account`
        assert.strictEqual((yield* Effect.flip(sign(alice)))._tag, "SignerUnavailable")
      })
    )
  )

  it.live("says that the store is what failed, when it is", () =>
    withBank(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const alice = yield* openAccount("alice", 0n)
        yield* sql`ALTER TABLE account RENAME TO elsewhere`
        assert.strictEqual((yield* Effect.flip(sign(alice)))._tag, "StorageUnavailable")
        yield* sql`ALTER TABLE elsewhere RENAME TO account`
      })
    )
  )
})
