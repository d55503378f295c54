import type { DashboardSummary, Dashboard as SentDashboard } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import type { Charge, Dashboard, DashboardItem, PrincipalId, ScheduleId } from "@dosimeter/ledger";
import { authorise, holds, teamsOf } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { PAGE_SIZE } from "../http/page.ts";
import { originsOf } from "../release/request.ts";
import { aboutReleases } from "../view/about-releases.ts";
import { type Directory, directory } from "../view/directory.ts";
import { releaseView, titleOf } from "../view/release.ts";
import { teamOf } from "./drafts.ts";

export const dashboards = {
  async listDashboards({ deps: { database }, caller, input }) {
    const names = await directory(database);
    const { items, next } = await database.dashboards.dashboards({
      ...{ reader: caller.principal.id, teams: teamsOf(caller.roles) },
      ...{ after: input.cursor, limit: input.limit ?? PAGE_SIZE },
    });
    return { items: items.map((one) => summary(one, caller, names)), next };
  },

  async saveDashboard({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id); // a line in the audit
    const { name, team = null, readers = [], parts: items = [] } = input;
    await refuseOthers(items, [], caller, deps);
    const made = await deps.database.dashboards.createDashboard({
      ...{ name, items, by: caller.principal.id, team: teamOf(team, caller) },
      readers: await readersOf(readers, caller, deps),
    });
    return show(made, caller, deps);
  },

  async showDashboard({ deps, caller, input }) {
    return show(await deps.database.dashboards.dashboard(input.dashboard), caller, deps);
  },

  async changeDashboard({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    const { dashboard, name, team, readers, parts: items } = input;
    const before = await deps.database.dashboards.dashboard(dashboard);
    if (items !== undefined) await refuseOthers(items, before.items, caller, deps);
    const changed = await deps.database.dashboards.changeDashboard({
      ...{ dashboard, name, items, by: caller.principal.id },
      team: team === undefined || team === before.team ? undefined : teamOf(team, caller),
      readers: readers === undefined ? undefined : await readersOf(readers, caller, deps),
    });
    return show(changed, caller, deps);
  },

  async deleteDashboard({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    await deps.database.dashboards.deleteDashboard({ dashboard: input.dashboard, by: caller.principal.id });
  },
} satisfies HandlersOf<"dashboards">;

/** What is added must be the caller's to read: otherwise NOT_FOUND, whether it exists or not. */
async function refuseOthers(
  items: readonly DashboardItem[],
  known: readonly DashboardItem[],
  caller: Caller,
  deps: Deps,
): Promise<void> {
  for (const { kind, id } of items)
    if (!known.some((one) => one.kind === kind && one.id === id))
      await authorise(READER[kind], caller, { [SUBJECT[kind]]: id }, deps);
}

const READER = { release: "releaseReader", report: "scheduleReader" } as const;
const SUBJECT = { release: "release", report: "schedule" } as const;

/** Colleagues who can sign in. */
async function readersOf(
  ids: readonly string[],
  { principal }: Caller,
  { database }: Deps,
): Promise<readonly PrincipalId[]> {
  const readers: PrincipalId[] = [];
  for (const [at, id] of ids.entries()) {
    const reader = await database.people.principal(id);
    if (reader.removedAt !== null || reader.demo !== principal.demo)
      invalid(`body.readers[${at}]`, id, "someone who can sign in");
    readers.push(reader.id);
  }
  return readers;
}

function summary(one: Dashboard, caller: Caller, { nameOf }: Pick<Directory, "nameOf">): DashboardSummary {
  const { id, name, owner, team, changedAt } = one;
  const teamName = team === null ? null : nameOf(team);
  return {
    id,
    name,
    owner,
    ownerName: nameOf(owner),
    isMine: owner === caller.principal.id,
    team,
    teamName,
    changedAt,
  };
}

async function show(dashboard: Dashboard, caller: Caller, deps: Deps): Promise<SentDashboard> {
  const names = await directory(deps.database);
  const parts: SentDashboard["parts"][number][] = [];
  for (const item of dashboard.items) parts.push(await itemView(item, caller, { deps, names }));
  const isMine = dashboard.owner === caller.principal.id;
  const readers = isMine ? dashboard.readers.map((id) => ({ id, name: names.nameOf(id) })) : [];
  return {
    ...summary(dashboard, caller, names),
    readers,
    // Its owner, who gave the id, can take the item away.
    parts: parts.map((part, at) => (isMine ? { ...part, id: dashboard.items[at]?.id ?? null } : part)),
  };
}

const NOT_YOURS = { id: null, state: "notYours", name: null, from: null, release: null } as const;

/** The rights of the reader are asked again for each; nothing is charged, and no cap counts anything. */
async function itemView(
  { kind, id }: DashboardItem,
  caller: Caller,
  { deps, names }: { readonly deps: Deps; readonly names: Directory },
): Promise<SentDashboard["parts"][number]> {
  const { database, queue } = deps;
  if (!(await holds(READER[kind], caller, { [SUBJECT[kind]]: id }, deps))) return { kind, ...NOT_YOURS };
  const schedule = kind === "report" ? await database.schedules.schedule(id) : null;
  const charge = schedule === null ? await database.releases.chargeOf(id) : await newestOf(schedule.id, deps);
  if (charge === null || !(await holds("releaseReader", caller, { release: charge.id }, deps)))
    return { ...{ kind, id, state: "waiting", from: null, release: null }, name: schedule?.name ?? null };
  const about = (await aboutReleases([charge], deps))(charge);
  const shown = { kind, id, name: schedule?.name ?? titleOf(charge, about), from: charge.id };
  if (charge.status !== "released") return { ...shown, state: "waiting", release: null };
  const charges = [charge.id, ...originsOf(about.request)];
  const unread = await database.ledgers.unreadUnderCaps({ charges, reader: caller.principal.id });
  if (unread.length > 0) return { ...shown, state: "counts", release: null };
  const release = await database.releases.releaseOf(charge.id);
  const view = releaseView({ charge, release, progress: queue.progress(charge), about }, names);
  return { ...shown, state: "shown", release: view };
}

async function newestOf(schedule: ScheduleId, { database }: Deps): Promise<Charge | null> {
  const points = await database.schedules.points({ schedule, limit: 120 });
  for (const { charge: id } of points.toReversed()) {
    const charge = id === null ? null : await database.releases.chargeOf(id);
    if (charge?.status === "released") return charge;
  }
  return null;
}
