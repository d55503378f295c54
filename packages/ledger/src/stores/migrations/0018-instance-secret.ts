import type { Migration } from "./migration.ts";

/** Secrets of a server can be replaced, and the old ones are gone: the table that could only grow makes room for one that can change. */
export const instanceSecret: Migration = {
  version: 18,
  name: "instanceSecret",
  statements: ({ strict }) => [
    `CREATE TABLE instance_secret (
      name TEXT PRIMARY KEY,
      secret TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) ${strict}`,
    "INSERT INTO instance_secret (name, secret, created_at) SELECT name, secret, created_at FROM house_key",
    "DROP TABLE house_key",
  ],
};
