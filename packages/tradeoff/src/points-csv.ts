import { invalid } from "@dosimeter/core";
import { columnsIn, readTable, type SeparatedTable } from "@dosimeter/core/internal";
import { named, type TradeoffFunction } from "./curve.ts";
import { scorePoints } from "./given.ts";
import { fromPoints, type PointsInput, TOLERANCE } from "./points.ts";

/** Points of a separated text: columns `alpha` and `beta` by name in any order and among others, or two columns of numbers, or 101 numbers. */
export function readPointsCsv(text: string, name: string): PointsInput {
  const table = readTable(text, name);
  if (table.heading === null && table.rows.length === 0)
    return invalid(name, "an empty file", "points: columns alpha and beta");
  if (table.heading === null && table.rows[0]?.cells.length === 1) return columnsIn(table, [0])[0] ?? [];
  const places =
    table.heading === null ? placesOfTwo(table) : namedIn(table, ["alpha", "beta"], "a heading with alpha and beta");
  const [alpha = [], beta = []] = columnsIn(table, places);
  return { alpha, beta };
}

function placesOfTwo({ name, rows: [first] }: SeparatedTable): readonly number[] {
  const width = first?.cells.length;
  return width === 2
    ? [0, 1]
    : invalid(`the number of cells in ${name}, line ${first?.line}`, width, "2, or a heading with alpha and beta");
}

/** Attack scores of a separated text: the column `score` by name, or one column of numbers. */
export function readScoresCsv(text: string, name: string): readonly number[] {
  const table = readTable(text, name);
  const [first] = table.rows;
  if (first === undefined)
    return invalid(name, table.heading === null ? "an empty file" : "a heading alone", "scores: one number a line");
  const want = "one column of numbers, or one with the heading score";
  if (table.heading === null && first.cells.length > 1) return invalid(name, first.cells.join(table.separator), want);
  const [scores = []] = columnsIn(table, table.heading === null ? [0] : namedIn(table, ["score"], want));
  return scores;
}

function namedIn({ name, heading }: SeparatedTable, names: readonly string[], want: string): readonly number[] {
  const found = (heading ?? []).map((cell) => cell.toLowerCase());
  const places = names.map((each) => found.indexOf(each));
  return places.includes(-1) ? invalid(name, (heading ?? []).join(","), want) : places;
}

/**
 * The empirical trade-off of an attack from its scores on people who were not in the data (`absent`) and who were
 * (`present`); higher scores say "in". Points above 1 − α (an attack worse than guessing) are moved onto that line.
 */
export function fromScores(
  absent: readonly number[],
  present: readonly number[],
  { label = "scores" }: { readonly label?: string } = {},
): TradeoffFunction {
  const points = scorePoints(absent, present).map(({ alpha, beta }) => ({ alpha, beta: Math.min(beta, 1 - alpha) }));
  return named(fromPoints(points, { tolerance: TOLERANCE }), label);
}
