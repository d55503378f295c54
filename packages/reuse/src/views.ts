import { toDouble } from "@dosimeter/core";
import { type BoundedStatistic, gridOf, publicRowsOf } from "@dosimeter/query/plan";
import { type Aggregate, definitionOf, type ViewName } from "@dosimeter/query/statistics";

/** A sum over the rows of one cell, as weights of the cell's released integers. */
export interface View {
  readonly weights: readonly number[];
  readonly offset: number;
}

/**
 * The sums over rows that the integers of a statistic give: the number of rows, the total in the column's unit, and the
 * total of y² for y the position between the bounds. They follow from the statistic's integers, which are linear in the
 * sums of SQL [M142].
 */
export function viewsOf(statistic: BoundedStatistic): Readonly<Partial<Record<ViewName, View>>> {
  const definition = definitionOf(statistic);
  const { holds } = definition.reuse;
  // Selected groups have no integers for the cells of declared groups.
  if (holds === null || statistic.keys !== undefined) return {};
  const ticks = gridOf(statistic);
  if (holds === "own") return { own: { weights: [ticks === undefined ? 1 : toDouble(ticks.step, "down")], offset: 0 } };
  const aggregates = definition.aggregates(statistic.task);
  const width = definition.width(statistic.task);
  const publicRows = publicRowsOf(statistic);
  const inverse = leftInverse(matrixOf(statistic, aggregates), width);
  const at = (name: Aggregate): readonly number[] | null => inverse?.[aggregates.indexOf(name)] ?? null;
  const rows =
    publicRows !== undefined ? { weights: new Array<number>(width).fill(0), offset: publicRows } : asView(at("rows"));
  if (ticks === undefined) return rows === null ? {} : { rows };
  const step = toDouble(ticks.step, "down");
  const lower = toDouble(ticks.lower, "down");
  const signed = at("signedTicks");
  const positions = at("ticks");
  const squares = at("squares");
  const sum =
    signed !== null
      ? asView(signed.map((weight) => weight * step))
      : positions !== null && rows !== null
        ? {
            weights: positions.map((weight, i) => weight * step + lower * (rows.weights[i] ?? 0)),
            offset: lower * rows.offset,
          }
        : null;
  const scale = 1 / Number(ticks.steps * ticks.steps);
  return {
    ...(rows === null ? {} : { rows }),
    ...(sum === null ? {} : { sum }),
    ...(squares === null ? {} : { squares: { weights: squares.map((weight) => weight * scale), offset: 0 } }),
  };
}

const asView = (weights: readonly number[] | null): View | null => (weights === null ? null : { weights, offset: 0 });

/** The integers as linear functions of the aggregates: a row for each integer. */
function matrixOf(statistic: BoundedStatistic, aggregates: readonly Aggregate[]): readonly (readonly number[])[] {
  const { integers } = definitionOf(statistic);
  const columns = aggregates.map((_, chosen) =>
    integers(
      aggregates.map((_, index) => (index === chosen ? 1n : 0n)),
      statistic,
    ).map(Number),
  );
  return (columns[0] ?? []).map((_, integer) => columns.map((column) => column[integer] ?? 0));
}

/** (MᵀM)⁻¹Mᵀ, a row for each aggregate; null for an aggregate that the integers do not determine. */
function leftInverse(
  matrix: readonly (readonly number[])[],
  width: number,
): readonly (readonly number[] | null)[] | null {
  if (matrix.length !== width) return null;
  const count = matrix[0]?.length ?? 0;
  const held = Array.from({ length: count }, (_, k) => k).filter((k) => matrix.some((row) => (row[k] ?? 0) !== 0));
  const scales = held.map((k) => Math.hypot(...matrix.map((row) => row[k] ?? 0)));
  const scaled = matrix.map((row) => held.map((k, i) => (row[k] ?? 0) / (scales[i] ?? 1)));
  const normal = held.map((_, i) =>
    held.map((_, j) => scaled.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0)),
  );
  const solved = solve(
    normal,
    held.map((_, i) => scaled.map((row) => row[i] ?? 0)),
  );
  if (solved === null) return null;
  return Array.from({ length: count }, (_, k) => {
    const i = held.indexOf(k);
    return i < 0 ? null : (solved[i] ?? []).map((weight) => weight / (scales[i] ?? 1));
  });
}

/** X with A·X = B, by elimination with pivoting; null where A is singular. */
export function solve(
  a: readonly (readonly number[])[],
  b: readonly (readonly number[])[],
): readonly (readonly number[])[] | null {
  const size = a.length;
  const work = a.map((row, i) => [...row, ...(b[i] ?? [])]);
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++)
      if (Math.abs(work[row]?.[column] ?? 0) > Math.abs(work[pivot]?.[column] ?? 0)) pivot = row;
    const [top, best] = [work[column], work[pivot]];
    if (top === undefined || best === undefined || Math.abs(best[column] ?? 0) < 1e-12) return null;
    [work[column], work[pivot]] = [best, top];
    for (const [row, values] of work.entries()) {
      const factor = (values[column] ?? 0) / (best[column] ?? 1);
      if (row === column || factor === 0) continue;
      for (let k = column; k < values.length; k++) values[k] = (values[k] ?? 0) - factor * (best[k] ?? 0);
    }
  }
  return work.map((row, i) => row.slice(size).map((value) => value / (row[i] ?? 1)));
}
