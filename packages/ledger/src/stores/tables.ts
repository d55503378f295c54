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

/** Amounts of a ledger or an account: may spend, given on, spent. */
type Room = {
  quota_epsilon: EpsilonAmount;
  quota_delta: DeltaAmount;
  allocated_epsilon: EpsilonAmount;
  allocated_delta: DeltaAmount;
  cap_epsilon: EpsilonAmount;
  cap_delta: DeltaAmount;
  cap_mu2: Mu2Amount;
  state_epsilon: EpsilonAmount | null;
  state_delta: DeltaAmount;
  state_remaining_mu2: Mu2Amount | null;
};

/** The first and the last of neighbouring blocks. */
type BlockEnds = { block_from: bigint; block_to: bigint };

/**
 * The rows of every table, as the store reads them: text as strings, INTEGER as bigint, times as ISO 8601 text. Ids and amounts
 * carry their brands here, so a value gets its brand where its row is read. `rowWith` finds a row by an id from outside.
 */
export interface Tables {
  migration: { version: bigint; name: string; at: string };
  audit: {
    seq: bigint;
    at: string;
    actor: PrincipalId;
    action: string;
    subject: string;
    ledger_id: LedgerId | null;
    detail: string;
    image: string | null;
    prev_hash: string;
    hash: string;
  };
  principal: {
    id: PrincipalId;
    kind: "user" | "service" | "agent";
    name: string;
    email: string | null;
    demo: bigint;
    created_at: string;
    disabled_at: string | null;
  };
  team: { id: TeamId; name: string; created_at: string; closed_at: string | null };
  membership: { id: string; team_id: TeamId; principal_id: PrincipalId; from_at: string; until_at: string | null };
  role_binding: {
    id: string;
    principal_id: PrincipalId;
    role: "platformAdmin" | "datasetAdmin" | "teamAdmin" | "member" | "auditor";
    /** A dataset or a team; null: everywhere. */
    object_id: string | null;
    from_at: string;
    until_at: string | null;
  };
  credential: {
    id: string;
    kind: "token" | "session" | "link";
    principal_id: PrincipalId;
    name: string;
    secret_hash: string;
    scopes: string;
    created_at: string;
    expires_at: string;
    ended_at: string | null;
  };
  /** The token or session that made a token or a session. */
  credential_maker: { credential_id: string; maker_id: string };
  password: { principal_id: PrincipalId; hash: string; changed_at: string };
  /** The second factor of a password; `recovery` is a JSON list of hashes. */
  second_factor: {
    principal_id: PrincipalId;
    secret: string;
    last_step: bigint;
    recovery: string;
    created_at: string;
    confirmed_at: string | null;
  };
  identity: { id: string; principal_id: PrincipalId; issuer: string; subject: string; created_at: string };
  provider_service: { provider: string; principal_id: PrincipalId };
  /** A person whom a provider keeps; `user_key` is the user name in small letters, `is_made` says that it brought them, `is_ended` that it removed them here. */
  provisioned_user: {
    principal_id: PrincipalId;
    provider: string;
    user_name: string;
    user_key: string;
    external_id: string | null;
    is_made: bigint;
    is_ended: bigint;
    is_deleted: bigint;
    changed_at: string;
  };
  provisioned_group: {
    id: string;
    provider: string;
    name: string;
    external_id: string | null;
    created_at: string;
    changed_at: string;
  };
  provisioned_member: { group_id: string; principal_id: PrincipalId };
  /** A keyed hash of what an erased person was called, whom no provider may bring back. */
  ban: { digest: string; principal_id: PrincipalId };
  invitation: {
    id: string;
    team_id: TeamId;
    role: "member" | "teamAdmin";
    email: string | null;
    secret_hash: string | null;
    created_by: PrincipalId;
    created_at: string;
    expires_at: string;
    accepted_by: PrincipalId | null;
    ended_at: string | null;
  };
  notification: {
    id: string;
    principal_id: PrincipalId;
    kind: NotificationKind;
    subject: string;
    facts: string;
    /** A key of the event; each reader gets it once. */
    once: string;
    created_at: string;
    read_at: string | null;
  };
  preference: { principal_id: PrincipalId; kind: string; app: bigint; mail: bigint; webhook: bigint };
  webhook: { principal_id: PrincipalId; url: string; secret: string; created_at: string };
  outbox: {
    id: string;
    channel: "mail" | "webhook";
    principal_id: PrincipalId | null;
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
    ledger_id: LedgerId;
    parent_id: AccountId | null;
    most: EpsilonAmount;
    room: EpsilonAmount;
    created_by: PrincipalId;
    created_at: string;
    ended_at: string | null;
  };
  population: { id: PopulationId; name: string; privacy_unit: string; adjacency: Adjacency; created_at: string };
  dataset: {
    id: DatasetId;
    population_id: PopulationId;
    name: string;
    salt: string;
    version: bigint;
    created_at: string;
    created_by: PrincipalId;
  };
  dataset_version: {
    id: string;
    dataset_id: DatasetId;
    version: bigint;
    declaration: string;
    source: string;
    /** 1 where its owner saw how rows fit before they declared it, or an earlier version. [M341] */
    is_fitted: bigint;
    created_at: string;
    created_by: PrincipalId;
  };
  /** A name to sign in with: the address that a newcomer gave, until one is proved. */
  typed_address: { principal_id: PrincipalId; email: string };
  erased_person: { principal_id: PrincipalId; erased_at: string };
  /** Bytes of which someone saw how they fit a declaration: what they declare over them is fitted. Nothing of what was seen. [M341] */
  checked_upload: { digest: string; principal_id: PrincipalId; checked_at: string };
  /** A person has bytes in a declaration that was over others, or someone else's, before. [M383] */
  passed_upload: {
    digest: string;
    principal_id: PrincipalId;
    from_digest: string;
    from_principal_id: PrincipalId;
  };
  /** An upload that is gone before a table was declared over it. */
  discarded_upload: { file: string; discarded_at: string };
  /** An upload that was erased: nothing is charged any more for what would read it. */
  erased_upload: { file: string; dataset_id: DatasetId; erased_at: string };
  ledger: Room & {
    id: LedgerId;
    population_id: PopulationId;
    rule: Rule;
    active_rule: ActiveRule;
    policy: "ask" | "auto";
    mode: "funded" | "overbooked";
    status: "open" | "frozen";
    terms: string;
    version: bigint;
    entries: bigint;
    head_hash: string;
    opened_at: string;
    opened_by: PrincipalId;
  };
  guarantee_version: {
    ledger_id: LedgerId;
    version: bigint;
    terms: string;
    sentence: string;
    reason: string;
    decided_by: PrincipalId;
    seconded_by: PrincipalId | null;
    at: string;
  };
  account: Room & {
    id: AccountId;
    ledger_id: LedgerId;
    parent_id: AccountId | null;
    holder_kind: "team" | "principal" | "dataset" | "purpose";
    holder_id: string;
    kind: "share" | "cap";
    mode: "funded" | "overbooked";
    status: "active" | "frozen" | "closed";
    opened_at: string;
    /** null: it does not end by itself. */
    expires_at: string | null;
    /** The most one charge may take, as a pure ε; null: no such limit. */
    query_epsilon: EpsilonAmount | null;
  };
  /** A raise of the lifetime that was asked for: a new version of the guarantee once a second person agreed. */
  amendment: {
    id: AmendmentId;
    ledger_id: LedgerId;
    /** The version that it raises; another one meanwhile makes it void. */
    base: bigint;
    epsilon: EpsilonAmount;
    delta: DeltaAmount;
    delta_selection: DeltaAmount;
    reason: string;
    status: "proposed" | "effective" | "rejected" | "withdrawn";
    proposed_by: PrincipalId;
    proposed_at: string;
    decided_by: PrincipalId | null;
    decided_at: string | null;
    note: string;
    version: bigint | null;
  };
  transfer: {
    seq: bigint;
    ledger_id: LedgerId;
    from_account_id: AccountId | null;
    to_account_id: AccountId | null;
    kind: "allocate" | "withdraw" | "close";
    /** The larger operation of which the move was a part. */
    cause: "transfer" | "recall" | "expire" | null;
    epsilon: EpsilonAmount;
    delta: DeltaAmount;
    request_id: RequestId | null;
    actor: PrincipalId;
    at: string;
  };
  /** Net transfer from one account to the other. */
  given_quota: {
    /** The smaller of the two ids. */
    from_account_id: AccountId;
    to_account_id: AccountId;
    epsilon: bigint;
    delta: bigint;
  };
  request: {
    id: RequestId;
    ledger_id: LedgerId;
    dataset_id: DatasetId;
    /** null: access is asked for; the account that was opened, once it is given. */
    account_id: AccountId | null;
    parent_id: AccountId | null;
    holder_kind: "team" | "principal";
    holder_id: string;
    requester_id: PrincipalId;
    epsilon: EpsilonAmount;
    delta: DeltaAmount;
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
    offered_epsilon: EpsilonAmount | null;
    offered_delta: DeltaAmount | null;
    granted_epsilon: EpsilonAmount | null;
    granted_delta: DeltaAmount | null;
    decider_id: PrincipalId | null;
    decision_note: string;
    self_decided: bigint;
    superseded_by: RequestId | null;
    /** The answer to a question about the request. */
    answer: string;
    /** The request that could not be paid for and led to this one. */
    origin_id: RequestId | null;
    created_at: string;
    changed_at: string;
    expires_at: string;
  };
  entry: {
    seq: bigint;
    ledger_id: LedgerId;
    number: bigint;
    kind: "open" | "charge" | "switch" | "amend" | "writeOff";
    charge_id: ChargeId | null;
    account_id: AccountId | null;
    principal_id: PrincipalId;
    dataset_id: DatasetId | null;
    active_rule: ActiveRule;
    events: string;
    price_epsilon: EpsilonAmount | null;
    price_delta: DeltaAmount;
    remaining_mu2_before: Mu2Amount | null;
    remaining_mu2_after: Mu2Amount | null;
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
    remaining_mu2_before: Mu2Amount;
    remaining_mu2_after: Mu2Amount;
    slack: DeltaAmount;
  };
  /** Counted by a ledger with blocks, or an account of it, in blocks `block_from` to `block_to`; blocks in no run have counted nothing. */
  block_run: BlockEnds & {
    node_id: LedgerId | AccountId;
    state_epsilon: EpsilonAmount | null;
    state_delta: DeltaAmount;
    state_remaining_mu2: Mu2Amount | null;
  };
  /** Blocks that the charge of an entry named, with what was left of the ledger in each before it and after. */
  charge_block: BlockEnds & {
    entry_seq: bigint;
    remaining_mu2_before: Mu2Amount | null;
    remaining_mu2_after: Mu2Amount | null;
  };
  /** An answer of another account that the holder of a cap has read: it counts against the cap once, at full price. */
  cap_reading: {
    account_id: AccountId;
    entry_seq: bigint;
    reader_id: PrincipalId;
    /** Its place among the readings of all accounts. */
    seq: bigint;
    /** The newest entry when it was read. */
    after_seq: bigint;
    at: string;
  };
  /** Who works on a charge: all of it that ever changes. */
  lease: {
    entry_seq: bigint;
    status: "charged" | "released" | "declared";
    owner: string;
    until_at: string;
    tries: bigint;
  };
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
  release: {
    seq: bigint;
    id: ReleaseId;
    charge_id: ChargeId;
    entry_seq: bigint;
    answers: string;
    sentence: string;
    receipt: string;
    at: string;
  };
  /** Who may charge an account for programs outside, as a pure ε; null `most_epsilon`: no one. */
  declare_right: {
    account_id: AccountId;
    most_epsilon: EpsilonAmount | null;
    second_above: EpsilonAmount | null;
    agents: bigint;
    changed_at: string;
    changed_by: PrincipalId;
  };
  /** What a second person agreed to: the hash of key and request. */
  declare_approval: {
    digest: string;
    account_id: AccountId;
    approved_at: string;
    approved_by: PrincipalId;
  };
  /** What waits for a second person, as it was stated. `blocks`: JSON of the window. */
  declare_wait: {
    digest: string;
    account_id: AccountId;
    dataset_id: DatasetId;
    principal_id: PrincipalId;
    key: string;
    request: string;
    blocks: string | null;
    asked_at: string;
    refused_at: string | null;
    refused_by: PrincipalId | null;
  };
  /** A charge for a program outside. `evidence`: canonical JSON; `programs`: of its ledger, up to it. */
  declared_charge: {
    entry_seq: bigint;
    charge_id: ChargeId;
    ledger_id: LedgerId;
    principal_id: PrincipalId;
    program: string;
    programs: bigint;
    evidence: string | null;
    report: string | null;
    attached_at: string | null;
    published_at: string | null;
    published_by: PrincipalId | null;
    redeemed_at: string | null;
    redeemed_by: PrincipalId | null;
  };
  /** The questions of charges whose answers are not there yet. */
  claim: {
    entry_seq: bigint;
    key_hash: string;
    principal_id: PrincipalId;
    account_id: AccountId;
    at: string;
  };
  /** Every row of a release that was drawn, by the hash of its question. */
  statistic: {
    seq: bigint;
    entry_seq: bigint;
    charge_id: ChargeId;
    row_id: string;
    dataset_id: DatasetId;
    version: bigint;
    key_hash: string;
    scope_hash: string;
    name: string;
    column_name: string | null;
    label: string;
    request: string;
    principal_id: PrincipalId;
    account_id: AccountId;
    at: string;
  };
  /** Every row of a release that came from earlier ones, with the price of drawing it. */
  reuse: {
    seq: bigint;
    entry_seq: bigint;
    row_id: string;
    dataset_id: DatasetId;
    principal_id: PrincipalId;
    kind: "same" | "pooled" | "derived" | "refined";
    saved_epsilon: EpsilonAmount | null;
    saved_mu2: Mu2Amount | null;
    at: string;
  };
  publication: { population_id: PopulationId; is_public: bigint; changed_at: string; changed_by: PrincipalId };
  listing: {
    dataset_id: DatasetId;
    is_listed: bigint;
    shows_columns: bigint;
    description: string;
    changed_at: string;
    changed_by: PrincipalId;
  };
  team_policy: { team_id: TeamId; links_admit: "known" | "newcomers"; changed_at: string; changed_by: PrincipalId };
  /** The person for whom a service or an agent acts. */
  service: { principal_id: PrincipalId; on_behalf_of: PrincipalId };
  /** Secrets that all server processes of one database share. */
  instance_secret: { name: string; secret: string; created_at: string };
  /** Databases that admins added; the secret by its name. */
  connection: { name: string; url: string; secret: string; added_at: string; added_by: PrincipalId };
  /** When the bucket of one caller is full again, in milliseconds since 1970. */
  rate: { id: string; full_at: bigint };
  /** The words of people about a release. */
  release_label: {
    entry_seq: bigint;
    title: string | null;
    note: string | null;
    changed_at: string;
    changed_by: PrincipalId;
  };
  /** A page of answers that someone chose. `readers` and `items`: lists as JSON. */
  dashboard: {
    id: DashboardId;
    owner_id: PrincipalId;
    name: string;
    team_id: TeamId | null;
    readers: string;
    items: string;
    changed_at: string;
  };
  /** What was ever public. Without a link it is not read any more; without a title it is called by what it asks. */
  public_answer: {
    entry_seq: bigint;
    ledger_id: LedgerId;
    /** SHA-256 of the secret in its address. */
    link_hash: string | null;
    title: string | null;
    /** Whether search engines may list it. */
    is_indexed: bigint;
    expires_at: string | null;
    changed_at: string;
    changed_by: PrincipalId;
  };
  /**
   * A plan that someone keeps before releasing it, or a declaration that is not finished, without a dataset. `team_id`: whose members read it
   * too. `file` and `digest`: the upload that is declared.
   */
  draft: {
    id: DraftId;
    kind: "plan" | "unfinishedPlan" | "declaration";
    dataset_id: DatasetId | null;
    account_id: AccountId | null;
    owner_id: PrincipalId;
    team_id: TeamId | null;
    name: string;
    content: string;
    file: string | null;
    digest: string | null;
    changed_at: string;
  };
  /** A plan that is released when a block is over. `latest`: how many blocks a report covers; `block_first`: whose end brings the first one. */
  schedule: {
    id: ScheduleId;
    dataset_id: DatasetId;
    account_id: AccountId;
    owner_id: PrincipalId;
    name: string;
    plan: string;
    latest: bigint;
    /** Of how many blocks a running total will be that goes on from report to report; null for any other plan. */
    horizon: bigint | null;
    block_first: bigint;
    price_epsilon: EpsilonAmount | null;
    price_delta: DeltaAmount;
    earmark_epsilon: EpsilonAmount;
    earmark_delta: DeltaAmount;
    recipients: string;
    status: "active" | "paused" | "ended";
    created_at: string;
  };
  /** The outcome of a report: its charge, or a code and a message. `announced_at`: when people were notified. */
  schedule_point: {
    schedule_id: ScheduleId;
    block: bigint;
    charge_id: ChargeId | null;
    code: string | null;
    message: string | null;
    at: string;
    announced_at: string | null;
  };
  /** Limits of an AI agent. null: no such limit. */
  agent_limit: {
    principal_id: PrincipalId;
    hour_epsilon: EpsilonAmount | null;
    confirm_above: EpsilonAmount | null;
    changed_at: string;
    changed_by: PrincipalId;
  };
  /** The charges of AI agents. `epsilon`: the price by addition, null where there is none. */
  agent_charge: {
    entry_seq: bigint;
    principal_id: PrincipalId;
    epsilon: EpsilonAmount | null;
    purpose: string | null;
    at: string;
  };
  /** A release of an AI agent that waits for a click of its person. `asked`: canonical JSON, null `epsilon`: no price by addition. */
  confirmation: {
    id: string;
    principal_id: PrincipalId;
    credential_id: string;
    account_id: AccountId;
    dataset_id: DatasetId;
    key: string;
    asked: string;
    epsilon: EpsilonAmount | null;
    purpose: string | null;
    status: "pending" | "confirmed" | "refused";
    asked_at: string;
    expires_at: string;
    decided_at: string | null;
  };
  draft_comment: { id: string; draft_id: DraftId; author_id: PrincipalId; text: string; at: string };
  report_threshold: {
    ledger_id: LedgerId;
    epsilon: EpsilonAmount;
    changed_at: string;
    changed_by: PrincipalId;
  };
  reuse_policy: {
    dataset_id: DatasetId;
    visibility: "dataset" | "team" | "member";
    price: "free" | "ownLevel";
    changed_at: string;
    changed_by: PrincipalId;
  };
}
