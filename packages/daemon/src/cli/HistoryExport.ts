/**
 * Writes an exported history: a folder with a file for each proof and `history.json`, which is written last, so that a folder without it is
 * an export that did not end; and a CAR with the same, its root first. What it is made of is in core's `HistoryFile`.
 */
import { join } from "node:path"
import {
  HISTORY_FILE,
  HISTORY_MEDIA_TYPE,
  type HistoryCommit,
  type HistoryDocument,
  historyBlock,
  historyText,
  type NetworkRole,
  proofBlock
} from "@treemark/core"
import { Effect, FileSystem, Stream } from "effect"
import { CID } from "multiformats/cid"
import { carOfBlocks } from "../content/Car.ts"
import type { Admin } from "./Admin.ts"
import { failed, unwritable } from "./Failures.ts"
import { type LoggedCommit, placeText } from "./LogText.ts"

interface Exported {
  readonly assetCid: string
  readonly network: { readonly role: NetworkRole; readonly chainId: number; readonly contract: string }
  readonly commits: ReadonlyArray<LoggedCommit>
}

/** The folder of an export, made when it is not there; refused when something is in it, for an old proof would look like a new one. */
export const emptyFolder = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  const inside = yield* files.exists(folder).pipe(
    // Its parent must be there: Node never ends making folders on the way in a file system that takes none, such as /proc.
    Effect.flatMap((isThere) => (isThere ? Effect.void : files.makeDirectory(folder))),
    Effect.andThen(files.readDirectory(folder)),
    Effect.mapError((error) => unwritable(folder, error))
  )
  if (inside.length === 0) return
  return yield* failed("folder_not_empty", `${folder} is not empty. Name a new folder, or empty it first.`)
})

/** Asks for one proof after the other and writes each as it comes; answers the index. */
export const writeFolder = Effect.fnUntraced(function* (
  { client }: Admin["Service"],
  { assetCid, commits, network }: Exported,
  folder: string
) {
  const files = yield* FileSystem.FileSystem
  const write = (name: string, text: string) =>
    Effect.mapError(files.writeFileString(join(folder, name), text), (error) => unwritable(join(folder, name), error))
  const digits = Math.max(4, String(commits.length).length)
  const listed: Array<HistoryCommit> = []
  for (const [at, commit] of commits.entries()) {
    const { proof, reason } = yield* client.history.proofOfCommit({
      params: { assetCid, place: placeText(commit) },
      query: { network: network.role }
    })
    const name = `${String(at + 1).padStart(digits, "0")}-${commit.txHash}.proof.json`
    if (proof !== null) yield* write(name, proof)
    listed.push({
      ...placeOf(commit),
      ...(proof === null ? { proof, reason: reason ?? "", commitData: commit.commitData } : { proof: name })
    })
  }
  const history: HistoryDocument = {
    mediaType: HISTORY_MEDIA_TYPE,
    assetCid,
    network: { chainId: network.chainId, contract: network.contract },
    commits: listed
  }
  yield* write(HISTORY_FILE, historyText(history))
  return history
})

/** Writes the export in `folder` as the CAR `file`. Each proof is read twice, and hashed both times: only the CIDs are held. */
export const writeCar = Effect.fnUntraced(
  function* (history: HistoryDocument, folder: string, file: string) {
    const files = yield* FileSystem.FileSystem
    const blockOf = (name: string) => Effect.map(files.readFile(join(folder, name)), proofBlock)
    const commits = yield* Effect.forEach(history.commits, (commit) =>
      commit.proof === null
        ? Effect.succeed(commit)
        : Effect.map(blockOf(commit.proof), ({ cid }): HistoryCommit => ({ ...commit, proof: cid }))
    )
    const root = historyBlock({ ...history, commits })
    const proofs = Stream.fromIterable(history.commits.flatMap(({ proof }) => (proof === null ? [] : [proof])))
    const blocks = Stream.concat(Stream.succeed(root), Stream.mapEffect(proofs, blockOf)).pipe(
      Stream.map(({ bytes, cid }) => ({ bytes, cid: CID.parse(cid) }))
    )
    const unfinished = `${file}.part`
    yield* Stream.run(carOfBlocks(CID.parse(root.cid), blocks), files.sink(unfinished)).pipe(
      Effect.andThen(files.rename(unfinished, file)),
      Effect.onError(() => Effect.ignore(files.remove(unfinished)))
    )
  },
  (effect, _, __, file) =>
    Effect.mapError(effect, (error) => (error._tag === "PlatformError" ? unwritable(file, error) : error))
)

const placeOf = ({ blockHash, blockNumber, logIndex, recorder, txHash }: LoggedCommit) => ({
  txHash,
  blockNumber,
  blockHash,
  logIndex,
  recorder
})
