/** Histories of a few commits, as the daemon exports them: a folder with an index, or a CAR. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CarWriter } from "@ipld/car"
import { CID } from "multiformats/cid"
import { cidOf, RAW_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import {
  type HistoryBlock,
  type HistoryCommit,
  type HistoryDocument,
  historyBlock,
  historyText,
  proofBlock
} from "../../packages/core/src/history/HistoryFile.ts"
import { type ProofDocument, proofText } from "../../packages/core/src/proof/Proof.ts"
import { ledger, strangerKey, treeMembers, utf8 } from "../core/verification/Fixtures.ts"
import { proofNumber } from "./BulkProofs.ts"

/** The commit number `index`: two a block. `key`: who signs, if not the author. */
export const proofOfCommit = (index: number, options: { readonly key?: Uint8Array } = {}): ProofDocument => {
  const proof = proofNumber(index, options)
  return {
    ...proof,
    ledger: {
      ...proof.ledger,
      blockNumber: 10 + (index >> 1),
      blockHash: `0x${(0xb10c + (index >> 1)).toString(16).padStart(64, "0")}`,
      txHash: `0x${(0x7000 + index).toString(16).padStart(64, "0")}`,
      logIndex: index % 2
    }
  }
}

export const unconfirmedProof = (index: number): ProofDocument => proofOfCommit(index, { key: strangerKey })

/** One character of the signed tree is another. */
export const invalidProof = (index: number): ProofDocument => {
  const proof = proofOfCommit(index)
  return { ...proof, tree: { ...proof.tree, bytes: proof.tree.bytes.replace(/^./, "f") } }
}

export interface Part {
  readonly proof: ProofDocument
  /** The export has no proof of it. */
  readonly isLeftOut?: boolean
}

const placeOf = ({ ledger: { blockHash, blockNumber, logIndex, recorder, txHash } }: ProofDocument) => ({
  txHash,
  blockNumber,
  blockHash,
  logIndex,
  recorder
})

const reason = "The tree could not be fetched."

const documentOf = (commits: ReadonlyArray<HistoryCommit>): HistoryDocument => ({
  mediaType: "application/vnd.treemark.history+json;version=1",
  assetCid: String(treeMembers.assetCid),
  network: { chainId: ledger.chainId, contract: ledger.contract },
  commits
})

/** The index as somebody changed it. */
export type Change = (index: HistoryDocument) => unknown

/** One commit of the index with other members. */
export const withCommit =
  (at: number, members: object): Change =>
  (index) => ({
    ...index,
    commits: index.commits.map((commit, number) => (number === at ? { ...commit, ...members } : commit))
  })

export const nameOf = (at: number): string => `${String(at + 1).padStart(4, "0")}.proof.json`

/** Writes the history to a new folder and gives its path. */
export const writeFolder = (parts: ReadonlyArray<Part>, change?: Change): string => {
  const folder = mkdtempSync(join(tmpdir(), "treemark-history-"))
  const commits = parts.map(({ proof, isLeftOut }, at): HistoryCommit => {
    if (isLeftOut === true) return { ...placeOf(proof), proof: null, reason, commitData: proof.commit.commitData }
    writeFileSync(join(folder, nameOf(at)), proofText(proof))
    return { ...placeOf(proof), proof: nameOf(at) }
  })
  const index = documentOf(commits)
  writeFileSync(join(folder, "history.json"), change === undefined ? historyText(index) : JSON.stringify(change(index)))
  return folder
}

/** The blocks of the history, the root first, for {@link writeCar}. `change` makes another index of it. */
export const blocksOf = (
  parts: ReadonlyArray<Part>,
  change: Change = (index) => index
): ReadonlyArray<HistoryBlock> => {
  const proofs = parts.map(({ proof, isLeftOut }) =>
    isLeftOut === true ? undefined : proofBlock(utf8(proofText(proof)))
  )
  const commits = parts.map(
    ({ proof }, at): HistoryCommit =>
      proofs[at] === undefined
        ? { ...placeOf(proof), proof: null, reason, commitData: proof.commit.commitData }
        : { ...placeOf(proof), proof: proofs[at].cid }
  )
  return [
    historyBlock(change(documentOf(commits)) as HistoryDocument),
    ...proofs.filter((block) => block !== undefined)
  ]
}

/** A CAR as @ipld/car writes it. The first block is the root. */
export const carOf = async (blocks: ReadonlyArray<HistoryBlock>): Promise<Uint8Array> => {
  const { writer, out } = CarWriter.create(blocks.slice(0, 1).map(({ cid }) => CID.parse(cid)))
  const parts: Array<Uint8Array> = []
  const reading = (async () => {
    for await (const part of out) parts.push(part)
  })()
  for (const { cid, bytes } of blocks) await writer.put({ cid: CID.parse(cid), bytes })
  await writer.close()
  await reading
  return Buffer.concat(parts)
}

let cars = 0
export const writeCar = async (blocks: ReadonlyArray<HistoryBlock>): Promise<string> => writeBytes(await carOf(blocks))

export const writeBytes = (bytes: Uint8Array): string => {
  const folder = join(tmpdir(), `treemark-car-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${cars++}.car`)
  writeFileSync(path, bytes)
  return path
}

export const rawBlock = (bytes: Uint8Array): HistoryBlock => ({ cid: cidOf(RAW_CODE, bytes), bytes })
