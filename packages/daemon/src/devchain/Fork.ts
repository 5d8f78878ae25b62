/**
 * The rules an embedded chain runs by: every fork up to cancun from block 0, whatever the clock says. Public ledgers we
 * commit to run these rules, so gas used here is gas used there (prague adds the EIP-7623 floor: +22 % on a commit).
 */
import { type Common, createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common"

const UP_TO_CANCUN = Mainnet.hardforks
  .slice(0, Mainnet.hardforks.findIndex((fork) => fork.name === Hardfork.Cancun) + 1)
  .filter((fork) => fork.name !== Hardfork.Dao)
  .map((fork) =>
    fork.timestamp === undefined ? { name: fork.name, block: 0 } : { name: fork.name, block: null, timestamp: 0 }
  )

/**
 * The rule set of the chain with this id. ethereumjs copies it for every transaction and block and merges the same tables of parameters
 * again each time, in case the fork changes: here it never does, so one is enough, and each table is merged once. Nor is there anybody to
 * tell of a change: every machine would listen, and be kept for ever by what it listens to.
 */
export const cancun = (chainId: number): Common => {
  const common = createCustomCommon({ chainId, name: `treemark-${chainId}`, hardforks: UP_TO_CANCUN }, Mainnet, {
    hardfork: Hardfork.Cancun
  })
  const merge = common.updateParams.bind(common)
  const merged = new Set<unknown>()
  common.copy = () => common
  common.events.on = () => common.events
  common.updateParams = (params) => {
    if (merged.has(params)) return
    merged.add(params)
    merge(params)
  }
  return common
}
