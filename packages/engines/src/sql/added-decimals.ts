import { type Column, type Declaration, factorOf, isScaled } from "@dosimeter/query/declaration";
import { type Dialect, type Fragment, integer, type PeriodRange, type Within } from "@dosimeter/query/dialect";
import { type BoundedStatistic, gridOf } from "@dosimeter/query/plan";
import { type Aggregate, definitionOf } from "@dosimeter/query/statistics";
import { sql } from "kysely";

/** Aggregates of clamped decimals that are not ticks: of a group's sum in steps from 0 and the first step. */
const OF_SUM: { readonly [K in Extract<Aggregate, string>]?: (sum: Fragment, first: bigint) => Fragment } = {
  rows: () => sql`count(*)`,
  signedTicks: (sum) => sum,
  ticks: (sum, first) => (first === 0n ? sum : sql`${sum} - count(*) * (${integer(first)})`),
};

const ofSum = (name: Aggregate) => (typeof name === "string" ? OF_SUM[name] : undefined);

interface Stored {
  readonly dialect: Dialect;
  readonly types: Readonly<Record<string, string>>;
}

/** A stored decimal that is clamped as it is; null of any other column, and of one with markers: beyond its bounds they would be one of them. */
export function storedDecimal({ dialect, types }: Stored, column: Column, name: string, range: PeriodRange) {
  if (!isScaled(column) || column.derived !== undefined || column.missing !== undefined) return null;
  return dialect.decimals?.within(sql.id(name), types[name] ?? "", { ...range, scale: column.scale }) ?? null;
}

/**
 * The column of a statistic that adds up stored decimals of every row in steps of their last digit; null of any other. They stay
 * decimals until they are added up, which gives the same integers [M193].
 */
export function addedDecimals(
  statistic: BoundedStatistic,
  { privacyUnit, columns }: Declaration,
  stored: Stored,
): Within | null {
  const { task, keys, column: name } = statistic;
  if (task.kind !== "sums" || task.publicRows !== undefined) return null;
  if (privacyUnit !== "row" || keys !== undefined || name === null) return null;
  const column = columns[name];
  if (column === undefined) return null;
  const { numerator, denominator } = task.ticks.step;
  if (numerator !== 1n || denominator !== factorOf(column)) return null;
  if (!definitionOf(statistic).aggregates(task).every(ofSum)) return null;
  const within = storedDecimal(stored, column, name, { ...task.range, outside: "clamped" });
  return within === null ? null : { value: within.decimal, kept: within.kept };
}

/** Aggregates of the rows (g, v) of which v is such a decimal. */
export function decimalAggregates({ decimals }: Dialect, statistic: BoundedStatistic): readonly Fragment[] {
  const { step, first } = gridOf(statistic) ?? {};
  if (decimals === null || step === undefined || first === undefined) throw new RangeError("decimals have a grid");
  const sum = decimals.sum(sql`v`, step.denominator);
  return definitionOf(statistic)
    .aggregates(statistic.task)
    .flatMap((name) => ofSum(name)?.(sum, first) ?? []);
}
