import type { Migration } from "./migration.ts";

/** How people prove who they are and are let in; their notifications; and what waits to be sent. */
export const organisation: Migration = {
  version: 6,
  name: "organisation",
  statements: ({ integer, strict, neverDeleted, refuseUpdate }) => [
    `CREATE TABLE password (
      principal_id TEXT PRIMARY KEY REFERENCES principal (id),
      hash TEXT NOT NULL,
      changed_at TEXT NOT NULL
    ) ${strict}`,
    ...neverDeleted("password"),

    `CREATE TABLE identity (
      id TEXT PRIMARY KEY,
      principal_id TEXT NOT NULL REFERENCES principal (id),
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      created_at TEXT NOT NULL,
      UNIQUE (issuer, subject)
    ) ${strict}`,
    "CREATE INDEX identity_principal ON identity (principal_id)",
    ...neverDeleted("identity"),

    `CREATE TABLE invitation (
      id TEXT PRIMARY KEY,
      team_id TEXT NOT NULL REFERENCES team (id),
      role TEXT NOT NULL CHECK (role IN ('member', 'teamAdmin')),
      email TEXT,
      secret_hash TEXT UNIQUE CHECK (length(secret_hash) = 64),
      created_by TEXT NOT NULL REFERENCES principal (id),
      created_at TEXT NOT NULL,
      expires_at TEXT NOT NULL,
      accepted_by TEXT REFERENCES principal (id),
      ended_at TEXT,
      CHECK (accepted_by IS NULL OR ended_at IS NOT NULL)
    ) ${strict}`,
    "CREATE INDEX invitation_team ON invitation (team_id)",
    ...neverDeleted("invitation"),
    ...refuseUpdate("invitation", "end_is_final", "OLD.ended_at IS NOT NULL"),

    `CREATE TABLE notification (
      id TEXT PRIMARY KEY,
      principal_id TEXT NOT NULL REFERENCES principal (id),
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      facts TEXT NOT NULL,
      once TEXT NOT NULL UNIQUE,
      created_at TEXT NOT NULL,
      read_at TEXT
    ) ${strict}`,
    "CREATE INDEX notification_principal ON notification (principal_id, id)",

    `CREATE TABLE preference (
      principal_id TEXT NOT NULL REFERENCES principal (id),
      kind TEXT NOT NULL,
      app ${integer} NOT NULL CHECK (app IN (0, 1)),
      mail ${integer} NOT NULL CHECK (mail IN (0, 1)),
      webhook ${integer} NOT NULL CHECK (webhook IN (0, 1)),
      PRIMARY KEY (principal_id, kind)
    ) ${strict}`,

    `CREATE TABLE webhook (
      principal_id TEXT PRIMARY KEY REFERENCES principal (id),
      url TEXT NOT NULL,
      secret TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) ${strict}`,

    `CREATE TABLE outbox (
      id TEXT PRIMARY KEY,
      channel TEXT NOT NULL CHECK (channel IN ('mail', 'webhook')),
      principal_id TEXT REFERENCES principal (id),
      address TEXT,
      message TEXT NOT NULL,
      created_at TEXT NOT NULL,
      due_at TEXT NOT NULL,
      tries ${integer} NOT NULL CHECK (tries >= 0),
      ended_at TEXT,
      outcome TEXT CHECK (outcome IN ('delivered', 'refused', 'givenUp'))
    ) ${strict}`,
    "CREATE INDEX outbox_due ON outbox (due_at) WHERE ended_at IS NULL",
    ...refuseUpdate("outbox", "end_is_final", "OLD.ended_at IS NOT NULL"),

    `CREATE TABLE standing_approval (
      id TEXT PRIMARY KEY,
      ledger_id TEXT NOT NULL REFERENCES ledger (id),
      parent_id TEXT REFERENCES account (id),
      most ${integer} NOT NULL CHECK (most > 0),
      room ${integer} NOT NULL CHECK (room >= 0),
      created_by TEXT NOT NULL REFERENCES principal (id),
      created_at TEXT NOT NULL,
      ended_at TEXT
    ) ${strict}`,
    "CREATE INDEX standing_approval_ledger ON standing_approval (ledger_id)",
    ...neverDeleted("standing_approval"),
    ...refuseUpdate("standing_approval", "end_is_final", "OLD.ended_at IS NOT NULL"),
    ...refuseUpdate("standing_approval", "room_only_shrinks", "NEW.room > OLD.room OR NEW.most <> OLD.most"),
  ],
};
