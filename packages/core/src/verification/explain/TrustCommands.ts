/** By hand: which contract wrote the event, what an act's signature is over, who signed a checkpoint. */

import { bytesToHex } from "@noble/hashes/utils.js"
import { isAddressText, toEip55 } from "../../identity/Eip55.ts"
import type { Evidence } from "../Evidence.ts"
import type { ExplainedCommand, FileNames } from "./Explanation.ts"
import { command, fromFile, hexWord } from "./Shell.ts"
import { personalDigest } from "./SignedOtherwise.ts"

type Commands = ReadonlyArray<ExplainedCommand>

const NODE = '--rpc-url "$RPC_URL"'

/** The event's contract and recorder, out of the receipt. */
export const eventCommands = ({ inclusion, input }: Evidence, names: FileNames): Commands => {
  const contract = hexWord(input.ledger?.contract, 20, "0x")
  const recorder = hexWord(input.ledger?.recorder, 20, "0x")
  if (input.inclusion === undefined || inclusion?.ok !== true || contract === undefined || recorder === undefined)
    return []
  const { logPosition } = input.inclusion
  const log = (member: string) => [
    `jq -r .ledger.inclusion.receipt ${fromFile(names.proof, "proof.json")}`,
    "sed 's/^0x0[1-4]/0x/'",
    "cast from-rlp",
    `jq -r '.[3][${logPosition}]${member}'`
  ]
  return [
    command("cast", log("[0]"), contract.toLowerCase(), { note: "the contract that wrote the event" }),
    command("cast", log("[1][1]"), `0x${recorder.slice(2).toLowerCase().padStart(64, "0")}`, {
      note: "the recorder, as that contract says"
    }),
    command("cast", [`cast code ${contract} ${NODE}`, "cast keccak"], undefined, {
      note: "the hash of the contract's code, to compare with that of a contract you have read",
      needsNode: true
    })
  ]
}

/** Who signed each checkpoint file, and which hash it has for the block. */
export const checkpointCommands = ({ input }: Evidence, names: FileNames): Commands => {
  const { checkpoints = [], ledger } = input
  if (ledger === undefined || !Number.isSafeInteger(ledger.blockNumber)) return []
  return (names.checkpoints ?? []).flatMap((name, at) => {
    const checkpoint = checkpoints[at]
    if (checkpoint === undefined) return []
    const hash = checkpoint.chainId === ledger.chainId ? checkpoint.hashes.get(ledger.blockNumber) : undefined
    const file = fromFile(name, "checkpoint.json")
    const has = [
      `jq -r --argjson chain ${ledger.chainId} --argjson block ${ledger.blockNumber} 'select(.chainId == $chain).entries[] | select(.number == $block).hash' ${file}`,
      "tr A-F a-f"
    ]
    return [
      command("jq", has, hash ?? "", hash === undefined ? { note: "nothing: it does not have this block" } : {}),
      command("jq", [`jq -r '.signatures[]?.signer' ${file}`], checkpoint.signers.join("\n"), {
        note: checkpoint.signers.length === 0 ? "nothing: nobody signed it" : "who signed it"
      })
    ]
  })
}

/** Asks the contract wallet itself (ERC-1271). */
export const walletCommands = ({ checksum, recordAuthor, signature, treeAuthor }: Evidence): Commands => {
  const wallet = treeAuthor ?? recordAuthor
  const signed = hexWord(checksum, 32, "")
  if (signed === undefined || signature === undefined || wallet === undefined || !isAddressText(wallet)) return []
  if (!/^0x(?:[0-9a-fA-F]{2})+$/.test(signature)) return []
  const digest = `0x${bytesToHex(personalDigest(signed))}`
  return [
    command(
      "cast",
      [`cast call ${toEip55(wallet)} 'isValidSignature(bytes32,bytes)(bytes4)' ${digest} ${signature} ${NODE}`],
      "0x1626ba7e",
      { note: "what a wallet prints that holds the signature for good", needsNode: true }
    )
  ]
}
