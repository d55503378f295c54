import type { Migration } from "./migration.ts";

/** Databases that admins added, for every server of this one. `secret` is the name of one in a file of the operator's. */
export const connection: Migration = {
  version: 29,
  name: "connection",
  statements: ({ strict }) => [
    `CREATE TABLE connection (
      name TEXT PRIMARY KEY,
      url TEXT NOT NULL,
      secret TEXT NOT NULL,
      added_at TEXT NOT NULL,
      added_by TEXT NOT NULL REFERENCES principal (id)
    ) ${strict}`,
  ],
};
