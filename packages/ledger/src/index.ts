export { type Account, type Holder, promisesLearning } from "./accounts/account.ts";
export type { Share } from "./accounts/agent-share.ts";
export type { Balance, BlockBalance, Quote } from "./accounts/balance.ts";
export type { DeclareRight } from "./accounts/declare-right.ts";
export type { PublicLink } from "./accounts/public-answer.ts";
export type { Recalled } from "./accounts/transfer.ts";
export type { AgentCharge } from "./agents/charges.ts";
export type { Confirmation } from "./agents/confirmation.ts";
export type { AgentLimits } from "./agents/limits.ts";
export type { AuditLine } from "./audit/line.ts";
export type { CopiedCharge } from "./blocks/copied-charges.ts";
export type { Dataset, DatasetSource, DatasetVersion, NamedDataset } from "./catalog/dataset.ts";
export type { ListedDataset, Listing } from "./catalog/listing.ts";
export type { Population } from "./catalog/population.ts";
export { uploadErased } from "./catalog/upload.ts";
export type { DeclaredQuote, Declaring } from "./charges/declare.ts";
export type { DeclaredEntry, DeclaredFacts, Evidence } from "./charges/evidence.ts";
export type { Imported, Publication, QuotedPublication } from "./charges/publications.ts";
export type { SwitchPreview } from "./charges/switch.ts";
export type { WaitingCharge } from "./charges/wait.ts";
export type { ChargeOutcome } from "./charges/writer.ts";
export { type RequestLimits, type StepLabel, stepLabels } from "./context.ts";
export type { Dashboard, DashboardItem } from "./dashboards/dashboard.ts";
export type { DraftComment } from "./drafts/comment.ts";
export type { Draft, ListedDraft } from "./drafts/draft.ts";
export type { Amendment, AmendmentPreview, GuaranteeVersion } from "./guarantee/amendment.ts";
export { type AddedConnection, sameDatabase } from "./instance/connection.ts";
export type { Entry } from "./ledger/entry.ts";
export type { Ledger, Promised } from "./ledger/ledger.ts";
export type { Refusal } from "./ledger/refusal.ts";
export { overBlocks } from "./ledger/sentence.ts";
export {
  type LedgerDatabase,
  type OpenOptions,
  openLedgerDatabase,
} from "./ledger-database.ts";
export type { Delivery } from "./outbox/delivery.ts";
export type { Authenticated, Credential, NewCredential } from "./people/credential.ts";
export type { Identity } from "./people/identity.ts";
export type { Invitation } from "./people/invitation.ts";
export type { Notification, Preferences } from "./people/notification.ts";
export { type DemoStatus, type Principal, systemPrincipal } from "./people/principal.ts";
export type { Role, RoleBinding, Roles } from "./people/role.ts";
export type { Membership, Team } from "./people/team.ts";
export type { ChangedGroup, GroupKey, ProvisionedGroup } from "./provisioning/group.ts";
export type { Listed, Part } from "./provisioning/listed.ts";
export type { ProvisionedUser, UserKey } from "./provisioning/user.ts";
export type { Charge, ChargeRequest, Lease } from "./release/charge.ts";
export { type Claims, QuestionClaimed } from "./release/claim.ts";
export type { ReleaseLabel } from "./release/label.ts";
export type { ListedRelease, ReleaseFilter } from "./release/list.ts";
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
export type { SpendHistory } from "./report/history.ts";
export type { MoreLike } from "./report/more.ts";
export type { OutsideProgram, OutsideSpend } from "./report/outside.ts";
export type { PointLeft } from "./report/remaining.ts";
export {
  type AccountantRow,
  type ReportQuestion,
  type SpendReport,
  spendReport,
  type TotalSeries,
} from "./report/report.ts";
export type { Answering, Approval } from "./requests/decision.ts";
export type { PreApproval } from "./requests/pre-approval.ts";
export type { NewRequest, Request, RequestStatus } from "./requests/request.ts";
export type { Importing, LedgerCopy } from "./restore/import-ledger.ts";
export { MAX_LATEST, windowOfReport } from "./schedules/earmark.ts";
export type { SchedulePoint } from "./schedules/point.ts";
export type { Schedule } from "./schedules/schedule.ts";
export { connectionErrorCode, isDamaged } from "./stores/connection-error.ts";
export { refuseOtherVersion } from "./stores/migrations/migrate.ts";
export type { Store, Tx } from "./stores/store.ts";
export type { Certified, FreeQuota, Quotes } from "./values/calculations.ts";
export { nameFrom } from "./values/check.ts";
export { type Declared, declaredIn, programOf, unpaidIn } from "./values/declared.ts";
export type {
  AccountId,
  AmendmentId,
  By,
  ChargeId,
  DatasetId,
  LedgerId,
  PopulationId,
  PrincipalId,
  ReleaseId,
  RequestId,
  ScheduleId,
  TeamId,
} from "./values/id.ts";
export type { Json } from "./values/json.ts";
export { type Channels, type Facts, type NotificationKind, notificationKinds } from "./values/notification-kind.ts";
export type { Page, PageOptions } from "./values/page.ts";
export { copiedTerms, type LedgerBlocks, type Quota } from "./values/terms.ts";
export type { KnownCharges, StreamedLine } from "./verify/audit-stream.ts";
export type { Checkpoint, Witnessed } from "./verify/checkpoint.ts";
export type { Digest, ExportOptions, Signer } from "./verify/export.ts";
export { type Problem, type Verification, verify as verifyStore } from "./verify/verify.ts";
