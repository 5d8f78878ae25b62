/** Why the data store cannot be used. Each message says what happened, what it means and what to do about it. */
import { Schema } from "effect"
import type { SqlError } from "effect/sql"

/** A second opener found the single-writer lock taken (see StoreLock.ts). `holder` is a process id when it is known. */
export class StoreLocked extends Schema.TaggedError<StoreLocked>()("StoreLocked", {
  filename: Schema.String,
  holder: Schema.NullOr(Schema.Int)
}) {
  override get message() {
    const by = this.holder === null ? "another treemarkd" : `another treemarkd (process ${this.holder})`
    return `The data store ${this.filename} is in use by ${by}, and only one process may write it. Nothing was changed. Stop that one (treemarkd stop), talk to it instead, or set TREEMARK_HOME to another folder.`
  }
}

const ADVICE: Record<string, string> = {
  access:
    "Give the folder and its files to the user that runs treemarkd, or set TREEMARK_HOME to a folder of that user.",
  full: "Free some space on that disk, then start again; nothing that was answered is lost.",
  foreign: "The file is not a Treemark data store, or it is damaged. Move it away and restore a backup.",
  wal: "The folder is on a file system without shared memory (often a network share). Set TREEMARK_HOME to a local disk.",
  other: "Check the disk and the folder, then start again."
}

/** The store could not be opened. `reason` chooses the advice; `cause` is what the system said. */
export class StoreUnusable extends Schema.TaggedError<StoreUnusable>()("StoreUnusable", {
  filename: Schema.String,
  reason: Schema.Literals(["access", "full", "foreign", "wal", "other"]),
  cause: Schema.Defect()
}) {
  override get message() {
    const said = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The data store ${this.filename} cannot be opened: ${said}. ${ADVICE[this.reason]}`
  }
}

/** The store was written by a newer treemarkd; running on it could damage the books. */
export class StoreTooNew extends Schema.TaggedError<StoreTooNew>()("StoreTooNew", {
  found: Schema.Int,
  known: Schema.Int
}) {
  override get message() {
    return `The data store is of version ${this.found}, and this treemarkd knows versions up to ${this.known}. Nothing was changed. Run the newer treemarkd that wrote it, or restore a backup made before the upgrade.`
  }
}

/** The reason that fits an error of node:fs (`code`) or of node:sqlite (`errcode`, https://sqlite.org/rescode.html). */
export const storeUnusable = (filename: string, cause: unknown): StoreUnusable => {
  const { code, errcode } = cause as { readonly code?: unknown; readonly errcode?: unknown }
  const primary = typeof errcode === "number" ? errcode & 0xff : undefined
  const reason =
    code === "EACCES" || code === "EPERM" || code === "EROFS" || primary === 3 || primary === 8 || primary === 14
      ? "access"
      : code === "ENOSPC" || code === "EDQUOT" || primary === 13
        ? "full"
        : code === "EISDIR" || primary === 11 || primary === 26
          ? "foreign"
          : "other"
  return new StoreUnusable({ filename, reason, cause })
}

const DATABASE_ADVICE: Record<string, string> = {
  url: "Correct it; its form is postgres://USER:PASSWORD@HOST:PORT/DATABASE.",
  unreachable: "Start the database, or correct host and port in TREEMARK_DATABASE_URL.",
  credentials: "Correct user and password in TREEMARK_DATABASE_URL, or let that user in (pg_hba.conf).",
  missing: "Create that database (createdb), or correct its name in TREEMARK_DATABASE_URL.",
  rights: "Let the user of TREEMARK_DATABASE_URL create tables in that database: GRANT ALL ON SCHEMA public TO it.",
  pooler: "A pooler such as PgBouncer is in between: add ?pgbouncer=true to TREEMARK_DATABASE_URL.",
  other: "Look at the database's own log for more, mend it and start again."
}

/** The shared database could not be used. `place` is `HOST:PORT/DATABASE`; the URL itself holds a password and is not kept. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  place: Schema.String,
  reason: Schema.Literals(["url", "unreachable", "credentials", "missing", "rights", "pooler", "other"]),
  cause: Schema.Defect()
}) {
  override get message() {
    const said = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The database ${this.place} cannot be used: ${said}. ${DATABASE_ADVICE[this.reason]}`
  }
}

/** The reason that fits what the database or the connection to it said. */
export const databaseUnusable = (place: string, error: SqlError.SqlError): DatabaseUnusable => {
  const { _tag, cause } = error.reason
  const text = deepestMessage(cause ?? error)
  const reason = /database .* does not exist/u.test(text)
    ? "missing"
    : /unsupported startup parameter/u.test(text)
      ? "pooler"
      : _tag === "AuthenticationError"
        ? "credentials"
        : _tag === "AuthorizationError"
          ? "rights"
          : _tag === "ConnectionError"
            ? "unreachable"
            : "other"
  return new DatabaseUnusable({ place, reason, cause: new Error(text) })
}

const deepestMessage = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return deepestMessage(error.errors[0])
  if (error instanceof Error && error.cause !== undefined) return deepestMessage(error.cause)
  const said = typeof error === "object" && error !== null && "message" in error ? error.message : error
  return String(said).replace(/\.$/u, "")
}
