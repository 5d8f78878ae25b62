/** What passes between an audit and the thread that reads its trees. */

/** A tree that is not as it should be; `detail` says more where there is more to say. */
export interface TreeFault {
  readonly kind: "missing" | "damaged"
  readonly cid: string
  readonly detail: string
}

/** `folder`: where the blocks are, each in a file named after its CID. */
export interface TreeWorkerOptions {
  readonly folder: string
}

export interface TreesAsked {
  readonly id: number
  readonly cids: ReadonlyArray<string>
}

export interface TreesAnswered {
  readonly id: number
  readonly faults: ReadonlyArray<TreeFault>
}
