/** Registration: an asset becomes known by its CID and sha256, and its bytes reachable, before it can be committed. */
import type { AccountId, InvalidFields, StorageUnavailable } from "@treemark/core"
import { Context, type Effect, Schema, type Stream } from "effect"
import type { StorageQuotaReached } from "./StorageQuota.ts"

/** How the file became blocks; the same file under another profile has another CID. */
export const IMPORT_PROFILE =
  "unixfs-v1 raw-leaves chunker=size-262144 layout=balanced max-children=174 cid-version=1 hash=sha2-256"

export class RegisteredAsset extends Schema.Class<RegisteredAsset>("@treemark/daemon/content/RegisteredAsset")({
  assetCid: Schema.NonEmptyString,
  assetSha256: Schema.NonEmptyString,
  encodingFormat: Schema.NonEmptyString,
  /** Bytes; null when the content lives elsewhere and its size was not told. */
  size: Schema.NullOr(Schema.Int)
}) {}

/** The CID is registered already, with another sha256: one of the two is wrong. */
export class RegistrationConflict extends Schema.TaggedError<RegistrationConflict>()("RegistrationConflict", {
  assetCid: Schema.String,
  registered: Schema.String,
  given: Schema.String
}) {
  override get message() {
    return `The asset ${this.assetCid} is registered with the sha256 ${this.registered}, not ${this.given}. Check which file the CID names; nothing was changed.`
  }
}

export interface FileToStore<E> {
  readonly bytes: Stream.Stream<Uint8Array, E>
  /** Kept beside the asset; and for the type, when the bytes do not tell it. */
  readonly fileName: string | undefined
  /** Declared type: used when given and not application/octet-stream; what is no MIME type is refused. */
  readonly contentType: string | undefined
  readonly accountId: AccountId | undefined
  /** Sent with the account's token, so its quota holds; what the owner of the machine registers is counted only. */
  readonly uploaded?: {
    /** Bytes that the file will have at least; 0 when nobody said. */
    readonly declaredSize: number
    /** The token it was sent with, whose bytes count apart. */
    readonly tokenId?: string | undefined
  }
}

export class Assets extends Context.Service<
  Assets,
  {
    /** Imports a file as a stream of chunks (any sizes) in constant memory. Registering the same bytes again answers the same. */
    readonly register: <E>(
      input: FileToStore<E>
    ) => Effect.Effect<
      RegisteredAsset,
      E | InvalidFields | RegistrationConflict | StorageQuotaReached | StorageUnavailable
    >
    /** Registers content that lives elsewhere, by its names. A raw CID holds the file's sha256, so the two must agree. */
    readonly registerElsewhere: (input: {
      readonly assetCid: string
      readonly assetSha256: string
      readonly encodingFormat: string
      readonly size: number | null
      readonly accountId: AccountId | undefined
    }) => Effect.Effect<RegisteredAsset, InvalidFields | RegistrationConflict | StorageUnavailable>
    readonly list: Effect.Effect<ReadonlyArray<RegisteredAsset>, StorageUnavailable>
  }
>()("@treemark/daemon/content/Assets") {}
