/** The ledger's side by hand: what the proof carries is hashed with cast, and a node is asked where one is at hand (RPC_URL is its address). */

import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { readTransaction } from "../../proof/SignedTransaction.ts"
import type { Evidence } from "../Evidence.ts"
import type { ExplainedCommand, FileNames } from "./Explanation.ts"
import { command, fromFile, hexWord } from "./Shell.ts"

type Commands = ReadonlyArray<ExplainedCommand>

const NODE = '--rpc-url "$RPC_URL"'

export const inclusionCommands = ({ input }: Evidence, names: FileNames): Commands => {
  const place = input.ledger
  const contract = hexWord(place?.contract, 20, "0x")
  if (place === undefined || contract === undefined || !Number.isSafeInteger(place.blockNumber)) return []
  const { blockNumber } = place
  const logs = `cast logs ${NODE} --from-block ${blockNumber} --to-block ${blockNumber} --address ${contract} 'Commit(address indexed,string indexed,string)'`
  return [
    ...hashOf(input.inclusion?.header, "header", names),
    command("cast", [`cast block ${blockNumber} --field hash ${NODE}`], hexWord(place.blockHash, 32, "0x"), {
      note: "what a node of the ledger prints when that block is on the chain",
      needsNode: true
    }),
    command("cast", [logs], undefined, {
      note: `the events of that block; the one with logIndex ${place.logIndex} carries the commit data`,
      needsNode: true
    })
  ]
}

export const transactionCommands = ({ input }: Evidence, names: FileNames): Commands => {
  const txHash = hexWord(input.ledger?.txHash, 32, "0x")
  return [
    ...hashOf(input.inclusion?.transaction?.value, "transaction", names),
    ...(txHash === undefined
      ? []
      : [
          command("cast", [`cast receipt ${txHash} blockHash ${NODE}`], hexWord(input.ledger?.blockHash, 32, "0x"), {
            note: "what a node of the ledger prints when that transaction is in the block named",
            needsNode: true
          })
        ])
  ]
}

export const contractCommands = ({ input }: Evidence, names: FileNames): Commands => {
  const contract = input.ledger?.contract
  return contract === undefined || names.tree !== undefined
    ? []
    : [command("jq", [`jq -a .ledger.contract ${fromFile(names.proof, "proof.json")}`], JSON.stringify(contract))]
}

/** Older versions of cast print the JSON as it is, newer ones into a pipe as a text that holds it. */
const SIGNER = "jq -r 'if type == \"string\" then fromjson else . end | .signer'"

export const senderCommands = ({ input }: Evidence, names: FileNames): Commands => {
  const bytes = input.inclusion?.transaction?.value
  const reading = bytes === undefined ? undefined : readTransaction(bytes)
  const sender = reading?.ok === true ? reading.transaction.sender() : undefined
  if (sender === undefined) return []
  const shown = `jq -r .ledger.inclusion.transaction ${fromFile(names.proof, "proof.json")}`
  return [command("cast", [shown, "cast decode-transaction", SIGNER], sender.toLowerCase())]
}

const hashOf = (bytes: Uint8Array | undefined, member: "header" | "transaction", names: FileNames): Commands =>
  bytes === undefined
    ? []
    : [
        command(
          "cast",
          [`jq -r .ledger.inclusion.${member} ${fromFile(names.proof, "proof.json")}`, "cast keccak"],
          `0x${bytesToHex(keccak_256(bytes))}`
        )
      ]
