import type { Migration } from "./migration.ts";

/** The ε of one query above which the reports of a ledger add up, where an admin has set it. */
export const reportThreshold: Migration = {
  version: 11,
  name: "reportThreshold",
  statements: ({ integer, strict, neverDeleted }) => [
    `CREATE TABLE report_threshold (
      ledger_id TEXT PRIMARY KEY REFERENCES ledger (id),
      epsilon ${integer} NOT NULL CHECK (epsilon > 0),
      changed_at TEXT NOT NULL,
      changed_by TEXT NOT NULL REFERENCES principal (id)
    ) ${strict}`,
    ...neverDeleted("report_threshold"),
  ],
};
