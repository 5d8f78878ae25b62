/**
 * An entry of the books as one statement: what is inserted into `new_entry` becomes the entry, its postings and the balances of its
 * accounts. Its `lines` are a JSON array of [account, kind, debit, balance after, amount], the amounts as text, in the order in which all
 * entries lock their accounts. Nothing can be read from it.
 *
 * SQLite sums the postings of an entry after each of them; where they are few and short it does so in its own integers, and only else in
 * limbs (0005_Receipts).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isBalanced } from "./0005_Receipts.ts"

const VIEW = `CREATE VIEW new_entry AS
  SELECT '' AS id, '' AS kind, '' AS reference, CAST(0 AS BIGINT) AS created_at, '' AS lines`

const ENTRY = `INSERT INTO ledger_entry (id, kind, reference, created_at)
  VALUES (NEW.id, NEW.kind, NEW.reference, NEW.created_at);`

/** Of so many postings of so many digits each, no sum overflows 64 bits. */
const FEW = 9
const SHORT = 18

const sqlite = [
  VIEW,
  `CREATE TRIGGER new_entry_posted INSTEAD OF INSERT ON new_entry BEGIN
    ${ENTRY}
    INSERT INTO ledger_account (id, kind, overdraft, debit, balance)
      SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 2, value ->> 3 FROM json_each(NEW.lines) WHERE true
      ON CONFLICT (id) DO UPDATE SET balance = excluded.balance;
    INSERT INTO posting (entry_id, account_id, amount)
      SELECT NEW.id, value ->> 0, value ->> 4 FROM json_each(NEW.lines);
  END`,
  "DROP TRIGGER posting_balance",
  `CREATE TRIGGER posting_balance AFTER INSERT ON posting BEGIN
    UPDATE ledger_entry SET is_balanced = CASE
      WHEN (SELECT COUNT(*) <= ${FEW} AND MAX(length(ltrim(amount, '-'))) <= ${SHORT} FROM posting WHERE entry_id = NEW.entry_id)
      THEN (SELECT SUM(CAST(amount AS INTEGER)) = 0 FROM posting WHERE entry_id = NEW.entry_id)
      ELSE (${isBalanced}) END
    WHERE id = NEW.entry_id;
  END`
]

const postgres = [
  VIEW,
  `CREATE FUNCTION post_entry() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      ${ENTRY}
      INSERT INTO ledger_account (id, kind, overdraft, debit, balance)
        SELECT line ->> 0, line ->> 1, (line ->> 2)::integer, (line ->> 2)::integer, line ->> 3
        FROM jsonb_array_elements(NEW.lines::jsonb) WITH ORDINALITY AS given (line, place) ORDER BY place
        ON CONFLICT (id) DO UPDATE SET balance = excluded.balance;
      INSERT INTO posting (entry_id, account_id, amount)
        SELECT NEW.id, line ->> 0, line ->> 4 FROM jsonb_array_elements(NEW.lines::jsonb) AS given (line);
      RETURN NEW;
    END $body$`,
  "CREATE TRIGGER new_entry_posted INSTEAD OF INSERT ON new_entry FOR EACH ROW EXECUTE FUNCTION post_entry()"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = sql.onDialectOrElse({ pg: () => postgres, orElse: () => sqlite })
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
