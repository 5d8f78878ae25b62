/**
 * Histories in a CAR: an index and the proofs of a few commits, forged or not, with the index, the blocks or the bytes changed. The judge reads the CAR
 * by himself; a commit is good only where its block, its proof and its place in the index all are.
 */

import { nobleRecoverKey } from "../../packages/core/src/verify.ts"
import { makeVerifier } from "../../packages/verify/src/bulk/Verifier.ts"
import { carHistory } from "../../packages/verify/src/history/CarHistory.ts"
import { type CommitFinding, findings, summarize } from "../../packages/verify/src/history/VerifyHistory.ts"
import { UnusableInput } from "../../packages/verify/src/UnusableInput.ts"
import { forge } from "./Forge.ts"
import { canonical, cidOfDigest, KNOWN, sha256 } from "./Hands.ts"
import type { Loose } from "./Independent.ts"
import { judge } from "./Judge.ts"
import { type Json, mutate, mutateMember, type Owner } from "./Mutate.ts"
import { bytesOf, type Dice, pick } from "./MutateValue.ts"
import { inputOfReader, type Reader } from "./Reader.ts"
import type { Case, Outcome } from "./Run.ts"

interface Block {
  readonly cid: Uint8Array
  readonly bytes: Uint8Array
}

export const historyCase = (dice: Dice): Case => {
  const chainId = 7053001
  const contract = KNOWN[chainId]!
  const made = Array.from({ length: 1 + dice(4) }, () => forge(dice, { chainId, contract }))
  if (dice(4) === 0) made.push(pick(dice, made))
  const [first] = made
  const whats = [...made.map(({ what }) => what)]
  const place = ({ file }: (typeof made)[number]) => file.ledger as Owner
  made.sort((left, right) => Number(place(left).blockNumber) - Number(place(right).blockNumber))
  const texts = made.map(({ file }, at) => {
    const text = JSON.stringify(file)
    if (dice(8) > 0) return text
    whats[at] = "mutated"
    return Buffer.from(mutate(text, text, dice).bytes).toString()
  })
  const index: Owner = {
    mediaType: "application/vnd.treemark.history+json;version=1",
    assetCid: JSON.parse(Buffer.from(String((first!.file.tree as Owner).bytes), "base64").toString()).assetCid,
    network: { chainId, contract },
    commits: made.map((one, at) => {
      const { blockHash, blockNumber, logIndex, recorder, txHash } = place(one)
      return {
        txHash,
        blockNumber,
        blockHash,
        logIndex,
        recorder,
        proof: { "/": cidOfDigest("raw", sha256(texts[at]!)) }
      }
    }) as never
  }
  if (dice(3) === 0)
    whats.push(dice(2) === 0 ? mutateMember(index, dice, structuredClone(index)) : misplaced(index, dice))
  const blocks = [blockOf("dag-json", canonical(index)), ...new Set(texts)].map((one) =>
    typeof one === "string" ? blockOf("raw", one) : one
  )
  if (dice(8) === 0) whats.push(mutateBlocks(blocks, dice))
  const car = carOf(blocks)
  const bytes = dice(6) === 0 ? bytesOf(car, dice) : car
  return { what: `history: ${whats.join("; ")}`, bytes, run: () => judgeHistory(bytes, first!.reader) }
}

/** The index says of a commit, or of all, that it is elsewhere; the proofs stay as they are. */
const misplaced = (index: Owner, dice: Dice): string => {
  const commit = pick(dice, index.commits as Array<Owner>)
  const hash = `0x${"5a".repeat(32)}`
  const [owner, name, value] = pick<readonly [Owner, string, Json]>(dice, [
    [commit, "txHash", hash],
    [commit, "blockHash", hash],
    [commit, "logIndex", Number(commit.logIndex) + 1],
    [commit, "recorder", `0x${"5a".repeat(20)}`],
    [index.network as Owner, "chainId", 1]
  ])
  owner[name] = value
  return `${name} of the index`
}

const blockOf = (codec: "raw" | "dag-json", text: string): Block => {
  const bytes = Buffer.from(text)
  const head = codec === "raw" ? [1, 0x55, 0x12, 32] : [1, 0xa9, 0x02, 0x12, 32]
  return { cid: Buffer.from([...head, ...Buffer.from(sha256(bytes), "hex")]), bytes }
}

const mutateBlocks = (blocks: Array<Block>, dice: Dice): string => {
  const at = dice(blocks.length)
  const block = blocks[at]!
  switch (dice(4)) {
    case 0:
      blocks.splice(at, 1)
      return "a block left out"
    case 1:
      blocks.push(block)
      return "a block twice"
    case 2:
      blocks.push(blockOf("raw", "stray"))
      return "a stray block"
    default:
      blocks[at] = { cid: block.cid, bytes: bytesOf(block.bytes, dice) }
      return "a block with other bytes"
  }
}

const varint = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)]

const carOf = (blocks: ReadonlyArray<Block>): Uint8Array => {
  const root = blocks[0]?.cid ?? Buffer.alloc(0)
  const header = Buffer.from([
    0xa2,
    0x65,
    ...Buffer.from("roots"),
    0x81,
    0xd8,
    0x2a,
    0x58,
    root.length + 1,
    0,
    ...root,
    0x67,
    ...Buffer.from("version"),
    1
  ])
  const sections = blocks.flatMap(({ bytes, cid }) => [Buffer.from(varint(cid.length + bytes.length)), cid, bytes])
  return Buffer.concat([Buffer.from(varint(header.length)), header, ...sections])
}

const sourceOf = (bytes: Uint8Array) =>
  carHistory(
    { size: bytes.length, at: (offset, length) => bytes.subarray(offset, offset + length), close: () => {} },
    sha256
  )

const judgeHistory = (bytes: Uint8Array, reader: Reader): Outcome => {
  const question = inputOfReader(reader)
  if (question === undefined) return { outcome: "reader_refused", problems: [] }
  try {
    const source = sourceOf(bytes)
    const summary = summarize()
    const verifier = makeVerifier({ name: "noble", recoverKey: nobleRecoverKey }, question)
    const found = [...findings(source, verifier)]
    for (const finding of found) summary.add(finding)
    const { verdict } = summary.end(source.strays())
    return { outcome: `history ${verdict}`, problems: problemsOf(bytes, reader, found, verdict) }
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error
    return { outcome: error.code, problems: [] }
  }
}

const problemsOf = (
  bytes: Uint8Array,
  reader: Reader,
  found: ReadonlyArray<CommitFinding>,
  verdict: string
): ReadonlyArray<string> => {
  const good = found.filter(({ status }) => status === "G")
  if (good.length === 0) return verdict === "valid" ? ["valid without a good commit"] : []
  const { blocks, root } = readCar(bytes)
  const index: Loose = JSON.parse(Buffer.from(blocks.get(root) ?? []).toString())
  const commits = index?.commits as unknown as ReadonlyArray<Loose>
  const problems = good.flatMap(({ number }) => {
    const commit = commits[number - 1]
    const proof = blocks.get(Buffer.from(fromBase32(String(commit?.proof?.["/"]))).toString("hex"))
    const problem =
      proof === undefined
        ? "its proof is not in the CAR"
        : commitProblem({ commit, commits, number, index, proof, reader })
    return problem === undefined ? [] : [`commit ${number} is good, but ${problem}`]
  })
  const isWhole = verdict !== "valid" || (good.length === commits.length && blocks.size === commits.length + 1)
  return isWhole ? problems : [...problems, "a valid history with something in it that is not"]
}

interface Judged {
  readonly commit: Loose
  readonly commits: ReadonlyArray<Loose>
  readonly number: number
  readonly index: Loose
  readonly proof: Uint8Array
  readonly reader: Reader
}

const commitProblem = ({ commit, commits, index, number, proof, reader }: Judged): string | undefined => {
  const judgment = judge(proof, reader)
  if (judgment?.verdict !== "valid") return `the judge says ${judgment?.verdict}`
  const file: Loose = JSON.parse(Buffer.from(proof).toString())
  const tree: Loose = JSON.parse(Buffer.from(String(file?.tree?.bytes), "base64").toString())
  if (tree?.assetCid !== index?.assetCid) return "it is about another asset"
  const lower = (value: unknown) => String(value).toLowerCase()
  for (const name of ["txHash", "blockNumber", "blockHash", "logIndex", "recorder"]) {
    if (lower(commit?.[name]) !== lower(file?.ledger?.[name])) return `its ${name} is another`
  }
  for (const name of ["chainId", "contract"]) {
    if (lower(index?.network?.[name]) !== lower(file?.ledger?.[name])) return `its ${name} is another`
  }
  const isTrusted = lower(commit?.recorder) === lower(commits[0]?.recorder)
  if (!isTrusted && judgment.by !== "author") return "it is the word of a wallet that nobody trusts"
  const before = number > 1 ? commits[number - 2] : undefined
  const step =
    before &&
    (Number(commit?.blockNumber) - Number(before.blockNumber) || Number(commit?.logIndex) - Number(before.logIndex))
  return step !== undefined && step <= 0 ? "it is not after the one before it" : undefined
}

/** The blocks of a CAR by their CID in hex, each with the bytes that its hash names. */
const readCar = (bytes: Uint8Array) => {
  const blocks = new Map<string, Uint8Array>()
  const lengthAt = (at: number) => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return { value, end: at }
    }
  }
  const header = lengthAt(0)
  const root = Buffer.from(bytes.subarray(header.end + 13, header.end + 13 + bytes[header.end + 11]! - 1)).toString(
    "hex"
  )
  for (let at = header.end + header.value; at < bytes.length; ) {
    const { end, value } = lengthAt(at)
    const isRaw = bytes[end + 1] === 0x55
    const start = end + (isRaw ? 4 : 5) + 32
    const block = bytes.subarray(start, end + value)
    const cid = Buffer.from(bytes.subarray(end, start)).toString("hex")
    if (cid.endsWith(sha256(block))) blocks.set(cid, block)
    at = end + value
  }
  return { blocks, root }
}

const fromBase32 = (cid: string): Uint8Array => {
  const bits = [...cid.slice(1)]
    .map((digit) => "abcdefghijklmnopqrstuvwxyz234567".indexOf(digit).toString(2).padStart(5, "0"))
    .join("")
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}
