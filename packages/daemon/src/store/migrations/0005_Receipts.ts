/**
 * Receipts of charges, chained per account; and books that the database itself keeps balanced: an entry whose postings do not sum to
 * zero is refused when its transaction commits, and entries, postings and receipts are never changed or removed.
 *
 * SQLite has neither deferred triggers nor integers of that size. There a trigger sums an entry's postings in limbs of twelve digits
 * and notes the result; a deferred foreign key, checked at commit, leads nowhere unless the sum is zero.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dialect, dialectOf } from "../Dialect.ts"

const tables = ({ hex, int64, strict }: Dialect) => [
  `CREATE TABLE receipt (
    hash TEXT NOT NULL PRIMARY KEY CHECK (${hex("hash", 64)}),
    account_id TEXT NOT NULL REFERENCES account (id),
    sequence ${int64} NOT NULL CHECK (sequence >= 1),
    entry_id TEXT NOT NULL UNIQUE REFERENCES ledger_entry (id),
    document TEXT NOT NULL,
    signature TEXT NOT NULL,
    created_at ${int64} NOT NULL,
    UNIQUE (account_id, sequence)
  )${strict}`,
  "DROP INDEX posting_account",
  "CREATE INDEX posting_account ON posting (account_id, entry_id)",
  "CREATE INDEX hold_closed ON hold (closed_at) WHERE state = 'captured'"
]

const KEPT = ["ledger_entry", "posting", "receipt"]

/** An amount is summed in so many limbs of so many digits, so that no sum overflows 64 bits: room for 96 digits. */
const LIMBS = 8
const DIGITS = 12
const LIMB = `1${"0".repeat(DIGITS)}`

/** Sum over the postings of the nth limb, the lowest first, each with its posting's sign. */
const limb = (n: number): string =>
  `SUM(CASE WHEN amount LIKE '-%' THEN -1 ELSE 1 END *
    CAST(substr('${"0".repeat(LIMBS * DIGITS)}' || ltrim(amount, '-'), ${-DIGITS * (n + 1)}, ${DIGITS}) AS INTEGER)) AS limb${n}`

/** The nth limb of the sum with what the limbs below it carry over. */
const carried = (n: number): string => (n === 0 ? "limb0" : `(limb${n} + ${carried(n - 1)} / ${LIMB})`)

/** Whether the sum is zero: every limb is zero once carried, and nothing is carried out of the highest. */
const isZero = Array.from({ length: LIMBS }, (_, n) =>
  n === LIMBS - 1 ? `${carried(n)} = 0` : `${carried(n)} % ${LIMB} = 0`
).join(" AND ")

/** SELECT whether the postings of the entry of the new one sum to zero. */
export const isBalanced = `SELECT ${isZero} FROM (SELECT ${Array.from({ length: LIMBS }, (_, n) => limb(n)).join(", ")}
        FROM posting WHERE entry_id = NEW.entry_id)`

const sqlite = [
  "CREATE TABLE balanced_entry (is_balanced INTEGER NOT NULL PRIMARY KEY CHECK (is_balanced = 1)) STRICT",
  "INSERT INTO balanced_entry VALUES (1)",
  `ALTER TABLE ledger_entry ADD COLUMN is_balanced INTEGER
    REFERENCES balanced_entry (is_balanced) DEFERRABLE INITIALLY DEFERRED`,
  `CREATE TRIGGER posting_size BEFORE INSERT ON posting WHEN length(NEW.amount) > ${LIMBS * DIGITS}
    BEGIN SELECT RAISE(ABORT, 'a posting has at most ${LIMBS * DIGITS} characters'); END`,
  `CREATE TRIGGER posting_balance AFTER INSERT ON posting BEGIN
    UPDATE ledger_entry SET is_balanced = (
      ${isBalanced}
    ) WHERE id = NEW.entry_id;
  END`,
  ...KEPT.map(
    (table) => `CREATE TRIGGER ${table}_kept BEFORE DELETE ON ${table}
      BEGIN SELECT RAISE(ABORT, 'the books are never changed: post another entry'); END`
  ),
  `CREATE TRIGGER ledger_entry_same BEFORE UPDATE OF id, kind, reference, created_at ON ledger_entry
    BEGIN SELECT RAISE(ABORT, 'the books are never changed: post another entry'); END`,
  ...["posting", "receipt"].map(
    (table) => `CREATE TRIGGER ${table}_same BEFORE UPDATE ON ${table}
      BEGIN SELECT RAISE(ABORT, 'the books are never changed: post another entry'); END`
  )
]

const postgres = [
  `CREATE FUNCTION entry_must_balance() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      IF (SELECT SUM(amount::numeric) FROM posting WHERE entry_id = NEW.entry_id) <> 0 THEN
        RAISE EXCEPTION 'the entry % is not balanced', NEW.entry_id USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $body$`,
  `CREATE CONSTRAINT TRIGGER posting_balance AFTER INSERT ON posting DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION entry_must_balance()`,
  `CREATE FUNCTION books_are_kept() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      RAISE EXCEPTION 'the books are never changed: post another entry' USING ERRCODE = 'check_violation';
    END $body$`,
  ...KEPT.map(
    (table) => `CREATE TRIGGER ${table}_kept BEFORE UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION books_are_kept()`
  )
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const guards = sql.onDialectOrElse({ pg: () => postgres, orElse: () => sqlite })
  for (const statement of [...tables(dialectOf(sql)), ...guards]) yield* sql.unsafe(statement)
})
