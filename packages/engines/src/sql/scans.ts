import { rational } from "@dosimeter/core";
import { codeFrom, type Declaration, factorOf, isScaled } from "@dosimeter/query/declaration";
import { type Dialect, type Fragment, integer } from "@dosimeter/query/dialect";
import {
  type BoundedPlan,
  type BoundedStatistic,
  isWhole,
  type MeasuredVector,
  type SumsTask,
} from "@dosimeter/query/plan";
import { sql } from "kysely";
import { addedDecimals } from "./added-decimals.ts";
import { boundedRows, boundsFor } from "./bounded-rows.ts";
import { foldedTable, foldsOf } from "./folded-table.ts";
import { joinedTable, type OtherTable } from "./joined-table.ts";
import type { Collector } from "./key-rows.ts";
import { collectorOf } from "./measure.ts";
import { sampledTable } from "./sampled-table.ts";
import { binSql, type Cells, cellsIn, cellsOf, type Relation, rowsOf, type Table, unitKindOf } from "./sql.ts";

/** The rows of a plan: its table, the salt that orders the rows of a unit, the table that it joins, and a new secret for each sample. */
export interface PlanTables {
  readonly table: Table;
  readonly salt: string;
  readonly other: OtherTable | null;
  readonly sampleKey: () => string;
}

/** A statistic, its place in the plan, and its rows among those that a scan shares. */
interface Member {
  readonly at: number;
  readonly statistic: BoundedStatistic;
  readonly rowsIn: (shared: Fragment) => Relation;
}

/** Statistics that one statement measures, and the rows that they share: those that bounds keep, of each part of the units, or those of a table of single rows, folded. */
export interface Scan {
  readonly shared: readonly [Fragment, ...Fragment[]];
  readonly members: readonly Member[];
}

/** A statement, and what gathers the vectors of its statistics by their places. */
export interface Statement {
  readonly statement: Fragment;
  add(rows: readonly (readonly unknown[])[]): void;
  vectors(): readonly (readonly [number, MeasuredVector])[];
}

/** Every statistic of a plan in one scan: those that share the rows of one, as their SQL says, are in the same [M370]. */
export function scansOf(
  { statistics, declaration }: BoundedPlan,
  tables: PlanTables,
  parts: readonly ((rows: Fragment) => Fragment)[] = [(rows) => rows],
): readonly Scan[] {
  const { dialect } = tables.table;
  const scans = foldsOf(statistics, declaration).flatMap((fold): readonly Scan[] => {
    const folded = foldedTable(fold, declaration, tables.table);
    const members = fold.statistics.map(
      (statistic): Member => ({
        at: statistics.indexOf(statistic),
        statistic,
        rowsIn: (from) => {
          const rows = rowsOf({ ...statistic, where: null }, declaration, { ...folded, from });
          return { from: sql`(${rows})`, isWeighted: true, areDecimals: false };
        },
      }),
    );
    const shared = [folded.from] as const;
    return dialect.computedOnce === null ? members.map((one) => ({ shared, members: [one] })) : [{ shared, members }];
  });
  const folded = new Set(scans.flatMap(({ members }) => members.map(({ at }) => at)));
  const others = new Map<string, Scan>();
  for (const [at, statistic] of statistics.entries()) {
    if (folded.has(at)) continue;
    const { boundedIn, ...kind } = bounding(statistic, declaration, tables);
    const [bounded, ...more] = parts.map((part) => sql`(${boundedIn(part)})`) as [Fragment, ...Fragment[]];
    const one: Member = { at, statistic, rowsIn: (from) => ({ from, ...kind }) };
    const key = sharedBy(dialect, one, bounded, declaration);
    const { members } = others.get(key) ?? { members: [] };
    others.set(key, { shared: [bounded, ...more], members: [...members, one] });
  }
  return [...scans, ...others.values()];
}

/** What is the same of two statistics whose rows are read once. Rows without bounds are not kept: they are only read in the same pass. */
function sharedBy(
  dialect: Dialect,
  { at, statistic, rowsIn }: Member,
  bounded: Fragment,
  { privacyUnit }: Declaration,
): string {
  const cells = cellsIn(dialect, statistic, rowsIn(sql`b`));
  if (cells === null || statistic.sampling !== undefined) return String(at);
  const isRead = privacyUnit === "row" || dialect.computedOnce === null;
  return textOf(dialect, isRead ? sql`${bounded} ${cells.cell}` : bounded);
}

const textOf = (dialect: Dialect, fragment: Fragment): string => JSON.stringify(dialect.compile(fragment));

/** The rows that the bounds keep, and what they are. */
function bounding(
  statistic: BoundedStatistic,
  declaration: Declaration,
  { table, salt, other, sampleKey }: PlanTables,
): Omit<Relation, "from"> & { readonly boundedIn: (part: (rows: Fragment) => Fragment) => Fragment } {
  const { sampling } = statistic;
  const whole = other === null ? table : joinedTable(table, declaration, statistic, other);
  const from = sampling === undefined ? whole : sampledTable(whole, declaration, sampling, sampleKey());
  const unit = unitKindOf(declaration);
  const valued = valuedBins(table.dialect, statistic, declaration);
  const measured = valued === null ? statistic : { ...statistic, task: valued.task };
  const rows = rowsOf(measured, declaration, from);
  return {
    boundedIn: (part) => boundedRows(table.dialect, measured, part(rows), unit, salt),
    isWeighted: boundsFor(statistic, unit) === "counted",
    areDecimals: addedDecimals(statistic, declaration, from) !== null,
    ...(valued === null ? {} : { bin: valued.bin }),
  };
}

/** The most whole numbers that rows carry in place of a bin. */
const MAX_VALUES = 2n ** 20n;

/**
 * Bins of whole numbers follow from the values of the rows that are kept: those are then the rows of a mean of the column, and bounded once
 * for both [M371]. Null where bins are kept themselves.
 */
function valuedBins(
  dialect: Dialect,
  { task, column: name, keys, contribution }: BoundedStatistic,
  { privacyUnit, columns }: Declaration,
): { readonly task: SumsTask; readonly bin: Fragment } | null {
  const { rows, groups, rowsPerGroup } = contribution.bound;
  if (privacyUnit === "row" || rows === null || groups !== null || rowsPerGroup !== null || keys !== undefined)
    return null;
  const column = name === null ? undefined : columns[name];
  if (column === undefined || task.kind !== "counts" || task.range === undefined) return null;
  if (!isWhole(column) && !isScaled(column)) return null;
  const { bins, range } = task;
  const [first, last] = [range.lower, range.upper].map((bound) => codeFrom(bound, column)) as [bigint, bigint];
  const edges = bins.slice(1).map((bin) => ("lower" in bin ? codeFrom(bin.lower, column) : first));
  if (last - first >= MAX_VALUES || edges.some((edge) => edge <= first || edge > last)) return null;
  const factor = factorOf(column);
  const ticks = { lower: rational(first, factor), step: rational(1n, factor), first, steps: last - first };
  const value = first === 0n ? sql`v` : sql`(v + (${integer(first)}))`;
  return { task: { kind: "sums", range, ticks }, bin: sql`CAST(${binSql(dialect, bins, column, value)} AS BIGINT)` };
}

/** The one statement of a scan, over its shared rows or a table of them. */
export function statementOf(dialect: Dialect, { shared, members }: Scan, table?: Fragment): Statement {
  const named = table === undefined && (partsOf(dialect, members, sql`s`)?.length ?? 1) > 1;
  const from = named ? sql`s` : (table ?? shared[0]);
  const parts = partsOf(dialect, members, from);
  const collectors = members.map(({ statistic }) => collectorOf(statistic));
  const vectors = (): readonly (readonly [number, MeasuredVector])[] =>
    members.map(({ at }, index) => [at, (collectors[index] as Collector).vector()]);
  const [only] = members;
  if (parts === null && only !== undefined)
    return {
      statement: cellsOf(dialect, only.statistic, only.rowsIn(from)),
      add: (rows) => collectors[0]?.add(rows),
      vectors,
    };
  const width = Math.max(...(parts ?? []).map(({ aggregates }) => aggregates.length));
  const selects = (parts ?? []).map(({ rows, cell, aggregates }, index) => {
    const padding = Array.from({ length: width - aggregates.length }, () => sql`0`);
    return sql`SELECT ${integer(index)} AS part, ${cell} AS c, ${sql.join([...aggregates, ...padding])} FROM ${rows} AS b GROUP BY 2`;
  });
  const all = sql.join(selects, sql` UNION ALL `);
  return {
    statement: named ? sql`WITH s AS${dialect.computedOnce ?? sql``} (SELECT * FROM ${shared[0]} AS z) ${all}` : all,
    add(rows) {
      for (const [part, cell, ...sums] of rows)
        for (const { member, columns } of parts?.[Number(part)]?.readers ?? [])
          collectors[member]?.add([[cell, ...columns.map((column) => sums[column])]]);
    },
    vectors,
  };
}

interface Part extends Cells {
  readonly rows: Fragment;
  /** Which of its aggregates are those of a member. */
  readonly readers: readonly { readonly member: number; readonly columns: readonly number[] }[];
}

/** One part for each cell of the same rows, with the aggregates of all its statistics; null where a statistic has SQL of its own. */
function partsOf(dialect: Dialect, members: readonly Member[], shared: Fragment): readonly Part[] | null {
  const parts = new Map<string, Part>();
  for (const [member, { statistic, rowsIn }] of members.entries()) {
    const relation = rowsIn(shared);
    const cells = cellsIn(dialect, statistic, relation);
    if (cells === null) return null;
    const key = textOf(dialect, sql`${relation.from} ${cells.cell}`);
    const part = parts.get(key) ?? { rows: relation.from, cell: cells.cell, aggregates: [], readers: [] };
    const texts = part.aggregates.map((one) => textOf(dialect, one));
    const aggregates = [...part.aggregates];
    const columns = cells.aggregates.map((one) => {
      const known = texts.indexOf(textOf(dialect, one));
      if (known >= 0) return known;
      texts.push(textOf(dialect, one));
      return aggregates.push(one) - 1;
    });
    parts.set(key, { ...part, aggregates, readers: [...part.readers, { member, columns }] });
  }
  return [...parts.values()];
}
