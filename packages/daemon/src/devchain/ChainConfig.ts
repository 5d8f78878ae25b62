/**
 * What every embedded chain has in common: constants only, no third-party import, so that any part of the daemon may
 * read them cheaply. Gas prices are wei per gas (1 gwei = 10^9 wei); the fork rules are those of cancun at all heights.
 */

/** Base fee of every block, wei per gas: the minimum of Numbers' mainnet, held constant here. */
export const BASE_FEE_PER_GAS = 100_000_000_000n

/** Gas limit of every block. */
export const BLOCK_GAS_LIMIT = 30_000_000n

/** What the faucet account owns in the genesis block, wei. */
export const FAUCET_BALANCE = 2n ** 200n

/** Longest transaction that is accepted, bytes (geth's limit). */
export const MAX_TRANSACTION_BYTES = 128 * 1024

/** Longest initialisation code of a contract, bytes (EIP-3860). */
export const MAX_INITCODE_BYTES = 49_152

/** Transactions that may wait for one account, those behind a nonce gap included. */
export const MAX_WAITING_PER_ACCOUNT = 1024

/** Transactions that may wait for one account behind a nonce gap (geth's `accountqueue`). */
export const MAX_GAPPED_PER_ACCOUNT = 64

/** Transactions that may wait altogether. */
export const MAX_WAITING = 8192

/** Transactions that one block takes at most. */
export const MAX_TRANSACTIONS_PER_BLOCK = 500
