/** The contracts that core knows are the ones that the daemon deploys and commits to. */
import { assert, describe, it } from "@effect/vitest"
import { isAddressText, KNOWN_CONTRACTS, toEip55 } from "@treemark/core/verify"
import { Effect } from "effect"
import { isAmong } from "../../../packages/core/src/proof/KnownContracts.ts"
import {
  COMMIT_CONTRACT_ADDRESS,
  LOCAL_MAINNET_CHAIN_ID,
  LOCAL_TESTNET_CHAIN_ID
} from "../../../packages/daemon/src/evm/LocalNetwork.ts"
import { profileOf } from "../../../packages/daemon/src/evm/Profile.ts"

describe("the known contracts", () => {
  it.effect("are those of the built-in profiles, and no others", () =>
    Effect.gen(function* () {
      const { roles } = yield* profileOf("numbers", {})
      const chains = Object.values(roles).flatMap((chain) =>
        chain === "embedded" ? [] : [{ chainId: chain.chain_id, contract: String(chain.contract) }]
      )
      const embedded = [LOCAL_MAINNET_CHAIN_ID, LOCAL_TESTNET_CHAIN_ID].map((chainId) => ({
        chainId,
        contract: COMMIT_CONTRACT_ADDRESS
      }))
      assert.deepStrictEqual(KNOWN_CONTRACTS, [...chains, ...embedded])
    })
  )

  it("are written with their checksum, and compared by chain and address in any letter case", () => {
    for (const { chainId, contract } of KNOWN_CONTRACTS) {
      assert.isTrue(isAddressText(contract))
      assert.strictEqual(contract, toEip55(contract))
      assert.isTrue(isAmong(KNOWN_CONTRACTS, { chainId, contract: contract.toLowerCase() }))
      assert.isFalse(isAmong(KNOWN_CONTRACTS, { chainId: 1, contract }))
    }
    assert.isFalse(isAmong(KNOWN_CONTRACTS, { chainId: 10507, contract: KNOWN_CONTRACTS[1]!.contract }))
    assert.isFalse(isAmong([], KNOWN_CONTRACTS[0]!))
  })
})
