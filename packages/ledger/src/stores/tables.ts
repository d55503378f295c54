/** The rows of every table, as the store reads them: text as strings, INTEGER as bigint, times as ISO 8601 text. */
export interface Tables {
  migration: { version: bigint; name: string; at: string };
  audit: {
    seq: bigint;
    at: string;
    actor: string;
    action: string;
    subject: string;
    ledger_id: string | null;
    detail: string;
    image: string | null;
    prev_hash: string;
    hash: string;
  };
  principal: {
    id: string;
    kind: "user" | "service" | "agent";
    name: string;
    email: string | null;
    demo: bigint;
    created_at: string;
    disabled_at: string | null;
  };
  team: { id: string; name: string; created_at: string; closed_at: string | null };
  membership: { id: string; team_id: string; principal_id: string; from_at: string; until_at: string | null };
  role_binding: {
    id: string;
    principal_id: string;
    role: "platformAdmin" | "datasetAdmin" | "teamAdmin" | "member" | "auditor";
    object_id: string | null;
    from_at: string;
    until_at: string | null;
  };
  credential: {
    id: string;
    kind: "token" | "session" | "link";
    principal_id: string;
    name: string;
    secret_hash: string;
    scopes: string;
    created_at: string;
    expires_at: string;
    ended_at: string | null;
  };
  password: { principal_id: string; hash: string; changed_at: string };
  identity: { id: string; principal_id: string; issuer: string; subject: string; created_at: string };
  invitation: {
    id: string;
    team_id: string;
    role: "member" | "teamAdmin";
    email: string | null;
    secret_hash: string | null;
    created_by: string;
    created_at: string;
    expires_at: string;
    accepted_by: string | null;
    ended_at: string | null;
  };
  notification: {
    id: string;
    principal_id: string;
    kind: string;
    subject: string;
    facts: string;
    /** What it is about, once for each reader. */
    once: string;
    created_at: string;
    read_at: string | null;
  };
  preference: { principal_id: string; kind: string; app: bigint; mail: bigint; webhook: bigint };
  webhook: { principal_id: string; url: string; secret: string; created_at: string };
  outbox: {
    id: string;
    channel: "mail" | "webhook";
    principal_id: string | null;
    address: string | null;
    message: string;
    created_at: string;
    due_at: string;
    tries: bigint;
    ended_at: string | null;
    outcome: "delivered" | "refused" | "givenUp" | null;
  };
  standing_approval: {
    id: string;
    ledger_id: string;
    parent_id: string | null;
    most: bigint;
    room: bigint;
    created_by: string;
    created_at: string;
    ended_at: string | null;
  };
  population: { id: string; name: string; privacy_unit: string; adjacency: string; created_at: string };
  dataset: {
    id: string;
    population_id: string;
    name: string;
    salt: string;
    version: bigint;
    created_at: string;
    created_by: string;
  };
  dataset_version: {
    id: string;
    dataset_id: string;
    version: bigint;
    declaration: string;
    source: string;
    created_at: string;
    created_by: string;
  };
  ledger: {
    id: string;
    population_id: string;
    rule: string;
    lane: string;
    policy: "ask" | "auto";
    mode: "funded" | "overbooked";
    status: "open" | "frozen";
    terms: string;
    version: bigint;
    quota_epsilon: bigint;
    quota_delta: bigint;
    allocated_epsilon: bigint;
    allocated_delta: bigint;
    cap_epsilon: bigint;
    cap_delta: bigint;
    cap_residue: bigint;
    state_epsilon: bigint | null;
    state_delta: bigint;
    state_residue: bigint | null;
    entries: bigint;
    head_hash: string;
    opened_at: string;
    opened_by: string;
  };
  guarantee_version: {
    ledger_id: string;
    version: bigint;
    terms: string;
    sentence: string;
    reason: string;
    decided_by: string;
    seconded_by: string | null;
    at: string;
  };
  account: {
    id: string;
    ledger_id: string;
    parent_id: string | null;
    holder_kind: "team" | "principal" | "dataset" | "purpose";
    holder_id: string;
    kind: "share" | "cap";
    mode: "funded" | "overbooked";
    status: "active" | "frozen" | "closed";
    quota_epsilon: bigint;
    quota_delta: bigint;
    allocated_epsilon: bigint;
    allocated_delta: bigint;
    cap_epsilon: bigint;
    cap_delta: bigint;
    cap_residue: bigint;
    state_epsilon: bigint | null;
    state_delta: bigint;
    state_residue: bigint | null;
    opened_at: string;
    /** null: it does not end by itself. */
    expires_at: string | null;
    /** The most one charge may take, as a pure ε; null: no such limit. */
    query_epsilon: bigint | null;
  };
  /** A raise of the lifetime that was asked for: a new version of the guarantee once a second person agreed. */
  amendment: {
    id: string;
    ledger_id: string;
    /** The version that it raises; another one meanwhile makes it void. */
    base: bigint;
    epsilon: bigint;
    delta: bigint;
    delta_selection: bigint;
    reason: string;
    status: "proposed" | "effective" | "rejected" | "withdrawn";
    proposed_by: string;
    proposed_at: string;
    decided_by: string | null;
    decided_at: string | null;
    note: string;
    version: bigint | null;
  };
  transfer: {
    seq: bigint;
    ledger_id: string;
    from_account_id: string | null;
    to_account_id: string | null;
    kind: "allocate" | "withdraw" | "close";
    /** What larger operation the move was part of. */
    cause: "transfer" | "recall" | "expire" | null;
    epsilon: bigint;
    delta: bigint;
    request_id: string | null;
    actor: string;
    at: string;
  };
  request: {
    id: string;
    ledger_id: string;
    dataset_id: string;
    /** null: access is asked for; the account that was opened, once it is given. */
    account_id: string | null;
    parent_id: string | null;
    holder_kind: "team" | "principal";
    holder_id: string;
    requester_id: string;
    epsilon: bigint;
    delta: bigint;
    note: string;
    plan: string | null;
    status:
      | "submitted"
      | "counterOffered"
      | "approved"
      | "partlyApproved"
      | "rejected"
      | "withdrawn"
      | "expired"
      | "superseded"
      | "infoRequested"
      | "escalated";
    version: bigint;
    offered_epsilon: bigint | null;
    offered_delta: bigint | null;
    granted_epsilon: bigint | null;
    granted_delta: bigint | null;
    decider_id: string | null;
    decision_note: string;
    self_decided: bigint;
    superseded_by: string | null;
    /** What the one who asked said when asked back. */
    answer: string;
    /** The request that could not be paid for and led to this one. */
    origin_id: string | null;
    created_at: string;
    changed_at: string;
    expires_at: string;
  };
  entry: {
    seq: bigint;
    ledger_id: string;
    number: bigint;
    kind: "open" | "charge" | "switch" | "amend" | "writeOff";
    charge_id: string | null;
    account_id: string | null;
    principal_id: string;
    dataset_id: string | null;
    lane: string;
    events: string;
    price_epsilon: bigint | null;
    price_delta: bigint;
    residue_before: bigint | null;
    residue_after: bigint | null;
    /** Idempotency key, request as canonical JSON, and its hash with account and dataset; of a charge. */
    key: string | null;
    request: string | null;
    request_hash: string | null;
    at: string;
    prev_hash: string;
    hash: string;
  };
  /** A certified step of a filter by the plan of an entry, for one exact r before it. [M150] */
  plan_quote: {
    entry_seq: bigint;
    residue_before: bigint;
    residue_after: bigint;
    slack: bigint;
  };
  /** An answer of another account that the holder of a cap has read: it counts against the cap once, at full price. */
  cap_reading: {
    account_id: string;
    entry_seq: bigint;
    reader_id: string;
    /** Its place among the readings of all accounts. */
    seq: bigint;
    /** The newest entry when it was read. */
    after_seq: bigint;
    at: string;
  };
  /** Who works on a charge: all of it that ever changes. */
  lease: {
    entry_seq: bigint;
    status: "charged" | "released";
    owner: string;
    until_at: string;
    tries: bigint;
  };
  /** A view: the entry of a charge beside its lease. */
  charge: {
    id: string;
    entry_seq: bigint;
    ledger_id: string;
    account_id: string;
    principal_id: string;
    dataset_id: string;
    key: string;
    request_hash: string;
    request: string;
    status: "charged" | "released";
    lease_owner: string;
    lease_until: string;
    tries: bigint;
    at: string;
  };
  release: {
    seq: bigint;
    id: string;
    charge_id: string;
    entry_seq: bigint;
    answers: string;
    sentence: string;
    receipt: string;
    at: string;
  };
  /** Every question that was paid for with earlier answers in view, while its answer was not there yet. */
  claim: {
    entry_seq: bigint;
    key_hash: string;
    principal_id: string;
    account_id: string;
    at: string;
  };
  /** Every row of a release that was drawn, by the hash of its question. */
  statistic: {
    seq: bigint;
    entry_seq: bigint;
    charge_id: string;
    row_id: string;
    dataset_id: string;
    version: bigint;
    key_hash: string;
    scope_hash: string;
    name: string;
    column_name: string | null;
    label: string;
    request: string;
    principal_id: string;
    account_id: string;
    at: string;
  };
  /** Every row of a release that came from earlier ones, with the price of drawing it. */
  reuse: {
    seq: bigint;
    entry_seq: bigint;
    row_id: string;
    dataset_id: string;
    principal_id: string;
    kind: "same" | "pooled" | "derived" | "refined";
    saved_epsilon: bigint | null;
    saved_residue: bigint | null;
    at: string;
  };
  publication: { population_id: string; is_public: bigint; changed_at: string; changed_by: string };
  /** Whom a service or an agent acts for. */
  service: { principal_id: string; on_behalf_of: string };
  /** Secrets that all server processes of one database share. */
  house_key: { name: string; secret: string; created_at: string };
  /** When the bucket of one caller is full again, in milliseconds since 1970. */
  rate: { id: string; full_at: bigint };
  reuse_policy: {
    dataset_id: string;
    visibility: "dataset" | "team" | "member";
    price: "free" | "ownLevel";
    changed_at: string;
    changed_by: string;
  };
}
