import type { Migration } from "./migration.ts";

/** Which questions are being paid for: another request for the same, in any process, waits for that answer. */
export const claim: Migration = {
  version: 8,
  name: "claim",
  statements: ({ integer, strict, appendOnly }) => [
    `CREATE TABLE claim (
      entry_seq ${integer} NOT NULL REFERENCES entry (seq),
      key_hash TEXT NOT NULL CHECK (length(key_hash) = 64),
      principal_id TEXT NOT NULL REFERENCES principal (id),
      account_id TEXT NOT NULL REFERENCES account (id),
      at TEXT NOT NULL,
      PRIMARY KEY (entry_seq, key_hash)
    ) ${strict}`,
    "CREATE INDEX claim_key ON claim (key_hash)",
    ...appendOnly("claim"),
  ],
};
