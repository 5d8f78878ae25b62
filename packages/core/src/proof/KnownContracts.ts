/**
 * The commit contracts that everybody knows: code that has been read, and that writes down as the recorder who really called it. Any other contract
 * can write the same event with a recorder of its choice, so its log proves nothing about who recorded a commit.
 */

/** A commit contract (ERC-7053) of a chain. */
export interface KnownContract {
  readonly chainId: number
  /** An address in any letter case. */
  readonly contract: string
}

/** Numbers Mainnet (Jade) and Testnet (Snow), and the embedded chains of the daemon. */
export const KNOWN_CONTRACTS: ReadonlyArray<KnownContract> = [
  { chainId: 10507, contract: "0x7EC2F14ABE8b0Ea2F657bBb62b6fEfDe161c9001" },
  { chainId: 10508, contract: "0x02eFA51b583d03342687b585417e5A62cd8273a4" },
  { chainId: 7053001, contract: "0x0000000000000000000000000000000000007053" },
  { chainId: 7053002, contract: "0x0000000000000000000000000000000000007053" }
]

/** Whether `place` is among `contracts`; addresses are compared in any letter case. */
export const isAmong = (contracts: ReadonlyArray<KnownContract>, place: KnownContract): boolean =>
  contracts.some(
    ({ chainId, contract }) => chainId === place.chainId && contract.toLowerCase() === place.contract.toLowerCase()
  )
