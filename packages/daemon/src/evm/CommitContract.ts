/**
 * The commit contract as callers use it (ERC-7053): one event, one function. The deployed contracts of the public
 * networks answer to the same ABI. The bytecode is ours, compiled from contract/CommitLedger.sol, and serves the
 * `local` chains only; a test recompiles it and compares byte for byte.
 */

import { concatHex, encodeAbiParameters, type Hex, toEventSelector, toFunctionSelector } from "viem"

/** ABI of the commit contract; `assetCid` is indexed, so a log carries keccak-256 of its UTF-8 text. */
export const commitAbi = [
  {
    type: "event",
    name: "Commit",
    anonymous: false,
    inputs: [
      { name: "recorder", type: "address", indexed: true, internalType: "address" },
      { name: "assetCid", type: "string", indexed: true, internalType: "string" },
      { name: "commitData", type: "string", indexed: false, internalType: "string" }
    ]
  },
  {
    type: "function",
    name: "commit",
    stateMutability: "nonpayable",
    inputs: [
      { name: "assetCid", type: "string", internalType: "string" },
      { name: "commitData", type: "string", internalType: "string" }
    ],
    outputs: [{ name: "", type: "uint256", internalType: "uint256" }]
  }
] as const

/** What a log of a commit's event begins with (topic 0). */
export const COMMIT_TOPIC: Hex = toEventSelector(commitAbi[0])

const COMMIT_SELECTOR: Hex = toFunctionSelector(commitAbi[1])

/** What goes on the ledger: the asset's CID and the commit record. */
export interface CommitContent {
  readonly assetCid: string
  readonly commitData: string
}

/** Input of the transaction that records a commit (ERC-7053). */
export const commitInput = ({ assetCid, commitData }: CommitContent): Hex =>
  concatHex([COMMIT_SELECTOR, encodeAbiParameters(commitAbi[1].inputs, [assetCid, commitData])])

/** Bytes of {@link commitInput}: selector, two offsets, and each text after its length, in whole words of 32 bytes. */
export const commitInputSize = ({ assetCid, commitData }: CommitContent): number =>
  4 + 32 * (4 + wordsOf(assetCid) + wordsOf(commitData))

const wordsOf = (text: string): number => Math.ceil(new TextEncoder().encode(text).length / 32)

/** Creation code: what a deploying transaction carries. */
export const commitBytecode: `0x${string}` = `0x6080604052348015600e575f5ffd5b506101de8061001c5f395ff3fe608060405234801561000f575f5ffd5b5060043610610029575f3560e01c806381d14ffc1461002d575b5f5ffd5b61004061003b36600461010a565b610052565b60405190815260200160405180910390f35b5f8484604051610063929190610176565b60405180910390203373ffffffffffffffffffffffffffffffffffffffff167f39b5d1808997c4c413695960efbe703ad3d5c8982d2eb21ff57b01e22a67153285856040516100b3929190610185565b60405180910390a35043949350505050565b5f5f83601f8401126100d5575f5ffd5b50813567ffffffffffffffff8111156100ec575f5ffd5b602083019150836020828501011115610103575f5ffd5b9250929050565b5f5f5f5f6040858703121561011d575f5ffd5b843567ffffffffffffffff811115610133575f5ffd5b61013f878288016100c5565b909550935050602085013567ffffffffffffffff81111561015e575f5ffd5b61016a878288016100c5565b95989497509550505050565b818382375f9101908152919050565b60208152816020820152818360408301375f818301604090810191909152601f9092017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe016010191905056fea164736f6c6343000825000a`

/** Runtime code: what stands at the contract's address. */
export const commitDeployedBytecode: `0x${string}` = `0x608060405234801561000f575f5ffd5b5060043610610029575f3560e01c806381d14ffc1461002d575b5f5ffd5b61004061003b36600461010a565b610052565b60405190815260200160405180910390f35b5f8484604051610063929190610176565b60405180910390203373ffffffffffffffffffffffffffffffffffffffff167f39b5d1808997c4c413695960efbe703ad3d5c8982d2eb21ff57b01e22a67153285856040516100b3929190610185565b60405180910390a35043949350505050565b5f5f83601f8401126100d5575f5ffd5b50813567ffffffffffffffff8111156100ec575f5ffd5b602083019150836020828501011115610103575f5ffd5b9250929050565b5f5f5f5f6040858703121561011d575f5ffd5b843567ffffffffffffffff811115610133575f5ffd5b61013f878288016100c5565b909550935050602085013567ffffffffffffffff81111561015e575f5ffd5b61016a878288016100c5565b95989497509550505050565b818382375f9101908152919050565b60208152816020820152818360408301375f818301604090810191909152601f9092017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe016010191905056fea164736f6c6343000825000a`
