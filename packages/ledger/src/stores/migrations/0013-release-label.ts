import type { Migration } from "./migration.ts";

/** The title and the note that people give a release: next to it, so that its answers and their hash never change. */
export const releaseLabel: Migration = {
  version: 13,
  name: "releaseLabel",
  statements: ({ serial, strict, neverDeleted }) => [
    `CREATE TABLE release_label (
      entry_seq ${serial} REFERENCES lease (entry_seq),
      title TEXT,
      note TEXT,
      changed_at TEXT NOT NULL,
      changed_by TEXT NOT NULL REFERENCES principal (id)
    ) ${strict}`,
    ...neverDeleted("release_label"),
  ],
};
