import type { Migration } from "./migration.ts";

/**
 * The second factor of people's passwords: the shared secret of an authenticator app, the newest time step whose code was taken, and the
 * hashes of recovery codes. A row can be deleted, so that a secret that is given up is gone.
 */
export const secondFactor: Migration = {
  version: 22,
  name: "secondFactor",
  statements: ({ strict, integer }) => [
    `CREATE TABLE second_factor (
      principal_id TEXT PRIMARY KEY REFERENCES principal (id),
      secret TEXT NOT NULL,
      last_step ${integer} NOT NULL,
      recovery TEXT NOT NULL,
      created_at TEXT NOT NULL,
      confirmed_at TEXT
    ) ${strict}`,
  ],
};
