import type { Migration } from "./migration.ts";

/** Who acts, what they may do, how they prove it, and the chain of everything that ever changed. */
export const people: Migration = {
  version: 1,
  name: "people",
  statements: ({ serial, integer, strict, appendOnly, neverDeleted, refuseUpdate }) => [
    `CREATE TABLE audit (
      seq ${serial},
      at TEXT NOT NULL,
      actor TEXT NOT NULL,
      action TEXT NOT NULL,
      subject TEXT NOT NULL,
      ledger_id TEXT,
      detail TEXT NOT NULL,
      image TEXT,
      prev_hash TEXT NOT NULL,
      hash TEXT NOT NULL
    ) ${strict}`,
    ...appendOnly("audit"),

    `CREATE TABLE principal (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('user', 'service', 'agent')),
      name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
      email TEXT UNIQUE,
      demo ${integer} NOT NULL DEFAULT 0 CHECK (demo IN (0, 1)),
      created_at TEXT NOT NULL,
      disabled_at TEXT
    ) ${strict}`,
    ...neverDeleted("principal"),
    ...refuseUpdate("principal", "identity_is_fixed", "OLD.id <> NEW.id OR OLD.created_at <> NEW.created_at"),

    `CREATE TABLE team (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
      created_at TEXT NOT NULL,
      closed_at TEXT
    ) ${strict}`,
    ...neverDeleted("team"),

    `CREATE TABLE membership (
      id TEXT PRIMARY KEY,
      team_id TEXT NOT NULL REFERENCES team (id),
      principal_id TEXT NOT NULL REFERENCES principal (id),
      from_at TEXT NOT NULL,
      until_at TEXT
    ) ${strict}`,
    "CREATE UNIQUE INDEX membership_current ON membership (team_id, principal_id) WHERE until_at IS NULL",
    "CREATE INDEX membership_principal ON membership (principal_id)",
    ...neverDeleted("membership"),

    `CREATE TABLE role_binding (
      id TEXT PRIMARY KEY,
      principal_id TEXT NOT NULL REFERENCES principal (id),
      role TEXT NOT NULL CHECK (role IN ('platformAdmin', 'datasetAdmin', 'teamAdmin', 'member', 'auditor')),
      object_id TEXT,
      from_at TEXT NOT NULL,
      until_at TEXT,
      CHECK ((role IN ('datasetAdmin', 'teamAdmin', 'member') AND object_id IS NOT NULL)
        OR (role = 'platformAdmin' AND object_id IS NULL) OR role = 'auditor')
    ) ${strict}`,
    "CREATE UNIQUE INDEX role_binding_current ON role_binding (principal_id, role, coalesce(object_id, '')) WHERE until_at IS NULL",
    "CREATE INDEX role_binding_object ON role_binding (object_id)",
    ...neverDeleted("role_binding"),

    `CREATE TABLE credential (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('token', 'session', 'link')),
      principal_id TEXT NOT NULL REFERENCES principal (id),
      name TEXT NOT NULL,
      secret_hash TEXT NOT NULL UNIQUE CHECK (length(secret_hash) = 64),
      scopes TEXT NOT NULL,
      created_at TEXT NOT NULL,
      expires_at TEXT NOT NULL,
      ended_at TEXT
    ) ${strict}`,
    "CREATE INDEX credential_principal ON credential (principal_id)",
    ...neverDeleted("credential"),
    ...refuseUpdate(
      "credential",
      "end_is_final",
      "OLD.ended_at IS NOT NULL AND (NEW.ended_at IS NULL OR OLD.ended_at <> NEW.ended_at)",
    ),
  ],
};
