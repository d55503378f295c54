import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  createClient,
  type Input,
  type RelationName,
  type RouteName,
  relations,
  type Scope,
  scopes,
} from "@dosimeter/client";
import { routeNames, routes } from "@dosimeter/client/routes";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lapsed } from "../packages/ledger/src/testing/fixture.kit.ts";
import {
  buildFixture,
  CSV,
  clientOf,
  countPlan,
  csvBytes,
  declaration,
  type Fixture,
  namedAlone,
  ORIGIN,
  openTestInstance,
  tokenFor,
} from "../packages/server/src/instance.kit.ts";
import { buildVisits, scheduleOf, type Visits } from "../packages/server/src/schedules/schedules.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

/** Kinds of caller that hold no valid credential, then those who do. */
const outsiders = ["anonymous", "wrongToken", "expiredToken", "revokedToken", "removedPerson"] as const;
const insiders = ["stranger", "member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"] as const;
type Insider = (typeof insiders)[number];

/**
 * Who holds which relation in the fixture of the kit, written down by hand: the server decides from roles, this table says
 * what must come out. The subject is the kit's dataset, ledger, team and the account of `member`.
 */
const holders: Readonly<Record<RelationName, readonly Insider[]>> = {
  anyone: insiders,
  visitor: insiders,
  signedIn: insiders,
  teamOpener: insiders,
  demoViewer: [],
  platformAdmin: ["platformAdmin"],
  auditReader: ["platformAdmin"],
  verifier: ["platformAdmin", "auditor", "datasetAdmin"],
  owner: ["member"],
  agentKeeper: ["member", "platformAdmin"],
  tokenKeeper: ["member", "platformAdmin"],
  confirmationReader: ["member"],
  confirmationDecider: ["member"],
  teamReader: ["member", "teamAdmin", "platformAdmin"],
  teamAdmin: ["teamAdmin", "platformAdmin"],
  teamMember: ["member", "teamAdmin"],
  datasetReader: ["member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"],
  catalogReader: insiders,
  datasetAdmin: ["datasetAdmin"],
  ledgerReader: ["member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"],
  ledgerAdmin: ["datasetAdmin"],
  ledgerAuditor: ["datasetAdmin", "auditor", "platformAdmin"],
  accountReader: ["member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"],
  accountManager: ["teamAdmin", "datasetAdmin"],
  accountAdmin: ["datasetAdmin"],
  accountGrantor: ["teamAdmin", "datasetAdmin"],
  accountSpender: ["member"],
  quotaMover: ["teamAdmin", "datasetAdmin"],
  amendmentReader: ["member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"],
  ledgerReopener: ["datasetAdmin"],
  ledgerMigrator: ["datasetAdmin"],
  amendmentDecider: ["datasetAdmin", "platformAdmin"],
  amendmentProposer: ["datasetAdmin"],
  accountHolder: ["member"],
  scheduleReader: ["member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"],
  scheduleOwner: ["member"],
  requestReader: ["member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"],
  requestDecider: ["teamAdmin", "datasetAdmin"],
  approvalManager: ["teamAdmin", "datasetAdmin"],
  approvalReader: ["member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"],
  requester: ["member"],
  draftReader: ["member", "teamAdmin"],
  draftOwner: ["member"],
  draftKeeper: ["member", "teamAdmin"],
  releaseReader: ["member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"],
  releaseKeeper: ["member", "datasetAdmin"],
  releaseAdmin: ["datasetAdmin"],
  dashboardReader: ["member", "teamAdmin"],
  dashboardOwner: ["member"],
  chargeReader: ["member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"],
  chargeMaker: ["member"],
  chargeAdmin: ["datasetAdmin"],
};

/** Routes that do not answer their success status although the caller may call them, and why. */
const otherwise: Partial<
  Record<RouteName, { readonly status: number; readonly because: string; readonly who?: Insider }>
> = {
  createDemoLinks: { status: 409, because: "the world has real people" },
  testMail: { status: 409, because: "the server sends no mail" },
  createProviderToken: { status: 404, because: "the server has no providers" },
  createFirstAdmin: { status: 409, because: "there are admins, and no code was printed" },
  continueAs: { status: 404, because: "the world is no demo" },
  secondAmendment: { status: 403, because: "whoever asked for a raise cannot agree to it", who: "datasetAdmin" },
  rejectAmendment: { status: 403, because: "whoever asked for a raise cannot decide it", who: "datasetAdmin" },
  escalateRequest: {
    status: 403,
    because: "the dataset's admin pays already: there is nobody above",
    who: "datasetAdmin",
  },
  appendRows: { status: 400, because: "the dataset has no blocks" },
  closeBlocks: { status: 400, because: "the dataset has no blocks" },
  addConnection: { status: 400, because: "this server lists no hosts" },
  testConnection: { status: 404, because: "this server has no connection" },
  removeConnection: { status: 404, because: "this server has no connection" },
  listTables: { status: 404, because: "this server has no connection" },
  describeTable: { status: 404, because: "this server has no connection" },
  beginSecondFactor: { status: 403, because: "nobody here has a password" },
  confirmSecondFactor: { status: 409, because: "none was begun" },
  endSecondFactor: { status: 403, because: "there is none whose code it could be" },
  createPasswordLink: { status: 409, because: "the stranger has no e-mail address" },
  resetPassword: { status: 401, because: "there is no such link" },
  startSecondFactor: { status: 401, because: "nobody here has a password" },
  removeSecondFactor: { status: 404, because: "the stranger has none" },
  setPassword: { status: 403, because: "a token sets no first password" },
  moveShare: { status: 403, because: "only the agent's person gives of their own quota", who: "platformAdmin" },
  setAgentLimits: { status: 403, because: "the agent's person does it in a browser", who: "member" },
  decideConfirmation: { status: 403, because: "a person decides in a browser" },
  letMcpClientIn: { status: 403, because: "a person lets a program in, in a browser" },
  checkUpload: { status: 403, because: "shown in a browser session" },
  retryReport: { status: 404, because: "no report was due yet" },
  switchRule: { status: 200, because: "the ledger can switch" },
};

/** Routes whose subject here is not the kit's own but a fresh one, which these callers do not see. */
const hidden: Partial<Record<RouteName, readonly Insider[]>> = {
  openLedger: ["member", "teamAdmin"],
  previewLedger: ["member", "teamAdmin"], // a dataset without a ledger has no account holders
  importLedger: ["member", "teamAdmin"],
  freezeLedger: ["member", "teamAdmin"],
  reopenLedger: ["member", "teamAdmin"],
  migrateLedger: ["member", "teamAdmin"],
  freezeAccount: ["member"], // another member's account
  unfreezeAccount: ["member"],
  closeAccount: ["member"],
  transferQuota: ["member"], // to another member's account
  changeUnfinished: ["teamAdmin"],
  handDeclaration: ["teamAdmin"],
};

let fixture: Fixture;
const serverFolder = temporaryFolder();
let serial = 0;
function fresh(what: string): string {
  serial += 1;
  return `${what} ${serial}`;
}

const operator = () => clientOf(fixture.instance, fixture.instance.operatorToken);
const freshPerson = async () => (await operator().createPerson({ name: fresh("person") })).id;

async function removedPerson() {
  const person = await freshPerson();
  await operator().removePerson({ person });
  return { person };
}

async function freshAccount(): Promise<string> {
  const { as, ledger, teamAccount, team } = fixture;
  const id = await freshPerson();
  await as.teamAdmin.addMember({ team, person: id });
  const holder = { kind: "person", id } as const;
  return (await as.teamAdmin.createAccount({ ledger, parent: teamAccount, holder, epsilon: "0.001" })).id;
}

async function freshService(): Promise<string> {
  return (await operator().createPerson({ name: fresh("service"), kind: "service" })).id;
}

/** An AI agent of a person. */
async function freshAgent(person = fixture.people.member): Promise<string> {
  return (await operator().createPerson({ name: fresh("agent"), kind: "agent", onBehalfOf: person })).id;
}

/** What a program that has registered asks. */
async function freshAsked(): Promise<string> {
  const body = JSON.stringify({ redirect_uris: [`${ORIGIN.replace("http:", "https:")}/back`] });
  const headers = { "content-type": "application/json" };
  const answer = await fixture.instance.fetch(
    new Request(`${ORIGIN}/oauth/register`, { method: "POST", headers, body }),
  );
  const { client_id, redirect_uris } = (await answer.json()) as { client_id: string; redirect_uris: [string] };
  const fields = { response_type: "code", client_id, redirect_uri: redirect_uris[0], code_challenge_method: "S256" };
  return Buffer.from(String(new URLSearchParams({ ...fields, code_challenge: "c".repeat(43) }))).toString("base64url");
}

/** An AI agent of the member with an account next to theirs. */
async function freshShare({ as, ledger, teamAccount: parent, memberAccount: from } = fixture) {
  const agent = await freshAgent();
  await as.teamAdmin.addMember({ team: fixture.team, person: agent });
  const holder = { kind: "person", id: agent } as const;
  const { id: to } = await as.teamAdmin.createAccount({ ledger, parent, holder, epsilon: "0.001" });
  return { agent, from, to, epsilon: "0.001" };
}

/** A release of an AI agent that waits for the click of its person. */
async function freshConfirmation({ people, dataset, memberAccount } = fixture): Promise<string> {
  const { database } = fixture.instance;
  const principal = (await freshAgent(people.member)) as never;
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const { credential } = await database.people.createCredential({ kind: "token", principal, expiresAt, by: principal });
  const asked = await database.agents.askConfirmation({
    principal,
    credential: credential.id,
    account: memberAccount as never,
    dataset: dataset as never,
    key: "k",
    asked: { dataset, account: memberAccount, plan: countPlan() as never },
    epsilon: null,
    purpose: null,
  });
  return asked.id;
}

async function freshFile(caller: Insider | null): Promise<string> {
  if (caller === null) return "fil_00000000000000000000";
  // Other bytes each time: the same ones would be the same people, whose ledger is open.
  serial += 1;
  return (await fixture.as[caller].uploadFile({ name: "staff.csv", content: csvBytes(`${CSV}7,30,f,${serial}\n`) })).id;
}

async function unopenedDataset(): Promise<string> {
  const file = await freshFile("datasetAdmin");
  const { id } = await fixture.as.datasetAdmin.createDataset({ file, name: fresh("unopened"), declaration });
  // The others see it as they see the kit's dataset.
  await operator().grantRole({ person: fixture.people.auditor, role: "auditor", object: { kind: "dataset", id } });
  return id;
}

async function freshLedger(): Promise<string> {
  const dataset = await unopenedDataset();
  return (await fixture.as.datasetAdmin.openLedger({ dataset, epsilon: "1", delta: "1e-6" })).id;
}

async function exported(): Promise<Uint8Array<ArrayBuffer>> {
  const ledger = await freshLedger();
  await fixture.as.datasetAdmin.freezeLedger({ ledger, reason: "it moves" });
  const blob = await fixture.as.datasetAdmin.exportLedger({ ledger });
  return new Uint8Array(await blob.arrayBuffer());
}

/** The member asks for more on the kit's account. */
async function freshRequest(): Promise<{ request: string; version: number }> {
  const { as, dataset, memberAccount } = fixture;
  const asked = { dataset, account: memberAccount, epsilon: "0.001", supersede: true };
  const { id, version } = await as.member.createRequest(asked);
  return { request: id, version };
}

async function freshOffer(): Promise<{ request: string; version: number }> {
  const { id, version } = await fixture.as.teamAdmin.offerRequest({ ...(await freshRequest()), epsilon: "0.001" });
  return { request: id, version };
}

/** A raise that the kit's dataset admin asks for. */
async function freshAmendment(): Promise<string> {
  await withdrawOpen();
  const { ledgers } = fixture.instance.database;
  const { terms } = await ledgers.ledger(fixture.ledger);
  const raise = { epsilon: epsilonText(terms.epsilon), delta: "1e-6", reason: "more" };
  return (await fixture.as.datasetAdmin.proposeAmendment({ ledger: fixture.ledger, ...raise })).id;
}

/** A hundredth above the lifetime that is in force. */
const epsilonText = (units: bigint): string => String(Number(units) / 1e12 + 0.01);

async function withdrawOpen(): Promise<void> {
  const { items } = await fixture.as.datasetAdmin.listAmendments({ ledger: fixture.ledger });
  for (const { id, status } of items)
    if (status === "proposed") await fixture.as.datasetAdmin.withdrawAmendment({ amendment: id });
}

let monthly: Promise<Visits> | undefined;

/** Visits with a budget for each month, which everyone sees as they see the kit's dataset. */
async function visits(): Promise<Visits> {
  monthly ??= (async () => {
    const made = await buildVisits(fixture);
    const object = { kind: "dataset", id: made.dataset } as const;
    await operator().grantRole({ person: fixture.people.auditor, role: "auditor", object });
    return made;
  })();
  return monthly;
}

/** The member's, of a month that no version declares yet. */
const freshScheduled = async () => {
  const plan = { statistics: [{ id: "visits", statistic: "count", epsilon: "0.001" }] };
  return scheduleOf(await visits(), { name: fresh("report"), plan, latest: 1, from: "2024-01" });
};
const freshSchedule = async () => (await fixture.as.member.createSchedule(await freshScheduled())).id;

/** A charge of a program outside, as its route takes it. */
const outside = (key = fresh("outside")) => ({
  account: fixture.memberAccount,
  key,
  events: [{ kind: "pure", epsilon: "0.004" }],
  purpose: "a model",
  relation: "add-or-remove-one" as const,
  rowsPerUnit: 1,
});

function published() {
  const { account: _, ...row } = outside();
  return { ledger: fixture.ledger, rows: [{ ...row, on: "2020-01-01", where: "a report" }] };
}

async function freshCharge() {
  const { as, memberAccount: account } = fixture;
  await as.datasetAdmin.setDeclaring({ account, mostEpsilon: "1" });
  return as.member.declareCharge(outside());
}

type Inputs = { readonly [Name in RouteName]: (caller: Insider | null) => Promise<Input<Name>> | Input<Name> };

/** A valid input, made again for each call that changes something. A route without a row takes the kit's own things, or nothing. */
const written: Partial<Inputs> = {
  signIn: async () => ({ token: fixture.tokens.stranger }),
  createFirstAdmin: () => ({ code: "0000-0000-0000-0000", name: fresh("person") }),
  showInvitation: () => ({ secret: "dsi_none" }),
  continueAs: () => ({ person: fixture.people.member }),
  viewAs: () => ({ person: fixture.people.member }),
  quoteCharge: () => outside(),
  declareCharge: async () => {
    await freshCharge(); // gives the right to
    return outside();
  },
  approveCharge: () => outside(),
  decideCharge: async () => {
    const account = fixture.memberAccount;
    await fixture.as.datasetAdmin.setDeclaring({ account, mostEpsilon: "1", secondAbove: "0" });
    const stated = outside();
    await fixture.as.member.declareCharge(stated).catch(() => undefined);
    await fixture.as.datasetAdmin.setDeclaring({ account, secondAbove: null });
    const { items } = await fixture.as.member.listWaitingCharges({});
    const waiting = items.find((one) => one.stated.key === stated.key)?.id ?? "";
    return { account, waiting, outcome: "approve" as const };
  },
  quoteImport: () => published(),
  importCharges: () => published(),
  showCharge: async () => ({ charge: (await freshCharge()).charge.id }),
  showPermit: async () => ({ charge: (await freshCharge()).charge.id }),
  redeemPermit: async () => ({ permit: (await freshCharge()).permit }),
  attachEvidence: async () => ({ charge: (await freshCharge()).charge.id, commit: "abc" }),
  publishEvidence: async () => {
    const { id: charge } = (await freshCharge()).charge;
    await fixture.as.member.attachEvidence({ charge, commit: "abc" });
    return { charge };
  },
  setDeclaring: () => ({ account: fixture.memberAccount, mostEpsilon: "1" }),
  createProviderToken: () => ({ provider: "work" }),
  createPerson: () => ({ name: fresh("person") }),
  showPerson: () => ({ person: fixture.people.member }),
  setPerson: () => ({ person: fixture.people.stranger, name: fresh("person") }),
  removePerson: async () => ({ person: await freshPerson() }),
  restorePerson: () => removedPerson(),
  erasePerson: () => removedPerson(),
  createSignInLink: () => ({ person: fixture.people.stranger }),
  createPasswordLink: () => ({ person: fixture.people.stranger }),
  grantRole: () => ({
    person: fixture.people.auditor,
    role: "auditor",
    object: { kind: "dataset", id: fixture.dataset },
  }),
  revokeRole: async () => {
    const person = await freshPerson();
    return { role: (await operator().grantRole({ person, role: "auditor", object: { kind: "platform" } })).id };
  },
  createToken: () => ({ name: "another", scopes: ["read"] }),
  revokeToken: async () => ({
    token: (await fixture.as.member.createToken({ name: "to revoke", scopes: ["read"] })).id,
  }),
  listServiceTokens: async () => ({ person: await freshAgent() }),
  createServiceToken: async () => ({ person: await freshService(), name: "another", scopes: ["read"] }),
  revokeServiceToken: async () => {
    const person = await freshAgent();
    return { person, token: (await operator().createServiceToken({ person, name: "to revoke", scopes: ["read"] })).id };
  },
  setAgentLimits: async () => ({ agent: await freshAgent(), hourEpsilon: "0.1" }),
  moveShare: () => freshShare(),
  removeAgent: async () => ({ agent: await freshAgent() }),
  showMcpClient: async () => ({ asked: await freshAsked() }),
  letMcpClientIn: async () => ({ agent: await freshAgent(), asked: await freshAsked() }),
  showConfirmation: async () => ({ confirmation: await freshConfirmation() }),
  decideConfirmation: async () => ({ confirmation: await freshConfirmation(), verdict: "refuse" }),
  listSchedules: async () => ({ dataset: (await visits()).dataset }),
  quoteSchedule: async () => {
    const { name: _, ...asked } = await freshScheduled();
    return asked;
  },
  createSchedule: freshScheduled,
  showSchedule: async () => ({ schedule: await freshSchedule() }),
  setSchedule: async () => ({ schedule: await freshSchedule(), status: "paused" }),
  endSchedule: async () => ({ schedule: await freshSchedule() }),
  retryReport: async () => ({ schedule: await freshSchedule(), block: "2024-01" }),
  createTeam: () => ({ name: fresh("team") }),
  addMember: async () => ({ team: fixture.team, person: await freshPerson() }),
  removeMember: async () => {
    const person = await freshPerson();
    await fixture.as.teamAdmin.addMember({ team: fixture.team, person });
    return { team: fixture.team, person };
  },
  uploadFile: () => ({ name: "staff.csv", content: csvBytes() }),
  readCodeBook: () => ({ content: csvBytes("sex  Sex  0=f; 1=m\n") }),
  eraseUploads: async (caller) => ({
    dataset: caller === "datasetAdmin" ? await unopenedDataset() : fixture.dataset,
  }),
  eraseFile: async (caller) => ({ file: await freshFile(caller) }),
  checkUpload: async (caller) => ({ file: await freshFile(caller), declaration }),
  describeFile: async (caller) => ({ file: await freshFile(caller) }),
  importFile: () => ({ path: `${basename(serverFolder)}/staff.csv` }),
  addConnection: () => ({ name: "clinic", url: "postgres://role@db.example.org/clinic", secret: "reader" }),
  testConnection: () => ({ connection: "clinic" }),
  removeConnection: () => ({ connection: "clinic" }),
  listTables: () => ({ connection: "clinic" }),
  describeTable: () => ({ connection: "clinic", table: "visits" }),
  createDataset: async (caller) => ({ file: await freshFile(caller), name: fresh("dataset"), declaration }),
  openLedger: async () => ({ dataset: await unopenedDataset(), epsilon: "1", delta: "1e-6" }),
  previewLedger: async () => ({ dataset: await unopenedDataset(), epsilon: "1", delta: "1e-6" }),
  importLedger: async () => ({ dataset: await unopenedDataset(), content: await exported() }),
  setPublication: () => ({ ledger: fixture.ledger, isPublic: true }),
  showPublicGuarantee: async () => {
    const { population } = await fixture.as.datasetAdmin.setPublication({ ledger: fixture.ledger, isPublic: true });
    return { population };
  },
  freezeLedger: async () => ({ ledger: await freshLedger(), reason: "a test" }),
  reopenLedger: async () => {
    const ledger = await freshLedger();
    await fixture.as.datasetAdmin.freezeLedger({ ledger, reason: "a test" });
    return { ledger, epsilon: "0", delta: "0", reason: "nothing is missing" };
  },
  migrateLedger: async () => ({ ledger: await freshLedger(), every: "month", zone: "UTC", reason: "a test" }),
  createAccount: async () => {
    const id = await freshPerson();
    await fixture.as.teamAdmin.addMember({ team: fixture.team, person: id });
    return { ledger: fixture.ledger, parent: fixture.teamAccount, holder: { kind: "person", id }, epsilon: "0.001" };
  },
  allocateQuota: () => ({ account: fixture.memberAccount, epsilon: "0.001" }),
  withdrawQuota: () => ({ account: fixture.memberAccount, epsilon: "0.001" }),
  freezeAccount: async () => ({ account: await freshAccount() }),
  unfreezeAccount: async () => {
    const account = await freshAccount();
    await fixture.as.teamAdmin.freezeAccount({ account });
    return { account };
  },
  closeAccount: async () => ({ account: await freshAccount() }),
  transferQuota: async () => ({ account: fixture.memberAccount, to: await freshAccount(), epsilon: "0.001" }),
  recallQuota: () => ({ account: fixture.memberAccount, epsilon: "0.001" }),
  setAccount: () => ({ account: fixture.memberAccount, queryEpsilon: "1" }),
  setLedger: () => ({ ledger: fixture.ledger, policy: "ask" }),
  showCatalogDataset: async () => {
    await fixture.as.datasetAdmin.setListing({ dataset: fixture.dataset, isListed: true });
    return { dataset: fixture.dataset };
  },
  setListing: () => ({ dataset: fixture.dataset, isListed: true }),
  previewAmendment: () => ({ ledger: fixture.ledger, epsilon: "6", delta: "1e-6" }),
  proposeAmendment: async () => {
    await withdrawOpen();
    return { ledger: fixture.ledger, epsilon: "6", delta: "1e-6", reason: "more" };
  },
  secondAmendment: async () => ({ amendment: await freshAmendment() }),
  rejectAmendment: async () => ({ amendment: await freshAmendment() }),
  withdrawAmendment: async () => ({ amendment: await freshAmendment() }),
  quotePlan: () => draftPlan(),
  createRelease: () => draftPlan(),
  quoteSql: () => ({ account: fixture.memberAccount, sql: "SELECT COUNT(*) FROM staff", epsilon: "0.01" }),
  releaseSql: () => ({ account: fixture.memberAccount, sql: "SELECT COUNT(*) FROM staff", epsilon: "0.01" }),
  saveDraft: () => ({ ...draftPlan(), name: fresh("draft") }),
  showDraft: async () => ({ draft: await sharedDraft() }),
  changeDraft: async () => ({ draft: await sharedDraft(), name: fresh("draft") }),
  deleteDraft: async () => ({ draft: await sharedDraft() }),
  commentDraft: async () => ({ draft: await sharedDraft(), text: "seen" }),
  saveUnfinished: async (caller) => ({ name: fresh("draft"), form: {}, file: await freshFile(caller) }),
  changeUnfinished: async () => ({ draft: await keptDeclaration(), name: fresh("draft") }),
  handDeclaration: async () => ({ draft: await keptDeclaration(), person: fixture.people.stranger }),
  setReusePolicy: () => ({ dataset: fixture.dataset, visibility: "member", price: "free" }),
  combineReleased: async () => {
    const of = { release: await aRelease(), row: "people" };
    return { dataset: fixture.dataset, operation: "sum", of: [of, of] };
  },
  createVersion: () => ({ dataset: fixture.dataset, declaration }),
  appendRows: async (caller) => ({ dataset: fixture.dataset, file: await freshFile(caller), block: "2024-01" }),
  closeBlocks: () => ({ dataset: fixture.dataset, block: "2024-01" }),
  showRelease: async () => ({ release: await aRelease() }),
  labelRelease: async () => ({ release: await aRelease(), note: "seen" }),
  releaseReport: async () => ({ release: await aRelease() }),
  showPublication: async () => ({ release: await aRelease() }),
  publishRelease: async () => ({ release: await aRelease(), confirmed: ["people"] }),
  unpublishRelease: async () => ({ release: await aRelease() }),
  saveDashboard: () => ({ name: fresh("dashboard") }),
  showDashboard: async () => ({ dashboard: await aDashboard() }),
  changeDashboard: async () => ({ dashboard: await aDashboard(), name: fresh("dashboard") }),
  deleteDashboard: async () => ({ dashboard: await aDashboard() }),
  showPublicAnswer: async () => ({ link: await aLink() }),
  showPublicChart: async () => ({ link: await aLink() }),
  syntheticRows: async () => ({ release: await aTable() }),
  askSyntheticRows: async () => ({ release: await aTable(), where: "age >= 18" }),
  retryRelease: async () => ({ release: await aRelease() }),
  watchRelease: async () => ({ release: await aRelease() }),
  listRequests: () => ({ box: "received" }),
  createRequest: () => ({ dataset: fixture.dataset, epsilon: "0.001", supersede: true }),
  showRequest: async () => ({ request: (await freshRequest()).request }),
  approveRequest: () => freshRequest(),
  rejectRequest: async () => ({ ...(await freshRequest()), note: "not now" }),
  offerRequest: async () => ({ ...(await freshRequest()), epsilon: "0.001" }),
  acceptOffer: () => freshOffer(),
  declineOffer: () => freshOffer(),
  withdrawRequest: () => freshRequest(),
  resetPassword: () => ({ link: "dsp_none", password: PASSWORD }),
  requestSignInLink: () => ({ email: "nobody@example.org" }),
  revokeSession: async () => ({ session: await freshSession() }),
  beginSecondFactor: () => ({ password: PASSWORD }),
  confirmSecondFactor: () => ({ code: "000000" }),
  endSecondFactor: () => ({ code: "000000" }),
  startSecondFactor: () => ({ email: "nobody@example.org", password: PASSWORD }),
  removeSecondFactor: () => ({ person: fixture.people.stranger, reason: "lost" }),
  setPassword: () => ({ current: PASSWORD, password: PASSWORD }),
  setMemberRole: async () => ({ team: fixture.team, person: await freshMember(), role: "teamAdmin" }),
  setTeam: async () => ({ team: await freshTeam(), linksAdmit: "known" }),
  leaveTeam: async (caller) => ({ team: await teamToLeave(caller) }),
  closeTeam: async () => ({ team: await freshTeam() }),
  endInvitation: async () => ({ team: fixture.team, invitation: (await freshInvitation()).id }),
  acceptInvitation: async () => ({ secret: await invitationElsewhere() }),
  askRequest: async () => ({ ...(await freshRequest()), note: "what for?" }),
  answerRequest: async () => {
    const { request, version } = await fixture.as.teamAdmin
      .askRequest({ ...(await freshRequest()), note: "what for?" })
      .then((asked) => ({ request: asked.id, version: asked.version }));
    return { request, version, note: "ages" };
  },
  escalateRequest: () => freshRequest(),
  createStandingApproval: () => standing(),
  endStandingApproval: async () => ({
    approval: (await fixture.as.teamAdmin.createStandingApproval(standing())).id,
  }),
  setNotification: () => ({ kind: "threshold", app: true, mail: true, webhook: true }),
  setWebhook: () => ({ url: null }),
  search: () => ({ text: "staff" }),
};

function inputs(name: RouteName, caller: Insider | null): unknown {
  const { ledger, team, dataset, memberAccount: account } = fixture;
  const own: Record<string, string> = { ledger, team, dataset, account };
  const { params } = routes[name];
  return written[name]?.(caller) ?? Object.fromEntries(Object.keys(params.shape).map((key) => [key, own[key]]));
}

/** A draft of the member's that their team reads too. */
async function sharedDraft(): Promise<string> {
  return (await fixture.as.member.saveDraft({ ...draftPlan(), name: fresh("draft"), team: fixture.team })).id;
}

const keptDeclaration = async () =>
  (await fixture.as.member.saveUnfinished({ name: fresh("draft"), form: {}, file: await freshFile("member") })).id;

const draftPlan = () => ({ dataset: fixture.dataset, account: fixture.memberAccount, plan: countPlan("0.01") });

const standing = ({ ledger, teamAccount: parent } = fixture) => ({ ledger, parent, most: "1e-9", room: "1e-9" });

const PASSWORD = "quite another password";

/** A browser of the member's. */
async function freshSession(person = fixture.people.member): Promise<string> {
  const principal = (await fixture.instance.database.people.principal(person)).id;
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const given = { kind: "session", principal, expiresAt, by: principal } as const;
  return (await fixture.instance.database.people.createCredential(given)).credential.id;
}

async function freshMember(): Promise<string> {
  const id = await freshPerson();
  await fixture.as.teamAdmin.addMember({ team: fixture.team, person: id });
  return id;
}

/** A team as the kit's: the same admin, the same member. */
async function freshTeam(): Promise<string> {
  const { id } = await fixture.as.teamAdmin.createTeam({ name: fresh("team") });
  await fixture.as.teamAdmin.addMember({ team: id, person: fixture.people.member });
  return id;
}

/** With a second admin, so that the first may go. */
async function teamToLeave(caller: Insider | null): Promise<string> {
  const team = await freshTeam();
  const id = await freshPerson();
  if (caller === "teamAdmin") await fixture.as.teamAdmin.addMember({ team, person: id, role: "teamAdmin" });
  return team;
}

const freshInvitation = () => fixture.as.teamAdmin.invite({ team: fixture.team });

/** Into a team that gives no one a role in the kit's. */
async function invitationElsewhere(): Promise<string> {
  const { url } = await fixture.as.teamAdmin.invite({ team: await freshTeam() });
  return new URL(url ?? "").hash.slice(1);
}

async function released(plan: Input<"createRelease">["plan"]): Promise<string> {
  const { as, dataset, memberAccount: account } = fixture;
  return (await as.member.releaseAndWait({ dataset, account, plan })).id;
}

let made: Promise<string> | null = null;
function aRelease(): Promise<string> {
  made ??= released(countPlan("0.01"));
  return made;
}

/** Of the member's, shared with their team. */
async function aDashboard(): Promise<string> {
  const parts = [{ kind: "release", id: await aRelease() }] as const;
  return (await fixture.as.member.saveDashboard({ name: fresh("dashboard"), parts, team: fixture.team })).id;
}

/** Of another release, whose link stays. */
let link: Promise<string> | undefined;
function aLink(): Promise<string> {
  link ??= released(countPlan("0.011"))
    .then((release) => fixture.as.datasetAdmin.publishRelease({ release, confirmed: ["people"] }))
    .then(({ url }) => new URL(url ?? "").pathname.split("/").at(-1) ?? "");
  return link;
}

/** A released synthetic table of the member's. */
let table: Promise<string> | undefined;
function aTable(): Promise<string> {
  const plan = { statistics: [{ statistic: "syntheticTable" as const, with: ["sex", "age"], epsilon: "0.01" }] };
  table ??= released(plan);
  return table;
}

/** Status and text of the answer to one call, with this token or none. */
async function answerFor(name: RouteName, input: Record<string, unknown>, token: string | null) {
  let status = 0;
  let text = "";
  const spy = async (request: Request) => {
    if (token !== null) request.headers.set("authorization", `Bearer ${token}`);
    const response = await fixture.instance.fetch(request);
    status = response.status;
    // Each request has an id of its own, which says nothing of what was asked.
    const withoutId = (said: string) => said.replace(/,"request":"[0-9a-f-]{36}"/, "");
    if (status >= 400 || name === "listReleases") text = withoutId(await response.clone().text());
    return response;
  };
  const method = createClient({ url: ORIGIN, fetch: spy })[name] as (
    given: unknown,
  ) => Promise<unknown> | AsyncIterable<unknown>;
  const run = method(input);
  let answer: unknown;
  try {
    if (Symbol.asyncIterator in run) for await (const _ of run) break;
    else answer = await run;
  } catch (error) {
    if (status === 0) throw error;
  }
  const { response } = routes[name];
  if (answer !== undefined && response !== null) namedAlone(name, response, answer);
  return { status, text };
}

const statusFor = async (...call: Parameters<typeof answerFor>): Promise<number> => (await answerFor(...call)).status;

const tokens: Record<string, string | null> = {};

beforeAll(async () => {
  await writeFile(join(serverFolder, "staff.csv"), CSV);
  fixture = await buildFixture(
    await openTestInstance({ folders: [serverFolder], requestLimits: { pauseHours: 0, aDay: 1000 } }),
  );
  const { instance, people, as } = fixture;
  const { database } = instance;
  const { id: principal } = await database.people.principal(people.platformAdmin);
  const expired = await lapsed((expiresAt) =>
    database.people.createCredential({ kind: "token", principal, scopes: [], expiresAt, by: principal }),
  );
  const revoked = await as.platformAdmin.createToken({
    name: "revoked",
    scopes: ["read", "release", "manage", "admin"],
  });
  await as.platformAdmin.revokeToken({ token: revoked.id });
  const gone = await operator().createPerson({ name: "gone" });
  await operator().grantRole({ person: gone.id, role: "platformAdmin", object: { kind: "platform" } });
  const goneToken = await tokenFor(instance, gone.id);
  await operator().removePerson({ person: gone.id });
  Object.assign(tokens, fixture.tokens, {
    anonymous: null,
    wrongToken: "dos_00000000000000000000000000000000",
    expiredToken: expired.secret,
    revokedToken: revoked.secret,
    removedPerson: goneToken,
  });
});
afterAll(() => fixture.instance.close());

/** What the route table and the table of holders say must come out. */
function expected(name: RouteName, caller: Insider): number {
  const { who, status } = routes[name];
  const other = otherwise[name];
  if (holders[who].includes(caller))
    return other !== undefined && (other.who ?? caller) === caller ? other.status : status;
  const { sees } = relations[who];
  if (hidden[name]?.includes(caller)) return 404;
  return sees !== null && sees !== who && holders[sees].includes(caller) ? 403 : 404;
}

type Given = Record<string, unknown>;

/** Nothing is done for who is refused: one input serves them all, unless it depends on the caller. */
function inputThatStays(name: RouteName): (caller: Insider) => unknown {
  let kept: unknown;
  return (caller) => {
    if ((written[name]?.length ?? 0) > 0) return inputs(name, caller);
    kept ??= inputs(name, caller);
    return kept;
  };
}

/** The caller who declares a dataset administers it: this route comes last, so that no one has more rights than the kit gave. */
const inOrder = routeNames.toSorted((a, b) => Number(a === "createDataset") - Number(b === "createDataset"));

describe.each(inOrder.map((name) => [name, routes[name]] as const))("%s", (name, { who, scope, status }) => {
  // Nothing is done for them, so one input serves them all.
  let given: Promise<unknown> | undefined;
  test.each(outsiders)(`%s`, async (caller) => {
    given ??= Promise.resolve(inputs(name, null));
    const input = (await given) as Record<string, unknown>;
    expect(await statusFor(name, input, tokens[caller] ?? null)).toBe(
      who === "anyone" || who === "visitor" ? (otherwise[name]?.status ?? status) : 401,
    );
  });

  // Those who are refused come first: a call that is allowed may change what the next one would see.
  const order = insiders.toSorted((a, b) => Number(holders[who].includes(a)) - Number(holders[who].includes(b)));
  const unused = inputThatStays(name);
  test.each(order)(`%s`, async (caller) => {
    const input = (await (holders[who].includes(caller) ? inputs(name, caller) : unused(caller))) as Given;
    expect(await statusFor(name, input, tokens[caller] ?? null)).toBe(expected(name, caller));
  });

  test.runIf(scope !== null)("a token without the scope", async () => {
    const others = (Object.keys(scopes) as Scope[]).filter((other) => other !== scope);
    const caller = holders[who][0] ?? "stranger";
    const token = await tokenFor(fixture.instance, fixture.people[caller], others);
    expect(await statusFor(name, (await unused(caller)) as Given, token)).toBe(403);
  });
});

/** Of every field that names a thing: one of another organisation, which no caller here sees. */
let elsewhere: Readonly<Record<string, string>> = {};

async function anotherOrganisation(): Promise<Readonly<Record<string, string>>> {
  const other = await buildFixture(fixture.instance);
  const { as, dataset, ledger, team, teamAccount, memberAccount: account, people } = other;
  const { id: request } = await as.member.createRequest({ dataset, account, epsilon: "0.001" });
  const raise = { ledger, epsilon: "6", delta: "1e-6", reason: "more" };
  return {
    dataset,
    ledger,
    team,
    account,
    parent: teamAccount,
    to: account,
    request,
    session: await freshSession(people.member),
    population: (await as.datasetAdmin.showLedger({ ledger })).population,
    file: (await as.datasetAdmin.uploadFile({ name: "staff.csv", content: csvBytes() })).id,
    release: (await as.member.releaseAndWait({ dataset, account, plan: countPlan("0.01") })).id,
    token: (await as.member.createToken({ name: "another", scopes: ["read"] })).id,
    amendment: (await as.datasetAdmin.proposeAmendment(raise)).id,
    approval: (await as.teamAdmin.createStandingApproval(standing(other))).id,
    invitation: (await as.teamAdmin.invite({ team })).id,
    agent: await freshAgent(people.member),
    dashboard: (await as.member.saveDashboard({ name: "another" })).id,
    confirmation: await freshConfirmation(other),
  };
}

/** An id of the same form that nothing has. */
const absent = (id: string): string =>
  id.slice(0, 4) + id.slice(4).replace(/[0-9a-z]/g, (_, at) => "0123456789abcdef"[at % 16] ?? "0");

/** Every field of every route that can name a thing which its caller does not see. Names of people are open to everyone signed in. */
const things = [
  ...["dataset", "ledger", "team", "account", "parent", "to", "request", "session", "population", "file", "release"],
  ...["token", "amendment", "approval", "invitation", "agent", "confirmation", "dashboard"],
];
const naming = routeNames.flatMap((name) => {
  const { params, query, body } = routes[name];
  const fields = [params, query, body ?? {}].flatMap((schema) =>
    Object.keys("shape" in schema ? (schema.shape as object) : {}),
  );
  const isSecret = name === "signIn"; // its fields are secrets, not names
  // Anyone who was given the id of a dataset may ask for it, seen or not.
  const open = name === "createRequest" ? ["dataset"] : [];
  return isSecret
    ? []
    : things.filter((thing) => fields.includes(thing) && !open.includes(thing)).map((field) => [name, field] as const);
});

describe("one answer for what is absent and what is not visible", () => {
  beforeAll(async () => {
    elsewhere = await anotherOrganisation();
  });

  test.each(naming)("%s: %s", async (name, field) => {
    const existing = elsewhere[field] ?? "";
    const unused = inputThatStays(name);
    for (const caller of ["stranger", "member", "teamAdmin", "datasetAdmin"] as const) {
      const input = (await unused(caller)) as Given;
      const [hiddenOne, none] = [existing, absent(existing)].map((id) => ({ ...input, [field]: id }));
      const seen = await answerFor(name, hiddenOne ?? {}, fixture.tokens[caller]);
      expect(seen, caller).toEqual(await answerFor(name, none ?? {}, fixture.tokens[caller]));
      if (name === "listReleases") expect(JSON.parse(seen.text).items ?? [], caller).toEqual([]);
      else expect(seen.status, `${caller}: ${seen.text}`).toBeGreaterThanOrEqual(400);
    }
  });
});

test("nothing of this overspent, and the ledger database verifies", async () => {
  expect(await fixture.as.datasetAdmin.verify()).toMatchObject({ ok: true, problems: [] });
});
