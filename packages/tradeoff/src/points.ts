import { invalid, PrivacyError } from "@dosimeter/core";
import { countText, isRecord } from "@dosimeter/core/internal";
import { atomsBetween } from "./atoms.ts";
import { type TradeoffFunction, type TradeoffPoint, tradeoffFunction } from "./curve.ts";
import { canonicalGrid } from "./gdp.ts";
import { piecewise } from "./piecewise.ts";

/**
 * Points of type I and type II error: rows or pairs, columns by name in any order, or 101 type II errors on the grid
 * 0, 0.01, …, 1.
 */
export type PointsInput =
  | readonly { readonly alpha: number; readonly beta: number }[]
  | readonly (readonly [alpha: number, beta: number])[]
  | { readonly alpha: readonly number[]; readonly beta: readonly number[] }
  | readonly number[];

export interface PointsOptions {
  readonly label?: string;
  /**
   * "points": errors that attacks reached; the curve is their lower hull. "curve": the points themselves must fall and
   * be convex.
   */
  readonly as?: "points" | "curve";
  /** How far rounding may put a value above 1 − α, or out of convexity; default 2⁻²⁶. */
  readonly tolerance?: number;
}

/** √2⁻⁵², the tolerance of the R package. */
export const TOLERANCE = 2 ** -26;

/**
 * The greatest trade-off function below the points: the lower hull of them, (0, 1) and (1, 0) [M68].
 * Refuses NaN, values outside [0, 1], points above 1 − α and an empty list, with the index and size of the violation.
 */
export function fromPoints(input: PointsInput, options: PointsOptions = {}): TradeoffFunction {
  const { as = "points", label = "points", tolerance = TOLERANCE } = options;
  const points = readPoints(input, tolerance);
  if (as === "curve") checkCurve(points, tolerance);
  else if (as !== "points") invalid("as", as, '"points" or "curve"');
  const hull = lowerHull([{ alpha: 0, beta: 1 }, ...points, { alpha: 1, beta: 0 }]);
  const firstZero = hull.findIndex(({ beta }) => beta === 0);
  return tradeoffFunction(piecewise(atomsBetween(hull.slice(0, firstZero + 1))), {
    label,
    definition: { points: points.map(({ alpha, beta }) => [alpha, beta] as const) },
    text: `Trade-off Function through ${countText(points.length, "point")}`,
  });
}

/** Checked points in the order given; those above 1 − α by no more than the tolerance are put on it. */
function readPoints(input: PointsInput, tolerance = TOLERANCE): readonly TradeoffPoint[] {
  if (!(tolerance >= 0 && tolerance < 1)) invalid("tolerance", tolerance, "a number in [0, 1)");
  const { alpha, beta } = columns(input);
  if (alpha.length === 0) invalid("points", [], "at least one point");
  if (alpha.length !== beta.length) invalid("beta", `${beta.length} values`, `as many as alpha: ${alpha.length}`);
  return alpha.map((a, i) => {
    const b = beta[i];
    if (!isRate(a)) invalid(`points[${i}].alpha`, a, "a number in [0, 1]");
    if (!isRate(b)) invalid(`points[${i}].beta`, b, "a number in [0, 1]");
    if (b > 1 - a + tolerance) {
      const excess = b - (1 - a);
      throw new PrivacyError(
        "INVALID_PARAMETER",
        { name: `points[${i}]`, got: { alpha: a, beta: b }, want: "at most 1 - alpha", excess },
        `points[${i}] is (${a}, ${b}), above 1 - alpha = ${1 - a} by ${excess.toPrecision(3)}: no test is worse than guessing`,
      );
    }
    return { alpha: a, beta: Math.min(b, 1 - a) };
  });
}

function columns(input: unknown): { readonly alpha: readonly unknown[]; readonly beta: readonly unknown[] } {
  if (Array.isArray(input)) {
    if (input.length > 0 && input.every((row) => typeof row === "number")) return onGrid(input);
    return {
      alpha: input.map((row, i) => cell(row, i, 0, "alpha")),
      beta: input.map((row, i) => cell(row, i, 1, "beta")),
    };
  }
  if (typeof input !== "object" || input === null) invalid("points", input, "points, or columns alpha and beta");
  const { alpha, beta } = input as { readonly alpha?: unknown; readonly beta?: unknown };
  if (!isList(alpha)) invalid("alpha", alpha, "a list of numbers");
  if (!isList(beta)) invalid("beta", beta, "a list of numbers");
  return { alpha: Array.from(alpha), beta: Array.from(beta) };
}

function onGrid(beta: readonly number[]): { readonly alpha: readonly number[]; readonly beta: readonly number[] } {
  if (beta.length === canonicalGrid.length) return { alpha: canonicalGrid, beta };
  return invalid(
    "points",
    `${beta.length} numbers`,
    "101 type II errors at alpha = 0, 0.01, …, 1, or pairs [alpha, beta]",
  );
}

function cell(row: unknown, i: number, position: 0 | 1, name: "alpha" | "beta"): unknown {
  if (Array.isArray(row) && row.length === 2) return row[position];
  if (isRecord(row) && name in row) return row[name];
  return invalid(`points[${i}]`, row, "[alpha, beta] or {alpha, beta}");
}

/** A line must be a trade-off function itself: one β for each α, falling, convex. */
function checkCurve(points: readonly TradeoffPoint[], tolerance: number): void {
  if (points.length < 2) invalid("points", `${points.length} point`, "at least two points for a curve");
  for (const [i, point] of points.entries()) {
    const before = points[i - 1];
    const after = points[i + 1];
    if (before !== undefined && point.alpha <= before.alpha) {
      const what = point.alpha === before.alpha ? "a duplicate of" : "below";
      invalid(`points[${i}].alpha`, point.alpha, `above alpha of the point before it; it is ${what} ${before.alpha}`);
    }
    if (before !== undefined && point.beta > before.beta + tolerance) {
      invalid(
        `points[${i}].beta`,
        point.beta,
        `at most ${before.beta}, beta of the point before it (a trade-off function never rises; it rises by ${(point.beta - before.beta).toPrecision(3)})`,
      );
    }
    if (before === undefined || after === undefined || after.alpha <= point.alpha) continue;
    const share = (point.alpha - before.alpha) / (after.alpha - before.alpha);
    const excess = point.beta - (before.beta + share * (after.beta - before.beta));
    if (excess > tolerance) {
      invalid(
        `points[${i}].beta`,
        point.beta,
        `convex with its neighbours; it lies ${excess.toPrecision(3)} above the chord (pass points to take their lower hull)`,
      );
    }
  }
}

const isRate = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;
const isList = (value: unknown): value is ArrayLike<unknown> => Array.isArray(value) || value instanceof Float64Array;

/** The corners of the lower convex hull, by rising α. Points on an edge and duplicates are left out. O(n log n). */
export function lowerHull(points: readonly TradeoffPoint[]): readonly TradeoffPoint[] {
  const alpha = new Float64Array(points.map((point) => point.alpha));
  const beta = new Float64Array(points.map((point) => point.beta));
  return [...hullIndices(alpha, beta)].map((i) => ({ alpha: alpha[i] ?? 0, beta: beta[i] ?? 0 }));
}

/** Which points are corners of the lower hull, by rising α; sorts only what is not sorted. */
export function hullIndices(alpha: Float64Array, beta: Float64Array): Int32Array {
  const order = inOrder(alpha, beta);
  const hull = new Int32Array(alpha.length);
  const x = new Float64Array(alpha.length);
  const y = new Float64Array(alpha.length);
  let size = 0;
  for (let n = 0; n < alpha.length; n++) {
    const i = order === null ? n : (order[n] ?? 0);
    const [px, py] = [alpha[i] ?? 0, beta[i] ?? 0];
    if (size > 0 && x[size - 1] === px) continue;
    while (size > 1) {
      const ax = x[size - 2] ?? 0;
      const ay = y[size - 2] ?? 0;
      if (((x[size - 1] ?? 0) - ax) * (py - ay) - ((y[size - 1] ?? 0) - ay) * (px - ax) > 0) break;
      size--;
    }
    x[size] = px;
    y[size] = py;
    hull[size++] = i;
  }
  return hull.slice(0, size);
}

/** Indices by rising α, then rising β; null where the points are in that order already. */
function inOrder(alpha: Float64Array, beta: Float64Array): Int32Array | null {
  let isSorted = true;
  for (let i = 1; i < alpha.length && isSorted; i++) {
    const step = (alpha[i] ?? 0) - (alpha[i - 1] ?? 0);
    isSorted = step > 0 || (step === 0 && (beta[i] ?? 0) >= (beta[i - 1] ?? 0));
  }
  if (isSorted) return null;
  const order = Int32Array.from(alpha, (_, i) => i);
  return order.sort((i, j) => (alpha[i] ?? 0) - (alpha[j] ?? 0) || (beta[i] ?? 0) - (beta[j] ?? 0));
}
