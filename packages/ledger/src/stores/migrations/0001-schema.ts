import type { Dialect, Migration } from "./migration.ts";

type Statements = Migration["statements"];

/** Who acts, what they may do, and whom an erasure or a ban leaves out. */
const people: Statements = ({ integer, strict, appendOnly, neverDeleted, refuseUpdate }) => [
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

  `CREATE TABLE service (
    principal_id TEXT PRIMARY KEY REFERENCES principal (id),
    on_behalf_of TEXT NOT NULL REFERENCES principal (id),
    CHECK (principal_id <> on_behalf_of)
  ) ${strict}`,
  "CREATE INDEX service_person ON service (on_behalf_of)",
  ...appendOnly("service"),

  `CREATE TABLE team (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    created_at TEXT NOT NULL,
    closed_at TEXT
  ) ${strict}`,
  ...neverDeleted("team"),

  `CREATE TABLE team_policy (
    team_id TEXT PRIMARY KEY REFERENCES team (id),
    links_admit TEXT NOT NULL CHECK (links_admit IN ('known', 'newcomers')),
    changed_at TEXT NOT NULL,
    changed_by TEXT NOT NULL REFERENCES principal (id)
  ) ${strict}`,
  ...neverDeleted("team_policy"),

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

  `CREATE TABLE erased_person (
    principal_id TEXT PRIMARY KEY REFERENCES principal (id),
    erased_at TEXT NOT NULL
  ) ${strict}`,

  `CREATE TABLE typed_address (
    principal_id TEXT PRIMARY KEY REFERENCES principal (id),
    email TEXT NOT NULL
  ) ${strict}`,
  "CREATE INDEX typed_address_email ON typed_address (email)",

  `CREATE TABLE ban (
    digest TEXT NOT NULL,
    principal_id TEXT NOT NULL REFERENCES principal (id),
    PRIMARY KEY (digest, principal_id)
  ) ${strict}`,
  "CREATE INDEX ban_principal ON ban (principal_id)",
];

/** How people prove who they are and are let in. A second factor can be deleted, so that a secret that is given up is gone. */
const signIn: Statements = ({ integer, strict, appendOnly, neverDeleted, refuseUpdate }) => [
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

  `CREATE TABLE credential_maker (
    credential_id TEXT PRIMARY KEY REFERENCES credential (id),
    maker_id TEXT NOT NULL REFERENCES credential (id),
    CHECK (credential_id <> maker_id)
  ) ${strict}`,
  "CREATE INDEX credential_maker_maker ON credential_maker (maker_id)",
  ...appendOnly("credential_maker"),

  `CREATE TABLE password (
    principal_id TEXT PRIMARY KEY REFERENCES principal (id),
    hash TEXT NOT NULL,
    changed_at TEXT NOT NULL
  ) ${strict}`,
  ...neverDeleted("password"),

  `CREATE TABLE second_factor (
    principal_id TEXT PRIMARY KEY REFERENCES principal (id),
    secret TEXT NOT NULL,
    last_step ${integer} NOT NULL,
    recovery TEXT NOT NULL,
    created_at TEXT NOT NULL,
    confirmed_at TEXT
  ) ${strict}`,

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
  ...refuseUpdate(
    "invitation",
    "end_is_final",
    `OLD.ended_at IS NOT NULL AND (NEW.ended_at IS NULL OR NEW.ended_at <> OLD.ended_at OR NEW.email IS NOT NULL
      OR coalesce(NEW.accepted_by, '') <> coalesce(OLD.accepted_by, ''))`,
  ),
];

/** The people and groups that a provider keeps here by SCIM, under the names that it knows them by, and the service that acts for it. */
const provisioning: Statements = ({ integer, strict }) => [
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
  "CREATE INDEX provisioned_user_external ON provisioned_user (provider, external_id)",
  "CREATE INDEX provisioned_user_listed ON provisioned_user (provider, is_deleted, principal_id)",

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
];

/** The people protected and the tables about them. An upload that is gone stays named, so that nothing is declared over it again. */
const catalog: Statements = ({ integer, strict, appendOnly, neverDeleted, refuseUpdate }) => [
  `CREATE TABLE population (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    privacy_unit TEXT NOT NULL CHECK (length(privacy_unit) BETWEEN 1 AND 200),
    adjacency TEXT NOT NULL CHECK (adjacency IN ('addRemove', 'replace', 'replaceSpecial')),
    created_at TEXT NOT NULL
  ) ${strict}`,
  ...appendOnly("population"),

  `CREATE TABLE publication (
    population_id TEXT PRIMARY KEY REFERENCES population (id),
    is_public ${integer} NOT NULL CHECK (is_public IN (0, 1)),
    changed_at TEXT NOT NULL,
    changed_by TEXT NOT NULL REFERENCES principal (id)
  ) ${strict}`,
  ...neverDeleted("publication"),

  `CREATE TABLE dataset (
    id TEXT PRIMARY KEY,
    population_id TEXT NOT NULL REFERENCES population (id),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    salt TEXT NOT NULL CHECK (length(salt) >= 32),
    version ${integer} NOT NULL CHECK (version >= 1),
    created_at TEXT NOT NULL,
    created_by TEXT NOT NULL REFERENCES principal (id)
  ) ${strict}`,
  "CREATE INDEX dataset_population ON dataset (population_id)",
  ...neverDeleted("dataset"),
  ...refuseUpdate(
    "dataset",
    "population_is_fixed",
    "OLD.population_id <> NEW.population_id OR OLD.salt <> NEW.salt OR NEW.version < OLD.version",
  ),

  `CREATE TABLE dataset_version (
    id TEXT PRIMARY KEY,
    dataset_id TEXT NOT NULL REFERENCES dataset (id),
    version ${integer} NOT NULL CHECK (version >= 1),
    declaration TEXT NOT NULL,
    source TEXT NOT NULL,
    is_fitted ${integer} NOT NULL CHECK (is_fitted IN (0, 1)),
    created_at TEXT NOT NULL,
    created_by TEXT NOT NULL REFERENCES principal (id),
    UNIQUE (dataset_id, version)
  ) ${strict}`,
  ...appendOnly("dataset_version"),

  `CREATE TABLE erased_upload (
    file TEXT PRIMARY KEY,
    dataset_id TEXT NOT NULL REFERENCES dataset (id),
    erased_at TEXT NOT NULL
  ) ${strict}`,
  ...appendOnly("erased_upload"),

  `CREATE TABLE checked_upload (
    digest TEXT NOT NULL,
    principal_id TEXT NOT NULL REFERENCES principal (id),
    checked_at TEXT NOT NULL,
    PRIMARY KEY (digest, principal_id)
  ) ${strict}`,
  ...appendOnly("checked_upload"),

  `CREATE TABLE passed_upload (
    digest TEXT NOT NULL,
    principal_id TEXT NOT NULL REFERENCES principal (id),
    from_digest TEXT NOT NULL,
    from_principal_id TEXT NOT NULL REFERENCES principal (id),
    PRIMARY KEY (digest, principal_id, from_digest, from_principal_id)
  ) ${strict}`,
  ...appendOnly("passed_upload"),

  `CREATE TABLE discarded_upload (
    file TEXT PRIMARY KEY,
    discarded_at TEXT NOT NULL
  ) ${strict}`,
  ...appendOnly("discarded_upload"),

  `CREATE TABLE listing (
    dataset_id TEXT PRIMARY KEY REFERENCES dataset (id),
    is_listed ${integer} NOT NULL CHECK (is_listed IN (0, 1)),
    shows_columns ${integer} NOT NULL CHECK (shows_columns IN (0, 1)),
    description TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    changed_by TEXT NOT NULL REFERENCES principal (id)
  ) ${strict}`,
  ...neverDeleted("listing"),

  `CREATE TABLE connection (
    name TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    added_at TEXT NOT NULL,
    added_by TEXT NOT NULL REFERENCES principal (id)
  ) ${strict}`,
];

/** Of ledgers and accounts. Amounts everywhere: ε and μ² in 1e-12, δ in 1e-18. */
const amounts = ({ integer }: Dialect): string => `quota_epsilon ${integer} NOT NULL CHECK (quota_epsilon >= 0),
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

/** Sums never fall; a pure sum that was lost stays lost. True when a row breaks that. */
const FORGETS = `NEW.state_delta < OLD.state_delta OR NEW.state_epsilon < OLD.state_epsilon
  OR (OLD.state_epsilon IS NULL AND NEW.state_epsilon IS NOT NULL)`;

/** The filter of each population and the versions of its promise. */
const ledgers: Statements = (dialect) => {
  const { integer, strict, appendOnly, neverDeleted, refuseUpdate } = dialect;
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
      ${amounts(dialect)},
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

    `CREATE TABLE report_threshold (
      ledger_id TEXT PRIMARY KEY REFERENCES ledger (id),
      epsilon ${integer} NOT NULL CHECK (epsilon > 0),
      changed_at TEXT NOT NULL,
      changed_by TEXT NOT NULL REFERENCES principal (id)
    ) ${strict}`,
    ...neverDeleted("report_threshold"),

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
  ];
};

/** The tree of quotas below a ledger, and who asks for more. `given_quota` sums what one account has from the one next to it. */
const accounts: Statements = (dialect) => {
  const { serial, integer, strict, appendOnly, neverDeleted, refuseUpdate } = dialect;
  return [
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
      ${amounts(dialect)}
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

    `CREATE TABLE given_quota (
      from_account_id TEXT NOT NULL REFERENCES account (id),
      to_account_id TEXT NOT NULL REFERENCES account (id),
      epsilon ${integer} NOT NULL,
      delta ${integer} NOT NULL,
      PRIMARY KEY (from_account_id, to_account_id),
      CHECK (from_account_id < to_account_id)
    ) ${strict}`,

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
  ];
};

/**
 * Every charge. Where a ledger has blocks: the state of a filter as runs of equal blocks, and the blocks that each charge named. A block in no
 * run has spent nothing.
 */
const charges: Statements = ({ serial, integer, strict, appendOnly }) => [
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

  `CREATE TABLE block_run (
    node_id TEXT NOT NULL,
    block_from ${integer} NOT NULL,
    block_to ${integer} NOT NULL CHECK (block_to >= block_from),
    state_epsilon ${integer} CHECK (state_epsilon >= 0),
    state_delta ${integer} NOT NULL CHECK (state_delta >= 0),
    state_remaining_mu2 ${integer} CHECK (state_remaining_mu2 >= 0),
    PRIMARY KEY (node_id, block_from)
  ) ${strict}`,

  `CREATE TABLE charge_block (
    entry_seq ${integer} NOT NULL REFERENCES entry (seq),
    block_from ${integer} NOT NULL,
    block_to ${integer} NOT NULL CHECK (block_to >= block_from),
    remaining_mu2_before ${integer} CHECK (remaining_mu2_before >= 0),
    remaining_mu2_after ${integer} CHECK (remaining_mu2_after >= 0 AND remaining_mu2_after <= remaining_mu2_before),
    PRIMARY KEY (entry_seq, block_from)
  ) ${strict}`,
  ...appendOnly("charge_block"),

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

/** Who works on a charge, and what was answered: at most one release, with its title and note next to it, so that its hash never changes. */
const releases: Statements = ({ serial, integer, strict, appendOnly, neverDeleted, refuseUpdate }) => [
  `CREATE TABLE lease (
    entry_seq ${serial} REFERENCES entry (seq),
    status TEXT NOT NULL CHECK (status IN ('charged', 'released', 'declared')),
    owner TEXT NOT NULL,
    until_at TEXT NOT NULL,
    tries ${integer} NOT NULL CHECK (tries >= 1)
  ) ${strict}`,
  "CREATE INDEX lease_pending ON lease (entry_seq) WHERE status = 'charged'",
  ...neverDeleted("lease"),
  ...refuseUpdate("lease", "released_is_final", "OLD.status <> 'charged'"),
  ...refuseUpdate("lease", "charge_is_fixed", "OLD.entry_seq <> NEW.entry_seq OR NEW.tries < OLD.tries"),
  `CREATE VIEW charge AS SELECT entry.charge_id AS id, entry.seq AS entry_seq, entry.ledger_id, entry.account_id,
    entry.principal_id, entry.dataset_id, entry.key, entry.request_hash, entry.request, lease.status,
    lease.owner AS lease_owner, lease.until_at AS lease_until, lease.tries, entry.at
    FROM entry JOIN lease ON lease.entry_seq = entry.seq`,

  `CREATE TABLE release (
    seq ${serial},
    id TEXT NOT NULL UNIQUE,
    charge_id TEXT NOT NULL,
    entry_seq ${integer} NOT NULL UNIQUE REFERENCES lease (entry_seq),
    answers TEXT NOT NULL,
    sentence TEXT NOT NULL,
    receipt TEXT NOT NULL,
    at TEXT NOT NULL
  ) ${strict}`,
  ...appendOnly("release"),

  `CREATE TABLE release_label (
    entry_seq ${serial} REFERENCES lease (entry_seq),
    title TEXT,
    note TEXT,
    changed_at TEXT NOT NULL,
    changed_by TEXT NOT NULL REFERENCES principal (id)
  ) ${strict}`,
  ...neverDeleted("release_label"),

  // What is, was or is part of something public. Without a link it is not read any more, and stays counted.
  `CREATE TABLE public_answer (
    entry_seq ${serial} REFERENCES lease (entry_seq),
    ledger_id TEXT NOT NULL REFERENCES ledger (id),
    link_hash TEXT UNIQUE CHECK (length(link_hash) = 64),
    title TEXT,
    is_indexed ${integer} NOT NULL CHECK (is_indexed IN (0, 1)),
    expires_at TEXT,
    changed_at TEXT NOT NULL,
    changed_by TEXT NOT NULL REFERENCES principal (id),
    CHECK ((link_hash IS NULL) = (expires_at IS NULL))
  ) ${strict}`,
  "CREATE INDEX public_answer_ledger ON public_answer (ledger_id)",
  ...neverDeleted("public_answer"),
  ...refuseUpdate(
    "public_answer",
    "answer_is_fixed",
    "OLD.entry_seq <> NEW.entry_seq OR OLD.ledger_id <> NEW.ledger_id",
  ),

  `CREATE TABLE draft (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('plan', 'unfinishedPlan', 'declaration')),
    dataset_id TEXT REFERENCES dataset (id),
    account_id TEXT REFERENCES account (id),
    owner_id TEXT NOT NULL REFERENCES principal (id),
    team_id TEXT REFERENCES team (id),
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    file TEXT,
    digest TEXT,
    changed_at TEXT NOT NULL,
    CHECK ((dataset_id IS NULL) = (account_id IS NULL)),
    CHECK ((dataset_id IS NULL) = (kind = 'declaration')),
    CHECK ((file IS NULL) = (digest IS NULL))
  ) ${strict}`,
  "CREATE INDEX draft_owner ON draft (dataset_id, owner_id)",
  "CREATE INDEX draft_team ON draft (dataset_id, team_id)",

  `CREATE TABLE draft_comment (
    id TEXT PRIMARY KEY,
    draft_id TEXT NOT NULL REFERENCES draft (id),
    author_id TEXT NOT NULL REFERENCES principal (id),
    text TEXT NOT NULL,
    at TEXT NOT NULL
  ) ${strict}`,
  "CREATE INDEX draft_comment_draft ON draft_comment (draft_id)",

  `CREATE TABLE dashboard (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES principal (id),
    name TEXT NOT NULL,
    team_id TEXT REFERENCES team (id),
    readers TEXT NOT NULL,
    items TEXT NOT NULL,
    changed_at TEXT NOT NULL
  ) ${strict}`,
  "CREATE INDEX dashboard_owner ON dashboard (owner_id)",
  "CREATE INDEX dashboard_team ON dashboard (team_id)",
];

/**
 * Who may charge for programs outside, what a second person agreed to, and what is known of each such charge: `programs` counts those of its
 * ledger up to it. Its report may hold rows.
 */
const declared: Statements = ({ serial, integer, strict, appendOnly, neverDeleted, refuseUpdate }) => [
  `CREATE TABLE declare_right (
    account_id TEXT PRIMARY KEY REFERENCES account (id),
    most_epsilon ${integer} CHECK (most_epsilon > 0),
    second_above ${integer} CHECK (second_above >= 0),
    agents ${integer} NOT NULL CHECK (agents IN (0, 1)),
    changed_at TEXT NOT NULL,
    changed_by TEXT NOT NULL REFERENCES principal (id)
  ) ${strict}`,
  ...neverDeleted("declare_right"),

  `CREATE TABLE declare_approval (
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    account_id TEXT NOT NULL REFERENCES account (id),
    approved_at TEXT NOT NULL,
    approved_by TEXT NOT NULL REFERENCES principal (id),
    PRIMARY KEY (digest, approved_by)
  ) ${strict}`,
  ...appendOnly("declare_approval"),

  `CREATE TABLE declare_wait (
    digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
    account_id TEXT NOT NULL REFERENCES account (id),
    dataset_id TEXT NOT NULL REFERENCES dataset (id),
    principal_id TEXT NOT NULL REFERENCES principal (id),
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    blocks TEXT,
    asked_at TEXT NOT NULL,
    refused_at TEXT,
    refused_by TEXT REFERENCES principal (id),
    CHECK ((refused_at IS NULL) = (refused_by IS NULL))
  ) ${strict}`,
  "CREATE INDEX declare_wait_account ON declare_wait (account_id)",
  ...neverDeleted("declare_wait"),

  `CREATE TABLE declared_charge (
    entry_seq ${serial} REFERENCES lease (entry_seq),
    charge_id TEXT NOT NULL UNIQUE,
    ledger_id TEXT NOT NULL REFERENCES ledger (id),
    principal_id TEXT NOT NULL REFERENCES principal (id),
    program TEXT NOT NULL,
    programs ${integer} NOT NULL CHECK (programs >= 1),
    evidence TEXT,
    report TEXT CHECK (length(report) <= 1000000),
    attached_at TEXT,
    published_at TEXT,
    published_by TEXT REFERENCES principal (id),
    redeemed_at TEXT,
    redeemed_by TEXT REFERENCES principal (id),
    CHECK ((evidence IS NULL) = (attached_at IS NULL)),
    CHECK ((published_at IS NULL) = (published_by IS NULL) AND (published_at IS NULL OR attached_at IS NOT NULL)),
    CHECK ((redeemed_at IS NULL) = (redeemed_by IS NULL))
  ) ${strict}`,
  "CREATE INDEX declared_charge_ledger ON declared_charge (ledger_id, entry_seq)",
  "CREATE INDEX declared_charge_program ON declared_charge (principal_id, program, ledger_id)",
  ...neverDeleted("declared_charge"),
  ...refuseUpdate(
    "declared_charge",
    "once_is_final",
    `OLD.programs <> NEW.programs OR OLD.ledger_id <> NEW.ledger_id OR OLD.program <> NEW.program
      OR (OLD.attached_at IS NOT NULL AND (NEW.evidence <> OLD.evidence OR coalesce(NEW.report, '') <> coalesce(OLD.report, '')))
      OR (OLD.published_at IS NOT NULL AND NEW.published_at <> OLD.published_at)
      OR (OLD.redeemed_at IS NOT NULL AND NEW.redeemed_at <> OLD.redeemed_at)`,
  ),
];

/** What was released, and is being paid for, by the hash of the question, so that it need not be paid for again. */
const reuse: Statements = ({ serial, integer, strict, appendOnly, neverDeleted }) => [
  `CREATE TABLE statistic (
    seq ${serial},
    entry_seq ${integer} NOT NULL REFERENCES entry (seq),
    charge_id TEXT NOT NULL,
    row_id TEXT NOT NULL,
    dataset_id TEXT NOT NULL REFERENCES dataset (id),
    version ${integer} NOT NULL CHECK (version >= 1),
    key_hash TEXT NOT NULL CHECK (length(key_hash) = 64),
    scope_hash TEXT NOT NULL CHECK (length(scope_hash) = 64),
    name TEXT NOT NULL,
    column_name TEXT,
    label TEXT NOT NULL,
    request TEXT NOT NULL,
    principal_id TEXT NOT NULL REFERENCES principal (id),
    account_id TEXT NOT NULL REFERENCES account (id),
    at TEXT NOT NULL,
    UNIQUE (entry_seq, row_id)
  ) ${strict}`,
  "CREATE INDEX statistic_key ON statistic (key_hash)",
  "CREATE INDEX statistic_scope ON statistic (scope_hash)",
  "CREATE INDEX statistic_dataset ON statistic (dataset_id, version, seq)",
  ...appendOnly("statistic"),

  `CREATE TABLE reuse (
    seq ${serial},
    entry_seq ${integer} NOT NULL REFERENCES entry (seq),
    row_id TEXT NOT NULL,
    dataset_id TEXT NOT NULL REFERENCES dataset (id),
    principal_id TEXT NOT NULL REFERENCES principal (id),
    kind TEXT NOT NULL CHECK (kind IN ('same', 'pooled', 'derived', 'refined')),
    saved_epsilon ${integer} CHECK (saved_epsilon >= 0),
    saved_mu2 ${integer} CHECK (saved_mu2 >= 0),
    at TEXT NOT NULL,
    UNIQUE (entry_seq, row_id)
  ) ${strict}`,
  "CREATE INDEX reuse_dataset ON reuse (dataset_id)",
  ...appendOnly("reuse"),

  `CREATE TABLE reuse_policy (
    dataset_id TEXT PRIMARY KEY REFERENCES dataset (id),
    visibility TEXT NOT NULL CHECK (visibility IN ('dataset', 'team', 'member')),
    price TEXT NOT NULL CHECK (price IN ('free', 'ownLevel')),
    changed_at TEXT NOT NULL,
    changed_by TEXT NOT NULL REFERENCES principal (id)
  ) ${strict}`,
  ...neverDeleted("reuse_policy"),

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
];

/** Reports that the server makes when a block is over, each paid for by an account of its own. */
const schedules: Statements = ({ integer, strict, neverDeleted, refuseUpdate }) => [
  `CREATE TABLE schedule (
    id TEXT PRIMARY KEY,
    dataset_id TEXT NOT NULL REFERENCES dataset (id),
    account_id TEXT NOT NULL UNIQUE REFERENCES account (id),
    owner_id TEXT NOT NULL REFERENCES principal (id),
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    latest ${integer} NOT NULL CHECK (latest >= 1),
    horizon ${integer} CHECK (horizon IS NULL OR (horizon >= 1 AND latest = 1)),
    block_first ${integer} NOT NULL,
    price_epsilon ${integer} CHECK (price_epsilon >= 0),
    price_delta ${integer} NOT NULL CHECK (price_delta >= 0),
    earmark_epsilon ${integer} NOT NULL CHECK (earmark_epsilon >= 0),
    earmark_delta ${integer} NOT NULL CHECK (earmark_delta >= 0),
    recipients TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'ended')),
    created_at TEXT NOT NULL
  ) ${strict}`,
  "CREATE INDEX schedule_dataset ON schedule (dataset_id)",
  ...refuseUpdate(
    "schedule",
    "earmarked",
    `OLD.id <> NEW.id OR OLD.dataset_id <> NEW.dataset_id OR OLD.account_id <> NEW.account_id OR OLD.owner_id <> NEW.owner_id
      OR OLD.plan <> NEW.plan OR OLD.latest <> NEW.latest OR OLD.block_first <> NEW.block_first
      OR coalesce(OLD.horizon, 0) <> coalesce(NEW.horizon, 0)`,
  ),
  ...refuseUpdate("schedule", "end_is_final", "OLD.status = 'ended' AND NEW.status <> 'ended'"),
  ...neverDeleted("schedule"),

  `CREATE TABLE schedule_point (
    schedule_id TEXT NOT NULL REFERENCES schedule (id),
    block ${integer} NOT NULL,
    charge_id TEXT,
    code TEXT,
    message TEXT,
    at TEXT NOT NULL,
    announced_at TEXT,
    PRIMARY KEY (schedule_id, block),
    CHECK ((charge_id IS NULL) = (code IS NOT NULL))
  ) ${strict}`,
  "CREATE INDEX schedule_point_unannounced ON schedule_point (announced_at)",
  ...refuseUpdate(
    "schedule_point",
    "charge_is_final",
    "OLD.charge_id IS NOT NULL AND (NEW.charge_id IS NULL OR NEW.charge_id <> OLD.charge_id)",
  ),
  ...neverDeleted("schedule_point"),
];

/** What an AI agent may spend by itself, what it said that it spends for, and what waits for a click of its person. */
const agents: Statements = ({ integer, strict, neverDeleted }) => [
  `CREATE TABLE agent_limit (
    principal_id TEXT PRIMARY KEY REFERENCES principal (id),
    hour_epsilon ${integer} CHECK (hour_epsilon > 0),
    confirm_above ${integer} CHECK (confirm_above >= 0),
    changed_at TEXT NOT NULL,
    changed_by TEXT NOT NULL REFERENCES principal (id)
  ) ${strict}`,
  ...neverDeleted("agent_limit"),

  `CREATE TABLE agent_charge (
    entry_seq ${integer} PRIMARY KEY REFERENCES entry (seq),
    principal_id TEXT NOT NULL REFERENCES principal (id),
    epsilon ${integer},
    purpose TEXT,
    at TEXT NOT NULL
  ) ${strict}`,
  "CREATE INDEX agent_charge_principal ON agent_charge (principal_id, at)",
  ...neverDeleted("agent_charge"),

  `CREATE TABLE confirmation (
    id TEXT PRIMARY KEY,
    principal_id TEXT NOT NULL REFERENCES principal (id),
    credential_id TEXT NOT NULL REFERENCES credential (id),
    account_id TEXT NOT NULL REFERENCES account (id),
    dataset_id TEXT NOT NULL REFERENCES dataset (id),
    key TEXT NOT NULL,
    asked TEXT NOT NULL,
    epsilon ${integer},
    purpose TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'confirmed', 'refused')),
    asked_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    decided_at TEXT,
    UNIQUE (principal_id, key)
  ) ${strict}`,
];

/** What people are notified of, and what waits to be sent. */
const notifications: Statements = ({ integer, strict, refuseUpdate }) => [
  `CREATE TABLE preference (
    principal_id TEXT NOT NULL REFERENCES principal (id),
    kind TEXT NOT NULL,
    app ${integer} NOT NULL CHECK (app IN (0, 1)),
    mail ${integer} NOT NULL CHECK (mail IN (0, 1)),
    webhook ${integer} NOT NULL CHECK (webhook IN (0, 1)),
    PRIMARY KEY (principal_id, kind)
  ) ${strict}`,

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
  "CREATE INDEX outbox_latest ON outbox (principal_id, due_at)",
  ...refuseUpdate("outbox", "end_is_final", "OLD.ended_at IS NOT NULL"),
];

/** What several server processes share, and the chain of everything that ever changed. */
const servers: Statements = ({ serial, integer, strict, appendOnly }) => [
  `CREATE TABLE instance_secret (
    name TEXT PRIMARY KEY,
    secret TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) ${strict}`,

  `CREATE TABLE rate (
    id TEXT PRIMARY KEY,
    full_at ${integer} NOT NULL CHECK (full_at >= 0)
  ) ${strict}`,

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
];

/** The rules of the tables that every charge writes, where a database checks them faster together. None is added or lost. */
const gathered: Statements = ({ gatherRules }) =>
  gatherRules === undefined ? [] : ["ledger", "account", "entry"].map(gatherRules);

/** Every table, those that others point to first. */
export const schema: Migration = {
  version: 1,
  name: "schema",
  statements: (dialect) => [
    ...people(dialect),
    ...signIn(dialect),
    ...provisioning(dialect),
    ...catalog(dialect),
    ...ledgers(dialect),
    ...accounts(dialect),
    ...charges(dialect),
    ...releases(dialect),
    ...declared(dialect),
    ...reuse(dialect),
    ...schedules(dialect),
    ...agents(dialect),
    ...notifications(dialect),
    ...servers(dialect),
    ...gathered(dialect),
  ],
};
