import type { DeltaAmount, DpEvent, EpsilonAmount, Rule } from "@dosimeter/core";
import type { Checkpoint } from "./audit/checkpoint.ts";
import type { ExportOptions } from "./audit/export.ts";
import type { AuditFilter, AuditLine } from "./audit/line.ts";
import type { Verification } from "./audit/verify.ts";
import type {
  Dataset,
  DatasetSource,
  DatasetVersion,
  NamedDataset,
  NewDataset,
  NewVersion,
} from "./catalog/dataset.ts";
import type { Adjacency, Population } from "./catalog/population.ts";
import type { SharedRate } from "./house/rate.ts";
import type { AccountId, ChargeId, DatasetId, LedgerId, PopulationId, PrincipalId, RequestId, TeamId } from "./id.ts";
import type { Json } from "./json.ts";
import type { Account, Holder, Holders } from "./ledger/account.ts";
import type { Amendment, AmendmentPreview, Deciding, GuaranteeVersion, Proposal } from "./ledger/amendment.ts";
import type { Balance, Quote, QuoteOptions } from "./ledger/balance.ts";
import type { Charge, ChargeOutcome, ChargeRequest, Lease } from "./ledger/charge.ts";
import type { Entry, EntryFilter, Page } from "./ledger/entry.ts";
import type { Reopening } from "./ledger/gap.ts";
import type { Importing } from "./ledger/import-ledger.ts";
import type { Ledger, NewLedger, Promised, Quota } from "./ledger/ledger.ts";
import type { AccountSettings, LedgerSettings } from "./ledger/settings.ts";
import type { SwitchPreview } from "./ledger/switch.ts";
import type { Recalled, RecallOptions, TransferOptions } from "./ledger/transfer.ts";
import type { Delivery } from "./outbox/delivery.ts";
import type { Channels } from "./outbox/kinds.ts";
import type { Notification, Preferences } from "./outbox/notification.ts";
import type { Authenticated, Credential, NewCredential } from "./people/credential.ts";
import type { Answering, Approval } from "./people/decision.ts";
import type { Identity } from "./people/identity.ts";
import type { Invitation, NewInvitation } from "./people/invitation.ts";
import type { Principal } from "./people/principal.ts";
import type { NewRequest, Request } from "./people/request.ts";
import type { Role, RoleBinding, Roles } from "./people/role.ts";
import type { NewStanding, StandingApproval } from "./people/standing.ts";
import type { Membership, Team } from "./people/team.ts";
import type { ReleaseFilter } from "./release/list.ts";
import type { Release } from "./release/release.ts";
import type { ReusePolicy, Savings } from "./release/savings.ts";
import type { LibraryFilter, NewReuse, NewStatistic, Readers, ReleasedStatistic } from "./release/statistic.ts";
import type { SpendHistory } from "./report/history.ts";

/** Who acts, in every call that changes something; authorising them is the caller's job. */
export interface By {
  readonly by: PrincipalId;
}

/** Where to go on in a list, and how far (1 to 500, default 50). */
export interface PageOptions {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** Unknown ids are NOT_FOUND; names are 1 to 200 characters after trimming. */
export interface People {
  createPrincipal(
    options: By & {
      kind: Principal["kind"];
      name: string;
      email?: string;
      demo?: boolean;
      /** Of a service or an agent; its maker when absent. */
      onBehalfOf?: PrincipalId;
    },
  ): Promise<Principal>;
  /** Whom each service and agent acts for: neither is a second person to the other. */
  analystsBehind(): Promise<ReadonlyMap<string, PrincipalId>>;
  principal(id: string): Promise<Principal>;
  principals(): Promise<readonly Principal[]>;
  principalByEmail(email: string): Promise<Principal | null>;
  /** null takes the address away. */
  setPrincipal(options: By & { principal: PrincipalId; name?: string; email?: string | null }): Promise<Principal>;
  /**
   * With every service that acts for them: ways in, roles, stays in teams, open requests and approvals in advance end,
   * accounts freeze. History stays. CONFLICT for the last admin of the platform.
   */
  disablePrincipal(options: By & { principal: PrincipalId }): Promise<Principal>;
  /** The same person with the same history; roles, teams and accounts are given anew. CONFLICT for a service whose person is gone. */
  restorePrincipal(options: By & { principal: PrincipalId }): Promise<Principal>;
  /** Whether someone who is not of the demo can sign in. */
  hasRealUsers(): Promise<boolean>;

  /** For good, with its accounts, members, roles and invitations. */
  closeTeam(options: By & { team: TeamId }): Promise<Team>;

  /** The hash of a password, made by the caller; every other session ends. */
  setPassword(options: By & { principal: PrincipalId; hash: string; keep?: string | undefined }): Promise<void>;
  passwordOf(principal: PrincipalId): Promise<string | null>;
  /** CONFLICT when the identity is linked to somebody else. */
  linkIdentity(options: By & Identity & { principal: PrincipalId }): Promise<void>;
  principalByIdentity(identity: Identity): Promise<Principal | null>;

  /** The secret is returned this once; null where it is mailed. */
  invite(options: NewInvitation): Promise<{ invitation: Invitation; secret: string | null }>;
  mintInvitation(id: string): Promise<{ invitation: Invitation; secret: string } | null>;
  /** UNAUTHENTICATED, always with the same words, unless the secret is live. */
  acceptInvitation(options: By & { secret: string }): Promise<{ invitation: Invitation; team: Team }>;
  joinByInvitation(options: { secret: string; name: string }): Promise<Principal>;
  endInvitation(options: By & { invitation: string }): Promise<Invitation>;
  invitation(id: string): Promise<Invitation>;
  invitations(team: TeamId): Promise<readonly Invitation[]>;

  /** Whoever opens it is its admin. Names are told apart by whoever shows them: a conflict would tell of somebody else's team. */
  createTeam(options: By & { name: string }): Promise<Team>;
  team(id: string): Promise<Team>;
  teams(): Promise<readonly Team[]>;
  /** Does nothing to someone who is a member. */
  addMember(
    options: By & { team: TeamId; principal: PrincipalId; role?: "member" | "teamAdmin" | undefined },
  ): Promise<Membership>;
  /** The role and the accounts that the team funds stop with it. CONFLICT for the last admin. */
  removeMember(options: By & { team: TeamId; principal: PrincipalId }): Promise<Membership>;
  /** Everyone who is or was in the team. */
  members(team: TeamId): Promise<readonly Membership[]>;

  grantRole(
    options: By & { principal: PrincipalId; role: Role; object?: DatasetId | TeamId | undefined },
  ): Promise<RoleBinding>;
  /** CONFLICT for the last admin of a team or of the platform. */
  revokeRole(options: By & { binding: string }): Promise<RoleBinding>;
  rolesOf(principal: PrincipalId): Promise<Roles>;
  roleBindings(object?: DatasetId | TeamId): Promise<readonly RoleBinding[]>;

  /** The secret is returned this once. */
  createCredential(options: NewCredential): Promise<{ credential: Credential; secret: string }>;
  /** UNAUTHENTICATED, always with the same words, unless the secret is live, of this kind, and its principal enabled. */
  authenticate(kind: "token" | "session", secret: string): Promise<Authenticated>;
  /** Uses a sign-in link up; a second use is UNAUTHENTICATED. */
  redeemLink(secret: string): Promise<Principal>;
  endCredential(options: By & { credential: string }): Promise<Credential>;
  credentials(principal: PrincipalId): Promise<readonly Credential[]>;
}

export interface Catalog {
  createPopulation(options: By & { name: string; privacyUnit: string; adjacency: Adjacency }): Promise<Population>;
  population(id: string): Promise<Population>;
  populations(): Promise<readonly Population[]>;
  /** Whether anyone may read what is promised about these people; false for one that is not there. */
  isPublic(population: string): Promise<boolean>;
  setPublic(options: By & { population: PopulationId; isPublic: boolean }): Promise<void>;
  /** Names are not unique: see `createTeam`. */
  createDataset(options: NewDataset): Promise<Dataset>;
  /** A new declaration or source of the same people: same dataset, same ledger. */
  addVersion(options: NewVersion): Promise<Dataset>;
  dataset(id: string): Promise<Dataset>;
  /** As it was declared then. */
  datasetAt(id: string, version: number): Promise<Dataset>;
  /** Oldest first. */
  versions(dataset: DatasetId): Promise<readonly DatasetVersion[]>;
  datasets(): Promise<readonly Dataset[]>;
  /** What every version of every dataset was made over, replaced ones too. */
  sources(): Promise<readonly DatasetSource[]>;
  datasetsOf(population: PopulationId): Promise<readonly Dataset[]>;
  /** All of them without their declarations, which are long. */
  names(): Promise<readonly NamedDataset[]>;
}

export interface Ledgers {
  /** CONFLICT when the population has a ledger. δ is split once: `deltaSelection` is the part for key selection and η. */
  open(
    options: By & {
      population: PopulationId;
      epsilon: EpsilonAmount;
      delta: DeltaAmount;
      rule?: Rule | undefined;
      deltaSelection?: DeltaAmount | undefined;
      ceiling?: Quota | undefined;
      policy?: Ledger["policy"] | undefined;
      mode?: Ledger["mode"] | undefined;
    },
  ): Promise<Ledger>;
  /** The sentence that `open` would give, before it is given. */
  preview(options: Omit<NewLedger, "by">): Promise<Promised>;
  /** A population's ledger with all that a verified copy has spent. CONFLICT when it has one, or the copy does not fit. */
  import(options: Importing): Promise<Ledger>;
  ledger(id: string): Promise<Ledger>;
  ledgerOf(population: PopulationId): Promise<Ledger | null>;
  ledgers(): Promise<readonly Ledger[]>;
  /** The one move from addition to tight. CONFLICT when the rule has none, it was made, or the residue could not have paid. */
  switchRule(options: By & { ledger: LedgerId }): Promise<Ledger>;
  /** Nobody spends until it is reopened. */
  freezeLedger(options: By & { ledger: LedgerId; reason: string }): Promise<Ledger>;
  /** After writing off what is missing. CONFLICT, INVALID_PARAMETER, BUDGET_EXHAUSTED. */
  reopenLedger(options: Reopening): Promise<Ledger>;
  previewSwitch(ledger: LedgerId): Promise<SwitchPreview>;

  /** Opens a node and moves its quota from the parent (the ledger when null). Without δ: the pro-rata part. */
  openAccount(
    options: By & {
      ledger: LedgerId;
      parent: AccountId | null;
      holder: Holder;
      epsilon: EpsilonAmount;
      delta?: DeltaAmount | undefined;
      kind?: Account["kind"] | undefined;
      mode?: Account["mode"] | undefined;
      expiresAt?: string | null | undefined;
      queryEpsilon?: EpsilonAmount | null | undefined;
    },
  ): Promise<Account>;
  account(id: string): Promise<Account>;
  accounts(ledger: LedgerId): Promise<readonly Account[]>;
  accountsOf(principal: PrincipalId): Promise<readonly Account[]>;
  /** Everyone on the paths of a person's accounts, and the datasets these pay for. */
  namesOfAccounts(principal: PrincipalId): Promise<readonly { readonly account: AccountId; readonly name: string }[]>;
  /** The ledgers on which a person, their teams or their datasets hold an account: one query, however many there are. */
  held(
    holders: Holders,
    ledger?: LedgerId,
  ): Promise<readonly { readonly ledger: LedgerId; readonly population: PopulationId }[]>;
  /** From the parent's free quota; QUOTA_UNAVAILABLE when that is less. Without δ: the pro-rata part. */
  allocate(
    options: By & { account: AccountId; epsilon: EpsilonAmount; delta?: DeltaAmount | undefined },
  ): Promise<Account>;
  /** Back to the parent; QUOTA_UNAVAILABLE when less is free. Without δ: the pro-rata part, or what is free of it. */
  withdraw(
    options: By & { account: AccountId; epsilon: EpsilonAmount; delta?: DeltaAmount | undefined },
  ): Promise<Account>;
  /** What could be withdrawn from (account) or allocated out of (ledger, account) the node now. */
  free(node: LedgerId | AccountId): Promise<Quota>;
  freeze(options: By & { account: AccountId }): Promise<Account>;
  unfreeze(options: By & { account: AccountId }): Promise<Account>;
  /** Between two accounts of one ledger, up to what funds both and down again, in one transaction. QUOTA_UNAVAILABLE. */
  transfer(options: TransferOptions): Promise<{ readonly from: Account; readonly to: Account }>;
  /** As much as is free, at most what is asked, with `cascade` from the accounts below as well; the rest is the shortfall. */
  recall(options: RecallOptions): Promise<Recalled>;
  /** Closes every account past its date by the store's clock, with all below it; whoever runs it twice changes nothing. */
  expireDue(): Promise<readonly AccountId[]>;
  setAccount(options: AccountSettings): Promise<Account>;
  setLedger(options: LedgerSettings): Promise<Ledger>;
  /** Those of the charges whose answers would still count against a cap of the reader: nothing of them may be told before. */
  unreadUnderCaps(options: { charges: readonly ChargeId[]; reader: PrincipalId }): Promise<readonly ChargeId[]>;
  /**
   * Before somebody sees an answer of other accounts: counts it against every cap they hold. QUOTA_EXHAUSTED: do not show it.
   * With `share`, against that account and those above it too: where the policy is that a share pays for what it reuses.
   */
  readUnderCaps(options: { charge: ChargeId; reader: PrincipalId; share?: AccountId | undefined }): Promise<void>;
  /** Before a charge: refuses what another cap of the reader could not take in, which could then not be shown. QUOTA_EXHAUSTED. */
  refuseUnreadable(options: { reader: PrincipalId; account: AccountId; events: readonly DpEvent[] }): Promise<void>;
  /** The sentence that a raise would make true now; changes nothing. INVALID_PARAMETER for anything that would fall. */
  previewAmendment(options: Omit<Proposal, "by" | "reason">): Promise<AmendmentPreview>;
  /** Asks for a raise; it takes effect at once only where nobody else could decide. CONFLICT beside an undecided one. */
  proposeAmendment(options: Proposal): Promise<Amendment>;
  /** Another admin agrees: every charge and account is replayed under the new caps in the same transaction. */
  secondAmendment(options: Deciding): Promise<Amendment>;
  rejectAmendment(options: Deciding): Promise<Amendment>;
  withdrawAmendment(options: Deciding): Promise<Amendment>;
  amendment(id: string): Promise<Amendment>;
  /** Newest first. */
  amendments(ledger: LedgerId): Promise<readonly Amendment[]>;
  versions(ledger: LedgerId): Promise<readonly GuaranteeVersion[]>;
  /** Who may decide a raise of this ledger. */
  seconds(ledger: LedgerId): Promise<readonly PrincipalId[]>;
  /** The rule that a charge follows: holder, enabled, in every team on the path, nothing open below. */
  maySpend(options: { account: AccountId; principal: PrincipalId }): Promise<boolean>;
  /** Free quota returns to the parent; what was spent stays for ever. Its accounts must be closed first. No way back. */
  close(options: By & { account: AccountId }): Promise<Account>;

  /** The ledger and the path root → account. */
  balances(account: AccountId): Promise<readonly Balance[]>;
  balance(node: LedgerId | AccountId): Promise<Balance>;
  /** Decides as `charge` would, from committed state, and writes nothing. */
  quote(options: QuoteOptions): Promise<Quote>;
  /**
   * Charges once, durably, before any private byte may be read. BUDGET_EXHAUSTED and QUOTA_EXHAUSTED carry
   * `{ refusals: Refusal[], largestEpsilon }`; others: ACCOUNT_CLOSED, FORBIDDEN, ADJACENCY_MISMATCH, IDEMPOTENCY_CONFLICT.
   */
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  entries(options: EntryFilter): Promise<Page<Entry>>;
}

export interface Releases {
  charge(id: string): Promise<Charge>;
  chargeByKey(options: { principal: PrincipalId; key: string }): Promise<Charge | null>;
  /** Charges whose answers are not stored yet, oldest first. */
  pending(): Promise<readonly Charge[]>;
  /** Stores the answers for ever; only then may anyone see them. A charge released before gives its stored release. CONFLICT when the lease is another's. */
  complete(options: {
    charge: ChargeId;
    owner: string;
    answers: Json;
    statistics?: readonly NewStatistic[];
    reuses?: readonly NewReuse[];
  }): Promise<Release>;
  /** Takes a pending charge for work: null while somebody else's lease runs, or when it is released. */
  claim(options: { charge: ChargeId; lease: Lease }): Promise<Charge | null>;
  /** CONFLICT when the lease was lost. */
  renew(options: { charge: ChargeId; lease: Lease }): Promise<Charge>;
  /** Recovery: takes every pending charge whose lease has run out, oldest first. */
  recover(options: { lease: Lease; limit?: number }): Promise<readonly Charge[]>;
  release(id: string): Promise<Release>;
  releaseOf(charge: ChargeId): Promise<Release | null>;
  /** Newest first. */
  releases(options: ReleaseFilter): Promise<Page<Release>>;
}

/** Asking for access or more quota. Whether someone may ask or decide is checked here too, in the transaction itself. */
export interface Requests {
  /**
   * One open request per account and requester; CONFLICT otherwise, unless it supersedes that one, and beside too many
   * others. RATE_LIMITED soon after a rejection by the same payer, and after too many in a day.
   */
  make(options: NewRequest): Promise<Request>;
  request(id: string): Promise<Request>;
  /** Newest first. */
  requests(options?: { requester?: PrincipalId | undefined }): Promise<readonly Request[]>;
  /** Moves the quota in the transaction of the decision. QUOTA_UNAVAILABLE leaves the request submitted. */
  approve(options: Approval): Promise<Request>;
  reject(options: Answering & { note: string }): Promise<Request>;
  counter(options: Approval & { epsilon: EpsilonAmount }): Promise<Request>;
  accept(options: Answering): Promise<Request>;
  decline(options: Answering): Promise<Request>;
  withdraw(options: Answering): Promise<Request>;
  /** Asks the requester back; it waits for `answer`. */
  ask(options: Answering & { note: string }): Promise<Request>;
  answer(options: Answering & { note: string }): Promise<Request>;
  /** A linked request of the payer's for more. CONFLICT where the ledger itself pays. */
  escalate(options: Answering & { epsilon?: EpsilonAmount | undefined; note?: string | undefined }): Promise<Request>;
  /** Approves in advance: small requests are granted at once, by the same code, until the room is used up. */
  createStanding(options: NewStanding): Promise<StandingApproval>;
  endStanding(options: By & { approval: string }): Promise<StandingApproval>;
  standing(id: string): Promise<StandingApproval>;
  standings(ledger: LedgerId): Promise<readonly StandingApproval[]>;
  /** Ends every request past its date by the store's clock, and tells who asked. */
  expireDue(): Promise<readonly RequestId[]>;
  readonly selfApproval: "refuse" | "flag";
}

/** What people are told, and what waits to be sent to them. */
export interface Outbox {
  notifications(options: PageOptions & { principal: PrincipalId }): Promise<Page<Notification>>;
  unread(principal: PrincipalId): Promise<number>;
  /** One, or all of them when null. */
  markRead(options: { principal: PrincipalId; notification: string | null }): Promise<void>;
  preferences(principal: PrincipalId): Promise<Preferences>;
  setPreference(options: Channels & { principal: PrincipalId; kind: string }): Promise<void>;
  webhook(principal: PrincipalId): Promise<{ url: string; secret: string } | null>;
  /** A new secret each time; null takes it away. */
  setWebhook(options: { principal: PrincipalId; url: string | null }): Promise<{ secret: string } | null>;
  /** Takes what is due under a lease; each is to be ended, or comes again. */
  takeDue(options: { limit: number; channels: readonly Delivery["channel"][] }): Promise<readonly Delivery[]>;
  endDelivery(options: { id: string; outcome: "delivered" | "refused" | "failed" }): Promise<void>;
  putMail(options: { address: string; message: Json; principal: PrincipalId | null }): Promise<void>;
  nextDue(): Promise<string | null>;
}

export interface Audit {
  /** Newest first. */
  lines(options: PageOptions & AuditFilter & { ledger?: LedgerId | undefined }): Promise<Page<AuditLine>>;
  /** One ledger as JSON Lines, line by line from one committed state. NOT_FOUND. */
  export(options: ExportOptions): Promise<void>;
  /** Where these books end, for keeping elsewhere; null while nothing has happened since the line with the hash `known`. */
  checkpoint(known?: string): Promise<Checkpoint | null>;
  /** Freezes every ledger when these books end before the checkpoint: a backup was restored. Answers which. */
  confront(kept: Checkpoint): Promise<readonly LedgerId[]>;
  /** Recomputes the chains and replays every state through core. */
  verify(): Promise<Verification>;
}

export interface Reports {
  /** What was charged to a ledger, or to an account and all below it, with about `points` stops: for `spendReport`. */
  history(options: { node: LedgerId | AccountId; points: number }): Promise<SpendHistory>;
}

/** What was released before, by the hash of the question; everything here is public to whoever may read it. */
export interface Reuse {
  /** The newest under each key and scope, `limit` each, that the reader may have. */
  find(options: {
    keys: readonly string[];
    scopes: readonly string[];
    readers: Readers;
    limit: number;
  }): Promise<readonly ReleasedStatistic[]>;
  newest(options: {
    dataset: DatasetId;
    version: number;
    names: readonly string[];
    column: string | null;
    readers: Readers;
    limit: number;
  }): Promise<readonly ReleasedStatistic[]>;
  /** `seq` of the newest released statistic: what was decided after reading it saw all before it. */
  horizon(): Promise<bigint>;
  rows(origins: readonly { readonly release: string; readonly row: string }[]): Promise<readonly ReleasedStatistic[]>;
  /** Newest first. */
  library(options: LibraryFilter): Promise<Page<ReleasedStatistic>>;
  policy(dataset: DatasetId): Promise<ReusePolicy>;
  setPolicy(options: By & ReusePolicy & { dataset: DatasetId }): Promise<ReusePolicy>;
  savings(dataset: DatasetId): Promise<Savings>;
}

/** What the server processes of one database share beside the books. */
export interface Shared {
  /** The seconds to wait, or null where one was taken. */
  take(rate: SharedRate): Promise<number | null>;
  /** The same secret for every process, made by the first that asks. */
  key(options: { name: string; make: () => string }): Promise<string>;
}

/** The one database, as the server sees it. */
export interface Books {
  readonly people: People;
  readonly catalog: Catalog;
  readonly ledgers: Ledgers;
  readonly releases: Releases;
  readonly reuse: Reuse;
  readonly requests: Requests;
  readonly outbox: Outbox;
  readonly reports: Reports;
  readonly audit: Audit;
  readonly shared: Shared;
  close(): Promise<void>;
}
