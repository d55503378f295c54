import type { Migration } from "../migration.ts";

/** What was charged and what was answered. At most one release per charge, and neither is ever forgotten. */
export const release: Migration = {
  version: 4,
  name: "release",
  statements: ({ serial, integer, strict, appendOnly, neverDeleted, refuseUpdate }) => [
    `CREATE TABLE charge (
      id TEXT PRIMARY KEY,
      entry_seq ${integer} NOT NULL REFERENCES entry (seq),
      ledger_id TEXT NOT NULL REFERENCES ledger (id),
      account_id TEXT NOT NULL REFERENCES account (id),
      principal_id TEXT NOT NULL REFERENCES principal (id),
      dataset_id TEXT NOT NULL REFERENCES dataset (id),
      key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
      request_hash TEXT NOT NULL,
      request TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('charged', 'released')),
      lease_owner TEXT NOT NULL,
      lease_until TEXT NOT NULL,
      tries ${integer} NOT NULL CHECK (tries >= 1),
      at TEXT NOT NULL,
      UNIQUE (principal_id, key)
    ) ${strict}`,
    "CREATE INDEX charge_pending ON charge (lease_until) WHERE status = 'charged'",
    ...neverDeleted("charge"),
    ...refuseUpdate("charge", "released_is_final", "OLD.status = 'released'"),
    ...refuseUpdate(
      "charge",
      "content_is_fixed",
      `OLD.entry_seq <> NEW.entry_seq OR OLD.key <> NEW.key OR OLD.request <> NEW.request OR OLD.request_hash <> NEW.request_hash
        OR OLD.account_id <> NEW.account_id OR OLD.principal_id <> NEW.principal_id OR OLD.dataset_id <> NEW.dataset_id
        OR NEW.tries < OLD.tries`,
    ),

    `CREATE TABLE release (
      seq ${serial},
      id TEXT NOT NULL UNIQUE,
      charge_id TEXT NOT NULL UNIQUE REFERENCES charge (id),
      answers TEXT NOT NULL,
      sentence TEXT NOT NULL,
      receipt TEXT NOT NULL,
      at TEXT NOT NULL
    ) ${strict}`,
    ...appendOnly("release"),
  ],
};
