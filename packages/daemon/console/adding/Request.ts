/** From a file and the form to the request of its commit, always the same bytes for the same file and form; and the key that follows from them. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { JsonValue } from "../../../core/src/json/JsonValue.ts"
import type { Registered } from "../Types.ts"

/** What the form asks, once for all files. */
export interface Fields {
  readonly creator: string
  readonly licenseName: string
  readonly licenseDocument: string
  readonly headline: string
  readonly abstract: string
  readonly message: string
}

export const NO_FIELDS: Fields = {
  creator: "",
  licenseName: "",
  licenseDocument: "",
  headline: "",
  abstract: "",
  message: ""
}

/** Licences that many choose, with their texts. */
export const LICENSES: Readonly<Record<string, string>> = {
  "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
  "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
  "CC-BY-SA-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
  "CC-BY-NC-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
  "CC-BY-NC-ND-4.0": "https://creativecommons.org/licenses/by-nc-nd/4.0/"
}

export interface CommitRequest {
  readonly [name: string]: JsonValue
}

/** `createdAt`: Unix seconds. Fields that were left empty are left out. */
export const requestOf = (
  asset: Pick<Registered, "assetCid" | "assetSha256" | "encodingFormat">,
  fields: Fields,
  createdAt: number
): CommitRequest => {
  const given = {
    assetCreator: fields.creator,
    licenseName: fields.licenseName,
    licenseDocument: fields.licenseDocument,
    headline: fields.headline,
    abstract: fields.abstract,
    commitMessage: fields.message
  }
  return {
    encodingFormat: asset.encodingFormat,
    assetCid: asset.assetCid,
    assetTimestampCreated: createdAt,
    assetSha256: asset.assetSha256,
    ...Object.fromEntries(
      Object.entries(given).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]]))
    )
  }
}

/**
 * The same request is the same commit: done again, after a crash or tomorrow, it gives the first answer and charges nothing. `after`: the newest
 * commit that whoever edited it had before their eyes, because saying again what was said before the last change is a change.
 */
export const keyOf = (request: CommitRequest, after?: string): string =>
  `console-${bytesToHex(sha256(utf8ToBytes(JSON.stringify(after === undefined ? request : [request, after]))))}`
