import { vectorOf } from "@dosimeter/engines/sql";
import { holds, type Key } from "@dosimeter/query/declaration";
import {
  type Axis,
  type BoundedStatistic,
  cellsPerGroup,
  type Exponents,
  gridOf,
  type MeasuredVector,
  rangeOf,
  unitTicksOf,
} from "@dosimeter/query/plan";
import { type Aggregate, binAt, definitionOf, numberOf, tableTrialsOf, tickOf } from "@dosimeter/query/statistics";
import type { PracticeRow } from "./practice-data.ts";

/** The contribution of one row: its place in its group, its tick, and its places on the grids of a design. */
interface Place {
  readonly cell: number;
  readonly tick: bigint;
  readonly grid: readonly bigint[];
}

/**
 * The exact integers that an engine would measure over synthetic rows, each of its own privacy unit. One row is within
 * every contribution bound, so none is applied.
 */
export function measured(statistic: BoundedStatistic, rows: readonly PracticeRow[]): MeasuredVector {
  const { keys, groupBy, groups, task } = statistic;
  const kept = rows.filter((row) => statistic.where === null || holds(statistic.where, row));
  const table = tableTrialsOf(statistic);
  if (table !== undefined) return table.practice(statistic, kept);
  const aggregates = definitionOf(statistic).aggregates(task);
  const tally = aggregates.map(() => new Map<number, Map<number, bigint>>());
  const seen = new Set<string>();
  const units = new Map<number, bigint>();
  const found = new Map<Key, number>();
  const groupAt = new Map(groups.map((group, index) => [keyOf(groupBy, group), index]));
  const groupOf = (row: PracticeRow): number | undefined => {
    if (keys === undefined) return groupAt.get(keyOf(groupBy, row));
    const key = row[keys.column];
    if (key === null || key === undefined) return undefined;
    const known = found.get(key) ?? found.size;
    found.set(key, known);
    return known;
  };
  for (const row of kept) {
    const place = placeOf(statistic, row);
    const group = place === null ? undefined : groupOf(row);
    if (group === undefined || place === null) continue;
    units.set(group, (units.get(group) ?? 0n) + 1n);
    const value = statistic.column === null ? null : row[statistic.column];
    aggregates.forEach((aggregate, index) => {
      if (aggregate === "values") {
        const name = `${group} ${typeof value} ${gridOf(statistic) === undefined ? String(value) : place.tick}`;
        if (seen.has(name)) return;
        seen.add(name);
      }
      const cells = tally[index]?.get(group) ?? new Map<number, bigint>();
      cells.set(place.cell, (cells.get(place.cell) ?? 0n) + amountOf(aggregate, place, statistic));
      tally[index]?.set(group, cells);
    });
  }
  const perGroup = cellsPerGroup(statistic);
  const sumsAt = (group: number, cell: number): readonly bigint[] =>
    tally.map((byGroup) => byGroup.get(group)?.get(cell) ?? 0n);
  const cells = Array.from({ length: perGroup }, (_, cell) => cell);
  if (keys === undefined)
    return vectorOf(
      statistic,
      groups.flatMap((_, group) => cells.map((cell) => [group * perGroup + cell, ...sumsAt(group, cell)])),
    );
  const among = keys.among;
  const stored = (key: Key): unknown => (typeof among === "string" ? key : among.indexOf(key));
  return vectorOf(
    statistic,
    [...found]
      .filter(([, group]) => (units.get(group) ?? 0n) >= BigInt(keys.atLeast))
      .flatMap(([key, group]) => [
        [stored(key), -1, units.get(group) ?? 0n],
        ...(keys.counts ? [] : cells.map((cell) => [stored(key), cell, ...sumsAt(group, cell)])),
      ]),
  );
}

const keyOf = (groupBy: readonly string[], row: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(groupBy.map((name) => row[name] ?? null));

const KEPT: Place = { cell: 0, tick: 0n, grid: [] };

/** Which bin or leaf of its group a row falls in, and its tick; null where it does not count. */
function placeOf(statistic: BoundedStatistic, row: PracticeRow): Place | null {
  const { task, column } = statistic;
  if (task.kind === "joint") {
    const grid = task.design.axes.map((axis) => placeOnGrid(axis, row[axis.column]));
    return grid.some((at) => at === null) ? null : { ...KEPT, grid: grid.map((at) => at ?? 0n) };
  }
  if (column === null) return KEPT;
  const stored = row[column];
  if (stored === null || stored === undefined) return null;
  const value = numberOf(stored, rangeOf({ task })?.calendar);
  switch (task.kind) {
    case "top":
    case "cuts":
    case "table":
    case "tables":
      return KEPT;
    case "values":
      return task.ticks === undefined ? KEPT : { ...KEPT, tick: tickOf(task.ticks, task.range, value) };
    case "counts": {
      const cell = binAt(task.bins, value);
      return task.bins.length === 0 ? KEPT : cell < 0 ? null : { ...KEPT, cell };
    }
    case "clips": {
      const { lower, upper } = task.range;
      return { ...KEPT, cell: Number(value) < lower ? 0 : Number(value) > upper ? 2 : 1 };
    }
    case "series": {
      const dated = task.over === undefined ? value : row[task.over.column];
      if (dated === null || dated === undefined) return null;
      const at = numberOf(dated, (task.over ?? task).range.calendar);
      const cell = binAt(task.bins, at);
      return { ...KEPT, cell, tick: task.ticks === undefined ? 0n : tickOf(task.ticks, task.range, value) };
    }
    case "sums":
    case "totals":
      return { ...KEPT, tick: tickOf(task.ticks, task.range, value) };
    case "choice":
    case "curve": {
      const tick = tickOf(task.ticks, task.range, value);
      return { ...KEPT, cell: Number(tick / task.ticksPerLeaf), tick };
    }
    default:
      return task satisfies never;
  }
}

function placeOnGrid({ lower, upper, steps }: Axis, value: Key | null | undefined): bigint | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? steps : 0n;
  const clamped = Math.min(upper, Math.max(lower, Number(value)));
  const at = BigInt(Math.floor(((clamped - lower) * Number(steps)) / (upper - lower) + 0.5));
  return at > steps ? steps : at;
}

function amountOf(aggregate: Aggregate, { tick, grid }: Place, { task }: BoundedStatistic): bigint {
  if (typeof aggregate === "object") return productOf(aggregate.powers, grid);
  const unitTicks = unitTicksOf({ task });
  const signed = (gridOf({ task })?.first ?? 0n) + tick;
  switch (aggregate) {
    case "rows":
    case "units":
    case "values":
      return 1n;
    case "ticks":
      return unitTicks === undefined ? tick : within(signed, unitTicks);
    case "signedTicks":
      return signed;
    case "squares":
      return tick * tick;
    default:
      return aggregate satisfies never;
  }
}

const productOf = (powers: Exponents, grid: readonly bigint[]): bigint =>
  powers.reduce((product, power, at) => product * (grid[at] ?? 1n) ** BigInt(power), 1n);

const within = (value: bigint, { least, largest }: { readonly least: bigint; readonly largest: bigint }): bigint =>
  value < least ? least : value > largest ? largest : value;
