export type { Checkpoint } from "./audit/checkpoint.ts";
export type { Digest, ExportOptions, Signer } from "./audit/export.ts";
export type { AuditLine } from "./audit/line.ts";
export type { Problem, Verification } from "./audit/verify.ts";
export { whyAway } from "./away.ts";
export type {
  Audit,
  Books,
  By,
  Catalog,
  Ledgers,
  Outbox,
  PageOptions,
  People,
  Releases,
  Reports,
  Requests,
} from "./books.ts";
export type { Dataset, DatasetSource, DatasetVersion, NamedDataset } from "./catalog/dataset.ts";
export type { Adjacency, Population } from "./catalog/population.ts";
export { nameFrom } from "./check.ts";
export type { StepLabel } from "./context.ts";
export { stepLabels } from "./context.ts";
export type {
  AccountId,
  AmendmentId,
  ChargeId,
  DatasetId,
  LedgerId,
  PopulationId,
  PrincipalId,
  ReleaseId,
  RequestId,
  TeamId,
} from "./id.ts";
export type { Json } from "./json.ts";
export type { Account, Holder } from "./ledger/account.ts";
export type { Amendment, AmendmentPreview, GuaranteeVersion } from "./ledger/amendment.ts";
export type { Balance, Quote } from "./ledger/balance.ts";
export type { Charge, ChargeOutcome, ChargeRequest, Lease } from "./ledger/charge.ts";
export type { Entry, Page } from "./ledger/entry.ts";
export type { CopiedCharge, Importing, LedgerCopy } from "./ledger/import-ledger.ts";
export type { Ledger, Promised, Quota } from "./ledger/ledger.ts";
export type { Quotes } from "./ledger/plan-quote.ts";
export type { FreeQuota } from "./ledger/quota.ts";
export type { Refusal } from "./ledger/refusal.ts";
export type { SwitchPreview } from "./ledger/switch.ts";
export { copiedTerms } from "./ledger/terms.ts";
export type { Recalled } from "./ledger/transfer.ts";
export type { OpenOptions } from "./open.ts";
export { openBooks } from "./open.ts";
export type { Delivery } from "./outbox/delivery.ts";
export { type Channels, type Facts, type NotificationKind, notificationKinds, THRESHOLDS } from "./outbox/kinds.ts";
export type { Notification, Preferences } from "./outbox/notification.ts";
export type { Authenticated, Credential, NewCredential } from "./people/credential.ts";
export type { Answering, Approval } from "./people/decision.ts";
export { transitions } from "./people/decision.ts";
export type { Identity } from "./people/identity.ts";
export type { Invitation } from "./people/invitation.ts";
export { type Patience, usualPatience } from "./people/patience.ts";
export type { Principal } from "./people/principal.ts";
export { systemPrincipal } from "./people/principal.ts";
export type { NewRequest, Request, RequestStatus } from "./people/request.ts";
export type { Role, RoleBinding, Roles } from "./people/role.ts";
export type { StandingApproval } from "./people/standing.ts";
export type { Membership, Team } from "./people/team.ts";
export { type Claims, claimedBy } from "./release/claim.ts";
export type { ReleaseFilter } from "./release/list.ts";
export type { Receipt, Release } from "./release/release.ts";
export type { ReusePolicy, Savings } from "./release/savings.ts";
export {
  mayRead,
  type NewAnswers,
  type NewReuse,
  type NewStatistic,
  type Readers,
  type ReleasedStatistic,
} from "./release/statistic.ts";
export { GAUSSIAN_SHARE } from "./report/agent-list.ts";
export type { SpendHistory } from "./report/history.ts";
export type { PointLeft } from "./report/left.ts";
export type { MoreLike } from "./report/more.ts";
export {
  type AccountantRow,
  type ReportQuestion,
  type SpendReport,
  spendReport,
  type TotalSeries,
} from "./report/report.ts";
export type { Store, Tx } from "./store.ts";
