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

/** The rule set of the chain with this id. */
export const cancun = (chainId: number): Common =>
  createCustomCommon({ chainId, name: `treemark-${chainId}`, hardforks: UP_TO_CANCUN }, Mainnet, {
    hardfork: Hardfork.Cancun
  })
