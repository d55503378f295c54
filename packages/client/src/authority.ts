export type RelationName = keyof typeof relations;

/**
 * Who may call a route, as a relation between the caller and the thing named in its path or body. Roles are relations on
 * objects (person, object, role), never a rank: one person may administer dataset A and be a member of team T.
 *
 * `sees` names the weaker relation that makes the thing visible: a caller without it gets NOT_FOUND, a caller who has it but
 * not the relation itself gets FORBIDDEN.
 */
export const relations = {
  anyone: { means: "no sign-in is needed", sees: null },
  visitor: { means: "anyone; a person who is signed in is recognised", sees: null },
  signedIn: { means: "a valid token or session of a person who has not been removed", sees: null },
  teamOpener: {
    means: "anyone signed in; a platform admin where the server's setting `teams` says `admins`",
    sees: "signedIn",
  },
  demoViewer: { means: "signed in through a demo link while no real person exists", sees: "signedIn" },
  platformAdmin: { means: "holds the role platformAdmin on the platform", sees: "signedIn" },
  auditReader: { means: "platform admin, or auditor of the platform", sees: "signedIn" },
  verifier: {
    means: "administers or audits some dataset, is an auditor of the platform or a platform admin",
    sees: "signedIn",
  },
  agentKeeper: { means: "the person for whom the AI agent acts, or a platform admin", sees: "agentKeeper" },
  tokenKeeper: { means: "a platform admin, or the person for whom the service or agent acts", sees: "tokenKeeper" },
  confirmationReader: {
    means: "the AI agent that asked, or the person for whom it acts",
    sees: "confirmationReader",
  },
  confirmationDecider: { means: "the person for whom the AI agent acts", sees: "confirmationReader" },
  owner: { means: "owns the thing: the token or session is theirs", sees: "owner" },
  teamReader: {
    means: "a member or admin of the team, an auditor of the platform, or a platform admin",
    sees: "teamReader",
  },
  teamAdmin: { means: "holds the role teamAdmin on the team, or is a platform admin", sees: "teamReader" },
  teamMember: { means: "a member of the team", sees: "teamReader" },
  datasetReader: {
    means:
      "administers or audits the dataset, holds an account on its ledger (alone or through a team), is an auditor of the platform or a platform admin",
    sees: "datasetReader",
  },
  catalogReader: {
    means: "anyone signed in, of a dataset that its admins list in the catalogue and whose ledger is open",
    sees: "catalogReader",
  },
  datasetAdmin: { means: "holds the role datasetAdmin on the dataset", sees: "datasetReader" },
  ledgerReader: { means: "datasetReader of any dataset of the ledger", sees: "ledgerReader" },
  ledgerAdmin: { means: "datasetAdmin of every dataset of the ledger", sees: "ledgerReader" },
  ledgerReopener: {
    means: "ledgerAdmin, or, as the second person after one of them, a platform admin",
    sees: "ledgerReader",
  },
  ledgerMigrator: {
    means: "ledgerAdmin, or, as the second person after one of them, a platform admin",
    sees: "ledgerReader",
  },
  ledgerAuditor: { means: "administers or audits a dataset of the ledger, or reads the audit", sees: "ledgerReader" },
  accountReader: {
    means: "holds the account, belongs to the team that holds it, manages it, or audits its ledger",
    sees: "accountReader",
  },
  accountManager: {
    means:
      "ledgerAdmin, or admin of the team that holds the account's parent: the one who gives it its quota; of a purpose below a person's account, that person",
    sees: "accountReader",
  },
  accountAdmin: { means: "ledgerAdmin of the account's ledger", sees: "accountReader" },
  accountGrantor: {
    means:
      "may open accounts here: ledgerAdmin, or, below an account of a team, an admin of that team; purposes below their own account, the person",
    sees: "ledgerReader",
  },
  accountSpender: {
    means:
      "the person who holds the account, and who is in every team above it, unless the account is set aside for a scheduled report",
    sees: "accountReader",
  },
  accountHolder: {
    means: "the person who holds the account, and who is in every team above it; they may have purposes below it",
    sees: "accountReader",
  },
  scheduleReader: { means: "accountReader of the account that pays for it", sees: "scheduleReader" },
  scheduleOwner: { means: "made the scheduled report, and still reads it", sees: "scheduleReader" },
  requestReader: {
    means: "made the request, may decide it, or audits its ledger",
    sees: "requestReader",
  },
  requestDecider: {
    means: "gives out the quota it asks for: ledgerAdmin, or admin of the team that holds the paying account",
    sees: "requestReader",
  },
  approvalManager: {
    means: "gives out the quota that the standing approval is about: ledgerAdmin, or admin of the team that pays",
    sees: "approvalReader",
  },
  approvalReader: { means: "ledgerReader of its ledger", sees: "approvalReader" },
  requester: { means: "made the request", sees: "requestReader" },
  quotaMover: {
    means: "gives out the quota of whatever funds both accounts: ledgerAdmin, or admin of a team above both",
    sees: "accountReader",
  },
  amendmentReader: { means: "ledgerReader of its ledger", sees: "amendmentReader" },
  amendmentDecider: {
    means:
      "may be the second person: ledgerAdmin of its ledger, or a platform admin; the ledger refuses who proposed it",
    sees: "amendmentReader",
  },
  amendmentProposer: { means: "asked for the raise", sees: "amendmentReader" },
  draftReader: {
    means:
      "made the draft or was handed it, or is in the team that it is shared with; and may see its dataset, where it has one",
    sees: "draftReader",
  },
  draftOwner: {
    means: "made the draft or was handed it, and may see its dataset, where it has one",
    sees: "draftReader",
  },
  draftKeeper: {
    means:
      "made the draft or was handed it, or is an admin of the team that it is shared with; and may see its dataset, where it has one",
    sees: "draftReader",
  },
  dashboardReader: {
    means: "made the dashboard, or it is shared with them or a team that they are in",
    sees: "dashboardReader",
  },
  dashboardOwner: { means: "made the dashboard", sees: "dashboardReader" },
  releaseReader: {
    means: "asked for the release, reads its account, or audits its ledger",
    sees: "releaseReader",
  },
  releaseKeeper: {
    means: "asked for the release and still reads it, or ledgerAdmin of its ledger",
    sees: "releaseReader",
  },
  releaseAdmin: { means: "ledgerAdmin of the release's ledger", sees: "releaseReader" },
  chargeReader: {
    means: "made the charge of a program outside and still reads its ledger, reads its account, or audits its ledger",
    sees: "chargeReader",
  },
  chargeMaker: { means: "made the charge of a program outside", sees: "chargeReader" },
  chargeAdmin: { means: "ledgerAdmin of the charge's ledger", sees: "chargeReader" },
} as const satisfies Record<string, { readonly means: string; readonly sees: string | null }>;

/** What a token may be used for; a session has all four. Authority is always decided by the relation as well. */
export const scopes = {
  read: "see what its owner may see",
  release: "quote, charge and release from its owner's accounts, and ask for more",
  manage: "datasets, ledgers, teams, accounts, quotas and files",
  admin: "people, roles and tokens",
} as const;

export type Scope = keyof typeof scopes;

/** What a role is called wherever people read of it. */
export const roleWords = {
  platformAdmin: "platform admin",
  auditor: "auditor",
  datasetAdmin: "dataset admin",
  teamAdmin: "team admin",
} as const;
