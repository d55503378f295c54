import type { CalendarUnit } from "@dosimeter/core";
import { sql } from "kysely";
import { BAR, type Code, JOINT, MAX_LETTERS } from "../declaration/code.ts";
import { isScaled } from "../declaration/decimals.ts";
import type { Column, Derived } from "../declaration/declaration.ts";
import { dayPartSql, periodsOfDays } from "../dialect/dates-sql.ts";
import { type Dialect, type Fragment, integer, shiftedBy } from "../dialect/dialect.ts";
import { tickSql, wholeTickSql } from "../dialect/tick-sql.ts";
import { isWhole } from "../plan/groups.ts";

/** Declared columns, NaN as NULL. */
export interface ColumnReader {
  readonly value: (name: string) => Fragment;
  /** A whole number or a date, clamped. */
  readonly clamped: (name: string, range: WholeRange) => Fragment;
  /** Whether a date is clamped as it is stored, which costs little enough to be written several times. */
  readonly isStored: (name: string) => boolean;
  /** The period of a date that is clamped; null where it is read by its day. */
  readonly period: (name: string, range: WholeRange, unit: CalendarUnit) => Fragment | null;
}

interface WholeRange {
  readonly lower: number;
  readonly upper: number;
}

export const readerOf = (value: ColumnReader["value"]): ColumnReader => ({
  value,
  clamped: (name, { lower, upper }) => clamped(value(name), integer(lower), integer(upper)),
  isStored: () => false,
  period: () => null,
});

/** A derived column in SQL, of its column's type: BIGINT, double, BOOLEAN or text. [M311] */
export function derivedSql(dialect: Dialect, { code, step }: Derived, column: Column, read: ColumnReader): Fragment {
  const value = codeSql(dialect, code, read);
  if (step === null) return value;
  if (isWhole(column)) return step.numerator === 1n ? value : sql`(${value} * ${integer(step.numerator)})`;
  const whole = sql`CAST(${value} * ${integer(step.numerator)} AS ${dialect.double})`;
  return step.denominator === 1n ? whole : sql`(${whole} / CAST(${Number(step.denominator)} AS ${dialect.double}))`;
}

const isStored = (code: Code, read: ColumnReader): boolean =>
  code.do === "multiply" ? isStored(code.a, read) : code.do === "whole" && read.isStored(code.column);

/** Every operation has a value or NULL for every row that a database can store. */
function codeSql(dialect: Dialect, code: Code, read: ColumnReader): Fragment {
  const of = (part: Code): Fragment => codeSql(dialect, part, read);
  switch (code.do) {
    case "whole":
      return read.clamped(code.column, code);
    case "grid": {
      const x = read.value(code.column);
      const tick = isScaled(code)
        ? sql`CASE WHEN ${x} IS NOT NULL THEN ${wholeTickSql(dialect, x, code, { column: code })} END`
        : tickSql(dialect, x, code);
      return plus(tick, code.first);
    }
    case "member": {
      const x = read.value(code.column);
      const values = sql.join(code.values.map((value) => sql`CAST(${value} AS ${dialect.double})`));
      return sql`CAST(CASE WHEN ${x} IN (${values}) THEN ${x} END AS BIGINT)`;
    }
    case "truth":
    case "text":
      return read.value(code.column);
    case "constant":
      return constantSql(dialect, code);
    case "add":
      return sql`(${of(code.a)} + ${of(code.b)})`;
    case "multiply":
      return sql`(${of(code.a)} * ${of(code.b)})`;
    case "within":
      return clamped(of(code.a), integer(code.least), integer(code.largest));
    case "rest":
      return sql`(${plus(of(code.a), -multiplesBelow(code) * code.by)} % ${integer(code.by)})`;
    case "floor": {
      const from = multiplesBelow(code);
      return plus(dialect.quotient(plus(of(code.a), -from * code.by), integer(code.by)), from);
    }
    case "quotient": {
      const [a, b] = [of(code.a), of(code.b)];
      const top = sql`(abs(${a}) * ${integer(2n * code.times)} + abs(${b}))`;
      // The divisor is never 0, since a database may compute branches that it does not use.
      const divisor = sql`CASE WHEN ${b} = 0 THEN 1 ELSE abs(${b}) * 2 END`;
      const rounded = dialect.quotient(top, sql`(${divisor})`);
      return sql`CASE WHEN ${b} = 0 THEN NULL WHEN (${a} < 0) = (${b} < 0) THEN ${rounded} ELSE -${rounded} END`;
    }
    case "dayPart":
      return dayPartSql(dialect, code.part, of(code.a));
    case "period":
      return (
        (code.a.do === "whole" ? read.period(code.a.column, code.a, code.unit) : null) ??
        periodsOfDays(dialect, of(code.a), code.unit)
      );
    case "local":
      return (isStored(code.a, read) ? dialect.shifted : shiftedBy(dialect))(of(code.a), code.offsets);
    case "compare":
      return sql`coalesce(${of(code.a)} ${sql.raw(code.op === "!=" ? "<>" : code.op)} ${of(code.b)}, false)`;
    case "missing":
      return sql`(${of(code.a)} IS NULL)`;
    case "and":
    case "or":
      return sql`(${sql.join(
        code.of.map((part) => sql`coalesce(${of(part)}, false)`),
        code.do === "and" ? sql` AND ` : sql` OR `,
      )})`;
    case "not":
      return sql`(NOT coalesce(${of(code.a)}, false))`;
    case "if":
      return sql`CASE WHEN coalesce(${of(code.condition)}, false) THEN ${of(code.yes)} ELSE ${of(code.no)} END`;
    case "digits":
      return sql`CAST(${code.times === 1n ? of(code.a) : sql`(${of(code.a)} * ${integer(code.times)})`} AS ${dialect.text})`;
    case "part":
      // Both databases count code points here, and the beginning of a text in NFC is in NFC.
      return sql`replace(substr(${of(code.a)}, 1, ${integer(MAX_LETTERS)}), ${sql.lit(BAR)}, ${sql.lit(BAR + BAR)})`;
    case "join":
      return sql`(${sql.join(code.of.map(of), sql` || ${sql.lit(JOINT)} || `)})`;
    case "first":
      return sql`coalesce(${sql.join(code.of.map(of))})`;
  }
}

/**
 * Databases agree on quotients and remainders of non-negative numbers only: both count from a multiple of the divisor at or below
 * every value.
 */
const multiplesBelow = ({ least, by }: { readonly least: bigint; readonly by: bigint }): bigint =>
  least >= 0n ? 0n : -((-least + by - 1n) / by);

/** `least` and `greatest` would turn a missing value into a bound. */
const clamped = (x: Fragment, least: Fragment, largest: Fragment): Fragment =>
  sql`CASE WHEN ${x} IS NOT NULL THEN least(greatest(${x}, ${least}), ${largest}) END`;

const plus = (x: Fragment, constant: bigint): Fragment =>
  constant === 0n ? x : sql`(${x} + ${constant < 0n ? sql`(${integer(constant)})` : integer(constant)})`;

function constantSql({ text }: Dialect, { value, type }: Code & { readonly do: "constant" }): Fragment {
  const kind = type === "number" ? sql`BIGINT` : type === "boolean" ? sql`BOOLEAN` : text;
  if (value === null) return sql`CAST(NULL AS ${kind})`;
  if (typeof value === "string") return sql`CAST(${value} AS ${text})`;
  return typeof value === "bigint" ? sql`CAST(${integer(value)} AS BIGINT)` : sql.raw(String(value));
}
