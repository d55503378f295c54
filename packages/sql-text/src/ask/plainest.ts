import { memoized, unlessRefused } from "@dosimeter/core/internal";
import { boundPlan, planOverAll } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import { hasKeys, keysOf } from "@dosimeter/query/plan";
import { fits, type StatisticName, type StatisticRequest, statisticOf } from "@dosimeter/query/statistics";
import { askable } from "./vocabulary.ts";

/** A row of which all was understood but, maybe, its statistic: that is "" then. */
export type RowPart = Omit<StatisticRequest, "statistic"> & { readonly statistic: StatisticName | "" };

export const isNamed = (row: RowPart): row is StatisticRequest => row.statistic !== "";

const PRICES = [{ epsilon: "1" }, { epsilon: "1", delta: "0.000001" }, { rho: "1" }] as const;

export const mayAsk = (row: RowPart, declaration: Declaration): boolean =>
  isNamed(row) &&
  PRICES.some((price) =>
    unlessRefused(() => {
      const plan = { statistics: [{ ...row, ...price }] };
      return boundPlan(planOverAll(plan, declaration), declaration).statistics.length > 0;
    }, false),
  );

const BINS = [{}, { bins: 10 }, { bins: "month" }] as const;

const made = memoized(
  (declaration: Declaration) =>
    memoized((key: string): StatisticRequest | null => {
      const [statistic, column] = JSON.parse(key) as readonly [StatisticName, string | null];
      const { column: reads, others } = statisticOf(statistic);
      const declared = column === null ? undefined : declaration.columns[column];
      if (declared === undefined ? reads !== "none" && reads !== "present" : !fits(reads, declared)) return null;
      const beside = askable(declaration).flatMap(([name]) => (name === column ? [] : [{ with: [name] }]));
      const row = { statistic, ...(column === null ? {} : { column }) };
      const rows = (others === undefined ? [{}] : beside).flatMap((more) =>
        BINS.map((bins) => ({ ...row, ...more, ...bins })),
      );
      return rows.find((each) => mayAsk(each, declaration)) ?? null;
    }),
  new WeakMap(),
);

/** The row with the fewest settings that a plan takes, of a statistic and of the column that it reads; null where it takes none. Found once for a table. */
export const plainest = (
  statistic: StatisticName,
  column: string | undefined,
  declaration: Declaration,
): StatisticRequest | null => made(declaration)(JSON.stringify([statistic, column ?? null]));

/** Whether a table has what a statistic reads. */
export const canAsk = (statistic: StatisticName, declaration: Declaration): boolean =>
  plainest(statistic, undefined, declaration) !== null ||
  askable(declaration).some(([name]) => plainest(statistic, name, declaration) !== null);

/** Groups that are worth an offer. */
const MAX_GROUPS = 1000;

/** Whether columns may divide rows, into groups that are not too many. */
export function mayGroup(names: readonly string[], { columns }: Declaration): boolean {
  const counts = names.map((name) => {
    const column = columns[name];
    return column !== undefined && hasKeys(column) ? keysOf(column, name).length : Number.POSITIVE_INFINITY;
  });
  return new Set(names).size === names.length && counts.reduce((product, each) => product * each, 1) <= MAX_GROUPS;
}
