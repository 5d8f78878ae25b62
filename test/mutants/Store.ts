/** What is written stays, whole, once, and for its owner alone. */
import type { Mutant } from "./Mutant.ts"

const WRITER = "daemon/store/Writer"
const SQLITE = "daemon/store/Sqlite"
const MIGRATIONS = "daemon/store/Migrations"

export const STORE: ReadonlyArray<Mutant> = [
  {
    what: "an answer comes before the COMMIT that makes it last",
    file: "daemon/src/store/Writer.ts",
    from: "Effect.forEach(many, (one) => Effect.andThen(turn, one.run)).pipe(",
    to: "Effect.forEach(many, (one) => Effect.tap(Effect.andThen(turn, one.run), (exit) => Effect.sync(() => one.tell(exit)))).pipe(",
    in: WRITER,
    test: "gives transactions of one moment one COMMIT, and answers none before it"
  },
  {
    what: "a transaction that fails is stored with its neighbours",
    file: "daemon/src/store/Writer.ts",
    from: "      Effect.tap((exits) => Effect.all(exits, { discard: true })),\n",
    to: "",
    in: WRITER,
    test: "undoes a transaction that fails, and nothing of its neighbours"
  },
  {
    what: "one transaction that fails takes its neighbours with it",
    file: "daemon/src/store/Writer.ts",
    from: "if (Exit.isFailure(ended)) return Effect.forEach(many, alone, { discard: true })",
    to: "if (Exit.isFailure(ended)) return Effect.sync(() => many.forEach((one) => one.tell(ended)))",
    in: WRITER,
    test: "undoes a transaction that fails, and nothing of its neighbours"
  },
  {
    what: "what is answered may be lost with the power",
    file: "daemon/src/store/Sqlite.ts",
    from: "PRAGMA synchronous = FULL",
    to: "PRAGMA synchronous = NORMAL",
    in: SQLITE,
    test: "runs in WAL with synchronous=FULL"
  },
  {
    what: "rows refer to others that are not there",
    file: "daemon/src/store/Sqlite.ts",
    from: "enableForeignKeyConstraints: true",
    to: "enableForeignKeyConstraints: false",
    in: SQLITE,
    test: "a commit that breaks a deferred constraint fails"
  },
  {
    what: "a key that is taken is a failure of the store, and its call a 500",
    file: "daemon/src/store/SqliteConnection.ts",
    from: "errcode === SQLITE_CONSTRAINT_PRIMARYKEY ? SQLITE_CONSTRAINT_UNIQUE : errcode",
    to: "errcode",
    in: SQLITE,
    test: "a duplicate primary key and a duplicate unique column"
  },
  {
    what: "two daemons write one store",
    file: "daemon/src/store/StoreLock.ts",
    from: 'lock.exec("BEGIN IMMEDIATE")',
    to: 'lock.exec("BEGIN")',
    in: "daemon/store/StoreLock",
    test: "opening twice in one process is refused"
  },
  {
    what: "everybody on the machine reads the store",
    file: "daemon/src/store/PrivateFile.ts",
    from: "const OWNER_ONLY = 0o600",
    to: "const OWNER_ONLY = 0o644",
    in: "daemon/store/PrivateFile",
    test: "has mode 0600 in a folder 0700"
  },
  {
    what: "a file that others could read stays so",
    file: "daemon/src/store/PrivateFile.ts",
    from: "    chmodSync(path, OWNER_ONLY)\n",
    to: "",
    in: "daemon/store/PrivateFile",
    test: "is tightened to 0600 when others could read it"
  },
  {
    what: "an older treemarkd works on a newer one's store",
    file: "daemon/src/store/Migrations.ts",
    from: "if (found > LATEST) return",
    to: "if (found < 0) return",
    in: MIGRATIONS,
    test: "a store of a later version is refused"
  },
  {
    what: "a step that was added is never taken",
    file: "daemon/src/store/Migrations.ts",
    from: '  "0009_FewerIndexes": fewerIndexes,\n',
    to: "",
    in: MIGRATIONS,
    test: "are all the steps that the folder has"
  },
  {
    what: "the database takes a hold that captured more than it held",
    file: "daemon/src/store/Dialect.ts",
    from: "length(${left}) = length(${right}) AND ${left} <= ${right}",
    to: "length(${left}) = length(${right})",
    in: MIGRATIONS,
    test: "a hold captures at most what it holds"
  },
  {
    what: "the database takes an amount that is no number",
    file: "daemon/src/store/Dialect.ts",
    from: "NOT GLOB '*[^0-9]*') OR (${column} GLOB '-[1-9]*'",
    to: "NOT GLOB '*[^0-9.]*') OR (${column} GLOB '-[1-9]*'",
    in: MIGRATIONS,
    test: "a balance is canonical decimal text"
  },
  {
    what: "a 64-bit integer of PostgreSQL loses its last digits",
    file: "daemon/src/store/Postgres.ts",
    from: "Number.isSafeInteger(number) ? number : value",
    to: "number",
    in: "daemon/store/Postgres",
    test: "64-bit integers are numbers where numbers hold them"
  },
  {
    what: "a block is found whole after a crash that is not",
    file: "daemon/src/content/BlockFiles.ts",
    from: "        await file.datasync()\n",
    to: "",
    in: "daemon/content/BlockFolder",
    test: "has a block on the disk before it has its name"
  },
  {
    what: "an audit passes a receipt over that follows another than the one before it",
    file: "daemon/src/keeping/ReceiptsAudit.ts",
    from: " || document.previous !== (before?.hash ?? null)",
    to: "",
    in: "daemon/keeping/Audit",
    test: "finds a receipt that follows another than the one before it"
  },
  {
    what: "a block that was changed on the disk is served",
    file: "daemon/src/content/BlockFolder.ts",
    from: "if (isContentOf(cid, bytes)) return Option.some(bytes)",
    to: "if (bytes.length > 0) return Option.some(bytes)",
    in: "daemon/content/BlockFolder",
    test: "refuses a block that was changed on the disk"
  }
]
