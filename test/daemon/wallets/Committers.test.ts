/** Which wallet commits an asset: always the same one, each of them about as often, and the first is the service's own. */
import { assert, describe, it } from "@effect/vitest"
import { mnemonicToSeedSync } from "@scure/bip39"
import { Redacted } from "effect"
import { committersOf } from "../../../packages/daemon/src/wallets/Committers.ts"
import { walletsOf } from "../../../packages/daemon/src/wallets/HdWallets.ts"

const wallets = walletsOf(Redacted.make(mnemonicToSeedSync(`${"test ".repeat(11)}junk`)))
const assets = Array.from({ length: 2_000 }, (_, n) => `bafkrei${n}`)

describe("committers", () => {
  it("one committer is the service's own wallet, for every asset", () => {
    const { all, of } = committersOf(wallets, 1)
    assert.deepStrictEqual(all, [{ walletIndex: 0, address: wallets.address(0) }])
    assert.strictEqual(of("bafkrei1").address, wallets.address(0))
  })

  it("an asset is committed by one wallet, the same at every start, and assets are spread over all wallets", () => {
    const first = committersOf(wallets, 8)
    const second = committersOf(wallets, 8)
    const counts = new Map<string, number>()
    for (const asset of assets) {
      assert.deepStrictEqual(first.of(asset), second.of(asset))
      const { address } = first.of(asset)
      counts.set(address, (counts.get(address) ?? 0) + 1)
    }
    assert.deepStrictEqual([...counts.keys()].sort(), first.all.map(({ address }) => address).sort())
    assert.isAbove(Math.min(...counts.values()), 180)
    assert.isBelow(Math.max(...counts.values()), 330)
  })

  it("knows the wallet of an earlier configuration by its address, and nobody else's", () => {
    const eight = committersOf(wallets, 8)
    assert.strictEqual(committersOf(wallets, 1).indexOf(eight.all[7]?.address ?? ""), eight.all[7]?.walletIndex)
    assert.isUndefined(eight.indexOf(wallets.address(1)))
  })
})
