import type { Fragment } from "@dosimeter/query/dialect";
import type { BoundedPlan, MeasuredVector } from "@dosimeter/query/plan";
import { populationOf } from "@dosimeter/query/statistics";
import { sql } from "kysely";
import { type PlanTables, scansOf, statementOf } from "./scans.ts";
import { unreadable } from "./table-check.ts";

/** The integers of every statistic, one statement for each scan. Fails where a public number of rows is another one in the table. */
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
  for (const scan of scansOf(plan, tables)) {
    const { statement, add, vectors: measured } = statementOf(tables.table.dialect, scan);
    add(await query(statement));
    for (const [at, vector] of measured()) vectors[at] = vector;
  }
  return vectors;
}
