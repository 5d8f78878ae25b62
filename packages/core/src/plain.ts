/**
 * `@treemark/core/plain`: what an author or a client needs to build the very tree the service builds, and to sign tree and act, with plain
 * values only: nothing of Effect is seen, nothing is a promise, and what is refused is told, not thrown.
 *
 * ```ts
 * const checked = checkRequest(body)
 * if (!checked.ok) return checked.errors
 * const { sha256 } = buildTree(checked.request, { author, serviceName: "studio", signedAt: "elsewhere" })
 * ```
 */
import { Effect, Result } from "effect"
import { assetTreeOf } from "./asset-tree/AssetTree.ts"
import { TREE_FORMATS } from "./asset-tree/TreeFormat.ts"
import { toEip55 } from "./identity/Eip55.ts"
import { walletAddress } from "./identity/WalletAddress.ts"
import type { JsonObject } from "./json/JsonValue.ts"
import { decodeCommitRequest } from "./rules/CommitRules.ts"

export { parseCid } from "./asset-tree/Cid.ts"
export { recoverSigner } from "./asset-tree/Signature.ts"
export { toEip55 } from "./identity/Eip55.ts"
export { type ActStatement, actChecksum } from "./proof/Act.ts"

/** A commit request that keeps every rule, each value in its one spelling: addresses with their checksum, the action as name and Nid. */
export interface CheckedRequest {
  readonly encodingFormat: string
  readonly assetCid: string
  readonly assetTimestampCreated: number
  readonly assetCreator: string
  readonly assetSha256: string
  readonly testnet: boolean
  readonly author?: string
  readonly licenseName?: string
  readonly licenseDocument?: string
  readonly custom?: JsonObject
  readonly nftContractAddress?: string
  readonly nftChainID?: number
  readonly nftTokenID?: string
  readonly commitMessage?: string
  readonly action: { readonly name: string; readonly nid: string }
  readonly abstract?: string
  readonly headline?: string
  readonly integrityCid?: string
  readonly assetTreeSignature?: string
  readonly actSignature?: string
  readonly actTimestamp?: number
}

/** A broken rule: where, as a JSON pointer into the body, and what would be right. */
export interface RequestError {
  readonly path: string
  readonly message: string
}

/** The request with each value in its one spelling, or everything that is wrong with it. */
export type RequestCheck =
  | { readonly ok: true; readonly request: CheckedRequest }
  | { readonly ok: false; readonly errors: ReadonlyArray<RequestError> }

/** Checks the body of a commit request as the service does: every broken rule at once. What needs the service (registration, funds) is open. */
export const checkRequest = (body: unknown): RequestCheck =>
  Result.match(Effect.runSync(Effect.result(decodeCommitRequest(body))), {
    onSuccess: (request): RequestCheck => ({ ok: true, request }),
    onFailure: ({ problems }) => ({ ok: false, errors: problems.map(({ message, path }) => ({ path, message })) })
  })

/** What a tree holds beside the request. */
export interface TreeOptions {
  /** Whose work it is: an address in any letter case. */
  readonly author: string
  /** The service name of the account that commits: it becomes part of `assetSourceType`. */
  readonly serviceName: string
  /** Who signs the tree: the service, with the account's wallet, or the author `elsewhere`, who sends `assetTreeSignature`. */
  readonly signedAt: "daemon" | "elsewhere"
  /** How the network's trees become bytes (`treeFormat` of `GET /networks`); default `dag-json`. */
  readonly format?: "dag-json" | "nit"
}

/** An asset tree with its exact bytes and what they are known by. */
export interface BuiltTree {
  readonly tree: JsonObject
  readonly bytes: Uint8Array
  readonly cid: string
  /** What the author signs as text: 64 lower-case hex digits. */
  readonly sha256: string
}

/**
 * Builds the tree of a request that {@link checkRequest} accepted: the very bytes that the service builds.
 *
 * @throws RangeError when `author` is no address, or the format cannot hold the request's `custom`.
 */
export const buildTree = (request: CheckedRequest, options: TreeOptions): BuiltTree => {
  const { author, format = "dag-json", serviceName, signedAt } = options
  const tree = assetTreeOf({
    request,
    author: walletAddress(toEip55(author)),
    serviceName,
    signedAt
  })
  const [problem] = TREE_FORMATS[format].customProblems(tree)
  if (problem !== undefined) throw new RangeError(`${problem.path} ${problem.message}.`)
  return { tree, ...TREE_FORMATS[format].encode(tree) }
}
