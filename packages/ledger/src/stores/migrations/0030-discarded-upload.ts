import type { Migration } from "./migration.ts";

/** Uploads that are gone before any table was declared over them, so that none is declared over one afterwards. */
export const discardedUpload: Migration = {
  version: 30,
  name: "discarded upload",
  statements: ({ strict, appendOnly }) => [
    `CREATE TABLE discarded_upload (
      file TEXT PRIMARY KEY,
      discarded_at TEXT NOT NULL
    ) ${strict}`,
    ...appendOnly("discarded_upload"),
  ],
};
