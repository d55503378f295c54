import type { Migration } from "./migration.ts";

/** Sums never fall; a pure sum that was lost stays lost. True when a row breaks that. */
const FORGETS = `NEW.state_delta < OLD.state_delta OR NEW.state_epsilon < OLD.state_epsilon
  OR (OLD.state_epsilon IS NULL AND NEW.state_epsilon IS NOT NULL)`;

/** The filter of each population, the tree of quotas below it, and every charge. Amounts: ε and μ² in 1e-12, δ in 1e-18. */
export const ledger: Migration = {
  version: 3,
  name: "ledger",
  statements: ({ serial, integer, strict, appendOnly, neverDeleted, refuseUpdate }) => {
    const amounts = `
      quota_epsilon ${integer} NOT NULL CHECK (quota_epsilon >= 0),
      quota_delta ${integer} NOT NULL CHECK (quota_delta >= 0),
      allocated_epsilon ${integer} NOT NULL CHECK (allocated_epsilon >= 0),
      allocated_delta ${integer} NOT NULL CHECK (allocated_delta >= 0),
      cap_epsilon ${integer} NOT NULL CHECK (cap_epsilon >= 0),
      cap_delta ${integer} NOT NULL CHECK (cap_delta >= 0),
      cap_mu2 ${integer} NOT NULL CHECK (cap_mu2 >= 0),
      state_epsilon ${integer} CHECK (state_epsilon >= 0),
      state_delta ${integer} NOT NULL CHECK (state_delta BETWEEN 0 AND cap_delta),
      state_remaining_mu2 ${integer} CHECK (state_remaining_mu2 BETWEEN 0 AND cap_mu2),
      CHECK (mode = 'overbooked' OR (allocated_epsilon <= quota_epsilon AND allocated_delta <= quota_delta))`;
    return [
      `CREATE TABLE ledger (
      id TEXT PRIMARY KEY,
      population_id TEXT NOT NULL UNIQUE REFERENCES population (id),
      rule TEXT NOT NULL CHECK (rule IN ('addition', 'tight', 'additionThenTight')),
      active_rule TEXT NOT NULL CHECK (active_rule IN ('addition', 'tight') AND (rule = 'additionThenTight' OR active_rule = rule)),
      policy TEXT NOT NULL CHECK (policy IN ('ask', 'auto')),
      mode TEXT NOT NULL CHECK (mode IN ('funded', 'overbooked')),
      status TEXT NOT NULL CHECK (status IN ('open', 'frozen')),
      terms TEXT NOT NULL,
      version ${integer} NOT NULL CHECK (version >= 1),
      entries ${integer} NOT NULL CHECK (entries >= 1),
      head_hash TEXT NOT NULL,
      opened_at TEXT NOT NULL,
      opened_by TEXT NOT NULL REFERENCES principal (id),
      ${amounts},
      CHECK (active_rule <> 'addition' OR (state_epsilon IS NOT NULL AND state_epsilon <= cap_epsilon)),
      CHECK (active_rule <> 'tight' OR state_remaining_mu2 IS NOT NULL)
    ) ${strict}`,
      ...neverDeleted("ledger"),
      ...refuseUpdate("ledger", "spent_never_falls", FORGETS),
      ...refuseUpdate(
        "ledger",
        "entries_are_never_forgotten",
        "NEW.entries < OLD.entries OR NEW.version < OLD.version OR NEW.population_id <> OLD.population_id OR NEW.rule <> OLD.rule",
      ),
      ...refuseUpdate("ledger", "switch_is_final", "OLD.active_rule = 'tight' AND NEW.active_rule = 'addition'"),
      ...refuseUpdate(
        "ledger",
        "remaining_mu2_never_grows",
        `NEW.version = OLD.version AND (NEW.state_remaining_mu2 > OLD.state_remaining_mu2 OR NEW.cap_mu2 <> OLD.cap_mu2
          OR NEW.cap_epsilon <> OLD.cap_epsilon OR NEW.cap_delta <> OLD.cap_delta
          OR (OLD.state_remaining_mu2 IS NULL AND NEW.state_remaining_mu2 IS NOT NULL))`,
      ),

      `CREATE TABLE guarantee_version (
      ledger_id TEXT NOT NULL REFERENCES ledger (id),
      version ${integer} NOT NULL CHECK (version >= 1),
      terms TEXT NOT NULL,
      sentence TEXT NOT NULL,
      reason TEXT NOT NULL,
      decided_by TEXT NOT NULL REFERENCES principal (id),
      seconded_by TEXT REFERENCES principal (id),
      at TEXT NOT NULL,
      PRIMARY KEY (ledger_id, version)
    ) ${strict}`,
      ...appendOnly("guarantee_version"),

      `CREATE TABLE amendment (
      id TEXT PRIMARY KEY,
      ledger_id TEXT NOT NULL REFERENCES ledger (id),
      base ${integer} NOT NULL CHECK (base >= 1),
      epsilon ${integer} NOT NULL CHECK (epsilon > 0),
      delta ${integer} NOT NULL CHECK (delta >= 0),
      delta_selection ${integer} NOT NULL CHECK (delta_selection BETWEEN 0 AND delta),
      reason TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('proposed', 'effective', 'rejected', 'withdrawn')),
      proposed_by TEXT NOT NULL REFERENCES principal (id),
      proposed_at TEXT NOT NULL,
      decided_by TEXT REFERENCES principal (id),
      decided_at TEXT,
      note TEXT NOT NULL,
      version ${integer},
      CHECK ((status = 'proposed') = (decided_at IS NULL)),
      CHECK ((status = 'effective') = (version IS NOT NULL))
    ) ${strict}`,
      "CREATE INDEX amendment_ledger ON amendment (ledger_id)",
      "CREATE UNIQUE INDEX amendment_one_open ON amendment (ledger_id) WHERE status = 'proposed'",
      ...neverDeleted("amendment"),
      ...refuseUpdate("amendment", "decided_is_final", "OLD.status <> 'proposed'"),
      ...refuseUpdate(
        "amendment",
        "proposal_is_fixed",
        `OLD.epsilon <> NEW.epsilon OR OLD.delta <> NEW.delta OR OLD.delta_selection <> NEW.delta_selection
          OR OLD.base <> NEW.base OR OLD.reason <> NEW.reason OR OLD.proposed_by <> NEW.proposed_by`,
      ),

      `CREATE TABLE account (
      id TEXT PRIMARY KEY,
      ledger_id TEXT NOT NULL REFERENCES ledger (id),
      parent_id TEXT REFERENCES account (id),
      holder_kind TEXT NOT NULL CHECK (holder_kind IN ('dataset', 'team', 'principal', 'purpose')),
      holder_id TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('share', 'cap')),
      mode TEXT NOT NULL CHECK (mode IN ('funded', 'overbooked')),
      status TEXT NOT NULL CHECK (status IN ('active', 'frozen', 'closed')),
      opened_at TEXT NOT NULL,
      expires_at TEXT,
      query_epsilon ${integer} CHECK (query_epsilon > 0),
      ${amounts}
    ) ${strict}`,
      "CREATE INDEX account_ledger ON account (ledger_id)",
      "CREATE INDEX account_parent ON account (parent_id)",
      "CREATE INDEX account_holder ON account (holder_id)",
      `CREATE UNIQUE INDEX account_one_per_holder ON account (ledger_id, coalesce(parent_id, ''), holder_kind, holder_id)
        WHERE status <> 'closed'`,
      ...neverDeleted("account"),
      ...refuseUpdate("account", "spent_never_falls", FORGETS),
      ...refuseUpdate("account", "closed_is_final", "OLD.status = 'closed' AND NEW.status <> 'closed'", ["status"]),
      ...refuseUpdate(
        "account",
        "place_is_fixed",
        `OLD.ledger_id <> NEW.ledger_id OR coalesce(OLD.parent_id, '') <> coalesce(NEW.parent_id, '')
          OR OLD.holder_id <> NEW.holder_id OR OLD.kind <> NEW.kind`,
        ["ledger_id", "parent_id", "holder_id", "kind"],
      ),

      `CREATE TABLE transfer (
      seq ${serial},
      ledger_id TEXT NOT NULL REFERENCES ledger (id),
      from_account_id TEXT REFERENCES account (id),
      to_account_id TEXT REFERENCES account (id),
      kind TEXT NOT NULL CHECK (kind IN ('allocate', 'withdraw', 'close')),
      cause TEXT CHECK (cause IN ('transfer', 'recall', 'expire')),
      epsilon ${integer} NOT NULL CHECK (epsilon >= 0),
      delta ${integer} NOT NULL CHECK (delta >= 0),
      request_id TEXT,
      actor TEXT NOT NULL REFERENCES principal (id),
      at TEXT NOT NULL,
      CHECK (from_account_id IS NOT NULL OR to_account_id IS NOT NULL)
    ) ${strict}`,
      "CREATE INDEX transfer_ledger ON transfer (ledger_id)",
      ...appendOnly("transfer"),

      `CREATE TABLE entry (
      seq ${serial},
      ledger_id TEXT NOT NULL REFERENCES ledger (id),
      number ${integer} NOT NULL CHECK (number >= 1),
      kind TEXT NOT NULL CHECK (kind IN ('open', 'charge', 'switch', 'amend', 'writeOff')),
      charge_id TEXT,
      account_id TEXT REFERENCES account (id),
      principal_id TEXT NOT NULL REFERENCES principal (id),
      dataset_id TEXT REFERENCES dataset (id),
      active_rule TEXT NOT NULL CHECK (active_rule IN ('addition', 'tight')),
      events TEXT NOT NULL,
      price_epsilon ${integer} CHECK (price_epsilon >= 0),
      price_delta ${integer} NOT NULL CHECK (price_delta >= 0),
      remaining_mu2_before ${integer},
      remaining_mu2_after ${integer} CHECK (remaining_mu2_after >= 0 AND (kind = 'amend' OR remaining_mu2_after <= remaining_mu2_before)),
      key TEXT CHECK (length(key) BETWEEN 1 AND 200),
      request TEXT,
      request_hash TEXT,
      at TEXT NOT NULL,
      prev_hash TEXT NOT NULL,
      hash TEXT NOT NULL,
      UNIQUE (ledger_id, number),
      UNIQUE (principal_id, key),
      CHECK ((kind = 'charge') = (charge_id IS NOT NULL AND account_id IS NOT NULL AND dataset_id IS NOT NULL
        AND key IS NOT NULL AND request IS NOT NULL AND request_hash IS NOT NULL)),
      CHECK ((kind = 'charge') = (charge_id IS NOT NULL))
    ) ${strict}`,
      "CREATE INDEX entry_account ON entry (account_id, number)",
      // Charges are not in it, so that it costs them nothing.
      "CREATE INDEX entry_rare ON entry (ledger_id, number) WHERE kind <> 'charge'",
      ...appendOnly("entry"),

      `CREATE TABLE plan_quote (
      entry_seq ${integer} NOT NULL REFERENCES entry (seq),
      remaining_mu2_before ${integer} NOT NULL CHECK (remaining_mu2_before > 0),
      remaining_mu2_after ${integer} NOT NULL CHECK (remaining_mu2_after >= 0 AND remaining_mu2_after < remaining_mu2_before),
      slack ${integer} NOT NULL CHECK (slack > 0),
      PRIMARY KEY (entry_seq, remaining_mu2_before)
    ) ${strict}`,
      ...appendOnly("plan_quote"),

      `CREATE TABLE cap_reading (
      account_id TEXT NOT NULL REFERENCES account (id),
      entry_seq ${integer} NOT NULL REFERENCES entry (seq),
      reader_id TEXT NOT NULL REFERENCES principal (id),
      seq ${integer} NOT NULL UNIQUE,
      after_seq ${integer} NOT NULL CHECK (after_seq >= entry_seq),
      at TEXT NOT NULL,
      PRIMARY KEY (account_id, entry_seq)
    ) ${strict}`,
      ...appendOnly("cap_reading"),
    ];
  },
};
