import type { Migration } from "./migration.ts";

/** Who works on a charge, and what was answered. At most one release per charge, and neither is ever forgotten. */
export const release: Migration = {
  version: 4,
  name: "release",
  statements: ({ serial, integer, strict, appendOnly, neverDeleted, refuseUpdate }) => [
    `CREATE TABLE lease (
      entry_seq ${serial} REFERENCES entry (seq),
      status TEXT NOT NULL CHECK (status IN ('charged', 'released')),
      owner TEXT NOT NULL,
      until_at TEXT NOT NULL,
      tries ${integer} NOT NULL CHECK (tries >= 1)
    ) ${strict}`,
    "CREATE INDEX lease_pending ON lease (entry_seq) WHERE status = 'charged'",
    ...neverDeleted("lease"),
    ...refuseUpdate("lease", "released_is_final", "OLD.status = 'released'"),
    ...refuseUpdate("lease", "charge_is_fixed", "OLD.entry_seq <> NEW.entry_seq OR NEW.tries < OLD.tries"),
    `CREATE VIEW charge AS SELECT entry.charge_id AS id, entry.seq AS entry_seq, entry.ledger_id, entry.account_id,
      entry.principal_id, entry.dataset_id, entry.key, entry.request_hash, entry.request, lease.status,
      lease.owner AS lease_owner, lease.until_at AS lease_until, lease.tries, entry.at
      FROM entry JOIN lease ON lease.entry_seq = entry.seq`,

    `CREATE TABLE release (
      seq ${serial},
      id TEXT NOT NULL UNIQUE,
      charge_id TEXT NOT NULL,
      entry_seq ${integer} NOT NULL UNIQUE REFERENCES lease (entry_seq),
      answers TEXT NOT NULL,
      sentence TEXT NOT NULL,
      receipt TEXT NOT NULL,
      at TEXT NOT NULL
    ) ${strict}`,
    ...appendOnly("release"),
  ],
};
