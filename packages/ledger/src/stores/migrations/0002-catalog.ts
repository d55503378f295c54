import type { Migration } from "./migration.ts";

/** The people protected and the tables about them. */
export const catalog: Migration = {
  version: 2,
  name: "catalog",
  statements: ({ integer, strict, appendOnly, neverDeleted, refuseUpdate }) => [
    `CREATE TABLE population (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
      privacy_unit TEXT NOT NULL CHECK (length(privacy_unit) BETWEEN 1 AND 200),
      adjacency TEXT NOT NULL CHECK (adjacency IN ('addRemove', 'replace', 'replaceSpecial')),
      created_at TEXT NOT NULL
    ) ${strict}`,
    ...appendOnly("population"),

    `CREATE TABLE dataset (
      id TEXT PRIMARY KEY,
      population_id TEXT NOT NULL REFERENCES population (id),
      name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
      salt TEXT NOT NULL CHECK (length(salt) >= 32),
      version ${integer} NOT NULL CHECK (version >= 1),
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL REFERENCES principal (id)
    ) ${strict}`,
    "CREATE INDEX dataset_population ON dataset (population_id)",
    ...neverDeleted("dataset"),
    ...refuseUpdate(
      "dataset",
      "population_is_fixed",
      "OLD.population_id <> NEW.population_id OR OLD.salt <> NEW.salt OR NEW.version < OLD.version",
    ),

    `CREATE TABLE dataset_version (
      id TEXT PRIMARY KEY,
      dataset_id TEXT NOT NULL REFERENCES dataset (id),
      version ${integer} NOT NULL CHECK (version >= 1),
      declaration TEXT NOT NULL,
      source TEXT NOT NULL,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL REFERENCES principal (id),
      UNIQUE (dataset_id, version)
    ) ${strict}`,
    ...appendOnly("dataset_version"),
  ],
};
