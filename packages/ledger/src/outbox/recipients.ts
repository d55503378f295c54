import { LEFT } from "../stores/left-accounts.ts";
import { rowsOf, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { LedgerId } from "../values/id.ts";

type Reading = Pick<Tx, "db">;

/** The name of a person, a team or a dataset; the id where there is none. */
export async function nameOf({ db }: Reading, id: string): Promise<string> {
  for (const table of ["principal", "team", "dataset"] as const) {
    const row = await rowWith(db, table, { id });
    if (row !== undefined) return row.name;
  }
  return id;
}

export async function datasetsOf(
  { db }: Reading,
  ledger: LedgerId,
): Promise<readonly Pick<Tables["dataset"], "id" | "name">[]> {
  return db
    .selectFrom("dataset")
    .innerJoin("ledger", "ledger.population_id", "dataset.population_id")
    .select(["dataset.id", "dataset.name"])
    .where("ledger.id", "=", ledger)
    .orderBy("dataset.name")
    .execute();
}

export const datasetNames = async (tx: Reading, ledger: LedgerId): Promise<string> =>
  (await datasetsOf(tx, ledger)).map(({ name }) => name).join(", ");

/** The people who have this role on this object now. */
export async function adminsOf(
  { db }: Reading,
  role: "teamAdmin" | "datasetAdmin",
  object: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("role_binding")
    .select("principal_id")
    .where("role", "=", role)
    .where("object_id", "=", object)
    .where("until_at", "is", null)
    .execute();
  return rows.map(({ principal_id }) => principal_id);
}

/** The admins of the platform, and the auditors of everything. */
export async function platformReaders({ db }: Reading): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("role_binding")
    .select("principal_id")
    .where("role", "in", ["platformAdmin", "auditor"])
    .where("object_id", "is", null)
    .where("until_at", "is", null)
    .execute();
  return rows.map(({ principal_id }) => principal_id);
}

/** The people who give out the requested quota: the nearest team's admins, or the admins of the datasets. */
export async function deciders(tx: Reading, row: Tables["request"]): Promise<readonly string[]> {
  for (let node = row.parent_id; node !== null; ) {
    const account = await tx.db.selectFrom("account").selectAll().where("id", "=", node).executeTakeFirstOrThrow();
    const admins = account.holder_kind === "team" ? await adminsOf(tx, "teamAdmin", account.holder_id) : [];
    const others = admins.filter((person) => person !== row.requester_id);
    if (others.length > 0) return others;
    node = account.parent_id;
  }
  const datasets = await datasetsOf(tx, row.ledger_id);
  return (await Promise.all(datasets.map(({ id }) => adminsOf(tx, "datasetAdmin", id)))).flat();
}

/** The person of an account, unless they left the team above it; the admins of its team or datasets. */
export async function holders(
  tx: Reading,
  { id, holder_kind, holder_id }: Tables["account"],
): Promise<readonly string[]> {
  if (holder_kind === "principal") {
    const left = await rowsOf(tx.db, `${LEFT} SELECT id FROM lost WHERE id = ?`, [holder_id, holder_id, id]);
    return left.length === 0 ? [holder_id] : [];
  }
  if (holder_kind === "team") return adminsOf(tx, "teamAdmin", holder_id);
  return adminsOf(tx, "datasetAdmin", holder_id);
}
