import type { Migration } from "./migration.ts";

/** What was released, by the hash of the question, so that it need not be paid for again; who may reuse it; and what was saved. */
export const reuse: Migration = {
  version: 7,
  name: "reuse",
  statements: ({ serial, integer, strict, appendOnly, neverDeleted }) => [
    `CREATE TABLE statistic (
      seq ${serial},
      entry_seq ${integer} NOT NULL REFERENCES entry (seq),
      charge_id TEXT NOT NULL,
      row_id TEXT NOT NULL,
      dataset_id TEXT NOT NULL REFERENCES dataset (id),
      version ${integer} NOT NULL CHECK (version >= 1),
      key_hash TEXT NOT NULL CHECK (length(key_hash) = 64),
      scope_hash TEXT NOT NULL CHECK (length(scope_hash) = 64),
      name TEXT NOT NULL,
      column_name TEXT,
      label TEXT NOT NULL,
      request TEXT NOT NULL,
      principal_id TEXT NOT NULL REFERENCES principal (id),
      account_id TEXT NOT NULL REFERENCES account (id),
      at TEXT NOT NULL,
      UNIQUE (entry_seq, row_id)
    ) ${strict}`,
    "CREATE INDEX statistic_key ON statistic (key_hash)",
    "CREATE INDEX statistic_scope ON statistic (scope_hash)",
    "CREATE INDEX statistic_dataset ON statistic (dataset_id, version, seq)",
    ...appendOnly("statistic"),

    `CREATE TABLE reuse (
      seq ${serial},
      entry_seq ${integer} NOT NULL REFERENCES entry (seq),
      row_id TEXT NOT NULL,
      dataset_id TEXT NOT NULL REFERENCES dataset (id),
      principal_id TEXT NOT NULL REFERENCES principal (id),
      kind TEXT NOT NULL CHECK (kind IN ('same', 'pooled', 'derived', 'refined')),
      saved_epsilon ${integer} CHECK (saved_epsilon >= 0),
      saved_mu2 ${integer} CHECK (saved_mu2 >= 0),
      at TEXT NOT NULL,
      UNIQUE (entry_seq, row_id)
    ) ${strict}`,
    "CREATE INDEX reuse_dataset ON reuse (dataset_id)",
    ...appendOnly("reuse"),

    `CREATE TABLE reuse_policy (
      dataset_id TEXT PRIMARY KEY REFERENCES dataset (id),
      visibility TEXT NOT NULL CHECK (visibility IN ('dataset', 'team', 'member')),
      price TEXT NOT NULL CHECK (price IN ('free', 'ownLevel')),
      changed_at TEXT NOT NULL,
      changed_by TEXT NOT NULL REFERENCES principal (id)
    ) ${strict}`,
    ...neverDeleted("reuse_policy"),
  ],
};
