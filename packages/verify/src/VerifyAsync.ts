/**
 * `verifyProof` for what takes time to read: promises, Blobs and Files, streams, Responses, paths. The same report and the same refusals; the
 * asset is hashed as it streams by, in constant memory.
 */
import {
  AssetMeter,
  AUTHORS_LIMIT,
  type AuthorsFile,
  CHECKPOINT_LIMIT,
  type Checkpoint,
  type MeasuredAsset,
  needsUnixfs,
  type Report,
  readJsonObject,
  textMember,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { builtin } from "./given/Builtin.ts"
import { bytesIn } from "./given/Bytes.ts"
import { optionsInput, optionsObject, type VerifyOptions } from "./given/Options.ts"
import { partsOf, readSource, type Source } from "./given/Source.ts"
import { PAGE_LIMIT } from "./ProofInPage.ts"
import { foreseen } from "./Unforeseen.ts"
import { UnusableInput } from "./UnusableInput.ts"
import { proofInput } from "./Verification.ts"

/** Something, or a promise of it. */
export type Later<A> = A | PromiseLike<A>

/** The options of `verifyProof`, where what is to be read may still have to be fetched. */
export interface VerifyOptionsLater extends Omit<VerifyOptions, "asset" | "checkpoints" | "authors"> {
  /** The asset itself. */
  readonly asset?: Later<Source | MeasuredAsset | undefined>
  /** Most bytes that are read of the asset before it is refused; 64 GiB unless given. */
  readonly assetLimit?: number | undefined
  /** Block hashes that you trust. */
  readonly checkpoints?: ReadonlyArray<Later<Source | Checkpoint>> | undefined
  /** Whom you know. */
  readonly authors?: Later<Source | AuthorsFile | undefined>
}

const ASSET_LIMIT = 64 * 1024 ** 3

/**
 * Verifies a proof file, or a page with one inside, in whatever form it is at hand; so for the asset, the checkpoints and the authors file. The
 * promise rejects with {@link UnusableInput} for what cannot be used, and with nothing else.
 */
export const verifyProofAsync = async (proof: Later<Source>, options: VerifyOptionsLater = {}): Promise<Report> => {
  try {
    const { asset, assetLimit, authors, checkpoints, ...others } = optionsObject(options)
    const files = Array.isArray(checkpoints) ? checkpoints : undefined
    const given = { proof: held(proof), asset: held(asset), authors: held(authors), files: files?.map(held) }
    const input = proofInput(await readSource(await settled(given.proof, "The proof"), PAGE_LIMIT, "The proof"))
    const limits = { limit: assetLimit ?? ASSET_LIMIT, unixfs: wantsUnixfs(input) }
    return verify({
      ...input,
      ...optionsInput({
        ...others,
        asset: (await measured(await settled(given.asset, "The asset"), limits)) as MeasuredAsset | undefined,
        authors: (await file(given.authors, AUTHORS_LIMIT, "The authors file")) as AuthorsFile | undefined,
        checkpoints: (given.files === undefined
          ? checkpoints
          : await Promise.all(given.files.map((one) => file(one, CHECKPOINT_LIMIT, "A checkpoint")))) as
          | ReadonlyArray<Checkpoint>
          | undefined
      })
    })
  } catch (error) {
    throw foreseen(error)
  }
}

/** Its rejection is looked at later, or never, when something else is refused first. */
const held = (value: unknown): Promise<unknown> => {
  const promise = Promise.resolve(value)
  promise.catch(() => {})
  return promise
}

const settled = async (promise: Promise<unknown>, what: string): Promise<unknown> => {
  try {
    return await promise
  } catch (error) {
    const refusal = new UnusableInput("file_unreadable", `${what} did not come: ${String(error)}.`)
    refusal.cause = error
    throw refusal
  }
}

/** Bytes where it is a source; what is no source is left to the look at all options. */
const file = async (promise: Promise<unknown>, limit: number, what: string): Promise<unknown> => {
  const value = await settled(promise, what)
  return isSource(value) ? readSource(value, limit, what) : value
}

const isSource = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  bytesIn(value) === undefined &&
  ["stream", "arrayBuffer", "getReader", "path", "bodyUsed", Symbol.asyncIterator].some((member) => member in value)

const measured = async (
  value: unknown,
  { limit, unixfs }: { readonly limit: number; readonly unixfs: boolean }
): Promise<unknown> => {
  if (!isSource(value)) return value
  const crypto = builtin("node:crypto")
  const meter = new AssetMeter({ unixfs, ...(crypto && { newSha256: () => crypto.createHash("sha256") }) })
  let size = 0
  for await (const part of partsOf(value, { limit, what: "The asset" })) {
    if (typeof part === "string") {
      throw new UnusableInput(
        "input_type",
        "The asset came as a stream of text, in which its bytes are lost. Read it without an encoding (setEncoding)."
      )
    }
    size += part.length
    if (size > limit) {
      throw new UnusableInput("file_too_large", `The asset has more than ${limit} bytes, the most that is read.`)
    }
    meter.update(part)
  }
  return meter.measured()
}

const wantsUnixfs = ({ tree }: VerifyInput): boolean => {
  const json = tree === undefined ? undefined : readJsonObject(tree)
  return json?.ok === true && needsUnixfs(textMember(json.value, "assetCid"))
}
