import type { Migration } from "./migration.ts";

/**
 * Reports that the server makes when a block is over: a plan over the latest blocks, paid for by an account of its own, and for each block
 * the charge that was made or why none was. What a schedule asks and who pays is fixed with its earmark.
 */
export const schedule: Migration = {
  version: 25,
  name: "schedule",
  statements: ({ integer, strict, refuseUpdate, neverDeleted }) => [
    `CREATE TABLE schedule (
      id TEXT PRIMARY KEY,
      dataset_id TEXT NOT NULL REFERENCES dataset (id),
      account_id TEXT NOT NULL UNIQUE REFERENCES account (id),
      owner_id TEXT NOT NULL REFERENCES principal (id),
      name TEXT NOT NULL,
      plan TEXT NOT NULL,
      latest ${integer} NOT NULL CHECK (latest >= 1),
      block_first ${integer} NOT NULL,
      price_epsilon ${integer} CHECK (price_epsilon >= 0),
      price_delta ${integer} NOT NULL CHECK (price_delta >= 0),
      earmark_epsilon ${integer} NOT NULL CHECK (earmark_epsilon >= 0),
      earmark_delta ${integer} NOT NULL CHECK (earmark_delta >= 0),
      recipients TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'ended')),
      created_at TEXT NOT NULL
    ) ${strict}`,
    "CREATE INDEX schedule_dataset ON schedule (dataset_id)",
    ...refuseUpdate(
      "schedule",
      "earmarked",
      `OLD.id <> NEW.id OR OLD.dataset_id <> NEW.dataset_id OR OLD.account_id <> NEW.account_id OR OLD.owner_id <> NEW.owner_id
        OR OLD.plan <> NEW.plan OR OLD.latest <> NEW.latest OR OLD.block_first <> NEW.block_first`,
    ),
    ...refuseUpdate("schedule", "end_is_final", "OLD.status = 'ended' AND NEW.status <> 'ended'"),
    ...neverDeleted("schedule"),
    `CREATE TABLE schedule_point (
      schedule_id TEXT NOT NULL REFERENCES schedule (id),
      block ${integer} NOT NULL,
      charge_id TEXT,
      code TEXT,
      message TEXT,
      at TEXT NOT NULL,
      announced_at TEXT,
      PRIMARY KEY (schedule_id, block),
      CHECK ((charge_id IS NULL) = (code IS NOT NULL))
    ) ${strict}`,
    "CREATE INDEX schedule_point_unannounced ON schedule_point (announced_at)",
    ...refuseUpdate(
      "schedule_point",
      "charge_is_final",
      "OLD.charge_id IS NOT NULL AND (NEW.charge_id IS NULL OR NEW.charge_id <> OLD.charge_id)",
    ),
    ...neverDeleted("schedule_point"),
  ],
};
