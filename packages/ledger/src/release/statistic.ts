import type { Context } from "../context.ts";
import { rowsOf, rowWith } from "../stores/row.ts";
import type { Tx, Value } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { type AccountId, type ChargeId, type DatasetId, entryOf, type PrincipalId } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { checkCursor, checkLimit, type Page, type PageOptions } from "../values/page.ts";

/** A drawn row of a release, with the hashes by which it is found. */
export interface NewStatistic {
  /** Its id in the answers of the release. */
  readonly row: string;
  readonly version: number;
  /** SHA-256 of the canonical question, and of the rows it is about. */
  readonly key: string;
  readonly scope: string;
  readonly name: string;
  readonly column: string | null;
  readonly label: string;
  /** The row as it was drawn; opaque here. */
  readonly request: Json;
}

export interface ReleasedStatistic extends NewStatistic {
  readonly charge: ChargeId;
  readonly dataset: DatasetId;
  readonly principal: PrincipalId;
  readonly account: AccountId;
  readonly at: string;
}

/** A row of a release that came from earlier ones, and what a fresh draw would have cost: ε or μ², in 10⁻¹². */
export interface NewReuse {
  readonly row: string;
  readonly kind: "same" | "pooled" | "derived" | "refined";
  readonly savedEpsilon: bigint | null;
  readonly savedMu2: bigint | null;
}

/** Answers, the index entries of drawn rows for later reuse, and the rows that were reused. */
export interface NewAnswers {
  readonly answers: Json;
  /** The answers as JSON, where they were written already. */
  readonly text?: string;
  readonly statistics?: readonly NewStatistic[];
  readonly reuses?: readonly NewReuse[];
}

/** Whose answers count: everyone's, or the reader's own and those of certain accounts. */
export interface Readers {
  readonly principal: PrincipalId;
  /** null: everyone's. */
  readonly accounts: readonly AccountId[] | null;
}

/** The rule of whose answers may be reused; `readableBy` below is the same rule for lists. */
export const mayRead = (
  { principal, accounts }: Readers,
  of: { readonly principal: PrincipalId; readonly account: AccountId },
): boolean => accounts === null || principal === of.principal || (accounts as readonly string[]).includes(of.account);

const LAST = "SELECT seq FROM statistic ORDER BY seq DESC LIMIT 1";
const LAST_REUSE = "SELECT seq FROM reuse ORDER BY seq DESC LIMIT 1";
const APPEND = `INSERT INTO statistic (seq, entry_seq, charge_id, row_id, dataset_id, version, key_hash, scope_hash, name, column_name,
  label, request, principal_id, account_id, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const APPEND_REUSE = `INSERT INTO reuse (seq, entry_seq, row_id, dataset_id, principal_id, kind, saved_epsilon, saved_mu2, at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Writes the index of a release in its own transaction. */
export async function indexRelease(
  tx: Tx,
  charge: Tables["charge"],
  { statistics, reuses, at }: { statistics: readonly NewStatistic[]; reuses: readonly NewReuse[]; at: string },
): Promise<void> {
  if (statistics.length > 0) {
    const last = ((await tx.get(LAST, []))?.seq as bigint | undefined) ?? 0n;
    await tx.many(
      APPEND,
      statistics.map(({ row, version, key, scope, name, column, label, request }, index) => [
        last + BigInt(index + 1),
        charge.entry_seq,
        charge.id,
        row,
        charge.dataset_id,
        BigInt(version),
        key,
        scope,
        name,
        column,
        label,
        JSON.stringify(request),
        charge.principal_id,
        charge.account_id,
        at,
      ]),
    );
  }
  if (reuses.length > 0) {
    const last = ((await tx.get(LAST_REUSE, []))?.seq as bigint | undefined) ?? 0n;
    await tx.many(
      APPEND_REUSE,
      reuses.map(({ row, kind, savedEpsilon, savedMu2 }, index) => [
        last + BigInt(index + 1),
        charge.entry_seq,
        row,
        charge.dataset_id,
        charge.principal_id,
        kind,
        savedEpsilon,
        savedMu2,
        at,
      ]),
    );
  }
}

/** `seq` of the newest statistic; 0 before the first. */
export async function lastStatistic({ store: { read } }: Context): Promise<bigint> {
  const [row] = await rowsOf<Pick<StatisticRow, "seq">>(read, LAST, []);
  return row?.seq ?? 0n;
}

/** The newest answers of each kind from which a question may be answered. */
export async function findStatistics(
  { store: { read } }: Context,
  {
    keys,
    scopes,
    readers,
    limit,
  }: { keys: readonly string[]; scopes: readonly string[]; readers: Readers; limit: number },
): Promise<readonly ReleasedStatistic[]> {
  const found = new Map<bigint, StatisticRow>();
  for (const [column, hashes] of [
    ["key_hash", keys],
    ["scope_hash", scopes],
  ] as const)
    for (const hash of hashes)
      for (const row of await newest({ read }, [[`${column} = ?`, hash]], { readers, limit })) found.set(row.seq, row);
  return [...found.values()].map(toStatistic);
}

export async function statisticRows(
  { store: { read } }: Context,
  origins: readonly { readonly release: string; readonly row: string }[],
): Promise<readonly ReleasedStatistic[]> {
  const rows: ReleasedStatistic[] = [];
  for (const { release, row } of origins) {
    const found = await rowWith(read, "statistic", {
      entry_seq: entryOf(release) ?? 0n,
      charge_id: release,
      row_id: row,
    });
    if (found !== undefined) rows.push(toStatistic(found));
  }
  return rows;
}

/** The newest answers of a statistic on one version, for any rows. */
export async function newestStatistics(
  { store: { read } }: Context,
  {
    dataset,
    version,
    names,
    column,
    readers,
    limit,
  }: {
    dataset: DatasetId;
    version: number;
    names: readonly string[];
    column: string | null;
    readers: Readers;
    limit: number;
  },
): Promise<readonly ReleasedStatistic[]> {
  const conditions: Condition[] = [
    ["dataset_id = ?", dataset],
    ["version = ?", BigInt(version)],
    [`name IN (${names.map(() => "?")})`, ...names],
  ];
  if (column !== null) conditions.push(["column_name = ?", column]);
  return (await newest({ read }, conditions, { readers, limit })).map(toStatistic);
}

interface LibraryFilter extends PageOptions {
  readonly dataset: DatasetId;
  readonly version?: number | undefined;
  readonly name?: string | undefined;
  readonly column?: string | undefined;
  /** Words of the label. */
  readonly text?: string | undefined;
  readonly readers: Readers;
}

export async function library({ store: { read } }: Context, filter: LibraryFilter): Promise<Page<ReleasedStatistic>> {
  const limit = checkLimit(filter.limit);
  const cursor = checkCursor(filter.after);
  const conditions: Condition[] = [["dataset_id = ?", filter.dataset]];
  if (filter.version !== undefined) conditions.push(["version = ?", BigInt(filter.version)]);
  if (filter.name !== undefined) conditions.push(["name = ?", filter.name]);
  if (filter.column !== undefined) conditions.push(["column_name = ?", filter.column]);
  for (const word of (filter.text ?? "").toLowerCase().split(/\s+/).filter(Boolean))
    conditions.push(["lower(label) LIKE ?", `%${word.replace(/[\\%_]/g, "_")}%`]);
  if (cursor !== undefined) conditions.push(["seq < ?", cursor]);
  const rows = await newest({ read }, conditions, { readers: filter.readers, limit });
  const last = rows.at(-1);
  return { items: rows.map(toStatistic), next: last === undefined || rows.length < limit ? null : String(last.seq) };
}

type StatisticRow = Tables["statistic"];

type Condition = readonly [text: string, ...values: Value[]];

/** The newest rows whose answers the reader may reuse now. */
function newest(
  { read }: Pick<Context["store"], "read">,
  conditions: readonly Condition[],
  { readers, limit }: { readonly readers: Readers; readonly limit: number },
): Promise<readonly StatisticRow[]> {
  const all = [...conditions, ...readableBy(readers)];
  const where = all.map(([text]) => text).join(" AND ");
  return rowsOf(read, `SELECT * FROM statistic WHERE ${where} ORDER BY seq DESC LIMIT ?`, [
    ...all.flatMap(([, ...values]) => values),
    BigInt(limit),
  ]);
}

/** `mayRead` as a condition of a query. */
function readableBy({ principal, accounts }: Readers): readonly Condition[] {
  if (accounts === null) return [];
  if (accounts.length === 0) return [["principal_id = ?", principal]];
  return [[`(principal_id = ? OR account_id IN (${accounts.map(() => "?")}))`, principal, ...accounts]];
}

const toStatistic = (row: StatisticRow): ReleasedStatistic => ({
  charge: row.charge_id,
  row: row.row_id,
  dataset: row.dataset_id,
  version: Number(row.version),
  key: row.key_hash,
  scope: row.scope_hash,
  name: row.name,
  column: row.column_name,
  label: row.label,
  request: JSON.parse(row.request) as Json,
  principal: row.principal_id,
  account: row.account_id,
  at: row.at,
});
