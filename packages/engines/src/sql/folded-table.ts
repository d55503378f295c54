import { FIRST_DAY, firstDayOf, isCalendarUnit, LAST_DAY, toDouble } from "@dosimeter/core";
import { type Column, codeFrom, type Declaration, isScaled } from "@dosimeter/query/declaration";
import { type Dialect, type Fragment, integer, tickSql } from "@dosimeter/query/dialect";
import { columnsRead } from "@dosimeter/query/expression";
import { type BoundedStatistic, binsOf, isWhole, leavesOf, rangeOf, type Ticks } from "@dosimeter/query/plan";
import { sql } from "kysely";
import { freeName, withTyped } from "./joined-table.ts";
import { readerIn, required, type Table, TYPED } from "./sql.ts";

/** The most folded rows: what a database counts in an array. */
const MAX_FOLDED = 2 ** 18;
/** Beyond this number of steps from 0 a double might not tell a step from the next. */
const MAX_FINE = 2n ** 40n;

/** Which values of a column the statistics of a scan tell apart; values that they do not are folded into one. */
type Grain =
  | { readonly kind: "truth" }
  /** Whole numbers: those below `least` and above `largest` are alike. */
  | { readonly kind: "whole"; readonly least: bigint; readonly largest: bigint }
  /** Cells of `size`, a power of two, of which every edge is a multiple. */
  | { readonly kind: "cells"; readonly size: number; readonly least: number; readonly largest: number }
  | { readonly kind: "ticks"; readonly lower: number; readonly upper: number; readonly ticks: Ticks };

type Grains = ReadonlyMap<string, Grain>;

/** Statistics that are measured in one pass over the table, and what they tell apart. */
export interface Fold {
  readonly statistics: readonly BoundedStatistic[];
  readonly grains: Grains;
}

/**
 * Which statistics of a table of units of their own are measured on rows that are counted first: those whose columns hold few values that
 * matter, where the work of a row is more than counting. By the plan and the declaration alone [M370].
 */
export function foldsOf(statistics: readonly BoundedStatistic[], declaration: Declaration): readonly Fold[] {
  if (declaration.privacyUnit !== "row") return [];
  const able = statistics.flatMap((statistic) => {
    const grains = grainsOf(statistic, declaration);
    return grains === null ? [] : [{ statistics: [statistic], grains }];
  });
  const isWorth = ({ statistics: [one], grains }: Fold): boolean =>
    one !== undefined && grains.size > 0 && hasWork(one, declaration);
  const folds: Fold[] = [];
  for (const one of [...able.filter(isWorth), ...able.filter((fold) => !isWorth(fold))]) {
    const at = folds.findIndex((fold) => joined(fold, one) !== null);
    const both = folds[at] === undefined ? null : joined(folds[at], one);
    if (both !== null) folds[at] = both;
    else if (isWorth(one)) folds.push(one);
  }
  // Ticks are counted once only where several statistics need them.
  const hasTicks = ({ grains }: Fold): boolean => [...grains.values()].some(({ kind }) => kind === "ticks");
  return folds.filter((fold) => fold.statistics.length > 1 || !hasTicks(fold));
}

/** Whether a row costs more than adding it up: bins, leaves or a formula. */
const hasWork = (statistic: BoundedStatistic, { columns }: Declaration): boolean =>
  binsOf(statistic).some((bin) => "lower" in bin) ||
  leavesOf(statistic) !== undefined ||
  [statistic.column, ...statistic.groupBy].some((name) => name !== null && columns[name]?.derived !== undefined);

/** Both in one pass; null where their rows differ or too many values would matter. */
function joined(a: Fold, b: Fold): Fold | null {
  const [one, other] = [a, b].map(({ statistics: [first] }) => JSON.stringify(first?.where ?? null));
  if (one !== other) return null;
  const grains = new Map(a.grains);
  for (const [name, grain] of b.grains) {
    const known = grains.get(name);
    const both = known === undefined ? grain : finer(known, grain);
    if (both === null) return null;
    grains.set(name, both);
  }
  return isFew(grains) ? { statistics: [...a.statistics, ...b.statistics], grains } : null;
}

function finer(a: Grain, b: Grain): Grain | null {
  if (a.kind === "whole" && b.kind === "whole")
    return {
      kind: "whole",
      least: a.least < b.least ? a.least : b.least,
      largest: a.largest > b.largest ? a.largest : b.largest,
    };
  if (a.kind === "cells" && b.kind === "cells")
    return cellsFrom([a.least, a.largest, b.least, b.largest], Math.min(a.size, b.size));
  const isSame = a.kind === b.kind && (a.kind !== "ticks" || JSON.stringify(keyOf(a)) === JSON.stringify(keyOf(b)));
  return isSame ? a : null;
}

const keyOf = (grain: Grain): readonly string[] =>
  grain.kind === "ticks"
    ? [grain.lower, grain.upper, grain.ticks.step.numerator, grain.ticks.step.denominator].map(String)
    : [];

/** How many different codes a column has, but for the missing value. */
function sizeOf(grain: Grain): number {
  switch (grain.kind) {
    case "truth":
      return 2;
    case "whole":
      return Number(grain.largest - grain.least) + 3;
    case "cells":
      return (grain.largest - grain.least) / grain.size + 2;
    case "ticks":
      return Number(grain.ticks.steps) + 1;
  }
}

const isFew = (grains: Grains): boolean =>
  [...grains.values()].reduce((product, grain) => product * sizeOf(grain), 1) <= MAX_FOLDED;

/** What a statistic tells apart of each stored column; null where it reads others, or too many values matter. */
function grainsOf(statistic: BoundedStatistic, declaration: Declaration): Grains | null {
  const { task, keys, sampling, window, column: own } = statistic;
  const isPlain = ["counts", "sums", "choice", "curve"].includes(task.kind) && !("publicRows" in task);
  // A window reads the column of the blocks, of values that no bin tells apart.
  if (!isPlain || keys !== undefined || sampling !== undefined || window !== undefined) return null;
  const grains = new Map<string, Grain>();
  const read = [...columnsRead({ ...statistic, where: null }, declaration)];
  for (const name of read) {
    const column = declaration.columns[name];
    if (column === undefined || column.joined !== undefined) return null;
    if (column.derived !== undefined) continue;
    const grain = grainOf(statistic, column, name === own);
    // Cells and ticks tell apart what the statistic does, and not what a formula over the column might.
    const isRounded = grain?.kind === "cells" || grain?.kind === "ticks";
    if (grain === null || (isRounded && read.some((other) => declaration.columns[other]?.derived !== undefined)))
      return null;
    grains.set(name, grain);
  }
  return isFew(grains) ? grains : null;
}

function grainOf(statistic: BoundedStatistic, column: Column, isOwn: boolean): Grain | null {
  if (column.type === "boolean") return { kind: "truth" };
  const range = isOwn ? rangeOf(statistic) : undefined;
  const edges = (isOwn ? binsOf(statistic) : []).slice(1).flatMap((bin) => ("lower" in bin ? [bin.lower] : []));
  if (isWhole(column) || isScaled(column)) {
    if (column.lower === undefined || column.upper === undefined) return null;
    const codes = [
      column.lower,
      column.upper,
      range?.lower ?? column.lower,
      range?.upper ?? column.upper,
      ...edges,
    ].map((bound) => codeFrom(bound, column));
    const [least, largest] = [codes.reduce((a, b) => (b < a ? b : a)), codes.reduce((a, b) => (b > a ? b : a))];
    const isPlain = column.type !== "date" || isPlainDate(column, Number(least), Number(largest));
    return isPlain ? { kind: "whole", least, largest } : null;
  }
  if (column.type !== "number" || !isOwn) return null;
  const { task } = statistic;
  if (task.kind === "counts") return edges.length === 0 ? null : cellsFrom(edges, Number.POSITIVE_INFINITY);
  if (task.kind !== "sums" && task.kind !== "choice" && task.kind !== "curve") return null;
  const { first, steps } = task.ticks;
  const isFine = first > -MAX_FINE && first + steps < MAX_FINE;
  return isFine ? { kind: "ticks", lower: task.range.lower, upper: task.range.upper, ticks: task.ticks } : null;
}

/** Dates that stay dates when they are clamped, none a marker, to a period before and one behind the declared ones. */
function isPlainDate(column: Column, lower: number, upper: number): boolean {
  const { calendar = "day", missing = [] } = column;
  if (!isCalendarUnit(calendar) || missing.length > 0) return false;
  return firstDayOf(lower - 1, calendar) >= FIRST_DAY && firstDayOf(upper + 2, calendar) <= LAST_DAY;
}

/** The largest cells of which all edges are multiples, at most `most`. A product of tiny numbers must not become 0: around 0 cells have at most 1. */
function cellsFrom(edges: readonly number[], most: number): Grain | null {
  const [least, largest] = [Math.min(...edges), Math.max(...edges)];
  const around = least <= 0 && largest >= 0 ? 1 : Number.POSITIVE_INFINITY;
  let size = Math.min(most, around, 2 ** Math.floor(Math.log2(Math.max(Math.abs(least), Math.abs(largest), 1))));
  while (edges.some((edge) => !Number.isInteger(edge / size)) && size > 2 ** -30) size /= 2;
  const isExact = edges.every((edge) => Number.isSafeInteger(edge / size));
  return isExact ? { kind: "cells", size, least, largest } : null;
}

/** What is counted of a column, and a value that the statistics take for all those that it stands for. */
interface Folded {
  readonly key: Fragment;
  readonly value: (key: Fragment) => Fragment;
  readonly storage: string;
}

/** The rows of a fold: one for each combination of values that matter, with the number of rows that have it. */
export function foldedTable({ statistics: [first], grains }: Fold, declaration: Declaration, table: Table): Table {
  const { dialect } = table;
  const reader = readerIn(declaration, table);
  const weight = sql.id(freeName(declaration, "rows"));
  const columns = [...grains].map(([name, grain], index) => ({
    name: sql.id(name),
    at: sql.id(`k${index}`),
    ...foldedColumn(dialect, grain, name, reader),
  }));
  const keys = columns.map(({ key, at }) => sql`${key} AS ${at}`);
  const conditions = [...required(declaration, table), ...(first?.where == null ? [] : [reader.where(first.where)])];
  const kept = conditions.length === 0 ? sql`` : sql` WHERE ${sql.join(conditions, sql` AND `)}`;
  const places = columns.map((_, index) => integer(index + 1));
  const counted = sql`SELECT ${sql.join([...keys, sql`count(*) AS w`])} FROM ${table.from}${kept} GROUP BY ${sql.join(places)}`;
  const values = columns.map(({ name, at, value }) => sql`${value(at)} AS ${name}`);
  const types: Record<string, string> = Object.create(null);
  [...grains.keys()].forEach((name, index) => {
    types[name] = columns[index]?.storage ?? TYPED;
  });
  return {
    dialect: withTyped(dialect),
    from: sql`(SELECT ${sql.join([...values, sql`w AS ${weight}`])} FROM (${counted}) AS f)`,
    types,
    weight,
  };
}

function foldedColumn(
  dialect: Dialect,
  grain: Grain,
  name: string,
  { untested, clamped, date }: ReturnType<typeof readerIn>,
): Folded {
  const x = untested(name);
  const double = (value: number): Fragment => sql`CAST(${value} AS ${dialect.double})`;
  /** Numbers from 0, so that an array counts them. */
  const numbered = (number: Fragment, value: (number: Fragment) => Fragment): Folded => ({
    key: dialect.index(number, sizeOf(grain)),
    value: (key) => value(sql`CAST(${key} AS BIGINT)`),
    storage: TYPED,
  });
  const real = (number: Fragment): Fragment => sql`CAST(${number} AS ${dialect.double})`;
  const isNumber = sql`${x} <= CAST('Infinity' AS ${dialect.double})`;
  switch (grain.kind) {
    case "truth":
      return numbered(sql`CASE WHEN ${x} THEN 1 WHEN NOT ${x} THEN 0 END`, (number) => sql`(${number} = 1)`);
    case "whole": {
      const [below, above] = [grain.least - 1n, grain.largest + 1n];
      const range = { lower: Number(below), upper: Number(above) };
      const stored = date(name, range);
      if (stored !== null) return { key: stored, value: (key) => key, storage: dialect.days.storage };
      const base = sql`(${integer(-below)})`;
      // Most values lie within, and to compare is cheaper than to clamp.
      const number = sql`CASE WHEN ${x} BETWEEN ${integer(grain.least)} AND ${integer(grain.largest)} THEN ${x} + ${base} WHEN ${x} IS NOT NULL THEN ${clamped(name, range)} + ${base} END`;
      return numbered(number, (found) => sql`(${found} - ${base})`);
    }
    case "cells": {
      const { size, least, largest } = grain;
      const base = sql`(${integer(1 - least / size)})`;
      const cell = sql`CAST(floor(${x} * ${double(1 / size)}) AS BIGINT) + ${base}`;
      const number = sql`CASE WHEN ${x} < ${double(least)} THEN 0 WHEN ${x} < ${double(largest)} THEN ${cell} WHEN ${isNumber} THEN ${integer(sizeOf(grain) - 1)} END`;
      return numbered(number, (found) => sql`(${real(sql`(${found} - ${base})`)} * ${double(size)})`);
    }
    case "ticks": {
      const { lower, upper, ticks } = grain;
      const tick = tickSql(dialect, x, { ...ticks, lower, upper });
      const step = double(toDouble(ticks.step, "down"));
      return numbered(
        sql`CASE WHEN ${isNumber} THEN ${tick} END`,
        (found) => sql`(${real(found)} * ${step} + ${double(lower)})`,
      );
    }
  }
}
