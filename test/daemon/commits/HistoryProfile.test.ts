/** What a profile says of a network's trees and of its contract: the form, the first block, the index. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Networks } from "../../../packages/daemon/src/evm/Networks.ts"
import { profileOf } from "../../../packages/daemon/src/evm/Profile.ts"

const chain = (name: string, more: object = {}) => ({
  name,
  chain_id: 5,
  rpc: "http://127.0.0.1:9",
  contract: "0x7ec2f14abe8b0ea2f657bbb62b6fefde161c9001",
  explorer: "https://explorer.example/tx/HASH",
  ...more
})
const request = () => Promise.reject(new Error("nobody asks here"))
const embedded = { mainnet: { request, explorer: () => "" }, testnet: { request, explorer: () => "" } }

/** The networks of a profile as it is written. */
const networksOf = Effect.fnUntraced(function* (table: object) {
  const profile = yield* profileOf("own", { own: table })
  const { role } = yield* Networks.pipe(Effect.provide(Networks.layer({ profile, embedded })))
  return [role("mainnet"), role("testnet")] as const
})

const formats = (table: object) => Effect.map(networksOf(table), (roles) => roles.map(({ treeFormat }) => treeFormat))

describe("a profile", () => {
  it.effect("names the form of the trees for both networks, for one, or for neither, in either spelling", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* formats({ base: "local" }), ["dag-json", "dag-json"])
      assert.deepStrictEqual(yield* formats({ base: "local", treeFormat: "nit" }), ["nit", "nit"])
      assert.deepStrictEqual(yield* formats({ base: "local", testnet: { treeFormat: "nit" } }), ["dag-json", "nit"])
      assert.deepStrictEqual(yield* formats({ base: "numbers", mainnet: { tree_format: "nit" } }), ["nit", "dag-json"])
      const mixed = { base: "local", treeFormat: "nit", mainnet: chain("mine", { treeFormat: "dag-json" }) }
      assert.deepStrictEqual(yield* formats(mixed), ["dag-json", "nit"])
    })
  )

  it.effect("says where the contract's history begins and whether it keeps an index; `numbers` has one", () =>
    Effect.gen(function* () {
      const [mine, other] = yield* networksOf({
        mainnet: chain("mine", { fromBlock: 12, getCommits: true }),
        testnet: chain("other")
      })
      assert.deepInclude(mine, { fromBlock: 12n, keepsCommits: true })
      assert.deepInclude(other, { fromBlock: 0n, keepsCommits: false })
      assert.deepStrictEqual(
        (yield* networksOf({ base: "numbers" })).map(({ keepsCommits }) => keepsCommits),
        [true, true]
      )
      assert.deepStrictEqual(
        (yield* networksOf({ base: "local" })).map(({ keepsCommits }) => keepsCommits),
        [false, false]
      )
    })
  )

  it.effect("with another form, a first block that is none, or a key beside the form is refused", () =>
    Effect.gen(function* () {
      const broken: ReadonlyArray<readonly [object, string]> = [
        [{ base: "local", treeFormat: "cbor" }, "tree_format"],
        [{ base: "local", testnet: { treeFormat: "cbor" } }, "testnet"],
        [{ base: "local", testnet: { treeFormat: "nit", rpc: "http://127.0.0.1:9" } }, "contract"],
        [{ testnet: { treeFormat: "nit" } }, "names no mainnet or no testnet"],
        [{ base: "local", mainnet: chain("mine", { fromBlock: -1 }) }, "from_block"]
      ]
      for (const [table, expected] of broken) {
        const { message } = yield* Effect.flip(profileOf("own", { own: table }))
        assert.include(message, expected)
      }
    })
  )
})
