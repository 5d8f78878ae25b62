/**
 * Layers of `Assets` and of core's `Registry` over the table `asset` and the content store; the same SQL on SQLite and
 * PostgreSQL. The first registration of a CID stands: registering the same bytes again answers the same, type included.
 */
import {
  type AccountId,
  CidText,
  ContentStore,
  checksumOf,
  decodeBody,
  FieldProblem,
  InvalidFields,
  MediaType,
  parseCid,
  RAW_CODE,
  Registration,
  Registry,
  SHA2_256_CODE,
  Sha256Text,
  StorageUnavailable
} from "@treemark/core"
import { Clock, Effect, Exit, Layer, Option, Schema, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { storing } from "../store/StorageFailure.ts"
import { Assets, type FileToStore, IMPORT_PROFILE, RegisteredAsset, RegistrationConflict } from "./Assets.ts"
import { IDENTITY_CODE } from "./BlockCid.ts"
import { BlockFolder } from "./BlockFolder.ts"
import { fileNameOf } from "./FileName.ts"
import { holdIn } from "./Holdings.ts"
import { BYTES_LOOKED_AT, declaredMediaType, detectMediaType } from "./MediaType.ts"
import { makeRooms, type Quota, StorageQuota, TokenStorageQuota } from "./StorageQuota.ts"
import { importFile } from "./UnixfsImport.ts"
import type { UploadEnd } from "./UploadBlocks.ts"
import { usedOf } from "./UsedBlocks.ts"

interface AssetRow {
  readonly asset_cid: string
  readonly asset_sha256: string
  readonly encoding_format: string
  /** Decimal text. */
  readonly size: string | null
}

const fieldsOf = (row: AssetRow) => ({
  assetCid: row.asset_cid,
  assetSha256: row.asset_sha256,
  encodingFormat: row.encoding_format,
  size: row.size === null ? null : Number(row.size)
})

/** Registrations kept in memory: one never changes, nor is it ever removed. */
const KEPT = 1_000

/** `Registry` alone: what is registered. */
export const registryLayer: Layer.Layer<Registry, never, SqlClient.SqlClient> = Layer.effect(
  Registry,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const known = new Map<string, Registration>()
    return {
      find: Effect.fn("Registry.find")(
        function* (assetCid) {
          const kept = known.get(assetCid)
          if (kept !== undefined) return Option.some(kept)
          const rows =
            yield* sql<AssetRow>`SELECT asset_cid, asset_sha256, encoding_format, size FROM asset WHERE asset_cid = ${assetCid}`
          const [row] = rows
          if (row === undefined) return Option.none()
          const found = new Registration(fieldsOf(row))
          known.set(assetCid, found)
          if (known.size > KEPT) for (const oldest of [...known.keys()].slice(0, 1)) known.delete(oldest)
          return Option.some(found)
        },
        Effect.mapError(unavailable("the registration of an asset was read"))
      )
    }
  })
)

/** `Assets`: registers files by their bytes, and content that lives elsewhere by its names. */
export const assetsLayer: Layer.Layer<Assets, never, SqlClient.SqlClient | BlockFolder | ContentStore> = Layer.effect(
  Assets,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const blocks = yield* BlockFolder
    const save = saveInto(sql)
    const limits = { account: yield* StorageQuota, token: yield* TokenStorageQuota }
    const rooms = makeRooms(sql)

    /** Whose bytes they are, and how many those may have: what the owner of the machine registers counts only. */
    const quotasOf = ({ accountId, uploaded }: FileToStore<unknown>): ReadonlyArray<Quota> => {
      const account = {
        of: "account",
        id: accountId ?? "",
        limit: uploaded === undefined ? 0 : limits.account
      } as const
      if (accountId === undefined) return []
      return uploaded?.tokenId === undefined
        ? [account]
        : [account, { of: "token", id: uploaded.tokenId, limit: limits.token }]
    }

    /** How an upload that failed ended: the failure may have come after the registration. */
    const endOf = (asset: NewAsset | undefined): Effect.Effect<UploadEnd> =>
      asset === undefined
        ? Effect.succeed("broken")
        : sql`SELECT asset_cid FROM asset WHERE asset_cid = ${asset.assetCid} AND stored = 1`.pipe(
            Effect.map(({ length }) => (length > 0 ? "registered" : "broken")),
            Effect.catch(() => Effect.succeed("unknown" as const))
          )

    const contents = yield* ContentStore
    yield* blocks
      .collect((cids) =>
        usedOf(cids).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.provideService(ContentStore, contents)
        )
      )
      .pipe(
        Effect.flatMap((removed) =>
          removed === 0 ? Effect.void : Effect.logInfo(`Removed ${removed} blocks of uploads that had broken off`)
        ),
        Effect.catch((error) =>
          Effect.logWarning(
            `Blocks of uploads that broke off were not removed; the next start tries again. ${error.message}`,
            error.cause
          )
        ),
        Effect.forkScoped
      )
    return Assets.of({
      register: Effect.fn("Assets.register")(function* <E>(input: FileToStore<E>) {
        const declared = yield* declaredMediaType(input.contentType)
        const quotas = quotasOf(input)
        const room = yield* storing("the account's storage was looked at")(
          rooms(quotas, input.uploaded?.declaredSize ?? 0)
        )
        let given: NewAsset | undefined
        const batch = yield* Effect.acquireRelease(blocks.batch, (batch, exit) =>
          Effect.flatMap(Exit.isSuccess(exit) ? Effect.succeed("registered" as const) : endOf(given), batch.end)
        )
        const first = new FirstBytes(BYTES_LOOKED_AT)
        const file = yield* importFile(
          Stream.tap(input.bytes, (piece) => {
            first.see(piece)
            return room.take(piece.length)
          }),
          batch
        )
        yield* batch.flush
        given = {
          assetCid: file.cid.toString(),
          assetSha256: file.sha256,
          encodingFormat: Option.isSome(declared)
            ? declared.value
            : yield* detectMediaType(first.bytes, input.fileName),
          size: file.size,
          name: input.fileName === undefined ? undefined : fileNameOf(input.fileName),
          accountId: input.accountId,
          isStored: true,
          quotas
        }
        return yield* save(given)
      }, Effect.scoped),
      registerElsewhere: Effect.fn("Assets.registerElsewhere")(function* ({ accountId, ...names }) {
        const asset = yield* decodeElsewhere(names)
        return yield* Effect.catchTag(
          save({ ...asset, name: undefined, accountId, isStored: false, quotas: [] }),
          "StorageQuotaReached",
          Effect.die
        )
      }),
      list: sql<AssetRow>`SELECT asset_cid, asset_sha256, encoding_format, size FROM asset ORDER BY created_at, asset_cid`.pipe(
        Effect.map((rows) => rows.map((row) => new RegisteredAsset(fieldsOf(row)))),
        Effect.mapError(unavailable("the registered assets were listed"))
      )
    })
  })
)

export const layer: Layer.Layer<Assets | Registry, never, SqlClient.SqlClient | BlockFolder | ContentStore> =
  Layer.merge(assetsLayer, registryLayer)

const unavailable = (doing: string) => (cause: SqlError.SqlError) => new StorageUnavailable({ doing, cause })

interface NewAsset {
  readonly assetCid: string
  readonly assetSha256: string
  readonly encodingFormat: string
  readonly size: number | null
  /** What the file was called. */
  readonly name: string | undefined
  readonly accountId: AccountId | undefined
  /** Whether the bytes are in our own content store. */
  readonly isStored: boolean
  /** For whom its bytes count. */
  readonly quotas: ReadonlyArray<Quota>
}

/** Inserts, or completes what was registered by its names alone; another sha256 under the same CID changes nothing and fails. */
const saveInto = (sql: SqlClient.SqlClient) => {
  const hold = holdIn(sql)
  return Effect.fnUntraced(
    function* (asset: NewAsset) {
      const row = {
        asset_cid: asset.assetCid,
        asset_sha256: asset.assetSha256,
        encoding_format: asset.encodingFormat,
        size: asset.size === null ? null : String(asset.size),
        import_profile: asset.isStored ? IMPORT_PROFILE : null,
        stored: asset.isStored ? 1 : 0,
        registered_by: asset.accountId ?? null,
        name: asset.name ?? null,
        created_at: yield* Clock.currentTimeMillis
      }
      const saved = yield* sql<AssetRow>`INSERT INTO asset ${sql.insert(row)}
      ON CONFLICT (asset_cid) DO UPDATE SET
        stored = CASE WHEN excluded.stored = 1 THEN 1 ELSE asset.stored END,
        size = CASE WHEN excluded.stored = 1 THEN excluded.size ELSE COALESCE(asset.size, excluded.size) END,
        import_profile = COALESCE(asset.import_profile, excluded.import_profile),
        name = COALESCE(asset.name, excluded.name)
      WHERE asset.asset_sha256 = excluded.asset_sha256
      RETURNING asset_cid, asset_sha256, encoding_format, size`
      if (saved[0] !== undefined) {
        if (asset.accountId !== undefined) {
          yield* hold(asset.accountId, { ...asset, bytes: asset.isStored ? asset.size : null }, row.created_at)
        }
        return new RegisteredAsset(fieldsOf(saved[0]))
      }
      const known = yield* sql<AssetRow>`SELECT asset_sha256 FROM asset WHERE asset_cid = ${asset.assetCid}`
      return yield* new RegistrationConflict({
        assetCid: asset.assetCid,
        registered: known[0]?.asset_sha256 ?? "",
        given: asset.assetSha256
      })
    },
    sql.withTransaction,
    storing("an asset was registered")
  )
}

const Elsewhere = Schema.Struct({
  assetCid: CidText,
  assetSha256: Sha256Text,
  encodingFormat: MediaType,
  size: Schema.NullOr(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be a size in bytes, 0 or more" }))
  )
})

/** Only a raw CID, which names the file's own bytes, tells the file's sha256; then the two must agree. */
const decodeElsewhere = Effect.fnUntraced(function* (names: unknown) {
  const asset = yield* decodeBody(Elsewhere)(names)
  const expected = sha256In(asset.assetCid)
  if (expected === undefined || expected === asset.assetSha256) return asset
  const message = `must be ${expected}: the CID ${asset.assetCid} is raw, so it names the file's bytes and holds their sha256. Check that the CID and the sha256 are of the same file`
  return yield* new InvalidFields({ problems: [new FieldProblem({ path: "/assetSha256", message })] })
})

const sha256In = (text: string): string | undefined => {
  const cid = parseCid(text)
  if (cid?.codec !== RAW_CODE) return undefined
  if (cid.hash === SHA2_256_CODE) return Buffer.from(cid.digest).toString("hex")
  return cid.hash === IDENTITY_CODE ? checksumOf(cid.digest) : undefined
}

/** Keeps the first bytes of a stream for those who look at them later. */
class FirstBytes {
  bytes = new Uint8Array()
  readonly most: number

  constructor(most: number) {
    this.most = most
  }

  see(piece: Uint8Array): void {
    if (this.bytes.length < this.most) {
      this.bytes = Buffer.concat([this.bytes, piece.subarray(0, this.most - this.bytes.length)])
    }
  }
}
