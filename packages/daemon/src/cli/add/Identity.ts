/**
 * What is said about a file, and by what a commit of it is known: the account, the sha256 and the words. The file's name and the time of
 * the file system are no part of it, so a renamed or copied file is not committed twice.
 */
import { createHash } from "node:crypto"
import type { RegisteredAsset } from "../../content/Assets.ts"
import { FileProblem } from "./FileProblem.ts"
import type { ReadFile } from "./ReadFile.ts"

/** What the person said for all files. */
export interface Words {
  readonly creator?: string
  readonly license?: string
  readonly headline?: string
  readonly abstract?: string
  readonly message?: string
}

const LONGEST_CREATOR = 21

/** Whose work it is: as the person said, as the file says, else the account's name. */
export const creatorOf = (words: Words, read: ReadFile, accountName: string): string => {
  const creator = words.creator ?? read.creator ?? accountName
  if ([...creator].length <= LONGEST_CREATOR) return creator
  const source = read.creator === undefined ? "the account's name" : "the name of its creator in its metadata"
  throw new FileProblem(
    "creator_too_long",
    `${source} ("${creator}") is longer than the ${LONGEST_CREATOR} characters a record takes; say a shorter one: --creator NAME`
  )
}

/** 64 hex digits. */
export const identityOf = (accountId: string, sha256: string, creator: string, words: Words): string => {
  const { abstract = null, headline = null, license = null, message = null } = words
  const parts = ["treemark-add-1", accountId, sha256, creator, license, headline, abstract, message]
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex")
}

/** A licence's name, or the address of its text. */
const licenseFields = (license: string) =>
  /^https?:\/\//u.test(license) ? { licenseDocument: license } : { licenseName: license }

/** The commit request of a registered file. */
export const requestOf = (asset: RegisteredAsset, read: ReadFile, creator: string, words: Words) => ({
  encodingFormat: asset.encodingFormat,
  assetCid: asset.assetCid,
  assetTimestampCreated: read.created,
  assetCreator: creator,
  assetSha256: asset.assetSha256,
  ...(words.license === undefined ? {} : licenseFields(words.license)),
  ...(words.headline === undefined ? {} : { headline: words.headline }),
  ...(words.abstract === undefined ? {} : { abstract: words.abstract }),
  ...(words.message === undefined ? {} : { commitMessage: words.message })
})
