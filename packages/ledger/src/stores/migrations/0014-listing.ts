import type { Migration } from "./migration.ts";

/** What the catalogue says of a dataset to people who may not see it; a dataset without a row is in no catalogue. */
export const listing: Migration = {
  version: 14,
  name: "listing",
  statements: ({ integer, strict, neverDeleted }) => [
    `CREATE TABLE listing (
      dataset_id TEXT PRIMARY KEY REFERENCES dataset (id),
      is_listed ${integer} NOT NULL CHECK (is_listed IN (0, 1)),
      shows_columns ${integer} NOT NULL CHECK (shows_columns IN (0, 1)),
      description TEXT NOT NULL,
      changed_at TEXT NOT NULL,
      changed_by TEXT NOT NULL REFERENCES principal (id)
    ) ${strict}`,
    ...neverDeleted("listing"),
  ],
};
