import type { Migration } from "./migration.ts";

/** What several server processes share, what is public, and whom a service acts for. */
export const instance: Migration = {
  version: 9,
  name: "house",
  statements: ({ integer, strict, appendOnly, neverDeleted }) => [
    `CREATE TABLE publication (
      population_id TEXT PRIMARY KEY REFERENCES population (id),
      is_public ${integer} NOT NULL CHECK (is_public IN (0, 1)),
      changed_at TEXT NOT NULL,
      changed_by TEXT NOT NULL REFERENCES principal (id)
    ) ${strict}`,
    ...neverDeleted("publication"),

    `CREATE TABLE service (
      principal_id TEXT PRIMARY KEY REFERENCES principal (id),
      on_behalf_of TEXT NOT NULL REFERENCES principal (id),
      CHECK (principal_id <> on_behalf_of)
    ) ${strict}`,
    "CREATE INDEX service_person ON service (on_behalf_of)",
    ...appendOnly("service"),

    `CREATE TABLE house_key (
      name TEXT PRIMARY KEY,
      secret TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) ${strict}`,
    ...appendOnly("house_key"),

    `CREATE TABLE rate (
      id TEXT PRIMARY KEY,
      full_at ${integer} NOT NULL CHECK (full_at >= 0)
    ) ${strict}`,
  ],
};
