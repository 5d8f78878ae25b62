/**
 * The CID of a file as UnixFS (https://specs.ipfs.tech/unixfs/), built while its bytes stream by: CIDv1, sha256, raw leaves of 256 KiB,
 * balanced, at most 174 links a node. That is how Treemark registers a file. Memory is constant: each level holds at most one
 * node's links. A node is dag-pb: its links (hash, empty name, total size), then the UnixFS data (type, file size, block sizes).
 */
import { concatBytes } from "@noble/hashes/utils.js"
import { cidOfSha256, DAG_PB_CODE, RAW_CODE, SHA2_256_CODE } from "../asset-tree/Cid.ts"

/** A sha256 under way. */
export interface Sha256 {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => Uint8Array
}

const CHUNK = 256 * 1024
const LINKS = 174

interface Node {
  readonly codec: number
  readonly digest: Uint8Array
  /** Bytes of the file below this node. */
  readonly fileSize: number
  /** Bytes of the blocks of this node and below. */
  readonly totalSize: number
}

export class UnixfsBuilder {
  private readonly newSha256: () => Sha256
  private readonly levels: Array<{ open: Array<Node>; count: number }> = []
  private leaf: Sha256
  private leafSize = 0

  constructor(newSha256: () => Sha256) {
    this.newSha256 = newSha256
    this.leaf = newSha256()
  }

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.leafSize === CHUNK) this.closeLeaf()
      const part = bytes.subarray(at, at + CHUNK - this.leafSize)
      this.leaf.update(part)
      this.leafSize += part.length
      at += part.length
    }
  }

  /** The file's CID; a file of at most one chunk is its raw leaf. Call once, after the last byte. */
  cid(): string {
    this.closeLeaf()
    for (let level = 0; ; level++) {
      const { open, count } = this.levels[level]!
      if (count === 1) return cidOfSha256(open[0]!.codec, open[0]!.digest)
      if (open.length > 0) this.closeNode(level)
    }
  }

  private closeLeaf(): void {
    const size = this.leafSize
    this.add(0, { codec: RAW_CODE, digest: this.leaf.digest(), fileSize: size, totalSize: size })
    this.leaf = this.newSha256()
    this.leafSize = 0
  }

  private add(level: number, node: Node): void {
    this.levels[level] ??= { open: [], count: 0 }
    if (this.levels[level].open.length === LINKS) this.closeNode(level)
    this.levels[level].open.push(node)
    this.levels[level].count++
  }

  private closeNode(level: number): void {
    const children = this.levels[level]!.open.splice(0)
    const block = nodeBlock(children)
    const hash = this.newSha256()
    hash.update(block)
    this.add(level + 1, {
      codec: DAG_PB_CODE,
      digest: hash.digest(),
      fileSize: sum(children.map((child) => child.fileSize)),
      totalSize: block.length + sum(children.map((child) => child.totalSize))
    })
  }
}

const nodeBlock = (children: ReadonlyArray<Node>): Uint8Array => {
  const links = children.map((child) => field(0x12, linkBytes(child)))
  const file = concatBytes(
    Uint8Array.of(0x08, 0x02, 0x18),
    varint(sum(children.map((child) => child.fileSize))),
    ...children.map((child) => concatBytes(Uint8Array.of(0x20), varint(child.fileSize)))
  )
  return concatBytes(...links, field(0x0a, file))
}

const linkBytes = (child: Node): Uint8Array => {
  const cid = concatBytes(Uint8Array.of(1, child.codec, SHA2_256_CODE, child.digest.length), child.digest)
  return concatBytes(field(0x0a, cid), Uint8Array.of(0x12, 0x00, 0x18), varint(child.totalSize))
}

const field = (tag: number, bytes: Uint8Array): Uint8Array =>
  concatBytes(Uint8Array.of(tag), varint(bytes.length), bytes)

/** Protobuf varint, by division: sizes may exceed 32 bits. */
const varint = (value: number): Uint8Array => {
  const bytes: Array<number> = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
