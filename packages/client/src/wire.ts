import { z } from "zod";
import type { RouteName } from "./routes.ts";
import {
  account,
  accountInput,
  accountSettings,
  moveInput,
  moveResult,
  recallInput,
  recallResult,
  transferInput,
  transferResult,
} from "./wire/account.ts";
import {
  amendment,
  amendmentInput,
  amendmentPreview,
  amendments,
  decisionInput,
  raiseInput,
} from "./wire/amendment.ts";
import { auditLine, verification } from "./wire/audit.ts";
import { cursor, id, none, page, wait } from "./wire/basic.ts";
import {
  access,
  dataset,
  datasetInput,
  datasetSummary,
  delimiter,
  file,
  fileColumns,
  importInput,
  serverFile,
} from "./wire/dataset.ts";
import {
  entry,
  entryQuery,
  freezeInput,
  ledger,
  ledgerImportQuery,
  ledgerInput,
  ledgerPreview,
  ledgerSettings,
  publicationInput,
  publicGuarantee,
  reopenInput,
  switchPreview,
} from "./wire/ledger.ts";
import { organisationWire } from "./wire/organisation.ts";
import {
  demoLink,
  me,
  member,
  memberInput,
  person,
  personChange,
  personInput,
  role,
  roleInput,
  session,
  signInInput,
  signInLink,
  team,
  teamInput,
  token,
  tokenInput,
  tokenWithSecret,
} from "./wire/people.ts";
import { planRequest, quote, quoteRequest } from "./wire/plan.ts";
import { release, releaseEvent, releaseSummary } from "./wire/release.ts";
import { report, reportQuery } from "./wire/report.ts";
import { answerInput, approvalInput, offerInput, rejectionInput, request, requestInput } from "./wire/request.ts";
import { reuseWire } from "./wire/reuse-wire.ts";

export { answer } from "./wire/answer.ts";
export { decimal, problem } from "./wire/basic.ts";

/** The schemas of one route. An input is the union of params, query and body: the three never share a name. */
export interface RouteWire {
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** `null`: no JSON body. */
  readonly body: z.ZodType | null;
  /** `null`: nothing comes back. For server-sent events, the schema of one event's data. */
  readonly response: z.ZodType | null;
}

const searched = cursor.extend({
  text: z.string().trim().max(200).optional().meta({ description: "Only those whose name holds it, in any case" }),
});

const one = <Name extends string>(name: Name) => z.strictObject({ [name]: id } as Record<Name, typeof id>);

export const wire = {
  health: {
    params: none,
    query: none,
    body: null,
    response: z.object({ status: z.literal("ok"), version: z.string(), demo: z.boolean() }),
  },

  ready: { params: none, query: none, body: null, response: z.object({ ready: z.literal(true) }) },

  signIn: { params: none, query: none, body: signInInput, response: session },
  signOut: { params: none, query: none, body: null, response: null },
  viewAs: { params: none, query: none, body: z.strictObject({ person: id }), response: session },
  me: { params: none, query: none, body: null, response: me },
  createDemoLinks: { params: none, query: none, body: null, response: z.object({ items: z.array(demoLink) }) },

  listPeople: { params: none, query: cursor, body: null, response: page(person) },
  createPerson: { params: none, query: none, body: personInput, response: person },
  showPerson: { params: one("person"), query: none, body: null, response: person },
  setPerson: { params: one("person"), query: none, body: personChange, response: person },
  removePerson: { params: one("person"), query: none, body: null, response: null },
  restorePerson: { params: one("person"), query: none, body: null, response: person },
  createSignInLink: { params: one("person"), query: none, body: null, response: signInLink },
  listRoles: { params: none, query: cursor, body: null, response: page(role) },
  grantRole: { params: none, query: none, body: roleInput, response: role },
  revokeRole: { params: one("role"), query: none, body: null, response: null },

  listTokens: { params: none, query: cursor, body: null, response: page(token) },
  createToken: { params: none, query: none, body: tokenInput, response: tokenWithSecret },
  revokeToken: { params: one("token"), query: none, body: null, response: null },

  listTeams: { params: none, query: cursor, body: null, response: page(team) },
  createTeam: { params: none, query: none, body: teamInput, response: team },
  showTeam: {
    params: one("team"),
    query: none,
    body: null,
    response: team.extend({ members: z.array(member) }),
  },
  addMember: { params: one("team"), query: none, body: memberInput, response: member },
  removeMember: { params: z.strictObject({ team: id, person: id }), query: none, body: null, response: null },

  uploadFile: {
    params: none,
    query: z.strictObject({ name: z.string().min(1).max(200) }),
    body: null,
    response: file,
  },
  listFiles: { params: none, query: cursor, body: null, response: page(file) },
  describeFile: {
    params: one("file"),
    query: z.strictObject({
      delimiter: delimiter
        .optional()
        .meta({ description: "Between the fields of a CSV file; what its header holds most often when absent" }),
    }),
    body: null,
    response: fileColumns,
  },
  listServerFiles: { params: none, query: none, body: null, response: z.object({ items: z.array(serverFile) }) },
  importFile: { params: none, query: none, body: importInput, response: file },
  listConnections: {
    params: none,
    query: none,
    body: null,
    response: z.object({ items: z.array(z.object({ name: z.string() })) }),
  },
  describeTable: {
    params: one("connection"),
    query: z.strictObject({
      schema: z.string().min(1).max(200).optional().meta({ description: "public when absent" }),
      table: z.string().min(1).max(200),
    }),
    body: null,
    response: fileColumns,
  },
  listDatasets: { params: none, query: searched, body: null, response: page(datasetSummary) },
  createDataset: { params: none, query: none, body: datasetInput, response: dataset },
  showDataset: { params: one("dataset"), query: none, body: null, response: dataset },

  listAccess: { params: one("dataset"), query: none, body: null, response: z.object({ items: z.array(access) }) },
  openLedger: { params: one("dataset"), query: none, body: ledgerInput, response: ledger },
  previewLedger: { params: one("dataset"), query: none, body: ledgerInput, response: ledgerPreview },
  showLedger: { params: one("ledger"), query: none, body: null, response: ledger },
  listEntries: { params: one("ledger"), query: entryQuery, body: null, response: page(entry) },
  importLedger: { params: one("dataset"), query: ledgerImportQuery, body: null, response: ledger },
  setPublication: { params: one("ledger"), query: none, body: publicationInput, response: ledger },
  showPublicGuarantee: { params: one("population"), query: none, body: null, response: publicGuarantee },
  setLedger: { params: one("ledger"), query: none, body: ledgerSettings, response: ledger },
  listAmendments: { params: one("ledger"), query: none, body: null, response: amendments },
  previewAmendment: { params: one("ledger"), query: none, body: raiseInput, response: amendmentPreview },
  proposeAmendment: { params: one("ledger"), query: none, body: amendmentInput, response: amendment },
  secondAmendment: { params: one("amendment"), query: none, body: decisionInput, response: amendment },
  rejectAmendment: { params: one("amendment"), query: none, body: decisionInput, response: amendment },
  withdrawAmendment: { params: one("amendment"), query: none, body: decisionInput, response: amendment },
  reportLedger: { params: one("ledger"), query: reportQuery, body: null, response: report },
  listAccounts: { params: one("ledger"), query: cursor, body: null, response: page(account) },
  previewSwitch: { params: one("ledger"), query: none, body: null, response: switchPreview },
  freezeLedger: { params: one("ledger"), query: none, body: freezeInput, response: ledger },
  reopenLedger: { params: one("ledger"), query: none, body: reopenInput, response: ledger },
  switchRule: { params: one("ledger"), query: none, body: null, response: ledger },
  listLedgerAudit: { params: one("ledger"), query: cursor, body: null, response: page(auditLine) },

  listMyAccounts: { params: none, query: searched, body: null, response: page(account) },
  createAccount: { params: one("ledger"), query: none, body: accountInput, response: account },
  showAccount: { params: one("account"), query: none, body: null, response: account },
  reportAccount: { params: one("account"), query: reportQuery, body: null, response: report },
  allocateQuota: { params: one("account"), query: none, body: moveInput, response: moveResult },
  withdrawQuota: { params: one("account"), query: none, body: moveInput, response: moveResult },
  transferQuota: { params: one("account"), query: none, body: transferInput, response: transferResult },
  recallQuota: { params: one("account"), query: none, body: recallInput, response: recallResult },
  setAccount: { params: one("account"), query: none, body: accountSettings, response: account },
  freezeAccount: { params: one("account"), query: none, body: null, response: account },
  unfreezeAccount: { params: one("account"), query: none, body: null, response: account },
  closeAccount: { params: one("account"), query: none, body: null, response: account },

  quotePlan: { params: none, query: none, body: quoteRequest, response: quote },
  createRelease: { params: none, query: wait, body: planRequest, response: release },
  ...reuseWire,

  listReleases: {
    params: none,
    query: cursor.extend({ dataset: id.optional(), account: id.optional() }),
    body: null,
    response: page(releaseSummary),
  },
  showRelease: { params: one("release"), query: wait, body: null, response: release },
  releaseReport: { params: one("release"), query: none, body: null, response: null },
  watchRelease: { params: one("release"), query: none, body: null, response: releaseEvent },

  listRequests: {
    params: none,
    query: cursor.extend({
      box: z.enum(["received", "submitted"]).meta({ description: "Those I may decide, or those I made" }),
    }),
    body: null,
    response: page(request),
  },
  createRequest: { params: none, query: none, body: requestInput, response: request },
  showRequest: { params: one("request"), query: none, body: null, response: request },
  approveRequest: { params: one("request"), query: none, body: approvalInput, response: request },
  rejectRequest: { params: one("request"), query: none, body: rejectionInput, response: request },
  offerRequest: { params: one("request"), query: none, body: offerInput, response: request },
  acceptOffer: { params: one("request"), query: none, body: answerInput, response: request },
  declineOffer: { params: one("request"), query: none, body: answerInput, response: request },
  withdrawRequest: { params: one("request"), query: none, body: answerInput, response: request },

  ...organisationWire,

  listAudit: {
    params: none,
    query: cursor.extend({
      actor: id.optional().meta({ description: "Only by this person" }),
      action: z
        .string()
        .regex(/^[a-zA-Z.]{1,60}$/, "a noun, or a noun and a verb")
        .optional()
        .meta({ description: "Only this action (request.approve), or all of one noun (request)" }),
      subject: id.optional().meta({ description: "Only what happened to this" }),
      since: z.iso.datetime().optional(),
      until: z.iso.datetime().optional(),
    }),
    body: null,
    response: page(auditLine),
  },
  exportLedger: { params: one("ledger"), query: none, body: null, response: null },
  verify: { params: none, query: none, body: null, response: verification },
} as const satisfies Record<RouteName, RouteWire>;

export type Wire = typeof wire;
