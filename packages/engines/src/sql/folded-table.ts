import { toDouble } from "@dosimeter/core";
import { type Column, codeFrom, type Declaration, isScaled, isTimestamp } from "@dosimeter/query/declaration";
import { type Dialect, type Fragment, integer, tickSql } from "@dosimeter/query/dialect";
import { columnsRead } from "@dosimeter/query/expression";
import { type BoundedStatistic, binsOf, isWhole, leavesOf, type Range, rangeOf, type Ticks } from "@dosimeter/query/plan";
import { sql } from "kysely";
import { freeName, withTyped } from "./joined-table.ts";
import { readerIn, type Table, TYPED } from "./sql.ts";

/** The most folded rows: what a database counts in an array. */
const MAX_FOLDED = 2 ** 18;
/** Beyond so many steps from 0 a double might not tell a step from the next. */
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
  const isWorth = ({ statistics: [one] }: Fold): boolean => one !== undefined && hasWork(one, declaration);
  const folds: Fold[] = [];
  for (const one of [...able.filter(isWorth), ...able.filter((fold) => !isWorth(fold))]) {
    const at = folds.findIndex((fold) => joined(fold, one) !== null);
    const both = folds[at] === undefined ? null : joined(folds[at], one);
    if (both !== null) folds[at] = both;
    else if (isWorth(one)) folds.push(one);
  }
  return folds;
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
  grain.kind === "ticks" ? [grain.lower, grain.upper, grain.ticks.step.numerator, grain.ticks.step.denominator].map(String) : [];

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
  const { task, keys, sampling, where, column: own } = statistic;
  const isPlain = ["counts", "sums", "choice", "curve"].includes(task.kind) && !("publicRows" in task);
  if (!isPlain || keys !== undefined || sampling !== undefined || where?.op === undefined && where !== null) return null;
  const grains = new Map<string, Grain>();
  for (const name of columnsRead({ ...statistic, where: null }, declaration)) {
    const column = declaration.columns[name];
    if (column === undefined || column.joined !== undefined) return null;
    if (column.derived !== undefined) continue;
    const grain = grainOf(statistic, column, name === own);
    if (grain === null) return null;
    grains.set(name, grain);
  }
  return isFew(grains) ? grains : null;
}

function grainOf(statistic: BoundedStatistic, column: Column, isOwn: boolean): Grain | null {
  if (column.type === "boolean") return { kind: "truth" };
  const range = isOwn ? rangeOf(statistic) : undefined;
  const edges = (isOwn ? binsOf(statistic) : []).slice(1).flatMap((bin) => ("lower" in bin ? [bin.lower] : []));
  if (isWhole(column) || isScaled(column)) {
    if (column.lower === undefined || column.upper === undefined || isTimestamp(column)) return null;
    const codes = [column.lower, column.upper, range?.lower ?? column.lower, range?.upper ?? column.upper, ...edges]
      .map((bound) => codeFrom(bound, column));
    const [least, largest] = [codes.reduce((a, b) => (b < a ? b : a)), codes.reduce((a, b) => (b > a ? b : a))];
    return { kind: "whole", least, largest };
  }
  if (column.type !== "number" || !isOwn) return null;
  const { task } = statistic;
  if (task.kind === "counts") return edges.length === 0 ? null : cellsFrom(edges, Number.POSITIVE_INFINITY);
  if (task.kind !== "sums" && task.kind !== "choice" && task.kind !== "curve") return null;
  const { first, steps } = task.ticks;
  const isFine = first > -MAX_FINE && first + steps < MAX_FINE;
  return isFine ? { kind: "ticks", lower: task.range.lower, upper: task.range.upper, ticks: task.ticks } : null;
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

/** A value as a whole number from 0, NULL where it misses, and a value that the statistics take for it. */
interface Folded {
  readonly code: Fragment;
  readonly value: (code: Fragment) => Fragment;
}

/** The rows of a fold: one for each combination of values that matter, with the number of rows that have it. */
export function foldedTable({ statistics: [first], grains }: Fold, declaration: Declaration, table: Table): Table {
  const { dialect } = table;
  const { where, untested, clamped } = readerIn(declaration, table);
  const rows = freeName(declaration, "rows");
  const names = [...grains.keys()];
  const codes = [...grains].map(([name, grain]) => foldedColumn(dialect, grain, untested(name), (range) => clamped(name, range)));
  const at = (index: number): Fragment => sql.id(`k${index}`);
  const read = codes.map(({ code }, index) => sql`${dialect.index(code, sizeOf([...grains.values()][index] ?? { kind: "truth" }))} AS ${at(index)}`);
  const kept = first === undefined || first.where === null ? sql`` : sql` WHERE ${where(first.where)}`;
  const places = codes.map((_, index) => integer(index + 1));
  const counted = sql`SELECT ${sql.join([...read, sql`count(*) AS w`])} FROM ${table.from}${kept} GROUP BY ${sql.join(places)}`;
  const values = codes.map(({ value }, index) => sql`${value(sql`CAST(${at(index)} AS BIGINT)`)} AS ${sql.id(names[index] ?? "")}`);
  return {
    dialect: withTyped(dialect),
    from: sql`(SELECT ${sql.join([...values, sql`w AS ${sql.id(rows)}`])} FROM (${counted}) AS f)`,
    types: Object.fromEntries(names.map((name) => [name, TYPED])),
    weight: sql.id(rows),
  };
}

function foldedColumn(dialect: Dialect, grain: Grain, x: Fragment, clamped: (range: Range) => Fragment): Folded {
  const double = (value: number): Fragment => sql`CAST(${value} AS ${dialect.double})`;
  const real = (code: Fragment): Fragment => sql`CAST(${code} AS ${dialect.double})`;
  switch (grain.kind) {
    case "truth":
      return { code: sql`CAST(CASE WHEN ${x} THEN 1 WHEN NOT ${x} THEN 0 END AS BIGINT)`, value: (code) => sql`(${code} = 1)` };
    case "whole": {
      const [below, above] = [grain.least - 1n, grain.largest + 1n];
      const within = clamped({ lower: Number(below), upper: Number(above) });
      return { code: sql`${within} - (${integer(below)})`, value: (code) => sql`(${code} + (${integer(below)}))` };
    }
    case "cells": {
      const { size, least, largest } = grain;
      const before = least / size - 1;
      const cell = sql`CAST(floor(${x} * ${double(1 / size)}) AS BIGINT) - (${integer(before)})`;
      return {
        code: sql`CASE WHEN ${x} < ${double(least)} THEN 0 WHEN ${x} < ${double(largest)} THEN ${cell} WHEN ${x} <= CAST('Infinity' AS ${dialect.double}) THEN ${integer(sizeOf(grain) - 1)} END`,
        value: (code) => sql`(${real(sql`(${code} + (${integer(before)}))`)} * ${double(size)})`,
      };
    }
    case "ticks": {
      const { lower, upper, ticks } = grain;
      const tick = tickSql(dialect, x, { ...ticks, lower, upper });
      const step = toDouble(ticks.step, "down");
      return {
        code: sql`CASE WHEN ${x} <= CAST('Infinity' AS ${dialect.double}) THEN ${tick} END`,
        value: (code) => sql`(${real(code)} * ${double(step)} + ${double(lower)})`,
      };
    }
  }
}
