import { invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { sql } from "kysely";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { record, rowWith } from "../stores/row.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName, found } from "../values/check.ts";
import { type By, type DashboardId, newId, type PrincipalId, type TeamId } from "../values/id.ts";
import { checkLimit, type Page, type PageOptions } from "../values/page.ts";

/** What a dashboard shows: one release, or the newest of a scheduled report. */
export interface DashboardItem {
  readonly kind: "release" | "report";
  readonly id: string;
}

/** A page of answers that someone chose. Who it is shared with sees of each what they may read anyway. */
export interface Dashboard {
  readonly id: DashboardId;
  readonly owner: PrincipalId;
  readonly name: string;
  /** Whose members see it; null: no team's. */
  readonly team: TeamId | null;
  /** People who see it. */
  readonly readers: readonly PrincipalId[];
  readonly items: readonly DashboardItem[];
  readonly changedAt: string;
}

/** Of one owner; of one dashboard. */
const [MAX_DASHBOARDS, MAX_ITEMS, MAX_READERS] = [100, 40, 100];

const toDashboard = (row: Tables["dashboard"]): Dashboard => ({
  ...record(row, "id", "owner_id", "name", "team_id", "changed_at"),
  readers: JSON.parse(row.readers) as PrincipalId[],
  items: JSON.parse(row.items) as DashboardItem[],
});

const listText = (list: readonly unknown[], most: number, name: string): string =>
  list.length > most ? invalid(name, list.length, `at most ${most}`) : JSON.stringify(list);

/** NOT_FOUND. */
export const dashboard = async ({ store: { read } }: Context, id: string): Promise<Dashboard> =>
  toDashboard(found(await rowWith(read, "dashboard", { id }), "dashboard", id));

/** Those that a person made, that are shared with them, or with one of these teams, newest first. */
export async function dashboards(
  { store: { read } }: Context,
  { reader, teams, after, limit }: PageOptions & { readonly reader: PrincipalId; readonly teams: readonly TeamId[] },
): Promise<Page<Dashboard>> {
  const rows = checkLimit(limit);
  let query = read
    .selectFrom("dashboard")
    .selectAll()
    .where(({ eb, or }) =>
      or([
        eb("owner_id", "=", reader),
        sql<boolean>`readers LIKE ${`%"${reader}"%`}`,
        ...(teams.length === 0 ? [] : [eb("team_id", "in", [...teams])]),
      ]),
    );
  if (after !== undefined) query = query.where("id", "<", after as DashboardId);
  const items = (await query.orderBy("id", "desc").limit(rows).execute()).map(toDashboard);
  return { items, next: items.length < rows ? null : (items.at(-1)?.id ?? null) };
}

type Words = Pick<Dashboard, "name" | "team" | "readers" | "items">;

/** CONFLICT where its owner has too many. */
export function createDashboard(context: Context, { by, ...words }: By & Words): Promise<Dashboard> {
  return change(context, async ({ db }, chain) => {
    const { count } = await db
      .selectFrom("dashboard")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("owner_id", "=", by)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_DASHBOARDS)
      throw new PrivacyError("CONFLICT", {
        name: "dashboards",
        got: Number(count),
        want: `less than ${MAX_DASHBOARDS}`,
      });
    const row = { id: newId("dashboard"), owner_id: by, ...columnsOf(words), changed_at: context.store.now() };
    await db.insertInto("dashboard").values(row).execute();
    chain.append({ actor: by, action: "dashboard.create", subject: row.id, detail: { team: words.team } });
    return toDashboard(row);
  });
}

const columnsOf = ({ name, team, readers, items }: Words) => ({
  name: checkName(name, "name"),
  team_id: team,
  readers: listText([...new Set(readers)], MAX_READERS, "readers"),
  items: listText(items, MAX_ITEMS, "items"),
});

/** What is absent stays. */
export function changeDashboard(
  context: Context,
  {
    dashboard: id,
    by,
    ...changes
  }: By & { readonly dashboard: string } & { [K in keyof Words]?: Words[K] | undefined },
): Promise<Dashboard> {
  return change(context, async ({ db }, chain) => {
    const before = found(await rowWith(db, "dashboard", { id }), "dashboard", id);
    const words = { ...toDashboard(before), ...present(changes) };
    const row = { ...before, ...columnsOf(words), changed_at: context.store.now() };
    await db.updateTable("dashboard").set(row).where("id", "=", row.id).execute();
    const detail = { team: row.team_id, readers: words.readers, items: words.items };
    chain.append({ actor: by, action: "dashboard.change", subject: row.id, detail });
    return toDashboard(row);
  });
}

export function deleteDashboard(
  context: Context,
  { dashboard: id, by }: By & { readonly dashboard: string },
): Promise<void> {
  return change(context, async ({ db }, chain) => {
    const row = found(await rowWith(db, "dashboard", { id }), "dashboard", id);
    await db.deleteFrom("dashboard").where("id", "=", row.id).execute();
    chain.append({ actor: by, action: "dashboard.delete", subject: row.id });
  });
}
