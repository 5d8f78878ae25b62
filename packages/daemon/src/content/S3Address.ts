/**
 * Where on S3-compatible storage the objects are: `https://ENDPOINT[:PORT]/BUCKET[/PREFIX]` (path style, which AWS, MinIO, Ceph, R2 and
 * B2 all speak). A block's key under the prefix is its path in the block folder (`<two characters>/<cid>`), so any S3 tool copies a
 * folder of blocks up into a bucket, and down again.
 */

export interface S3Address {
  /** Scheme, host and port: `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string
  readonly bucket: string
  /** What every key starts with: empty, or ending with `/`. */
  readonly prefix: string
}

/** The address that `text` writes, or what is wrong with it. The text itself is not repeated: people put passwords into URLs. */
export const parseS3Address = (text: string): S3Address | { readonly problem: string } => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return { problem: `it must be a URL, such as ${EXAMPLE}.` }
  if (url.username !== "" || url.password !== "") {
    return { problem: "it must not hold credentials; give them as s3_access_key_id and s3_secret_access_key." }
  }
  if (url.search !== "" || url.hash !== "") return { problem: `it must end with the path, as ${EXAMPLE} does.` }
  const [bucket = "", ...folders] = url.pathname.split("/").filter((part) => part !== "")
  if (!/^[A-Za-z0-9._-]{3,63}$/.test(bucket)) {
    return {
      problem: `its path must start with the bucket's name (3 to 63 letters, digits, dots, hyphens): ${EXAMPLE}.`
    }
  }
  if (!folders.every((folder) => /^[A-Za-z0-9._-]+$/.test(folder))) {
    return { problem: "what follows the bucket must be of letters, digits, dots, hyphens and slashes." }
  }
  return { endpoint: url.origin, bucket, prefix: folders.map((folder) => `${folder}/`).join("") }
}

const EXAMPLE = "https://s3.example.org/my-bucket/treemark"

/** The key of a block, by its CIDv1 in base32. */
export const keyOfBlock = ({ prefix }: S3Address, cid: string): string => `${prefix}${cid.slice(-3, -1)}/${cid}`

/** The URL of an object, or of the bucket itself when `key` is empty. Keys have no character that would need escaping. */
export const urlOf = (address: S3Address, key: string, query: Readonly<Record<string, string>> = {}): string => {
  const url = new URL(`${address.endpoint}/${address.bucket}${key === "" ? "" : `/${key}`}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}
