/** The reader whom a forger meets: what they bring along is mostly right, and now and then the forger had his hands in it. */
import type { Choices } from "./Forge.ts"
import { canonical, HANDS, type Hand, sha256, signText } from "./Hands.ts"
import { pick } from "./MutateValue.ts"
import type { Reader } from "./Reader.ts"

interface Met {
  readonly chainId: number
  readonly contract: string
  readonly place: { readonly blockNumber: number; readonly blockHash: string }
  readonly signer: Hand
  readonly asset: string
}

const { ada, bob, mallory, second, service, third, witness } = HANDS
const OTHER_HASH = `0x${"0f".repeat(32)}`

export const readerOf = (choices: Choices, met: Met): Reader => {
  const { dice, odd } = choices
  const checkpoints = dice(4) === 0 ? undefined : Array.from({ length: 1 + dice(3) }, () => checkpointOf(choices, met))
  return {
    ...(checkpoints === undefined ? {} : { checkpoints }),
    ...(dice(3) === 0 ? { authors: authorsOf(choices, met.signer) } : {}),
    ...(odd(8, "--contract") ? { contracts: [{ chainId: met.chainId, contract: met.contract.toLowerCase() }] } : {}),
    ...(odd(5, "--quorum") ? { quorum: 1 + dice(3) } : {}),
    ...(dice(4) === 0
      ? { author: pick(dice, [met.signer.address, met.signer.address.toLowerCase(), bob.address]) }
      : {}),
    ...(dice(3) === 0 ? { asset: odd(4, "another file") ? `${met.asset} ` : met.asset } : {})
  }
}

const checkpointOf = ({ dice, odd }: Choices, { chainId, contract, place }: Met): string => {
  const number = odd(20, "checkpoint of another block") ? place.blockNumber + 1 : place.blockNumber
  const hash = odd(20, "checkpoint with another hash") ? OTHER_HASH : place.blockHash
  const file: { [member: string]: unknown } = {
    mediaType: "application/vnd.treemark.checkpoint+json;version=1",
    chainId: odd(20, "checkpoint of another chain") ? 1 : chainId,
    entries: [{ number, hash }]
  }
  if (odd(8, "checkpoint names the contract")) file.contracts = [contract]
  const hands = [witness, second, third].filter(() => dice(2) === 0)
  if (hands.length > 0) {
    const checksum = sha256(canonical(file))
    file.signatures = hands.map((hand) => ({ signer: hand.address, signature: signText(hand, checksum) }))
    if (odd(25, "checkpoint changed after it was signed")) file.entries = [{ number, hash: OTHER_HASH }]
    if (odd(25, "checkpoint signed by another than it says")) {
      file.signatures = [{ signer: witness.address, signature: signText(mallory, checksum) }]
    }
  }
  return JSON.stringify(file)
}

const authorsOf = ({ dice, odd }: Choices, signer: Hand): string => {
  const lines: Array<string> = []
  const period = pick(dice, [
    "",
    "",
    " valid-from=2023-01-01",
    " valid-to=2023-11-30",
    " valid-to=2023-11-01",
    " valid-from=2023-12-01 valid-to=2024-01-01"
  ])
  if (!odd(10, "signer not in the authors file")) lines.push(`${signer.address} ${signer.name}${period}`)
  if (odd(6, "revoked on another line")) {
    lines.push(
      `${signer.address.toLowerCase()} Old${pick(dice, ["", " recorder"])} revoked=${pick(dice, ["2023-11-01", "2023-12-01"])}`
    )
  }
  if (dice(3) === 0) lines.push(`${service.address} "The service" recorder`)
  if (dice(3) === 0) lines.push(`${mallory.address} Mallory recorder witness`)
  if (dice(3) === 0) lines.push(`${witness.address} W witness`)
  if (dice(3) === 0) lines.push(`${second.address} S witness${dice(4) === 0 ? " revoked=2023-01-01" : ""}`)
  if (dice(4) === 0) lines.push(`${ada.address} "Ada Lovelace"`)
  return lines.length === 0 ? "# nobody\n" : `${lines.sort(() => dice(2) - 1).join("\n")}\n`
}
