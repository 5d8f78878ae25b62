/** What passes between an audit and the thread that reads its blocks. */

/** A block that is not as it should be; `detail` says more where there is more to say. */
export interface BlockFault {
  readonly kind: "missing" | "damaged"
  readonly cid: string
  /** Of an asset's blocks: the asset. */
  readonly asset?: string
  readonly detail: string
}

/** `folder`: where the blocks are, each in a file named after its CID. */
export interface BlockWorkerOptions {
  readonly folder: string
}

/** `graphs`: the blocks under each CID are read as well, as those of an asset's file; a tree is one block. */
export interface BlocksAsked {
  readonly id: number
  readonly cids: ReadonlyArray<string>
  readonly graphs: boolean
}

export interface BlocksRead {
  /** How many blocks were read. */
  readonly blocks: number
  readonly faults: ReadonlyArray<BlockFault>
}

export interface BlocksAnswered extends BlocksRead {
  readonly id: number
}
