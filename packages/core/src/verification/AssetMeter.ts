/**
 * Measures an asset's bytes as they stream by, in constant memory: its size, its sha256 and, on request, its UnixFS CID. The hash
 * function is handed in, because node:crypto is ten times as fast as the default, which runs anywhere.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { cidOfSha256, RAW_CODE } from "../asset-tree/Cid.ts"
import { type Sha256, UnixfsBuilder } from "./Unixfs.ts"

/** What an asset's bytes are known by: all that its checks need of it. */
export interface MeasuredAsset {
  /** Bytes. */
  readonly size: number
  /** 64 lower-case hex digits. */
  readonly sha256: string
  /** The CID of the bytes as one raw block. */
  readonly rawCid: string
  /** The file's CID in the usual UnixFS profile (Unixfs.ts), when it was asked for. */
  readonly unixfsCid?: string
}

/** Measures an asset piece by piece, in constant memory. */
export class AssetMeter {
  private readonly whole: Sha256
  private readonly unixfs: UnixfsBuilder | undefined
  private size = 0

  /** `unixfs`: build the UnixFS CID too, which hashes every byte a second time. */
  constructor(options: { readonly unixfs: boolean; readonly newSha256?: () => Sha256 }) {
    const newSha256 = options.newSha256 ?? (() => sha256.create())
    this.whole = newSha256()
    this.unixfs = options.unixfs ? new UnixfsBuilder(newSha256) : undefined
  }

  update(bytes: Uint8Array): void {
    this.whole.update(bytes)
    this.unixfs?.update(bytes)
    this.size += bytes.length
  }

  /** Call once, after the last byte. */
  measured(): MeasuredAsset {
    const digest = this.whole.digest()
    return {
      size: this.size,
      sha256: bytesToHex(digest),
      rawCid: cidOfSha256(RAW_CODE, digest),
      ...(this.unixfs === undefined ? {} : { unixfsCid: this.unixfs.cid() })
    }
  }
}

/** Measures bytes that are in memory. */
export const measureAsset = (bytes: Uint8Array): MeasuredAsset => {
  const meter = new AssetMeter({ unixfs: true })
  meter.update(bytes)
  return meter.measured()
}
