import type { Migration } from "./migration.ts";

/**
 * The people and groups that a provider keeps here by SCIM, under the names that it knows them by, and the service that acts for it. And the
 * address of an invitation that has ended may be taken away, with the person.
 */
export const provisioning: Migration = {
  version: 24,
  name: "provisioning",
  statements: ({ strict, integer, dropRefusal, refuseUpdate }) => [
    `CREATE TABLE provider_service (
      provider TEXT PRIMARY KEY,
      principal_id TEXT NOT NULL UNIQUE REFERENCES principal (id)
    ) ${strict}`,
    `CREATE TABLE provisioned_user (
      principal_id TEXT PRIMARY KEY REFERENCES principal (id),
      provider TEXT NOT NULL,
      user_name TEXT NOT NULL,
      user_key TEXT NOT NULL,
      external_id TEXT,
      is_made ${integer} NOT NULL CHECK (is_made IN (0, 1)),
      is_ended ${integer} NOT NULL CHECK (is_ended IN (0, 1)),
      is_deleted ${integer} NOT NULL CHECK (is_deleted IN (0, 1)),
      changed_at TEXT NOT NULL,
      UNIQUE (provider, user_key)
    ) ${strict}`,
    `CREATE TABLE provisioned_group (
      id TEXT PRIMARY KEY,
      provider TEXT NOT NULL,
      name TEXT NOT NULL,
      external_id TEXT,
      created_at TEXT NOT NULL,
      changed_at TEXT NOT NULL,
      UNIQUE (provider, name)
    ) ${strict}`,
    `CREATE TABLE provisioned_member (
      group_id TEXT NOT NULL REFERENCES provisioned_group (id),
      principal_id TEXT NOT NULL REFERENCES provisioned_user (principal_id),
      PRIMARY KEY (group_id, principal_id)
    ) ${strict}`,
    "CREATE INDEX provisioned_member_principal ON provisioned_member (principal_id)",
    dropRefusal("invitation", "end_is_final"),
    ...refuseUpdate(
      "invitation",
      "end_is_final",
      `OLD.ended_at IS NOT NULL AND (NEW.ended_at IS NULL OR NEW.ended_at <> OLD.ended_at OR NEW.email IS NOT NULL
        OR coalesce(NEW.accepted_by, '') <> coalesce(OLD.accepted_by, ''))`,
    ),
  ],
};
