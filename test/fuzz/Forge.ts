/**
 * A proof made whole by a forger, who writes tree, record, log, receipt, transaction, trie, header and checkpoint himself, and is free in each: mostly
 * all of it is as it should be, and now and then one thing or two are somebody else's. Nothing here is core's.
 */
import { AbiCoder, encodeRlp, id, keccak256, Transaction, toBeHex, zeroPadValue } from "ethers"
import { readerOf } from "./ForgeReader.ts"
import { canonical, cidOfDigest, HANDS, type Hand, KNOWN, remembered, sha256, signDigest, signText } from "./Hands.ts"
import type { Json } from "./Mutate.ts"
import { type Dice, pick, VALUES } from "./MutateValue.ts"
import type { Reader } from "./Reader.ts"
import { trieOf } from "./Trie.ts"

export interface Forged {
  readonly file: { [member: string]: Json }
  readonly reader: Reader
  /** What is not as usual, for a person. */
  readonly what: string
}

/** What the forger decides, one thing after another. `odd` is true once in `often`, and notes `what`. */
export interface Choices {
  readonly dice: Dice
  readonly odd: (often: number, what: string) => boolean
}

export const BLOCK_TIME = 1_700_000_010
const TREE_TIME = 1_700_000_000
const HOSTILE = "0x00000000000000000000000000000000bad0c0de"
const RELAY = "0x0000000000000000000000000000000000e1a7e0"
const NID = "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m"
const ASSET = "the asset's bytes"

const { ada, bob, mallory, service } = HANDS

/** `network`: where it has to be, for a history. */
export const forge = (dice: Dice, network?: { readonly chainId: number; readonly contract: string }): Forged => {
  const noted: Array<string> = []
  const odd = (often: number, what: string): boolean => {
    if (dice(often) > 0) return false
    noted.push(what)
    return true
  }
  const choices = { dice, odd }
  const chainId = network?.chainId ?? pick(dice, [7053001, 7053001, 7053002, 10507, 31337])
  const contract =
    network !== undefined
      ? network.contract
      : odd(8, "contract of the forger's") || KNOWN[chainId] === undefined
        ? HOSTILE
        : KNOWN[chainId]!
  const tree = treeOf(choices)
  const recorder = odd(10, "recorded by a stranger") ? mallory : service
  const { record, text: commitData } = recordOf(choices, { tree, chainId, contract, recorder })
  const block = blockOf(choices, { chainId, contract, recorder, commitData, assetCid: tree.assetCid })
  const file = {
    mediaType: "application/vnd.treemark.proof+json;version=1",
    tree: { cid: tree.cid, bytes: Buffer.from(tree.text).toString("base64") },
    commit: { record, commitData },
    ledger: { network: "forged", chainId, contract, recorder: block.recorder, ...block.place }
  } as Forged["file"]
  const reader = readerOf(choices, { chainId, contract, place: block.place, signer: tree.signer, asset: ASSET })
  return { file, reader, what: noted.join(", ") || "as it should be" }
}

interface Tree {
  readonly text: string
  readonly cid: string
  readonly sha256: string
  readonly assetCid: string
  readonly signer: Hand
  /** As the record names the author. */
  readonly author: string
}

const treeOf = ({ dice, odd }: Choices): Tree => {
  const author = odd(8, "Bob's work") ? bob : ada
  const signer = odd(10, "signed by Mallory") ? mallory : author
  const digest = sha256(ASSET)
  const isUnixfs = odd(12, "a UnixFS CID with the file's own sha256")
  const assetCid = cidOfDigest(isUnixfs ? "dag-pb" : "raw", digest)
  const members: { [member: string]: Json } = {
    abstract: pick(dice, ["a photo", "", "\u202e gpj"]),
    assetCid,
    assetCreator: "Ada 👩‍🔬",
    assetSha256: digest,
    assetSourceType: "forgedUpload",
    assetTimestampCreated: TREE_TIME,
    creatorWallet: author.address,
    encodingFormat: "image/jpeg",
    license: { document: null, name: null }
  }
  if (isUnixfs) delete members.assetSha256
  if (odd(25, "no author in the tree")) delete members.creatorWallet
  if (odd(40, "asset members of another type"))
    members[pick(dice, ["assetCid", "assetSha256"])] = pick(dice, [5, [digest]])
  if (odd(25, "custom of many items"))
    members.custom = { list: Array.from({ length: dice(20_000) }, (_, at) => at % 10) }
  const text = dice(4) === 0 ? JSON.stringify(members, null, 2) : canonical(members)
  const hash = sha256(text)
  const cid = cidOfDigest(pick(dice, ["raw", "dag-json"]), hash)
  return { text, cid, sha256: hash, assetCid, signer, author: author.address }
}

interface Act {
  readonly tree: Tree
  readonly chainId: number
  readonly contract: string
  readonly recorder: Hand
}

const MEMBERS = [
  "author",
  "committer",
  "assetTreeCid",
  "assetTreeSha256",
  "action",
  "actionName",
  "abstract",
  "actSignature",
  "timestampCreated"
]

const recordOf = ({ dice, odd }: Choices, { chainId, contract, recorder, tree }: Act) => {
  const record: { [member: string]: Json } = {
    assetTreeCid: tree.cid,
    assetTreeSha256: tree.sha256,
    assetTreeSignature: signText(tree.signer, tree.sha256),
    author: odd(25, "another author in the record") ? mallory.address : tree.author,
    committer: odd(15, "another committer in the record") ? bob.address : recorder.address,
    action: NID,
    actionName: "action-commit",
    actionResult: "https://example.org/ipfs/tree",
    provider: "forge",
    abstract: pick(dice, ["Action action-commit.", "I sell all rights"]),
    timestampCreated: TREE_TIME + dice(3)
  }
  if (dice(2) === 0) {
    const said = { chainId, contract, record: { ...record } }
    if (odd(8, "act of another chain")) said.chainId = 10508
    if (odd(8, "act for another contract")) said.contract = "0x00000000000000000000000000000000000000aA"
    if (odd(8, "act changed"))
      said.record[pick(dice, ["abstract", "timestampCreated"])] = pick(dice, [1, "I give all rights"])
    const hand = odd(8, "act by a stranger") ? mallory : tree.signer
    record.actSignature = signText(hand, actChecksum(said.record, said.chainId, said.contract))
    if (odd(20, "act cut")) record.actSignature = String(record.actSignature).slice(0, -2)
  }
  if (odd(15, "record member of another type")) record[pick(dice, MEMBERS)] = pick(dice, VALUES)
  if (odd(30, "record member left out")) delete record[pick(dice, MEMBERS)]
  const more = odd(12, "a number that doubles cannot hold")
  const text = JSON.stringify(record)
  if (!more) return { record, text }
  const [inText, inRecord] = pick(dice, [
    ["9007199254740993", 9007199254740992],
    ["9007199254740993", "9007199254740993"],
    ["1e400", null],
    ["0.1000000000000000055511151231257827", 0.1],
    ["-0", 0]
  ] as const)
  return { record: { ...record, more: inRecord }, text: `${text.slice(0, -1)},"more":${inText}}` }
}

/** What an act's signature is over (decisions.md, section 10). */
export const actChecksum = (
  record: { readonly [member: string]: unknown },
  chainID: number,
  contract: string
): string =>
  sha256(
    canonical({
      abstract: record.abstract,
      action: record.action,
      assetTreeSha256: record.assetTreeSha256,
      author: record.author,
      chainID,
      contract,
      timestampCreated: record.timestampCreated
    })
  )

interface Event {
  readonly chainId: number
  readonly contract: string
  readonly recorder: Hand
  readonly commitData: string
  readonly assetCid: string
}

const logOf = (address: string, recorder: string, assetCid: string, commitData: string) => [
  address,
  [id("Commit(address,string,string)"), zeroPadValue(recorder, 32), id(assetCid)],
  AbiCoder.defaultAbiCoder().encode(["string"], [commitData])
]

const transactionOf = ({ dice, odd }: Choices, { chainId, contract }: Event, sender: Hand): string => {
  const type = pick(dice, [0, 0, 1, 2, 2, 2])
  const fees = type === 2 ? { maxFeePerGas: 2n * 10n ** 11n, maxPriorityFeePerGas: 1n } : { gasPrice: 10n ** 11n }
  const to = odd(12, "through another contract") ? RELAY : odd(30, "a contract's creation") ? null : contract
  const isOld = type === 0 && dice(2) === 0
  const unsigned = Transaction.from({
    type,
    chainId: isOld ? 0 : chainId,
    nonce: dice(3),
    gasLimit: 60_000,
    to,
    value: 0,
    data: "0x12345678",
    ...fees
  })
  if (odd(25, "transaction for another chain") && !isOld) unsigned.chainId = 1
  unsigned.signature = signDigest(sender, unsigned.unsignedHash)
  const raw = unsigned.serialized
  if (odd(40, "transaction cut")) return raw.slice(0, -2)
  return odd(40, "transaction of an unknown type") ? `0x7e${raw.slice(4)}` : raw
}

const receiptOf = (logs: unknown, type: number): string =>
  (type === 0 ? "0x" : `0x0${type}`) + encodeRlp(["0x01", "0x5208", `0x${"00".repeat(256)}`, logs] as never).slice(2)

/** The other receipts of a block. */
const filler = remembered((index) => receiptOf([logOf(HOSTILE, bob.address, index, "{}")], 2))

const blockOf = (choices: Choices, event: Event) => {
  const { dice, odd } = choices
  const count = pick(dice, [1, 1, 1, 2, 3, 3, 17, dice(4) === 0 ? 140 : 4])
  const at = dice(count)
  const sender = odd(8, "sent by another wallet") ? mallory : event.recorder
  const before = dice(3)
  const claimed = odd(25, "event of another recorder") ? bob.address : event.recorder.address
  const log = logOf(
    odd(20, "log of another contract") ? HOSTILE : event.contract,
    claimed,
    event.assetCid,
    event.commitData
  )
  const other = logOf(event.contract, event.recorder.address, "another", "{}")
  const raw = transactionOf(choices, event, sender)
  const type = raw.startsWith("0x0") ? Number(raw.charAt(3)) : 0
  const receipts = trieOf(
    Array.from({ length: count }, (_, index) =>
      index === at ? receiptOf([...Array(before).fill(other), log], type) : filler(String(index))
    )
  )
  const transactions = trieOf(
    Array.from({ length: count }, (_, index) =>
      index === at ? raw : `0x02${encodeRlp([toBeHex(index + 1), `0x${"00".repeat(60)}`]).slice(2)}`
    )
  )
  const blockNumber = 1 + dice(1000)
  const word = (fill: string, length = 32) => `0x${fill.repeat(length)}`
  const header = encodeRlp([
    ...[word("01"), word("02"), word("03", 20), word("04"), transactions.root, receipts.root, word("00", 256)],
    ...["0x", toBeHex(blockNumber), "0x01c9c380", "0x9c40", toBeHex(BLOCK_TIME), "0x", word("05"), word("00", 8)],
    ...Array(dice(6)).fill("0x64")
  ])
  const isShown = dice(5) > 0
  const isProven = !odd(15, "no inclusion")
  return {
    recorder: claimed === event.recorder.address || dice(2) === 0 ? event.recorder.address : claimed,
    place: {
      txHash: isShown && !odd(20, "another transaction named") ? keccak256(raw) : word("ab"),
      blockNumber,
      blockHash: keccak256(header),
      logIndex: at === 0 ? before : before + dice(5),
      ...(isProven
        ? {
            inclusion: {
              header,
              transactionIndex: at,
              receipt: receiptOf([...Array(before).fill(other), log], type),
              receiptPath: [...receipts.pathTo(at)],
              logPosition: before,
              ...(isShown ? { transaction: raw, transactionPath: [...transactions.pathTo(at)] } : {})
            }
          }
        : {})
    }
  }
}
