/** The words behind all wallets: written down, typed in again elsewhere, they bring every wallet back. */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryHome, treemarkd } from "./Treemarkd.ts"

interface Created {
  readonly account: { readonly wallet: string }
}

describe("the words of the wallets", () => {
  it.live("wallet restore reads them from standard input and brings the same wallets back in another folder", () =>
    Effect.gen(function* () {
      const [home, other] = yield* Effect.all([temporaryHome, temporaryHome])
      const create = (folder: string) =>
        Effect.map(
          treemarkd(["account", "create", "--name", "a", "--tokens", "0", "--json"], { home: folder }),
          (made) => made.json()
        ) as Effect.Effect<Created, Error>
      const first = yield* create(home)
      const { json } = yield* treemarkd(["wallet", "backup", "--yes", "--json"], { home })
      const { words } = json() as { readonly words: string }
      const typed = `  ${words.replaceAll(" ", "\n").toUpperCase()}\n`
      const restored = yield* treemarkd(["wallet", "restore", "--json"], { home: other, input: typed })
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.strictEqual(statSync(join(other, "seed.json")).mode & 0o777, 0o600)
      assert.notInclude(restored.stdout + restored.stderr, words.split(" ").slice(0, 3).join(" "))
      assert.strictEqual((yield* create(other)).account.wallet, first.account.wallet)
    })
  )

  it.live("words that are wrong, and words for a folder with another seed, are refused and change nothing", () =>
    Effect.gen(function* () {
      const [home, empty] = yield* Effect.all([temporaryHome, temporaryHome])
      const shuffled = `${"abandon ".repeat(23)}zoo`
      const wrong = yield* treemarkd(["wallet", "restore", "--json"], { home: empty, input: shuffled })
      assert.strictEqual(wrong.code, 1)
      assert.deepInclude(wrong.json(), { error: { code: "words_invalid", message: wrong.stderr.trimEnd() } })
      assert.notInclude(wrong.stderr, "abandon")
      assert.isFalse(existsSync(join(empty, "seed.json")))
      assert.strictEqual((yield* treemarkd(["account", "create", "--name", "a"], { home })).code, 0)
      const before = statSync(join(home, "seed.json")).mtimeMs
      const others = `${"abandon ".repeat(23)}art`
      const taken = yield* treemarkd(["wallet", "restore", "--json"], { home, input: others })
      assert.strictEqual(taken.code, 1, taken.stderr)
      assert.match(taken.stderr, /seed/)
      assert.strictEqual(statSync(join(home, "seed.json")).mtimeMs, before)
    })
  )
})
