import { type RelationName, relations } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import type {
  Account,
  AccountId,
  Charge,
  Dataset,
  Draft,
  Ledger,
  LedgerDatabase,
  LedgerId,
  ListedDataset,
  Principal,
  PrincipalId,
  Roles,
  TeamId,
} from "@dosimeter/ledger";

/** Who asks, with the roles in force now. */
export interface Actor {
  readonly principal: Principal;
  readonly roles: Roles;
}

/** What a route names: ids from its path or body. */
export type Subject = Readonly<Record<string, unknown>>;

type Decider = (actor: Actor, subject: Subject, facts: Facts) => Promise<boolean> | boolean;

/** Who may open a team, and so decide whom its invitation links let in. */
export type TeamOpeners = "anyone" | "admins";

/** What a decision may read in addition to the ledger database: who owns a file or a demo session. */
export interface Facts {
  readonly database: LedgerDatabase;
  readonly teams: TeamOpeners;
  readonly demoIsOn: () => Promise<boolean>;
}

/**
 * Returns when the actor may do this to the subject. Throws NOT_FOUND when they may not even see it, FORBIDDEN when they
 * may see it but not do this. Every authority decision of the server is in this file.
 */
export async function authorise(who: RelationName, actor: Actor, subject: Subject, facts: Facts): Promise<void> {
  if (await deciders[who](actor, subject, facts)) return;
  const { sees } = relations[who];
  const visible = sees !== null && sees !== who && (await deciders[sees](actor, subject, facts));
  if (!visible || !(await seesOthers(actor, subject, facts))) throw new PrivacyError("NOT_FOUND");
  throw (who === "accountSpender" ? await whyNotSpend(actor, subject, facts) : null) ?? new PrivacyError("FORBIDDEN");
}

const whyNotSpend = ({ principal }: Actor, subject: Subject, { database }: Facts): Promise<PrivacyError | null> =>
  database.ledgers.whyNotSpend({ account: named(subject, "account") as AccountId, principal: principal.id });

/** Whether the actor sees the other accounts that a request names: the one that quota goes to, the one that funds a new one. */
async function seesOthers(actor: Actor, { to, parent }: Subject, facts: Facts): Promise<boolean> {
  for (const account of [to, parent])
    if (typeof account === "string" && !(await deciders.accountReader(actor, { account }, facts))) return false;
  return true;
}

/** The same decision as a yes or no, for lists and for the buttons of a page. */
export async function holds(who: RelationName, actor: Actor, subject: Subject, facts: Facts): Promise<boolean> {
  try {
    return await deciders[who](actor, subject, facts);
  } catch (error) {
    if (error instanceof PrivacyError && error.code === "NOT_FOUND") return false;
    throw error;
  }
}

/** Whether a service or an agent acts for this person. */
const actsFor = async (person: PrincipalId, id: PrincipalId, { people }: Facts["database"]): Promise<boolean> =>
  (await people.analystsBehind()).get(id) === person;

/** An admin of all tables of the ledger, or, after one of them has asked, a platform admin. */
const ofTwo =
  (isAsked: (database: Facts["database"], ledger: LedgerId) => Promise<boolean>): Decider =>
  async ({ roles }, subject, { database }) => {
    const ledger = named(subject, "ledger") as LedgerId;
    if (administersAll(roles, await datasetsOf(ledger, database))) return true;
    return roles.platformAdmin && (await isAsked(database, ledger));
  };

const deciders: Readonly<Record<RelationName, Decider>> = {
  anyone: () => true,
  visitor: () => true,
  signedIn: () => true,
  teamOpener: ({ roles }, _, { teams }) => opensTeams(roles, teams),
  demoViewer: ({ principal }, _, { demoIsOn }) => principal.demo && demoIsOn(),
  platformAdmin: ({ roles }) => roles.platformAdmin,
  auditReader: ({ roles }) => readsAudit(roles),
  verifier: ({ roles }) => readsAudit(roles) || roles.auditorOf.length > 0 || roles.datasetAdminOf.length > 0,

  async agentKeeper({ principal, roles }, subject, { database }) {
    const agent = await database.people.principal(named(subject, "agent"));
    if (agent.kind !== "agent") return false;
    return roles.platformAdmin || (await actsFor(principal.id, agent.id, database));
  },
  async tokenKeeper({ principal, roles }, subject, { database }) {
    const { id } = await database.people.principal(named(subject, "person"));
    return roles.platformAdmin || (await actsFor(principal.id, id, database));
  },
  async confirmationReader(actor, subject, facts) {
    const { agent } = await facts.database.agents.confirmation(named(subject, "confirmation"));
    return agent === actor.principal.id || deciders.confirmationDecider(actor, subject, facts);
  },
  async confirmationDecider({ principal }, subject, { database }) {
    const { agent } = await database.agents.confirmation(named(subject, "confirmation"));
    return actsFor(principal.id, agent, database);
  },

  async owner({ principal }, { token, session }, { database }) {
    const own = await database.people.credentials(principal.id);
    return own.some(({ id, kind }) => (kind === "token" && id === token) || (kind === "session" && id === session));
  },

  async teamReader({ roles }, subject, { database }) {
    const { id } = await database.people.team(named(subject, "team"));
    return readsAudit(roles) || isIn(roles.memberOf, id) || isIn(roles.teamAdminOf, id);
  },
  async teamAdmin({ roles }, subject, { database }) {
    const { id } = await database.people.team(named(subject, "team"));
    return roles.platformAdmin || isIn(roles.teamAdminOf, id);
  },

  async teamMember({ roles }, subject, { database }) {
    const { id } = await database.people.team(named(subject, "team"));
    return isIn(roles.memberOf, id);
  },

  async datasetReader(actor, subject, facts) {
    await readableDataset(actor, named(subject, "dataset"), facts);
    return true;
  },
  async catalogReader(_, subject, { database }) {
    const { id, population } = await database.catalog.dataset(named(subject, "dataset"));
    const { isListed } = await database.catalog.listing(id);
    return isListed && (await database.ledgers.ledgerOf(population)) !== null;
  },
  async datasetAdmin({ roles }, subject, { database }) {
    const { id } = await database.catalog.dataset(named(subject, "dataset"));
    return isIn(roles.datasetAdminOf, id);
  },

  async ledgerReader(actor, subject, { database }) {
    return readsLedger(actor, await datasetsOf(named(subject, "ledger"), database), named(subject, "ledger"), database);
  },
  async ledgerAdmin({ roles }, subject, { database }) {
    return administersAll(roles, await datasetsOf(named(subject, "ledger"), database));
  },
  ledgerReopener: ofTwo(({ ledgers }, ledger) => ledgers.isReopenAsked(ledger)),
  ledgerMigrator: ofTwo(({ ledgers }, ledger) => ledgers.isMigrationAsked(ledger)),
  async ledgerAuditor({ roles }, subject, { database }) {
    if (!readsAudit(roles) && roles.auditorOf.length + roles.datasetAdminOf.length === 0) return false;
    return audits(roles, await datasetsOf(named(subject, "ledger"), database));
  },

  async accountReader(actor, subject, { database }) {
    return readsAccount(actor, await database.ledgers.account(named(subject, "account")), database);
  },
  async accountManager(actor, subject, { database }) {
    const account = await database.ledgers.account(named(subject, "account"));
    if (account.holder.kind === "purpose" && (await isOwn(actor, account.parent, database))) return true;
    return gives(actor.roles, account.ledger, account.parent, database);
  },
  async accountAdmin({ roles }, subject, { database }) {
    const { ledger } = await database.ledgers.account(named(subject, "account"));
    return administersAll(roles, await datasetsOf(ledger, database));
  },
  async accountGrantor(actor, { parent, holder, ...subject }, { database }) {
    const { roles } = actor;
    const ledger = named(subject, "ledger") as LedgerId;
    if (typeof parent !== "string") return gives(roles, ledger, null, database);
    const account = await database.ledgers.account(parent);
    const isPurpose = isRecord(holder) && holder.kind === "purpose";
    if (isPurpose && account.ledger === ledger && (await isOwn(actor, account.id, database))) return true;
    return account.ledger === ledger && (await gives(roles, ledger, account.id, database));
  },
  async accountSpender({ principal }, subject, { database }) {
    return database.ledgers.maySpend({
      account: named(subject, "account") as AccountId,
      principal: principal.id,
    });
  },
  async accountHolder(actor, subject, { database }) {
    return isOwn(actor, named(subject, "account") as AccountId, database);
  },
  async scheduleReader(actor, subject, facts) {
    const { account } = await facts.database.schedules.schedule(named(subject, "schedule"));
    return deciders.accountReader(actor, { account }, facts);
  },
  async scheduleOwner(actor, subject, facts) {
    const { owner, account } = await facts.database.schedules.schedule(named(subject, "schedule"));
    return owner === actor.principal.id && (await deciders.accountReader(actor, { account }, facts));
  },
  async quotaMover(actor, subject, { database }) {
    const { ledger } = await database.ledgers.account(named(subject, "account"));
    const target = await database.ledgers.account(named(subject, "to"));
    if (target.ledger !== ledger && !(await readsAccount(actor, target, database))) return false;
    const [from, to] = [
      await upFrom(named(subject, "account"), database),
      await upFrom(named(subject, "to"), database),
    ];
    const above = new Set(to);
    const funds = from.find((id) => above.has(id)) ?? null;
    return (await isOwn(actor, funds, database)) || gives(actor.roles, ledger, funds, database);
  },
  async amendmentReader(actor, subject, { database }) {
    const { ledger } = await database.ledgers.amendment(named(subject, "amendment"));
    return readsLedger(actor, await datasetsOf(ledger, database), ledger, database);
  },
  async amendmentDecider({ principal }, subject, { database }) {
    const { ledger } = await database.ledgers.amendment(named(subject, "amendment"));
    return (await database.ledgers.peopleWhoMaySecond(ledger)).includes(principal.id);
  },
  async amendmentProposer({ principal }, subject, { database }) {
    return (await database.ledgers.amendment(named(subject, "amendment"))).proposedBy === principal.id;
  },

  async requestReader(actor, subject, { database }) {
    const { requester, ledger, parent } = await database.requests.request(named(subject, "request"));
    if (requester === actor.principal.id || (await gives(actor.roles, ledger, parent, database))) return true;
    return audits(actor.roles, await datasetsOf(ledger, database));
  },
  async requestDecider({ roles }, subject, { database }) {
    const { ledger, parent } = await database.requests.request(named(subject, "request"));
    return gives(roles, ledger, parent, database);
  },
  async approvalManager({ roles }, subject, { database }) {
    const { ledger, parent } = await database.requests.preApproval(named(subject, "approval"));
    return gives(roles, ledger, parent, database);
  },
  async approvalReader(actor, subject, { database }) {
    const { ledger, parent } = await database.requests.preApproval(named(subject, "approval"));
    if (parent !== null) return readsAccount(actor, await database.ledgers.account(parent), database);
    return readsLedger(actor, await datasetsOf(ledger, database), ledger, database);
  },
  async requester({ principal }, subject, { database }) {
    return (await database.requests.request(named(subject, "request"))).requester === principal.id;
  },

  async draftReader(actor, subject, { database }) {
    const draft = await database.drafts.draft(named(subject, "draft"));
    return readsDraft(actor, draft) && (await seesDataset(actor, draft, database));
  },
  async draftOwner(actor, subject, { database }) {
    const draft = await database.drafts.draft(named(subject, "draft"));
    return draft.owner === actor.principal.id && (await seesDataset(actor, draft, database));
  },

  async draftKeeper(actor, subject, { database }) {
    const draft = await database.drafts.draft(named(subject, "draft"));
    return keepsDraft(actor, draft) && (await seesDataset(actor, draft, database));
  },

  async dashboardReader({ principal, roles }, subject, { database }) {
    const { owner, team, readers } = await database.dashboards.dashboard(named(subject, "dashboard"));
    return [owner, ...readers].includes(principal.id) || (team !== null && isIn(teamsOf(roles), team));
  },
  async dashboardOwner({ principal }, subject, { database }) {
    return (await database.dashboards.dashboard(named(subject, "dashboard"))).owner === principal.id;
  },

  async releaseReader(actor, subject, { database }) {
    const charge = await database.releases.chargeOf(named(subject, "release"));
    return charge.status !== "declared" && readsRelease(actor, charge, { database });
  },
  async releaseKeeper(actor, subject, { database }) {
    const charge = await database.releases.chargeOf(named(subject, "release"));
    if (charge.status === "declared") return false;
    if (charge.principal === actor.principal.id) return readsRelease(actor, charge, { database });
    return administersAll(actor.roles, await datasetsOf(charge.ledger, database));
  },
  async releaseAdmin({ roles }, subject, { database }) {
    const { ledger, status } = await database.releases.chargeOf(named(subject, "release"));
    return status !== "declared" && administersAll(roles, await datasetsOf(ledger, database));
  },

  async chargeReader(actor, subject, { database }) {
    const charge = await database.releases.chargeOf(named(subject, "charge"));
    return charge.status === "declared" && readsRelease(actor, charge, { database });
  },
  async chargeMaker({ principal }, subject, { database }) {
    const charge = await database.releases.chargeOf(named(subject, "charge"));
    return charge.status === "declared" && charge.principal === principal.id;
  },
  async chargeAdmin({ roles }, subject, { database }) {
    const { ledger, status } = await database.releases.chargeOf(named(subject, "charge"));
    return status === "declared" && administersAll(roles, await datasetsOf(ledger, database));
  },
};

export const teamsOf = ({ memberOf, teamAdminOf }: Roles): readonly TeamId[] => [
  ...new Set([...memberOf, ...teamAdminOf]),
];

/** A declaration has none yet. */
const seesDataset = async (actor: Actor, { dataset }: Pick<Draft, "dataset">, database: LedgerDatabase) =>
  dataset === null || (await readableDataset(actor, dataset, { database })) !== null;

const readsDraft = ({ principal, roles }: Actor, { owner, team }: Pick<Draft, "owner" | "team">): boolean =>
  owner === principal.id || (team !== null && isIn(teamsOf(roles), team));

export const keepsDraft = ({ principal, roles }: Actor, { owner, team }: Pick<Draft, "owner" | "team">): boolean =>
  owner === principal.id || (team !== null && isIn(roles.teamAdminOf, team));

/**
 * A person reads what they, or a service or agent that acts for them, asked for as long as they see its ledger, and everything that an account they read has paid for.
 * Who asks about many releases gives the ledgers that the person holds an account of.
 */
export async function readsRelease(
  actor: Actor,
  { principal, account, ledger }: Pick<Charge, "principal" | "account" | "ledger">,
  { database }: Pick<Facts, "database">,
  held?: ReadonlySet<LedgerId>,
): Promise<boolean> {
  const seesLedger = async () => held?.has(ledger) ?? (await holdsAnAccount(actor, ledger, database));
  if (principal === actor.principal.id && (await seesLedger())) return true;
  if (await readsAccount(actor, await database.ledgers.account(account), database)) return true;
  return (await actsFor(actor.principal.id, principal, database)) && (await seesLedger());
}

/** The ledgers that the person holds an account of, alone or in a team. */
export async function ledgersHeldBy(actor: Actor, { database }: Pick<Facts, "database">): Promise<Set<LedgerId>> {
  return new Set((await database.ledgers.held(holdersOf(actor))).map(({ ledger }) => ledger));
}

/** A person's own account: they share it out among purposes of their own. */
async function isOwn(actor: Actor, account: AccountId | null, database: LedgerDatabase): Promise<boolean> {
  if (account === null) return false;
  const own = await database.ledgers.account(account);
  return own.holder.kind === "principal" && isHolder(actor, own, database);
}

async function upFrom(account: string, { ledgers }: LedgerDatabase): Promise<readonly AccountId[]> {
  const path: AccountId[] = [];
  for (let node: string | null = account; node !== null; ) {
    const { id, parent }: Account = await ledgers.account(node);
    path.push(id);
    node = parent;
  }
  return path;
}

export const opensTeams = ({ platformAdmin }: Pick<Roles, "platformAdmin">, teams: TeamOpeners): boolean =>
  teams === "anyone" || platformAdmin;

export const readsAudit = (roles: Roles): boolean => roles.platformAdmin || roles.auditor;

const isIn = <T extends string>(ids: readonly T[], id: T): boolean => ids.includes(id);

function named(subject: Subject, name: string): string {
  const id = subject[name];
  if (typeof id !== "string") throw new PrivacyError("NOT_FOUND");
  return id;
}

async function datasetsOf(ledger: string, database: LedgerDatabase): Promise<readonly Dataset[]> {
  return database.catalog.datasetsOf((await database.ledgers.ledger(ledger)).population);
}

const administersAll = (roles: Roles, datasets: readonly Dataset[]): boolean =>
  datasets.length > 0 && datasets.every(({ id }) => isIn(roles.datasetAdminOf, id));

const audits = (roles: Roles, datasets: readonly Pick<Dataset, "id">[]): boolean =>
  readsAudit(roles) || datasets.some(({ id }) => isIn(roles.auditorOf, id) || isIn(roles.datasetAdminOf, id));

/** Decides as `datasetReader` does, and returns what that reads: the dataset, and its ledger if there is one. NOT_FOUND. */
export async function readableDataset(
  actor: Actor,
  id: string,
  { database }: Pick<Facts, "database">,
): Promise<{ readonly dataset: Dataset; readonly ledger: Ledger | null }> {
  const dataset = await database.catalog.dataset(id);
  const ledger = await database.ledgers.ledgerOf(dataset.population);
  if (audits(actor.roles, [dataset]) || (ledger !== null && (await holdsAnAccount(actor, ledger.id, database))))
    return { dataset, ledger };
  throw new PrivacyError("NOT_FOUND");
}

async function readsLedger(
  actor: Actor,
  datasets: readonly Dataset[],
  ledger: string,
  database: LedgerDatabase,
): Promise<boolean> {
  return audits(actor.roles, datasets) || holdsAnAccount(actor, ledger as LedgerId, database);
}

async function holdsAnAccount(actor: Actor, ledger: LedgerId, database: LedgerDatabase): Promise<boolean> {
  return (await database.ledgers.held(holdersOf(actor), ledger)).length > 0;
}

/** The people and teams whose accounts let this person see a ledger. */
const holdersOf = ({ principal, roles }: Actor) => ({
  principal: principal.id,
  teams: teamsOf(roles),
  datasets: roles.datasetAdminOf,
});

/** Those of some datasets that the actor may see: the rule of `datasetReader`, asked once for all of them. */
export async function readable<D extends Pick<Dataset, "id" | "population">>(
  actor: Actor,
  datasets: readonly D[],
  { database }: Facts,
): Promise<readonly D[]> {
  const held = new Set((await database.ledgers.held(holdersOf(actor))).map(({ population }) => population));
  return datasets.filter((dataset) => audits(actor.roles, [dataset]) || held.has(dataset.population));
}

/** The listed datasets that the actor may not see, by name: those that they may ask for. */
export async function listedFor(actor: Actor, facts: Facts): Promise<readonly ListedDataset[]> {
  const listed = await facts.database.catalog.listed();
  const seen = new Set((await readable(actor, listed, facts)).map(({ id }) => id));
  return listed.filter(({ id }) => !seen.has(id));
}

/** The person themselves while they are in every team above, or anyone in the team. */
async function isHolder(actor: Actor, { holder, parent }: Account, database: LedgerDatabase): Promise<boolean> {
  const { principal, roles } = actor;
  switch (holder.kind) {
    case "principal":
      return holder.id === principal.id && (await isInTeamsFrom(roles, parent, database));
    case "team":
      return isIn(roles.memberOf, holder.id) || isIn(roles.teamAdminOf, holder.id);
    case "dataset":
      return isIn(roles.datasetAdminOf, holder.id);
    case "purpose":
      return false; // its holder stands above it
    default:
      return holder satisfies never;
  }
}

/** Whether someone with these roles is in every team that holds this account or one above it. */
async function isInTeamsFrom(roles: Roles, from: AccountId | null, { ledgers }: LedgerDatabase): Promise<boolean> {
  for (let node = from; node !== null; ) {
    const { holder, parent } = await ledgers.account(node);
    if (holder.kind === "team" && !isIn(roles.memberOf, holder.id) && !isIn(roles.teamAdminOf, holder.id)) return false;
    node = parent;
  }
  return true;
}

async function readsAccount(actor: Actor, account: Account, database: LedgerDatabase): Promise<boolean> {
  if (await isHolder(actor, account, database)) return true;
  if (account.holder.kind === "purpose" && account.parent !== null) {
    if (await isHolder(actor, await database.ledgers.account(account.parent), database)) return true;
  }
  if (audits(actor.roles, await datasetsOf(account.ledger, database))) return true;
  return gives(actor.roles, account.ledger, account.parent, database);
}

/** May move quota out of this node (the ledger when null): its dataset's admin, or an admin of the team that holds it or a node above it. */
async function gives(
  roles: Roles,
  ledger: LedgerId,
  from: AccountId | null,
  database: LedgerDatabase,
): Promise<boolean> {
  for (let node = from; node !== null; ) {
    const { holder, parent } = await database.ledgers.account(node);
    if (holder.kind === "team" && isIn(roles.teamAdminOf, holder.id)) return true;
    node = parent;
  }
  return administersAll(roles, await datasetsOf(ledger, database));
}
