/** Profiles: the built-in constants, the user's own tables, and what is said about broken ones. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type LedgerChain, profileOf } from "../../../packages/daemon/src/evm/Profile.ts"

const chain = {
  name: "mine",
  chain_id: 5,
  rpc: "https://rpc.example/v3/s3cret",
  contract: "0x7ec2f14abe8b0ea2f657bbb62b6fefde161c9001",
  explorer: "https://explorer.example/tx/HASH"
}
const token = {
  kind: "erc20",
  name: "elsewhere",
  chain_id: 1,
  rpc: "https://other.example",
  token: chain.contract,
  decimals: 6
}
const problemOf = (table: unknown) =>
  Effect.map(Effect.flip(profileOf("own", { own: table })), ({ message }) => message)

describe("a network profile", () => {
  it.effect("`numbers` has the constants of the public networks", () =>
    Effect.gen(function* () {
      const { roles } = yield* profileOf("numbers", {})
      assert.deepInclude<object>(roles.mainnet as LedgerChain, {
        chain_id: 10507,
        contract: "0x7EC2F14ABE8b0Ea2F657bBb62b6fEfDe161c9001",
        explorer: "https://mainnet.num.network/tx/HASH"
      })
      assert.deepInclude<object>(roles.testnet as LedgerChain, {
        chain_id: 10508,
        contract: "0x02eFA51b583d03342687b585417e5A62cd8273a4",
        explorer: "https://testnet.num.network/tx/HASH"
      })
      const urls = [roles.mainnet, roles.testnet].map((role) => (role === "embedded" ? "" : Redacted.value(role.rpc)))
      assert.deepStrictEqual(urls, ["https://mainnetrpc.num.network", "https://testnetrpc.num.network"])
    })
  )

  it.effect("of the user's own starts from a base or from nothing, and its addresses get their checksum", () =>
    Effect.gen(function* () {
      const whole = yield* profileOf("own", {
        own: { mainnet: chain, testnet: { ...chain, name: "mine too" }, networks: [token] }
      })
      assert.deepInclude<object>(whole.roles.mainnet as LedgerChain, {
        contract: "0x7EC2F14ABE8b0Ea2F657bBb62b6fEfDe161c9001"
      })
      assert.deepInclude(whole.networks[0], { name: "elsewhere", decimals: 6 })
      const based = yield* profileOf("own", { own: { base: "local", networks: [token] } })
      assert.deepStrictEqual(based.roles, { mainnet: "embedded", testnet: "embedded" })
    })
  )

  it.effect("that is unknown is refused with the known ones named, also where the name is one every object has", () =>
    Effect.gen(function* () {
      for (const name of ["mine", "constructor", "__proto__"]) {
        const { message } = yield* Effect.flip(profileOf(name, { own: {} }))
        assert.include(message, `"${name}"`)
        assert.include(message, "Known are local, numbers, own.")
      }
    })
  )

  it.effect("that is broken is refused with the reason, and an rpc URL is never shown", () =>
    Effect.gen(function* () {
      const broken: ReadonlyArray<readonly [unknown, string]> = [
        [{ mainnet: chain }, "names no mainnet or no testnet"],
        [{ base: "local", mainnet: { ...chain, rpc: "ftp://s3cret" } }, 'the rpc of "mine" is not an http(s) URL'],
        [{ base: "local", mainnet: { ...chain, rpc: 5 } }, "rpc"],
        [{ base: "local", mainnet: { ...chain, explorer: "https://x.example" } }, "HASH"],
        [{ base: "local", mainnet: { ...chain, chainid: 5 } }, "chainid"],
        [{ base: "local", networks: [{ ...token, decimals: -1 }] }, "decimals"],
        [{ base: "local", networks: [token, token] }, 'two of its networks are called "elsewhere"']
      ]
      for (const [table, expected] of broken) {
        const message = yield* problemOf(table)
        assert.include(message, expected)
        assert.notInclude(message, "s3cret")
      }
    })
  )
})
