/** How the two chains of the `local` profile are named (decisions.md, section 2): constants only, no third-party import. */

/** Where the commit contract stands from the genesis block on, on every embedded chain. */
export const COMMIT_CONTRACT_ADDRESS = "0x0000000000000000000000000000000000007053"

/** Chain id of the mainnet role of the `local` profile. */
export const LOCAL_MAINNET_CHAIN_ID = 7_053_001

/** Chain id of the testnet role of the `local` profile. */
export const LOCAL_TESTNET_CHAIN_ID = 7_053_002
