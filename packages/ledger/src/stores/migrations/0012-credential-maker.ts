import type { Migration } from "./migration.ts";

/** Which token or session made a token or a session, so that what a leaked one made ends with it; the latest mail to a person. */
export const credentialMaker: Migration = {
  version: 12,
  name: "credentialMaker",
  statements: ({ strict, appendOnly }) => [
    `CREATE TABLE credential_maker (
      credential_id TEXT PRIMARY KEY REFERENCES credential (id),
      maker_id TEXT NOT NULL REFERENCES credential (id),
      CHECK (credential_id <> maker_id)
    ) ${strict}`,
    "CREATE INDEX credential_maker_maker ON credential_maker (maker_id)",
    ...appendOnly("credential_maker"),
    "CREATE INDEX outbox_latest ON outbox (principal_id, due_at)",
  ],
};
