/**
 * The nit tree format, which readers of the public networks know: two-space JSON without a newline at the end, named by a raw CID
 * (0x55, sha2-256). Members stand in a fixed order and the keys of `custom` after them at top level, as the caller gave them; the license
 * only when one was given. Such a tree has neither `creatorWallet` nor `assetSourceType`: its signature does not cover who the author is
 * said to be, which only the commit record tells. (An author may give their address as `custom.creatorWallet`, and is covered then.)
 */

import type { JsonValue } from "../json/JsonValue.ts"
import type { AssetTree } from "./AssetTree.ts"
import { checksumOf } from "./Checksum.ts"
import { cidOf, RAW_CODE } from "./Cid.ts"
import type { CustomProblem, TreeEncoding } from "./TreeEncoding.ts"

/** Each member with the fields of a commit request that it comes from. */
const MEMBERS = {
  assetCid: "assetCid",
  assetSha256: "assetSha256",
  encodingFormat: "encodingFormat",
  assetTimestampCreated: "assetTimestampCreated",
  assetCreator: "assetCreator",
  license: "licenseName and licenseDocument",
  abstract: "abstract",
  headline: "headline",
  nftRecord: "nftChainID, nftContractAddress and nftTokenID",
  integrityCid: "integrityCid"
} as const

type Entries = ReadonlyArray<readonly [member: string, value: JsonValue]>

/** The text of `tree`. @throws TypeError when a key of `custom` is a member that stands in the tree already. */
const nitText = (tree: AssetTree): string => {
  const members = Object.keys(MEMBERS).flatMap((name): Entries => {
    const value = Object.hasOwn(tree, name) ? tree[name] : undefined
    return value === undefined || (name === "license" && isNotGiven(value)) ? [] : [[name, value]]
  })
  const taken = new Set(members.map(([name]) => name))
  const custom = Object.entries(customOf(tree))
  const collision = custom.find(([key]) => taken.has(key))
  if (collision !== undefined) throw new TypeError(`The tree has a member "${collision[0]}" already.`)
  return objectText([...members, ...custom])
}

/** Written by hand because JSON.stringify puts keys that look like numbers first. */
const objectText = (entries: Entries): string =>
  `{\n${entries.map(([key, value]) => `  ${JSON.stringify(key)}: ${indented(value)}`).join(",\n")}\n}`

/** A line break inside a text is written as \n, so every line break is one between members. */
const indented = (value: JsonValue): string => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ")

const isNotGiven = (license: JsonValue): boolean =>
  license === null || (isObject(license) && Object.values(license).every((part) => part === null))

const customOf = ({ custom }: AssetTree): { readonly [key: string]: JsonValue } =>
  custom !== undefined && isObject(custom) ? custom : {}

const isObject = (value: JsonValue): value is { readonly [key: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isMember = (key: string): key is keyof typeof MEMBERS => Object.hasOwn(MEMBERS, key)

const problemOfKey = (key: string, value: JsonValue, tree: AssetTree): ReadonlyArray<CustomProblem> => {
  const path = `/custom/${key}`
  if (isMember(key)) {
    const message = `must not be a key of custom on this network, whose trees hold custom beside their members: ${key} is one. Give it as ${MEMBERS[key]}`
    return [{ path, message }]
  }
  if (key !== "creatorWallet" || value === tree.creatorWallet) return []
  return [{ path, message: `must be the author's address ${String(tree.creatorWallet)}, for readers take it for that` }]
}

export const NitTree: TreeEncoding = {
  name: "nit",
  encode: (tree) => {
    const bytes = new TextEncoder().encode(nitText(tree))
    return { bytes, sha256: checksumOf(bytes), cid: cidOf(RAW_CODE, bytes) }
  },
  customProblems: (tree) => Object.entries(customOf(tree)).flatMap(([key, value]) => problemOfKey(key, value, tree))
}
