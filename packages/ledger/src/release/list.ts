import { type RawBuilder, sql } from "kysely";
import type { Context } from "../context.ts";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, DatasetId, PrincipalId, TeamId } from "../values/id.ts";
import { checkCursor, checkLimit, type Page, type PageOptions } from "../values/page.ts";
import type { Release } from "./release.ts";

type Read = Context["store"]["read"];

export interface ReleaseFilter extends PageOptions {
  /** Asked by one of these. */
  readonly principals?: readonly PrincipalId[] | undefined;
  readonly dataset?: DatasetId | undefined;
  readonly account?: AccountId | undefined;
  /** A filter for this reader: it keeps everything that they may see, and little else. */
  readonly reader?: ReleaseReader | undefined;
}

/** A person with the services and agents that act for them, the datasets that they administer or audit, and the teams that they lead or are in. */
interface ReleaseReader {
  readonly principals: readonly PrincipalId[];
  readonly datasets: readonly DatasetId[];
  readonly leads: readonly TeamId[];
  readonly teams: readonly TeamId[];
}

/** A release in a list: without its answers, which may be long. */
export type ListedRelease = Pick<Release, "id" | "charge" | "ledger" | "account" | "principal" | "dataset" | "at">;

/** Newest first. */
export async function releases({ store: { read } }: Context, options: ReleaseFilter): Promise<Page<ListedRelease>> {
  const limit = checkLimit(options.limit);
  const page = { before: checkCursor(options.after), limit };
  const recent = await amongNewest(read, options, page);
  const found = recent.length < limit ? await amongAll(read, options, page) : recent;
  const last = found.at(-1);
  if (last === undefined) return { items: [], next: null };
  const seqs = found.map((row) => row.entry_seq);
  const charges = await read
    .selectFrom("charge")
    .select(["entry_seq", "ledger_id", "account_id", "principal_id", "dataset_id"])
    .where("entry_seq", "in", seqs)
    .execute();
  const bySeq = new Map(charges.map((one) => [one.entry_seq, one]));
  const items = found.flatMap(({ id, charge_id: charge, entry_seq, at }): ListedRelease[] => {
    const of = bySeq.get(entry_seq);
    if (of === undefined) return [];
    const { ledger_id: ledger, account_id: account, principal_id: principal, dataset_id: dataset } = of;
    return [{ id, charge, ledger, account, principal, dataset, at }];
  });
  return { items, next: found.length < limit ? null : String(last.seq) };
}

interface Cut {
  readonly before: bigint | undefined;
  readonly limit: number;
}

const COLUMNS = ["release.seq", "release.id", "release.charge_id", "release.entry_seq", "release.at"] as const;
type Row = Pick<Tables["release"], "seq" | "id" | "charge_id" | "entry_seq" | "at">;

/** How many of the newest are searched before an index is used. */
const NEWEST = 1000;

/**
 * The page from the newest releases, perhaps short, in a time that does not depend on how many there are. The empty texts
 * keep the query planner from using an index on the other columns.
 */
function amongNewest(
  read: Read,
  { principals, dataset, account, reader }: ReleaseFilter,
  { before, limit }: Cut,
): Promise<readonly Row[]> {
  let newest = read.selectFrom("release").select(COLUMNS);
  if (before !== undefined) newest = newest.where("seq", "<", before);
  let query = read
    .selectFrom(newest.orderBy("seq", "desc").limit(NEWEST).as("release"))
    .innerJoin("entry", "entry.seq", "release.entry_seq")
    .select(COLUMNS);
  if (principals !== undefined) query = query.where(sql<boolean>`entry.principal_id || '' IN (${list(principals)})`);
  if (dataset !== undefined) query = query.where(sql<boolean>`entry.dataset_id || '' = ${dataset}`);
  if (account !== undefined) query = query.where(sql<boolean>`entry.account_id || '' = ${account}`);
  if (reader !== undefined)
    query = query.where(
      sql<boolean>`(entry.principal_id || '' IN (${list(reader.principals)})
        OR entry.ledger_id || '' IN (${ledgersOf(reader.datasets)}) OR entry.account_id || '' IN (${accountsOf(reader)}))`,
    );
  return query.orderBy("release.seq", "desc").limit(limit).execute();
}

/** The same page from all releases, read by index from each place that may hold matches. */
async function amongAll(read: Read, filter: ReleaseFilter, { before, limit }: Cut): Promise<readonly Row[]> {
  const { principals, dataset, account } = filter;
  const found = new Map<bigint, Row>();
  for (const { column, ids } of await placesOf(read, filter))
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      let query = read.selectFrom("release").innerJoin("entry", "entry.seq", "release.entry_seq").select(COLUMNS);
      query = query.where(`entry.${column}`, "in", ids.slice(start, start + AT_ONCE) as never[]);
      if (before !== undefined) query = query.where("release.seq", "<", before);
      if (principals !== undefined) query = query.where("entry.principal_id", "in", [...principals]);
      if (dataset !== undefined) query = query.where("entry.dataset_id", "=", dataset);
      if (account !== undefined) query = query.where("entry.account_id", "=", account);
      for (const row of await query.orderBy("release.seq", "desc").limit(limit).execute()) found.set(row.seq, row);
    }
  return [...found.values()].sort((a, b) => (a.seq < b.seq ? 1 : -1)).slice(0, limit);
}

/** Ids in one query. */
const AT_ONCE = 1000;

interface Place {
  readonly column: "principal_id" | "ledger_id" | "account_id";
  readonly ids: readonly string[];
}

/** The indexed places that together hold everything that passes the filter, and perhaps more. */
async function placesOf(
  read: Read,
  { principals, dataset, account, reader }: ReleaseFilter,
): Promise<readonly Place[]> {
  const idsOf = async (query: RawBuilder<{ id: string }>) => (await query.execute(read)).rows.map(({ id }) => id);
  if (account !== undefined) return [{ column: "account_id", ids: [account] }];
  if (principals !== undefined) return [{ column: "principal_id", ids: principals }];
  if (reader !== undefined)
    return [
      { column: "principal_id", ids: reader.principals },
      { column: "ledger_id", ids: await idsOf(ledgersOf(reader.datasets)) },
      { column: "account_id", ids: await idsOf(accountsOf(reader)) },
    ];
  const ledgers = dataset === undefined ? sql<{ id: string }>`SELECT id FROM ledger` : ledgersOf([dataset]);
  return [{ column: "ledger_id", ids: await idsOf(ledgers) }];
}

const list = (ids: readonly string[]) => sql.join(ids.length === 0 ? [""] : ids);

const ledgersOf = (datasets: readonly string[]): RawBuilder<{ id: string }> =>
  sql`SELECT ledger.id FROM ledger JOIN dataset ON dataset.population_id = ledger.population_id
    WHERE dataset.id IN (${list(datasets)})`;

/** The accounts of a reader, of the teams that they lead with all below, and of their other teams. */
const accountsOf = ({ principals, leads, teams }: ReleaseReader): RawBuilder<{ id: string }> =>
  sql`WITH RECURSIVE below (id) AS (
      SELECT id FROM account WHERE holder_id IN (${list([...principals, ...leads])})
      UNION SELECT account.id FROM account JOIN below ON account.parent_id = below.id)
    SELECT id FROM below UNION SELECT id FROM account WHERE holder_id IN (${list(teams)})`;
