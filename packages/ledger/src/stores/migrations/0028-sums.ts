import type { Migration } from "./migration.ts";

/**
 * Two things that were computed again each time: who was erased, which a name cannot say, and what one account has from the one next to it,
 * over all transfers between them.
 */
export const sums: Migration = {
  version: 28,
  name: "sums",
  statements: ({ integer, strict }) => [
    `CREATE TABLE erased_person (
      principal_id TEXT PRIMARY KEY REFERENCES principal (id),
      erased_at TEXT NOT NULL
    ) ${strict}`,
    `INSERT INTO erased_person (principal_id, erased_at)
      SELECT principal.id, max(audit.at) FROM principal
      JOIN audit ON audit.subject = principal.id AND audit.action = 'principal.erase'
      WHERE principal.name = 'Erased' AND principal.email IS NULL AND principal.disabled_at IS NOT NULL
      GROUP BY principal.id`,
    `CREATE TABLE given_quota (
      from_account_id TEXT NOT NULL REFERENCES account (id),
      to_account_id TEXT NOT NULL REFERENCES account (id),
      epsilon ${integer} NOT NULL,
      delta ${integer} NOT NULL,
      PRIMARY KEY (from_account_id, to_account_id),
      CHECK (from_account_id < to_account_id)
    ) ${strict}`,
    `INSERT INTO given_quota (from_account_id, to_account_id, epsilon, delta)
      SELECT
        CASE WHEN up.from_account_id < down.to_account_id THEN up.from_account_id ELSE down.to_account_id END,
        CASE WHEN up.from_account_id < down.to_account_id THEN down.to_account_id ELSE up.from_account_id END,
        sum(CASE WHEN up.from_account_id < down.to_account_id THEN down.epsilon ELSE -down.epsilon END),
        sum(CASE WHEN up.from_account_id < down.to_account_id THEN down.delta ELSE -down.delta END)
      FROM transfer AS up JOIN transfer AS down ON down.seq = up.seq + 1
      WHERE ${IN_TWO_LINES}
      GROUP BY 1, 2`,
  ],
};

/** A transfer between accounts next to each other, of which the journal has two lines: up, then down. */
const IN_TWO_LINES = `up.cause = 'transfer' AND down.cause = 'transfer' AND up.kind = 'withdraw' AND down.kind = 'allocate'
  AND up.ledger_id = down.ledger_id AND up.actor = down.actor
  AND coalesce(up.to_account_id, '') = coalesce(down.from_account_id, '') AND up.from_account_id <> down.to_account_id`;
