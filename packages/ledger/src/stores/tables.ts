import type { ActiveRule, Adjacency, DeltaAmount, EpsilonAmount, Mu2Amount, Rule } from "@dosimeter/core";
import type {
  AccountId,
  AmendmentId,
  ChargeId,
  DashboardId,
  DatasetId,
  DraftId,
  LedgerId,
  PopulationId,
  PrincipalId,
  ReleaseId,
  RequestId,
  ScheduleId,
  TeamId,
} from "../values/id.ts";
import type { NotificationKind } from "../values/notification-kind.ts";
import { integer, key, maybe, oneOf, type Row, serial, type Table, text, unique } from "./column.ts";

const principal = text<PrincipalId>("REFERENCES principal (id)");
const team = text<TeamId>("REFERENCES team (id)");
const population = text<PopulationId>("REFERENCES population (id)");
const dataset = text<DatasetId>("REFERENCES dataset (id)");
const ledger = text<LedgerId>("REFERENCES ledger (id)");
const account = text<AccountId>("REFERENCES account (id)");
const entry = { ...integer(), constraint: "REFERENCES entry (seq)" };
const lease = { ...integer(), constraint: "REFERENCES lease (entry_seq)" };
const flag = integer("IN (0, 1)");
const changed = { changed_at: text(), changed_by: principal };

/** Of ledgers and accounts: may spend, given on, spent. Amounts everywhere: ε and μ² in 1e-12, δ in 1e-18. */
const amounts = {
  quota_epsilon: integer<EpsilonAmount>(">= 0"),
  quota_delta: integer<DeltaAmount>(">= 0"),
  allocated_epsilon: integer<EpsilonAmount>(">= 0"),
  allocated_delta: integer<DeltaAmount>(">= 0"),
  cap_epsilon: integer<EpsilonAmount>(">= 0"),
  cap_delta: integer<DeltaAmount>(">= 0"),
  cap_mu2: integer<Mu2Amount>(">= 0"),
  state_epsilon: maybe(integer<EpsilonAmount>(">= 0")),
  state_delta: integer<DeltaAmount>("BETWEEN 0 AND cap_delta"),
  state_remaining_mu2: maybe(integer<Mu2Amount>("BETWEEN 0 AND cap_mu2")),
};
const ALLOCATES_WHAT_IT_HAS =
  "CHECK (mode = 'overbooked' OR (allocated_epsilon <= quota_epsilon AND allocated_delta <= quota_delta))";

/** Sums never fall; a pure sum that was lost stays lost. True when a row breaks that. */
const FORGETS = `NEW.state_delta < OLD.state_delta OR NEW.state_epsilon < OLD.state_epsilon
  OR (OLD.state_epsilon IS NULL AND NEW.state_epsilon IS NOT NULL)`;

/** Every table of the first version, those that others point to first; once shipped it is never edited. */
export const firstTables = {
  // Who acts, what they may do, and whom an erasure or a ban leaves out.
  principal: {
    keeps: "neverDeleted",
    columns: {
      id: key(text<PrincipalId>()),
      kind: oneOf("user", "service", "agent"),
      name: text("CHECK (length(name) BETWEEN 1 AND 200)"),
      email: maybe(unique(text())),
      demo: { ...flag, constraint: `DEFAULT 0 ${flag.constraint}` },
      created_at: text(),
      disabled_at: maybe(text()),
    },
    refuses: { identity_is_fixed: "OLD.id <> NEW.id OR OLD.created_at <> NEW.created_at" },
  },
  /** The person for whom a service or an agent acts. */
  service: {
    keeps: "appendOnly",
    columns: { principal_id: key(principal), on_behalf_of: principal },
    rules: ["CHECK (principal_id <> on_behalf_of)"],
    indexes: { service_person: "(on_behalf_of)" },
  },
  team: {
    keeps: "neverDeleted",
    columns: {
      id: key(text<TeamId>()),
      name: text("CHECK (length(name) BETWEEN 1 AND 200)"),
      created_at: text(),
      closed_at: maybe(text()),
    },
  },
  team_policy: {
    keeps: "neverDeleted",
    columns: { team_id: key(team), links_admit: oneOf("known", "newcomers"), ...changed },
  },
  membership: {
    keeps: "neverDeleted",
    columns: { id: key(text()), team_id: team, principal_id: principal, from_at: text(), until_at: maybe(text()) },
    indexes: { membership_principal: "(principal_id)" },
    uniqueIndexes: { membership_current: "(team_id, principal_id) WHERE until_at IS NULL" },
  },
  role_binding: {
    keeps: "neverDeleted",
    columns: {
      id: key(text()),
      principal_id: principal,
      role: oneOf("platformAdmin", "datasetAdmin", "teamAdmin", "member", "auditor"),
      /** A dataset or a team; null: everywhere. */
      object_id: maybe(text()),
      from_at: text(),
      until_at: maybe(text()),
    },
    rules: [
      `CHECK ((role IN ('datasetAdmin', 'teamAdmin', 'member') AND object_id IS NOT NULL)
        OR (role = 'platformAdmin' AND object_id IS NULL) OR role = 'auditor')`,
    ],
    indexes: { role_binding_object: "(object_id)" },
    uniqueIndexes: { role_binding_current: "(principal_id, role, coalesce(object_id, '')) WHERE until_at IS NULL" },
  },
  erased_person: {
    columns: { principal_id: key(principal), erased_at: text() },
  },
  /** A name to sign in with: the address that a newcomer gave, until one is proved. */
  typed_address: {
    columns: { principal_id: key(principal), email: text() },
    indexes: { typed_address_email: "(email)" },
  },
  /** A keyed hash of what an erased person was called, whom no provider may bring back. */
  ban: {
    columns: { digest: text(), principal_id: principal },
    rules: ["PRIMARY KEY (digest, principal_id)"],
    indexes: { ban_principal: "(principal_id)" },
  },

  // How people prove who they are and are let in. A second factor can be deleted, so that a secret that is given up is gone.
  credential: {
    keeps: "neverDeleted",
    columns: {
      id: key(text()),
      kind: oneOf("token", "session", "link"),
      principal_id: principal,
      name: text(),
      secret_hash: text("UNIQUE CHECK (length(secret_hash) = 64)"),
      scopes: text(),
      created_at: text(),
      expires_at: text(),
      ended_at: maybe(text()),
    },
    indexes: { credential_principal: "(principal_id)" },
    refuses: { end_is_final: "OLD.ended_at IS NOT NULL AND (NEW.ended_at IS NULL OR OLD.ended_at <> NEW.ended_at)" },
  },
  /** The token or session that made a token or a session. */
  credential_maker: {
    keeps: "appendOnly",
    columns: { credential_id: key(text("REFERENCES credential (id)")), maker_id: text("REFERENCES credential (id)") },
    rules: ["CHECK (credential_id <> maker_id)"],
    indexes: { credential_maker_maker: "(maker_id)" },
  },
  password: {
    keeps: "neverDeleted",
    columns: { principal_id: key(principal), hash: text(), changed_at: text() },
  },
  /** The second factor of a password; `recovery` is a JSON list of hashes. */
  second_factor: {
    columns: {
      principal_id: key(principal),
      secret: text(),
      last_step: integer(),
      recovery: text(),
      created_at: text(),
      confirmed_at: maybe(text()),
    },
  },
  identity: {
    keeps: "neverDeleted",
    columns: { id: key(text()), principal_id: principal, issuer: text(), subject: text(), created_at: text() },
    rules: ["UNIQUE (issuer, subject)"],
    indexes: { identity_principal: "(principal_id)" },
  },
  invitation: {
    keeps: "neverDeleted",
    columns: {
      id: key(text()),
      team_id: team,
      role: oneOf("member", "teamAdmin"),
      email: maybe(text()),
      secret_hash: maybe(text("UNIQUE CHECK (length(secret_hash) = 64)")),
      created_by: principal,
      created_at: text(),
      expires_at: text(),
      accepted_by: maybe(principal),
      ended_at: maybe(text()),
    },
    rules: ["CHECK (accepted_by IS NULL OR ended_at IS NOT NULL)"],
    indexes: { invitation_team: "(team_id)" },
    refuses: {
      end_is_final: `OLD.ended_at IS NOT NULL AND (NEW.ended_at IS NULL OR NEW.ended_at <> OLD.ended_at
        OR NEW.email IS NOT NULL OR coalesce(NEW.accepted_by, '') <> coalesce(OLD.accepted_by, ''))`,
    },
  },

  // The people and groups that a provider keeps here by SCIM, under the names that it knows them by, and the service that acts for it.
  provider_service: {
    columns: { provider: key(text()), principal_id: unique(principal) },
  },
  /** A person whom a provider keeps; `user_key` is the user name in small letters, `is_made` says that it brought them, `is_ended` that it removed them here. */
  provisioned_user: {
    columns: {
      principal_id: key(principal),
      provider: text(),
      user_name: text(),
      user_key: text(),
      external_id: maybe(text()),
      is_made: flag,
      is_ended: flag,
      is_deleted: flag,
      changed_at: text(),
    },
    rules: ["UNIQUE (provider, user_key)"],
    indexes: {
      provisioned_user_external: "(provider, external_id)",
      provisioned_user_listed: "(provider, is_deleted, principal_id)",
    },
  },
  provisioned_group: {
    columns: {
      id: key(text()),
      provider: text(),
      name: text(),
      external_id: maybe(text()),
      created_at: text(),
      changed_at: text(),
    },
    rules: ["UNIQUE (provider, name)"],
  },
  provisioned_member: {
    columns: {
      group_id: text("REFERENCES provisioned_group (id)"),
      principal_id: text<PrincipalId>("REFERENCES provisioned_user (principal_id)"),
    },
    rules: ["PRIMARY KEY (group_id, principal_id)"],
    indexes: { provisioned_member_principal: "(principal_id)" },
  },

  // The people protected and the tables about them. An upload that is gone stays named, so that nothing is declared over it again.
  population: {
    keeps: "appendOnly",
    columns: {
      id: key(text<PopulationId>()),
      name: text("CHECK (length(name) BETWEEN 1 AND 200)"),
      privacy_unit: text("CHECK (length(privacy_unit) BETWEEN 1 AND 200)"),
      adjacency: oneOf<Adjacency>("addRemove", "replace", "replaceSpecial"),
      created_at: text(),
    },
  },
  publication: {
    keeps: "neverDeleted",
    columns: { population_id: key(population), is_public: flag, ...changed },
  },
  dataset: {
    keeps: "neverDeleted",
    columns: {
      id: key(text<DatasetId>()),
      population_id: population,
      name: text("CHECK (length(name) BETWEEN 1 AND 200)"),
      salt: text("CHECK (length(salt) >= 32)"),
      version: integer(">= 1"),
      created_at: text(),
      created_by: principal,
    },
    indexes: { dataset_population: "(population_id)" },
    refuses: {
      population_is_fixed:
        "OLD.population_id <> NEW.population_id OR OLD.salt <> NEW.salt OR NEW.version < OLD.version",
    },
  },
  dataset_version: {
    keeps: "appendOnly",
    columns: {
      id: key(text()),
      dataset_id: dataset,
      version: integer(">= 1"),
      declaration: text(),
      source: text(),
      /** 1 where its owner saw how rows fit before they declared it, or an earlier version. [M341] */
      is_fitted: flag,
      created_at: text(),
      created_by: principal,
    },
    rules: ["UNIQUE (dataset_id, version)"],
  },
  /** An upload that was erased: nothing is charged any more for what would read it. */
  erased_upload: {
    keeps: "appendOnly",
    columns: { file: key(text()), dataset_id: dataset, erased_at: text() },
  },
  /** Bytes of which someone saw how they fit a declaration: what they declare over them is fitted. Nothing of what was seen. [M341] */
  checked_upload: {
    keeps: "appendOnly",
    columns: { digest: text(), principal_id: principal, checked_at: text() },
    rules: ["PRIMARY KEY (digest, principal_id)"],
  },
  /** A person has bytes in a declaration that was over others, or someone else's, before. [M383] */
  passed_upload: {
    keeps: "appendOnly",
    columns: { digest: text(), principal_id: principal, from_digest: text(), from_principal_id: principal },
    rules: ["PRIMARY KEY (digest, principal_id, from_digest, from_principal_id)"],
  },
  /** An upload that is gone before a table was declared over it. */
  discarded_upload: {
    keeps: "appendOnly",
    columns: { file: key(text()), discarded_at: text() },
  },
  listing: {
    keeps: "neverDeleted",
    columns: { dataset_id: key(dataset), is_listed: flag, shows_columns: flag, description: text(), ...changed },
  },
  /** Databases that admins added; the secret by its name. */
  connection: {
    columns: { name: key(text()), url: text(), secret: text(), added_at: text(), added_by: principal },
  },

  // The filter of each population and the versions of its promise.
  ledger: {
    keeps: "neverDeleted",
    columns: {
      id: key(text<LedgerId>()),
      population_id: unique(population),
      rule: oneOf<Rule>("addition", "tight", "additionThenTight"),
      active_rule: text<ActiveRule>(
        "CHECK (active_rule IN ('addition', 'tight') AND (rule = 'additionThenTight' OR active_rule = rule))",
      ),
      policy: oneOf("ask", "auto"),
      mode: oneOf("funded", "overbooked"),
      status: oneOf("open", "frozen"),
      terms: text(),
      version: integer(">= 1"),
      entries: integer(">= 1"),
      head_hash: text(),
      opened_at: text(),
      opened_by: principal,
      ...amounts,
    },
    rules: [
      ALLOCATES_WHAT_IT_HAS,
      "CHECK (active_rule <> 'addition' OR (state_epsilon IS NOT NULL AND state_epsilon <= cap_epsilon))",
      "CHECK (active_rule <> 'tight' OR state_remaining_mu2 IS NOT NULL)",
    ],
    refuses: {
      spent_never_falls: FORGETS,
      entries_are_never_forgotten: `NEW.entries < OLD.entries OR NEW.version < OLD.version OR NEW.population_id <> OLD.population_id
        OR NEW.rule <> OLD.rule`,
      switch_is_final: "OLD.active_rule = 'tight' AND NEW.active_rule = 'addition'",
      remaining_mu2_never_grows: `NEW.version = OLD.version AND (NEW.state_remaining_mu2 > OLD.state_remaining_mu2
        OR NEW.cap_mu2 <> OLD.cap_mu2 OR NEW.cap_epsilon <> OLD.cap_epsilon OR NEW.cap_delta <> OLD.cap_delta
        OR (OLD.state_remaining_mu2 IS NULL AND NEW.state_remaining_mu2 IS NOT NULL))`,
    },
  },
  report_threshold: {
    keeps: "neverDeleted",
    columns: { ledger_id: key(ledger), epsilon: integer<EpsilonAmount>("> 0"), ...changed },
  },
  guarantee_version: {
    keeps: "appendOnly",
    columns: {
      ledger_id: ledger,
      version: integer(">= 1"),
      terms: text(),
      sentence: text(),
      reason: text(),
      decided_by: principal,
      seconded_by: maybe(principal),
      at: text(),
    },
    rules: ["PRIMARY KEY (ledger_id, version)"],
  },
  /** A raise of the lifetime that was asked for: a new version of the guarantee once a second person agreed. */
  amendment: {
    keeps: "neverDeleted",
    columns: {
      id: key(text<AmendmentId>()),
      ledger_id: ledger,
      /** The version that it raises; another one meanwhile makes it void. */
      base: integer(">= 1"),
      epsilon: integer<EpsilonAmount>("> 0"),
      delta: integer<DeltaAmount>(">= 0"),
      delta_selection: integer<DeltaAmount>("BETWEEN 0 AND delta"),
      reason: text(),
      status: oneOf("proposed", "effective", "rejected", "withdrawn"),
      proposed_by: principal,
      proposed_at: text(),
      decided_by: maybe(principal),
      decided_at: maybe(text()),
      note: text(),
      version: maybe(integer()),
    },
    rules: [
      "CHECK ((status = 'proposed') = (decided_at IS NULL))",
      "CHECK ((status = 'effective') = (version IS NOT NULL))",
    ],
    indexes: { amendment_ledger: "(ledger_id)" },
    uniqueIndexes: { amendment_one_open: "(ledger_id) WHERE status = 'proposed'" },
    refuses: {
      decided_is_final: "OLD.status <> 'proposed'",
      proposal_is_fixed: `OLD.epsilon <> NEW.epsilon OR OLD.delta <> NEW.delta OR OLD.delta_selection <> NEW.delta_selection
        OR OLD.base <> NEW.base OR OLD.reason <> NEW.reason OR OLD.proposed_by <> NEW.proposed_by`,
    },
  },

  // The tree of quotas below a ledger, and who asks for more. `given_quota` sums what one account has from the one next to it.
  account: {
    keeps: "neverDeleted",
    columns: {
      id: key(text<AccountId>()),
      ledger_id: ledger,
      parent_id: maybe(account),
      holder_kind: oneOf("dataset", "team", "principal", "purpose"),
      holder_id: text(),
      kind: oneOf("share", "cap"),
      mode: oneOf("funded", "overbooked"),
      status: oneOf("active", "frozen", "closed"),
      opened_at: text(),
      /** null: it does not end by itself. */
      expires_at: maybe(text()),
      /** The most one charge may take, as a pure ε; null: no such limit. */
      query_epsilon: maybe(integer<EpsilonAmount>("> 0")),
      ...amounts,
    },
    rules: [ALLOCATES_WHAT_IT_HAS],
    indexes: { account_ledger: "(ledger_id)", account_parent: "(parent_id)", account_holder: "(holder_id)" },
    uniqueIndexes: {
      account_one_per_holder: "(ledger_id, coalesce(parent_id, ''), holder_kind, holder_id) WHERE status <> 'closed'",
    },
    refuses: {
      spent_never_falls: FORGETS,
      closed_is_final: { of: ["status"], when: "OLD.status = 'closed' AND NEW.status <> 'closed'" },
      place_is_fixed: {
        of: ["ledger_id", "parent_id", "holder_id", "kind"],
        when: `OLD.ledger_id <> NEW.ledger_id OR coalesce(OLD.parent_id, '') <> coalesce(NEW.parent_id, '')
          OR OLD.holder_id <> NEW.holder_id OR OLD.kind <> NEW.kind`,
      },
    },
  },
  transfer: {
    keeps: "appendOnly",
    columns: {
      seq: serial(),
      ledger_id: ledger,
      from_account_id: maybe(account),
      to_account_id: maybe(account),
      kind: oneOf("allocate", "withdraw", "close"),
      /** The larger operation of which the move was a part. */
      cause: maybe(oneOf("transfer", "recall", "expire")),
      epsilon: integer<EpsilonAmount>(">= 0"),
      delta: integer<DeltaAmount>(">= 0"),
      request_id: maybe(text<RequestId>()),
      actor: principal,
      at: text(),
    },
    rules: ["CHECK (from_account_id IS NOT NULL OR to_account_id IS NOT NULL)"],
    indexes: { transfer_ledger: "(ledger_id)" },
  },
  /** Net transfer from one account to the other. */
  given_quota: {
    columns: {
      /** The smaller of the two ids. */
      from_account_id: account,
      to_account_id: account,
      epsilon: integer(),
      delta: integer(),
    },
    rules: ["PRIMARY KEY (from_account_id, to_account_id)", "CHECK (from_account_id < to_account_id)"],
  },
  request: {
    keeps: "neverDeleted",
    columns: {
      id: key(text<RequestId>()),
      ledger_id: ledger,
      dataset_id: dataset,
      /** null: access is asked for; the account that was opened, once it is given. */
      account_id: maybe(account),
      parent_id: maybe(account),
      holder_kind: oneOf("team", "principal"),
      holder_id: text(),
      requester_id: principal,
      epsilon: integer<EpsilonAmount>("> 0"),
      delta: integer<DeltaAmount>(">= 0"),
      note: text(),
      plan: maybe(text()),
      status: oneOf(
        "submitted",
        "counterOffered",
        "approved",
        "partlyApproved",
        "rejected",
        "withdrawn",
        "expired",
        "superseded",
        "infoRequested",
        "escalated",
      ),
      version: integer(">= 1"),
      offered_epsilon: maybe(integer<EpsilonAmount>("> 0")),
      offered_delta: maybe(integer<DeltaAmount>(">= 0")),
      granted_epsilon: maybe(integer<EpsilonAmount>("> 0")),
      granted_delta: maybe(integer<DeltaAmount>(">= 0")),
      decider_id: maybe(principal),
      decision_note: text(),
      self_decided: flag,
      superseded_by: maybe(text<RequestId>()),
      /** The answer to a question about the request. */
      answer: text(),
      /** The request that could not be paid for and led to this one. */
      origin_id: maybe(text<RequestId>("REFERENCES request (id)")),
      created_at: text(),
      changed_at: text(),
      expires_at: text(),
    },
    rules: [
      `CHECK ((status IN ('approved', 'partlyApproved')) = (granted_epsilon IS NOT NULL
        AND account_id IS NOT NULL AND decider_id IS NOT NULL))`,
      "CHECK (status <> 'counterOffered' OR (offered_epsilon IS NOT NULL AND decider_id IS NOT NULL))",
      "CHECK ((status = 'superseded') = (superseded_by IS NOT NULL))",
    ],
    indexes: { request_ledger: "(ledger_id)", request_requester: "(requester_id)" },
    uniqueIndexes: {
      request_one_open: `(requester_id, ledger_id, coalesce(parent_id, ''), holder_kind, holder_id)
        WHERE status IN ('submitted', 'counterOffered', 'infoRequested', 'escalated')`,
    },
    refuses: {
      end_is_final: "OLD.status NOT IN ('submitted', 'counterOffered', 'infoRequested', 'escalated')",
      one_version_a_step: "NEW.version <> OLD.version + 1",
      what_was_asked_is_fixed: `NEW.ledger_id <> OLD.ledger_id OR NEW.dataset_id <> OLD.dataset_id
        OR NEW.requester_id <> OLD.requester_id OR NEW.holder_id <> OLD.holder_id
        OR coalesce(NEW.parent_id, '') <> coalesce(OLD.parent_id, '') OR NEW.epsilon <> OLD.epsilon
        OR NEW.delta <> OLD.delta OR NEW.note <> OLD.note
        OR coalesce(NEW.origin_id, '') <> coalesce(OLD.origin_id, '')
        OR coalesce(NEW.plan, '') <> coalesce(OLD.plan, '') OR NEW.expires_at <> OLD.expires_at
        OR (OLD.account_id IS NOT NULL AND NEW.account_id <> OLD.account_id)`,
    },
  },
  standing_approval: {
    keeps: "neverDeleted",
    columns: {
      id: key(text()),
      ledger_id: ledger,
      parent_id: maybe(account),
      most: integer<EpsilonAmount>("> 0"),
      room: integer<EpsilonAmount>(">= 0"),
      created_by: principal,
      created_at: text(),
      ended_at: maybe(text()),
    },
    indexes: { standing_approval_ledger: "(ledger_id)" },
    refuses: {
      end_is_final: "OLD.ended_at IS NOT NULL",
      room_only_shrinks: "NEW.room > OLD.room OR NEW.most <> OLD.most",
    },
  },

  // Every charge. Where a ledger has blocks: the state of a filter as runs of equal blocks, and the blocks that each charge named.
  // A block in no run has spent nothing.
  entry: {
    keeps: "appendOnly",
    columns: {
      seq: serial(),
      ledger_id: ledger,
      number: integer(">= 1"),
      kind: oneOf("open", "charge", "switch", "amend", "writeOff"),
      charge_id: maybe(text<ChargeId>()),
      account_id: maybe(account),
      principal_id: principal,
      dataset_id: maybe(dataset),
      active_rule: oneOf<ActiveRule>("addition", "tight"),
      events: text(),
      price_epsilon: maybe(integer<EpsilonAmount>(">= 0")),
      price_delta: integer<DeltaAmount>(">= 0"),
      remaining_mu2_before: maybe(integer<Mu2Amount>()),
      remaining_mu2_after: maybe(
        integer<Mu2Amount>(">= 0 AND (kind = 'amend' OR remaining_mu2_after <= remaining_mu2_before)"),
      ),
      /** Idempotency key, request as canonical JSON, and its hash with account and dataset; of a charge. */
      key: maybe(text("CHECK (length(key) BETWEEN 1 AND 200)")),
      request: maybe(text()),
      request_hash: maybe(text()),
      at: text(),
      prev_hash: text(),
      hash: text(),
    },
    rules: [
      "UNIQUE (ledger_id, number)",
      "UNIQUE (principal_id, key)",
      `CHECK ((kind = 'charge') = (charge_id IS NOT NULL AND account_id IS NOT NULL
        AND dataset_id IS NOT NULL AND key IS NOT NULL AND request IS NOT NULL AND request_hash IS NOT NULL))`,
      "CHECK ((kind = 'charge') = (charge_id IS NOT NULL))",
    ],
    indexes: { entry_account: "(account_id, number)", entry_rare: "(ledger_id, number) WHERE kind <> 'charge'" },
  },
  /** Counted by a ledger with blocks, or an account of it, in blocks `block_from` to `block_to`; blocks in no run have counted nothing. */
  block_run: {
    columns: {
      node_id: text<LedgerId | AccountId>(),
      block_from: integer(),
      block_to: integer(">= block_from"),
      state_epsilon: maybe(integer<EpsilonAmount>(">= 0")),
      state_delta: integer<DeltaAmount>(">= 0"),
      state_remaining_mu2: maybe(integer<Mu2Amount>(">= 0")),
    },
    rules: ["PRIMARY KEY (node_id, block_from)"],
  },
  /** Blocks that the charge of an entry named, with what was left of the ledger in each before it and after. */
  charge_block: {
    keeps: "appendOnly",
    columns: {
      entry_seq: entry,
      block_from: integer(),
      block_to: integer(">= block_from"),
      remaining_mu2_before: maybe(integer<Mu2Amount>(">= 0")),
      remaining_mu2_after: maybe(integer<Mu2Amount>(">= 0 AND remaining_mu2_after <= remaining_mu2_before")),
    },
    rules: ["PRIMARY KEY (entry_seq, block_from)"],
  },
  /** A certified step of a filter by the plan of an entry, for one exact r before it. [M150] */
  plan_quote: {
    keeps: "appendOnly",
    columns: {
      entry_seq: entry,
      remaining_mu2_before: integer<Mu2Amount>("> 0"),
      remaining_mu2_after: integer<Mu2Amount>(">= 0 AND remaining_mu2_after < remaining_mu2_before"),
      slack: integer<DeltaAmount>("> 0"),
    },
    rules: ["PRIMARY KEY (entry_seq, remaining_mu2_before)"],
  },
  /** An answer of another account that the holder of a cap has read: it counts against the cap once, at full price. */
  cap_reading: {
    keeps: "appendOnly",
    columns: {
      account_id: account,
      entry_seq: entry,
      reader_id: principal,
      /** Its place among the readings of all accounts. */
      seq: unique(integer()),
      /** The newest entry when it was read. */
      after_seq: integer(">= entry_seq"),
      at: text(),
    },
    rules: ["PRIMARY KEY (account_id, entry_seq)"],
  },

  // Who works on a charge, and what was answered: at most one release, with its title and note next to it, so that its hash never
  // changes.
  /** Who works on a charge: all of it that ever changes. */
  lease: {
    keeps: "neverDeleted",
    columns: {
      entry_seq: serial("REFERENCES entry (seq)"),
      status: oneOf("charged", "released", "declared"),
      owner: text(),
      until_at: text(),
      tries: integer(">= 1"),
    },
    indexes: { lease_pending: "(entry_seq) WHERE status = 'charged'" },
    refuses: {
      released_is_final: "OLD.status <> 'charged'",
      charge_is_fixed: "OLD.entry_seq <> NEW.entry_seq OR NEW.tries < OLD.tries",
    },
  },
  release: {
    keeps: "appendOnly",
    columns: {
      seq: serial(),
      id: unique(text<ReleaseId>()),
      charge_id: text<ChargeId>(),
      entry_seq: unique(lease),
      answers: text(),
      sentence: text(),
      receipt: text(),
      at: text(),
    },
  },
  /** The words of people about a release. */
  release_label: {
    keeps: "neverDeleted",
    columns: {
      entry_seq: serial("REFERENCES lease (entry_seq)"),
      title: maybe(text()),
      note: maybe(text()),
      ...changed,
    },
  },
  /** What was ever public. Without a link it is not read any more; without a title it is called by what it asks. */
  public_answer: {
    keeps: "neverDeleted",
    columns: {
      entry_seq: serial("REFERENCES lease (entry_seq)"),
      ledger_id: ledger,
      /** SHA-256 of the secret in its address. */
      link_hash: maybe(text("UNIQUE CHECK (length(link_hash) = 64)")),
      title: maybe(text()),
      /** Whether search engines may list it. */
      is_indexed: flag,
      expires_at: maybe(text()),
      ...changed,
    },
    rules: ["CHECK ((link_hash IS NULL) = (expires_at IS NULL))"],
    indexes: { public_answer_ledger: "(ledger_id)" },
    refuses: { answer_is_fixed: "OLD.entry_seq <> NEW.entry_seq OR OLD.ledger_id <> NEW.ledger_id" },
  },
  /**
   * A plan that someone keeps before releasing it, or a declaration that is not finished, without a dataset. `team_id`: whose members read it
   * too. `file` and `digest`: the upload that is declared.
   */
  draft: {
    columns: {
      id: key(text<DraftId>()),
      kind: oneOf("plan", "unfinishedPlan", "declaration"),
      dataset_id: maybe(dataset),
      account_id: maybe(account),
      owner_id: principal,
      team_id: maybe(team),
      name: text(),
      content: text(),
      file: maybe(text()),
      digest: maybe(text()),
      changed_at: text(),
    },
    rules: [
      "CHECK ((dataset_id IS NULL) = (account_id IS NULL))",
      "CHECK ((dataset_id IS NULL) = (kind = 'declaration'))",
      "CHECK ((file IS NULL) = (digest IS NULL))",
    ],
    indexes: { draft_owner: "(dataset_id, owner_id)", draft_team: "(dataset_id, team_id)" },
  },
  draft_comment: {
    columns: {
      id: key(text()),
      draft_id: text<DraftId>("REFERENCES draft (id)"),
      author_id: principal,
      text: text(),
      at: text(),
    },
    indexes: { draft_comment_draft: "(draft_id)" },
  },
  /** A page of answers that someone chose. `readers` and `items`: lists as JSON. */
  dashboard: {
    columns: {
      id: key(text<DashboardId>()),
      owner_id: principal,
      name: text(),
      team_id: maybe(team),
      readers: text(),
      items: text(),
      changed_at: text(),
    },
    indexes: { dashboard_owner: "(owner_id)", dashboard_team: "(team_id)" },
  },

  // Who may charge for programs outside, what a second person agreed to, and what is known of each such charge: `programs` counts
  // those of its ledger up to it. Its report may hold rows.
  /** Who may charge an account for programs outside, as a pure ε; null `most_epsilon`: no one. */
  declare_right: {
    keeps: "neverDeleted",
    columns: {
      account_id: key(account),
      most_epsilon: maybe(integer<EpsilonAmount>("> 0")),
      second_above: maybe(integer<EpsilonAmount>(">= 0")),
      agents: flag,
      ...changed,
    },
  },
  /** What a second person agreed to: the hash of key and request. */
  declare_approval: {
    keeps: "appendOnly",
    columns: {
      digest: text("CHECK (length(digest) = 64)"),
      account_id: account,
      approved_at: text(),
      approved_by: principal,
    },
    rules: ["PRIMARY KEY (digest, approved_by)"],
  },
  /** What waits for a second person, as it was stated. `blocks`: JSON of the window. */
  declare_wait: {
    keeps: "neverDeleted",
    columns: {
      digest: key(text("CHECK (length(digest) = 64)")),
      account_id: account,
      dataset_id: dataset,
      principal_id: principal,
      key: text(),
      request: text(),
      blocks: maybe(text()),
      asked_at: text(),
      refused_at: maybe(text()),
      refused_by: maybe(principal),
    },
    rules: ["CHECK ((refused_at IS NULL) = (refused_by IS NULL))"],
    indexes: { declare_wait_account: "(account_id)" },
  },
  /** A charge for a program outside. `evidence`: canonical JSON; `programs`: of its ledger, up to it. */
  declared_charge: {
    keeps: "neverDeleted",
    columns: {
      entry_seq: serial("REFERENCES lease (entry_seq)"),
      charge_id: unique(text<ChargeId>()),
      ledger_id: ledger,
      principal_id: principal,
      program: text(),
      programs: integer(">= 1"),
      evidence: maybe(text()),
      report: maybe(text("CHECK (length(report) <= 1000000)")),
      attached_at: maybe(text()),
      published_at: maybe(text()),
      published_by: maybe(principal),
      redeemed_at: maybe(text()),
      redeemed_by: maybe(principal),
    },
    rules: [
      "CHECK ((evidence IS NULL) = (attached_at IS NULL))",
      `CHECK ((published_at IS NULL) = (published_by IS NULL) AND (published_at IS NULL
        OR attached_at IS NOT NULL))`,
      "CHECK ((redeemed_at IS NULL) = (redeemed_by IS NULL))",
    ],
    indexes: {
      declared_charge_ledger: "(ledger_id, entry_seq)",
      declared_charge_program: "(principal_id, program, ledger_id)",
    },
    refuses: {
      once_is_final: `OLD.programs <> NEW.programs OR OLD.ledger_id <> NEW.ledger_id OR OLD.program <> NEW.program
        OR (OLD.attached_at IS NOT NULL AND (NEW.evidence <> OLD.evidence
        OR coalesce(NEW.report, '') <> coalesce(OLD.report, ''))) OR (OLD.published_at IS NOT NULL
        AND NEW.published_at <> OLD.published_at) OR (OLD.redeemed_at IS NOT NULL
        AND NEW.redeemed_at <> OLD.redeemed_at)`,
    },
  },

  // What was released, and is being paid for, by the hash of the question, so that it need not be paid for again.
  /** Every row of a release that was drawn, by the hash of its question. */
  statistic: {
    keeps: "appendOnly",
    columns: {
      seq: serial(),
      entry_seq: entry,
      charge_id: text<ChargeId>(),
      row_id: text(),
      dataset_id: dataset,
      version: integer(">= 1"),
      key_hash: text("CHECK (length(key_hash) = 64)"),
      scope_hash: text("CHECK (length(scope_hash) = 64)"),
      name: text(),
      column_name: maybe(text()),
      label: text(),
      request: text(),
      principal_id: principal,
      account_id: account,
      at: text(),
    },
    rules: ["UNIQUE (entry_seq, row_id)"],
    indexes: {
      statistic_key: "(key_hash)",
      statistic_scope: "(scope_hash)",
      statistic_dataset: "(dataset_id, version, seq)",
    },
  },
  /** Every row of a release that came from earlier ones, with the price of drawing it. */
  reuse: {
    keeps: "appendOnly",
    columns: {
      seq: serial(),
      entry_seq: entry,
      row_id: text(),
      dataset_id: dataset,
      principal_id: principal,
      kind: oneOf("same", "pooled", "derived", "refined"),
      saved_epsilon: maybe(integer<EpsilonAmount>(">= 0")),
      saved_mu2: maybe(integer<Mu2Amount>(">= 0")),
      at: text(),
    },
    rules: ["UNIQUE (entry_seq, row_id)"],
    indexes: { reuse_dataset: "(dataset_id)" },
  },
  reuse_policy: {
    keeps: "neverDeleted",
    columns: {
      dataset_id: key(dataset),
      visibility: oneOf("dataset", "team", "member"),
      price: oneOf("free", "ownLevel"),
      ...changed,
    },
  },
  /** The questions of charges whose answers are not there yet. */
  claim: {
    keeps: "appendOnly",
    columns: {
      entry_seq: entry,
      key_hash: text("CHECK (length(key_hash) = 64)"),
      principal_id: principal,
      account_id: account,
      at: text(),
    },
    rules: ["PRIMARY KEY (entry_seq, key_hash)"],
    indexes: { claim_key: "(key_hash)" },
  },

  // Reports that the server makes when a block is over, each paid for by an account of its own.
  /** A plan that is released when a block is over. `latest`: how many blocks a report covers; `block_first`: whose end brings the first one. */
  schedule: {
    keeps: "neverDeleted",
    columns: {
      id: key(text<ScheduleId>()),
      dataset_id: dataset,
      account_id: unique(account),
      owner_id: principal,
      name: text(),
      plan: text(),
      latest: integer(">= 1"),
      /** Of how many blocks a running total will be that goes on from report to report; null for any other plan. */
      horizon: maybe(integer("IS NULL OR (horizon >= 1 AND latest = 1)")),
      block_first: integer(),
      price_epsilon: maybe(integer<EpsilonAmount>(">= 0")),
      price_delta: integer<DeltaAmount>(">= 0"),
      earmark_epsilon: integer<EpsilonAmount>(">= 0"),
      earmark_delta: integer<DeltaAmount>(">= 0"),
      recipients: text(),
      status: oneOf("active", "paused", "ended"),
      created_at: text(),
    },
    indexes: { schedule_dataset: "(dataset_id)" },
    refuses: {
      earmarked: `OLD.id <> NEW.id OR OLD.dataset_id <> NEW.dataset_id OR OLD.account_id <> NEW.account_id
        OR OLD.owner_id <> NEW.owner_id OR OLD.plan <> NEW.plan OR OLD.latest <> NEW.latest
        OR OLD.block_first <> NEW.block_first OR coalesce(OLD.horizon, 0) <> coalesce(NEW.horizon, 0)`,
      end_is_final: "OLD.status = 'ended' AND NEW.status <> 'ended'",
    },
  },
  /** The outcome of a report: its charge, or a code and a message. `announced_at`: when people were notified. */
  schedule_point: {
    keeps: "neverDeleted",
    columns: {
      schedule_id: text<ScheduleId>("REFERENCES schedule (id)"),
      block: integer(),
      charge_id: maybe(text<ChargeId>()),
      code: maybe(text()),
      message: maybe(text()),
      at: text(),
      announced_at: maybe(text()),
    },
    rules: ["PRIMARY KEY (schedule_id, block)", "CHECK ((charge_id IS NULL) = (code IS NOT NULL))"],
    indexes: { schedule_point_unannounced: "(announced_at)" },
    refuses: {
      charge_is_final: "OLD.charge_id IS NOT NULL AND (NEW.charge_id IS NULL OR NEW.charge_id <> OLD.charge_id)",
    },
  },

  // What an AI agent may spend by itself, what it said that it spends for, and what waits for a click of its person.
  /** Limits of an AI agent. null: no such limit. */
  agent_limit: {
    keeps: "neverDeleted",
    columns: {
      principal_id: key(principal),
      hour_epsilon: maybe(integer<EpsilonAmount>("> 0")),
      confirm_above: maybe(integer<EpsilonAmount>(">= 0")),
      ...changed,
    },
  },
  /** The charges of AI agents. `epsilon`: the price by addition, null where there is none. */
  agent_charge: {
    keeps: "neverDeleted",
    columns: {
      entry_seq: key(entry),
      principal_id: principal,
      epsilon: maybe(integer<EpsilonAmount>()),
      purpose: maybe(text()),
      at: text(),
    },
    indexes: { agent_charge_principal: "(principal_id, at)" },
  },
  /** A release of an AI agent that waits for a click of its person. `asked`: canonical JSON, null `epsilon`: no price by addition. */
  confirmation: {
    columns: {
      id: key(text()),
      principal_id: principal,
      credential_id: text("REFERENCES credential (id)"),
      account_id: account,
      dataset_id: dataset,
      key: text(),
      asked: text(),
      epsilon: maybe(integer<EpsilonAmount>()),
      purpose: maybe(text()),
      status: oneOf("pending", "confirmed", "refused"),
      asked_at: text(),
      expires_at: text(),
      decided_at: maybe(text()),
    },
    rules: ["UNIQUE (principal_id, key)"],
  },

  // What people are notified of, and what waits to be sent.
  preference: {
    columns: { principal_id: principal, kind: text(), app: flag, mail: flag, webhook: flag },
    rules: ["PRIMARY KEY (principal_id, kind)"],
  },
  notification: {
    columns: {
      id: key(text()),
      principal_id: principal,
      kind: text<NotificationKind>(),
      subject: text(),
      facts: text(),
      /** A key of the event; each reader gets it once. */
      once: unique(text()),
      created_at: text(),
      read_at: maybe(text()),
    },
    indexes: { notification_principal: "(principal_id, id)" },
  },
  webhook: {
    columns: { principal_id: key(principal), url: text(), secret: text(), created_at: text() },
  },
  outbox: {
    columns: {
      id: key(text()),
      channel: oneOf("mail", "webhook"),
      principal_id: maybe(principal),
      address: maybe(text()),
      message: text(),
      created_at: text(),
      due_at: text(),
      tries: integer(">= 0"),
      ended_at: maybe(text()),
      outcome: maybe(oneOf("delivered", "refused", "givenUp")),
    },
    indexes: { outbox_due: "(due_at) WHERE ended_at IS NULL", outbox_latest: "(principal_id, due_at)" },
    refuses: { end_is_final: "OLD.ended_at IS NOT NULL" },
  },

  // What several server processes share, and the chain of everything that ever changed.
  /** Secrets that all server processes of one database share. */
  instance_secret: {
    columns: { name: key(text()), secret: text(), created_at: text() },
  },
  /** When the bucket of one caller is full again, in milliseconds since 1970. */
  rate: {
    columns: { id: key(text()), full_at: integer(">= 0") },
  },
  audit: {
    keeps: "appendOnly",
    columns: {
      seq: serial(),
      at: text(),
      actor: text<PrincipalId>(),
      action: text(),
      subject: text(),
      ledger_id: maybe(text<LedgerId>()),
      detail: text(),
      image: maybe(text()),
      prev_hash: text(),
      hash: text(),
    },
  },
} satisfies Readonly<Record<string, Table>>;

type Rows = { [Name in keyof typeof firstTables]: Row<(typeof firstTables)[Name]> };

/**
 * The rows of every table, as the store reads them: text as strings, INTEGER as bigint, times as ISO 8601 text. Ids and amounts
 * carry their brands here, so a value gets its brand where its row is read. `rowWith` finds a row by an id from outside. A later
 * migration adds its columns here.
 */
export interface Tables extends Rows {
  migration: { version: bigint; name: string; at: string };
  /** A view: the entry of a charge joined with its lease. */
  charge: {
    id: ChargeId;
    entry_seq: bigint;
    ledger_id: LedgerId;
    account_id: AccountId;
    principal_id: PrincipalId;
    dataset_id: DatasetId;
    key: string;
    request_hash: string;
    request: string;
    status: "charged" | "released" | "declared";
    lease_owner: string;
    lease_until: string;
    tries: bigint;
    at: string;
  };
}
