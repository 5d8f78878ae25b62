/**
 * Signing checkpoint files with a wallet of this daemon: one's own as they are, somebody else's (cosigning) only after our own node has shown
 * every block and contract in them. A signature says "I saw this", so a file that is damaged or badly signed gets none.
 */
import {
  type Checkpoint,
  checkpointChecksum,
  checkpointFileText,
  parseCheckpoint,
  readJsonObject
} from "@treemark/core"
import { Effect } from "effect"
import { Accounts } from "../accounts/Accounts.ts"
import { unseenIn } from "../commits/Checkpoint.ts"
import { Networks } from "../evm/Networks.ts"
import { HdWallets, SERVICE_WALLET } from "../wallets/HdWallets.ts"
import { AdminRefused } from "./AdminRefused.ts"

/** So many differences are told; the rest are counted. */
const MOST_TOLD = 5

/** The file with our signature added, as the last of its signatures; a file that our wallet has signed already stays as it is. */
export const signCheckpoint = Effect.fn("CheckpointSigning.signCheckpoint")(function* (input: {
  /** The file's text. */
  readonly checkpoint: string
  /** Whose wallet: an account's id or name; null for the service's own. */
  readonly account: string | null
  /** Whether our own node must have seen what the file says. */
  readonly cosign: boolean
}) {
  const bytes = new TextEncoder().encode(input.checkpoint)
  const reading = parseCheckpoint(bytes)
  if (!reading.ok) return yield* refuse(reading.code, reading.message)
  const { checkpoint } = reading
  const file = readJsonObject(bytes)
  const checksum = file.ok ? checkpointChecksum(file.value) : undefined
  if (!file.ok || checksum === undefined) {
    return yield* refuse(
      "checkpoint_not_signable",
      "This file holds a number or a key that canonical dag-json cannot carry, so nobody can sign it."
    )
  }
  if (input.cosign) yield* checkSeen(checkpoint)
  const wallets = yield* HdWallets
  const index = input.account === null ? SERVICE_WALLET : (yield* (yield* Accounts).find(input.account)).walletIndex
  const signer: string = wallets.address(index)
  const signed = { chainId: checkpoint.chainId, blocks: checkpoint.hashes.size, signer }
  if (checkpoint.signers.includes(signer)) {
    return { ...signed, signers: checkpoint.signers, checkpoint: input.checkpoint }
  }
  const before = Array.isArray(file.value.signatures) ? file.value.signatures : []
  const { signatures: _, ...members } = file.value
  const text = checkpointFileText({
    ...members,
    signatures: [...before, { signer, signature: wallets.signText(index, checksum) }]
  })
  const again = parseCheckpoint(new TextEncoder().encode(text))
  if (!again.ok) return yield* refuse(again.code, `With one more signature it could not be read: ${again.message}`)
  return { ...signed, signers: again.checkpoint.signers, checkpoint: text }
})

const refuse = (code: string, message: string) =>
  Effect.fail(new AdminRefused({ code, message: `${message} Nothing was signed.` }))

const checkSeen = Effect.fnUntraced(function* (checkpoint: Checkpoint) {
  const networks = yield* Networks
  const ours = [networks.role("mainnet"), networks.role("testnet")]
  const network = ours.find(({ chainId }) => chainId === checkpoint.chainId)
  if (network === undefined) {
    const have = ours.map(({ chainId, name }) => `${chainId} (${name})`).join(" and ")
    return yield* refuse(
      "checkpoint_other_chain",
      `The file is about chain ${checkpoint.chainId}; this daemon sees ${have}. Start it with a profile that has that chain (treemarkd start --profile NAME).`
    )
  }
  const unseen = yield* unseenIn(network, checkpoint).pipe(
    Effect.catchTag("RpcFailure", (failure) =>
      refuse("checkpoint_unread", `The node of ${failure.network} could not show what the file says: ${failure.detail}`)
    )
  )
  if (unseen.length === 0) return
  const more = unseen.length > MOST_TOLD ? ` (and ${unseen.length - MOST_TOLD} more)` : ""
  return yield* refuse(
    "checkpoint_not_seen",
    `The node of ${network.name} does not have what the file says: there ${unseen.slice(0, MOST_TOLD).join(", ")}${more}. ` +
      "Either that node is behind or on another fork, so wait and try again, or the file is wrong, so ask whoever made it."
  )
})
