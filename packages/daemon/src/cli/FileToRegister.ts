/** A file on its way into the store. */
import type { Stream } from "effect"

export interface FileToRegister {
  readonly bytes: Stream.Stream<Uint8Array, { readonly _tag: string; readonly message: string }>
  readonly fileName: string
  readonly contentType: string | undefined
  readonly size: number
  /** Whose it is; undefined: nobody's. */
  readonly account?: string
}
