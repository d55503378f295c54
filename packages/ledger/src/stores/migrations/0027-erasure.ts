import type { Migration } from "./migration.ts";

/**
 * What an erasure must leave so that it is none too many: the uploads that are gone, for which nothing is charged any more, and a keyed hash of
 * each name of a person whom an admin removed, so that no provider brings them back. And indexes by which a provider finds its people.
 */
export const erasure: Migration = {
  version: 27,
  name: "erasure",
  statements: ({ strict, appendOnly }) => [
    `CREATE TABLE erased_upload (
      file TEXT PRIMARY KEY,
      dataset_id TEXT NOT NULL REFERENCES dataset (id),
      erased_at TEXT NOT NULL
    ) ${strict}`,
    ...appendOnly("erased_upload"),
    `CREATE TABLE ban (
      digest TEXT NOT NULL,
      principal_id TEXT NOT NULL REFERENCES principal (id),
      PRIMARY KEY (digest, principal_id)
    ) ${strict}`,
    "CREATE INDEX ban_principal ON ban (principal_id)",
    "CREATE INDEX provisioned_user_external ON provisioned_user (provider, external_id)",
    "CREATE INDEX provisioned_user_listed ON provisioned_user (provider, is_deleted, principal_id)",
  ],
};
