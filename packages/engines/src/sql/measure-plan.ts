import type { Declaration } from "@dosimeter/query/declaration";
import type { Fragment } from "@dosimeter/query/dialect";
import type { BoundedPlan, BoundedStatistic, MeasuredVector } from "@dosimeter/query/plan";
import { populationOf } from "@dosimeter/query/statistics";
import { sql } from "kysely";
import { addedDecimals } from "./added-decimals.ts";
import { boundedRows } from "./bounded-rows.ts";
import { joinedTable, type OtherTable } from "./joined-table.ts";
import { vectorOf } from "./measure.ts";
import { sampledTable } from "./sampled-table.ts";
import { cellsOf, rowsOf, type Table, unitKindOf } from "./sql.ts";
import { unreadable } from "./table-check.ts";

/** The rows of a plan: its table, the salt that orders the rows of a unit, the table that it joins, and a new secret for each sample. */
export interface PlanTables {
  readonly table: Table;
  readonly salt: string;
  readonly other: OtherTable | null;
  readonly sampleKey: () => string;
}

/** The rows that the bounds keep, and whether their values are decimals to be added up. */
export function bounding(
  statistic: BoundedStatistic,
  declaration: Declaration,
  { table, salt, other, sampleKey }: PlanTables,
): { readonly bounded: Fragment; readonly areDecimals: boolean } {
  const { sampling } = statistic;
  const whole = other === null ? table : joinedTable(table, declaration, statistic, other);
  const from = sampling === undefined ? whole : sampledTable(whole, declaration, sampling, sampleKey());
  const rows = rowsOf(statistic, declaration, from);
  return {
    bounded: boundedRows(table.dialect, statistic, rows, unitKindOf(declaration), salt),
    areDecimals: addedDecimals(statistic, declaration, from) !== null,
  };
}

/** The one statement that measures a statistic. */
export function measuring(statistic: BoundedStatistic, declaration: Declaration, tables: PlanTables): Fragment {
  const { bounded, areDecimals } = bounding(statistic, declaration, tables);
  return cellsOf(tables.table.dialect, statistic, sql`(${bounded})`, areDecimals);
}

/** The integers of every statistic, one statement each. Fails where a public number of rows is another one in the table. */
export async function measurePlan(
  plan: BoundedPlan,
  tables: PlanTables,
  query: (statement: Fragment) => Promise<readonly (readonly unknown[])[]>,
): Promise<readonly MeasuredVector[]> {
  const population = populationOf(plan);
  if (population !== null) {
    const [[rows] = []] = await query(sql`SELECT count(*) FROM ${tables.table.from}`);
    // As public as the number itself: under replace-one all neighbours have as many rows.
    if (Number(rows) !== population) throw unreadable("source", "another number of rows");
  }
  const vectors: MeasuredVector[] = [];
  for (const statistic of plan.statistics)
    vectors.push(vectorOf(statistic, await query(measuring(statistic, plan.declaration, tables))));
  return vectors;
}
