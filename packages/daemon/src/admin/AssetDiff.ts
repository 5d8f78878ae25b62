/** Two commits of an asset, found by what people call them, with what is needed to compare them. */
import { Ledger, type LedgerCommit, type NetworkRole, readJsonObject } from "@treemark/core"
import { TREE_LIMIT } from "@treemark/core/verify"
import { Effect } from "effect"
import { type OpenedCommit, openCommit } from "../commits/CommitOnLedger.ts"
import { Networks } from "../evm/Networks.ts"
import { AdminRefused } from "./AdminRefused.ts"
import { checkCid, networkView } from "./AssetHistory.ts"
import type { DiffSide } from "./HistoryApi.ts"

/** The two commits. Each is named by its index in the log (`1`), from the last back (`~1`), the start of its transaction's hash, or its tree. */
export const diffOf = Effect.fn("AssetDiff.diffOf")(function* (
  role: NetworkRole,
  assetCid: string,
  names: { readonly from: string; readonly to: string }
) {
  yield* checkCid(assetCid)
  const network = (yield* Networks).role(role)
  const back = [names.from, names.to].map(backOf)
  const limit = back.includes(undefined) ? undefined : Math.max(...back.map((steps) => steps ?? 0)) + 1
  const found = yield* (yield* Ledger).history(role, assetCid, { limit, from: "newest" })
  const opened = yield* Effect.forEach(found, openCommit, { concurrency: 8 })
  const where = `of ${assetCid} on ${network.name}`
  const side = (name: string) =>
    Effect.map(commitNamed(name, opened, where), (at) => sideOf(opened[at]!, limit === undefined ? at + 1 : null))
  return { network: networkView(network), from: yield* side(names.from), to: yield* side(names.to) }
})

/** `~1` is the one before the last. */
const backOf = (name: string): number | undefined => {
  const steps = /^~(\d{1,6})$/u.exec(name)?.[1]
  return steps === undefined ? undefined : Number(steps)
}

const isPrefix = (name: string): boolean => /^0x[0-9a-f]{4,64}$/iu.test(name)

const commitNamed = (name: string, opened: ReadonlyArray<OpenedCommit>, where: string) => {
  const matching = placesOf(name, opened)
  const [first, ...others] = matching
  if (first !== undefined && others.length === 0) return Effect.succeed(first)
  return Effect.fail(
    first === undefined
      ? new AdminRefused({ code: "commit_not_found", message: notFound(name, opened.length, where) })
      : new AdminRefused({
          code: "commit_ambiguous",
          message: `${matching.length} commits ${where} are called ${name}: ${matching.map((at) => at + 1).join(", ")} of the log. Name one by its number there.`
        })
  )
}

const notFound = (name: string, count: number, where: string): string => {
  if (count === 0) return `There is no commit ${where}.`
  const listed = "Name one as the log lists it: by its number, from the last back (~1), by its transaction or its tree."
  const steps = backOf(name)
  return steps === undefined
    ? `No commit ${where} is called ${name}. ${listed}`
    : `There ${count === 1 ? "is only 1 commit" : `are only ${count} commits`} ${where}, so none is ${steps} before the last.`
}

const placesOf = (name: string, opened: ReadonlyArray<OpenedCommit>): ReadonlyArray<number> => {
  const steps = backOf(name)
  if (steps !== undefined) return steps < opened.length ? [opened.length - 1 - steps] : []
  if (/^\d{1,9}$/u.test(name)) return Number(name) >= 1 && Number(name) <= opened.length ? [Number(name) - 1] : []
  const isCalled = ({ assetTreeCid, commit }: OpenedCommit): boolean =>
    isPrefix(name) ? commit.txHash.startsWith(name.toLowerCase()) : assetTreeCid === name
  return opened.flatMap((one, at) => (isCalled(one) ? [at] : []))
}

const sideOf = (opened: OpenedCommit, index: number | null): DiffSide => {
  const { assetTreeCid, commit, record } = opened
  return {
    ...placeOf(commit),
    index,
    assetTreeCid: assetTreeCid ?? null,
    record: record ?? commit.commitData,
    ...treeOf(opened)
  }
}

const placeOf = ({ blockHash, blockNumber, logIndex, recorder, txHash }: LedgerCommit) => ({
  txHash,
  blockNumber,
  blockHash,
  logIndex,
  recorder
})

const treeOf = ({ tree }: OpenedCommit): Pick<DiffSide, "tree" | "treeMissing"> => {
  if ("missing" in tree) return { tree: null, treeMissing: tree.missing }
  if (tree.bytes.length > TREE_LIMIT) return { tree: null, treeMissing: "Its asset tree is over 1 MiB." }
  const reading = readJsonObject(tree.bytes)
  return reading.ok
    ? { tree: reading.value, treeMissing: null }
    : { tree: null, treeMissing: `Its asset tree does not read as one JSON object: ${reading.message}` }
}
