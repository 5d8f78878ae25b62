/**
 * Indexes for stores of very many commits, so that no question reads what it does not answer with: an account's commits among the files that
 * it registered, the newest commit of a tree, who holds an asset, the keys that may be removed among those that are kept for good. And when a
 * commit falls out of the chain, its asset's last commit is the one before it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const indexes = [
  "CREATE INDEX account_event_commits ON account_event (account_id, id) WHERE kind = 'committed'",
  "DROP INDEX commit_job_tree",
  "CREATE INDEX commit_job_tree ON commit_job (asset_tree_cid, created_at)",
  "CREATE INDEX holding_asset ON holding (asset_cid)",
  "DROP INDEX idempotency_created",
  "CREATE INDEX idempotency_removable ON idempotency (created_at) WHERE substr(key, 1, 4) <> 'add-'"
]

const MADE = `INSERT INTO holding (account_id, asset_cid, registered_at, commits, last_commit)
    VALUES (NEW.account_id, NEW.asset_cid, NEW.created_at, 1, NEW.id)
    ON CONFLICT (account_id, asset_cid) DO UPDATE SET commits = holding.commits + 1, last_commit = excluded.last_commit;
  INSERT INTO account_event (account_id, kind, asset_cid, commit_id, at)
    VALUES (NEW.account_id, 'committed', NEW.asset_cid, NEW.id, NEW.updated_at);`

const FALLEN = `UPDATE account_event SET kind = 'withdrawn'
    WHERE account_id = NEW.account_id AND commit_id = NEW.id AND kind = 'committed';
  UPDATE holding SET commits = commits - 1, last_commit = CASE
      WHEN commits = 1 THEN NULL
      WHEN last_commit <> NEW.id THEN last_commit
      ELSE (SELECT e.commit_id FROM account_event e WHERE e.account_id = NEW.account_id AND e.kind = 'committed'
        AND e.asset_cid = NEW.asset_cid ORDER BY e.id DESC LIMIT 1) END
    WHERE account_id = NEW.account_id AND asset_cid = NEW.asset_cid;
  INSERT INTO account_event (account_id, kind, asset_cid, commit_id, at)
    VALUES (NEW.account_id, 'reorganised', NEW.asset_cid, NEW.id, NEW.updated_at);`

const IS_MADE = "NEW.state = 'mined' AND OLD.state <> 'mined'"
const IS_FALLEN = "OLD.state = 'mined' AND NEW.state <> 'mined'"

const sqlite = [
  "DROP TRIGGER commit_fallen",
  `CREATE TRIGGER commit_fallen AFTER UPDATE OF state ON commit_job WHEN ${IS_FALLEN} BEGIN ${FALLEN} END`
]

const postgres = [
  `CREATE OR REPLACE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
    IF ${IS_MADE} THEN ${MADE} END IF;
    IF ${IS_FALLEN} THEN ${FALLEN} END IF;
    RETURN NULL;
  END $body$`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = [...indexes, ...sql.onDialectOrElse({ pg: () => postgres, orElse: () => sqlite })]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
