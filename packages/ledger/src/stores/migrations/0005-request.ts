import type { Migration } from "./migration.ts";

/** Someone asking for access or more quota. What was asked never changes; each transition is a new version. */
export const request: Migration = {
  version: 5,
  name: "request",
  statements: ({ integer, strict, neverDeleted, refuseUpdate }) => [
    `CREATE TABLE request (
      id TEXT PRIMARY KEY,
      ledger_id TEXT NOT NULL REFERENCES ledger (id),
      dataset_id TEXT NOT NULL REFERENCES dataset (id),
      account_id TEXT REFERENCES account (id),
      parent_id TEXT REFERENCES account (id),
      holder_kind TEXT NOT NULL CHECK (holder_kind IN ('team', 'principal')),
      holder_id TEXT NOT NULL,
      requester_id TEXT NOT NULL REFERENCES principal (id),
      epsilon ${integer} NOT NULL CHECK (epsilon > 0),
      delta ${integer} NOT NULL CHECK (delta >= 0),
      note TEXT NOT NULL,
      plan TEXT,
      status TEXT NOT NULL CHECK (status IN ('submitted', 'counterOffered', 'approved', 'partlyApproved', 'rejected',
        'withdrawn', 'expired', 'superseded', 'infoRequested', 'escalated')),
      version ${integer} NOT NULL CHECK (version >= 1),
      offered_epsilon ${integer} CHECK (offered_epsilon > 0),
      offered_delta ${integer} CHECK (offered_delta >= 0),
      granted_epsilon ${integer} CHECK (granted_epsilon > 0),
      granted_delta ${integer} CHECK (granted_delta >= 0),
      decider_id TEXT REFERENCES principal (id),
      decision_note TEXT NOT NULL,
      self_decided ${integer} NOT NULL CHECK (self_decided IN (0, 1)),
      superseded_by TEXT,
      answer TEXT NOT NULL,
      origin_id TEXT REFERENCES request (id),
      created_at TEXT NOT NULL,
      changed_at TEXT NOT NULL,
      expires_at TEXT NOT NULL,
      CHECK ((status IN ('approved', 'partlyApproved')) = (granted_epsilon IS NOT NULL AND account_id IS NOT NULL
        AND decider_id IS NOT NULL)),
      CHECK (status <> 'counterOffered' OR (offered_epsilon IS NOT NULL AND decider_id IS NOT NULL)),
      CHECK ((status = 'superseded') = (superseded_by IS NOT NULL))
    ) ${strict}`,
    "CREATE INDEX request_ledger ON request (ledger_id)",
    "CREATE INDEX request_requester ON request (requester_id)",
    `CREATE UNIQUE INDEX request_one_open ON request (requester_id, ledger_id, coalesce(parent_id, ''), holder_kind, holder_id)
      WHERE status IN ('submitted', 'counterOffered', 'infoRequested', 'escalated')`,
    ...neverDeleted("request"),
    ...refuseUpdate(
      "request",
      "end_is_final",
      "OLD.status NOT IN ('submitted', 'counterOffered', 'infoRequested', 'escalated')",
    ),
    ...refuseUpdate("request", "one_version_a_step", "NEW.version <> OLD.version + 1"),
    ...refuseUpdate(
      "request",
      "what_was_asked_is_fixed",
      `NEW.ledger_id <> OLD.ledger_id OR NEW.dataset_id <> OLD.dataset_id OR NEW.requester_id <> OLD.requester_id
        OR NEW.holder_id <> OLD.holder_id OR coalesce(NEW.parent_id, '') <> coalesce(OLD.parent_id, '')
        OR NEW.epsilon <> OLD.epsilon OR NEW.delta <> OLD.delta OR NEW.note <> OLD.note
        OR coalesce(NEW.origin_id, '') <> coalesce(OLD.origin_id, '')
        OR coalesce(NEW.plan, '') <> coalesce(OLD.plan, '') OR NEW.expires_at <> OLD.expires_at
        OR (OLD.account_id IS NOT NULL AND NEW.account_id <> OLD.account_id)`,
    ),
  ],
};
