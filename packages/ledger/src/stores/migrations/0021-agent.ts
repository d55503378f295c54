import type { Migration } from "./migration.ts";

/** What an AI agent may spend by itself, what it said that it spends for, and what waits for a click of its person. */
export const agent: Migration = {
  version: 21,
  name: "agent",
  statements: ({ integer, strict, neverDeleted }) => [
    `CREATE TABLE agent_limit (
      principal_id TEXT PRIMARY KEY REFERENCES principal (id),
      hour_epsilon ${integer} CHECK (hour_epsilon > 0),
      confirm_above ${integer} CHECK (confirm_above >= 0),
      changed_at TEXT NOT NULL,
      changed_by TEXT NOT NULL REFERENCES principal (id)
    ) ${strict}`,
    ...neverDeleted("agent_limit"),
    `CREATE TABLE agent_charge (
      entry_seq ${integer} PRIMARY KEY REFERENCES entry (seq),
      principal_id TEXT NOT NULL REFERENCES principal (id),
      epsilon ${integer},
      purpose TEXT,
      at TEXT NOT NULL
    ) ${strict}`,
    "CREATE INDEX agent_charge_principal ON agent_charge (principal_id, at)",
    ...neverDeleted("agent_charge"),
    `CREATE TABLE confirmation (
      id TEXT PRIMARY KEY,
      principal_id TEXT NOT NULL REFERENCES principal (id),
      credential_id TEXT NOT NULL REFERENCES credential (id),
      account_id TEXT NOT NULL REFERENCES account (id),
      dataset_id TEXT NOT NULL REFERENCES dataset (id),
      key TEXT NOT NULL,
      asked TEXT NOT NULL,
      epsilon ${integer},
      purpose TEXT,
      status TEXT NOT NULL CHECK (status IN ('pending', 'confirmed', 'refused')),
      asked_at TEXT NOT NULL,
      expires_at TEXT NOT NULL,
      decided_at TEXT,
      UNIQUE (principal_id, key)
    ) ${strict}`,
  ],
};
