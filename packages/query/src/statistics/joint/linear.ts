import { combinationHalfWidth } from "../../noise/combination.ts";
import { spread } from "../../noise/tail.ts";
import type { Noise } from "../../plan/bounded.ts";
import type { Design, Exponents } from "../../plan/task.ts";
import { formOf } from "./design.ts";
import { EVEN_VARIANCE } from "./moments.ts";

/** A linear function of the coefficients on columns scaled to [−1, 1]. */
interface Coefficient {
  readonly value: number;
  readonly halfWidth: number;
  /** The standard error from the noise and from drawing these people from a larger population, together. */
  readonly standardError: number;
}

export interface LinearReading {
  /** One for each requested function. */
  readonly coefficients: readonly Coefficient[];
  readonly rows: number;
  readonly reliable: boolean;
}

type Matrix = readonly (readonly number[])[];
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
const deviation = (noise: Noise): number => spread(noise) * (noise.kind === "laplace" ? Math.SQRT2 : 1);

/** Forms of Σ z_k z_l for z = (1, predictors, outcome); the outcome is the first axis of the design. */
function gramForms(design: Design): readonly (readonly (readonly number[])[])[] {
  const order = [...design.axes.keys()];
  const columns = [null, ...order.slice(1), 0];
  const exponents = (...chosen: readonly (number | null)[]): Exponents =>
    order.map((axis) => chosen.filter((column) => column === axis).length);
  return columns.map((k) => columns.map((l) => formOf(design, exponents(k, l))));
}

/**
 * Least squares of the outcome (first column) on the others from noisy sums of products. Where the matrix of the predictors is
 * not safely positive a ridge lifts its least eigenvalue above the noise's, and the answer is marked unreliable. Half-widths:
 * |θ̂ − θ| ≤ |A⁻¹(Z_Aθ̂ − Z_b)| / (1 − κ), κ the share of the noise in the matrix [M122]. `functions` are the reported
 * quantities, as rows of weights for (intercept, slopes).
 */
export function readLinear(
  s: readonly number[],
  design: Design,
  noise: Noise,
  failureProbability: number,
  functions: readonly (readonly number[])[],
): LinearReading {
  const forms = gramForms(design);
  const count = forms.length - 1;
  const gram: Matrix = forms.map((row) => row.map((form) => dot(form, s)));
  const rows = gram[0]?.[0] ?? 0;
  const noiseOf = (form: readonly number[]): number => deviation(noise) * Math.hypot(...form);
  const matrix: Matrix = gram.slice(0, count).map((row) => row.slice(0, count));
  const target = gram.slice(0, count).map((row) => row[count] ?? 0);
  const least = Math.min(...eigenvaluesOf(matrix));
  const wobble = Math.hypot(...forms.slice(0, count).flatMap((row) => row.slice(0, count).map(noiseOf)));
  const ridge = Math.max(0, wobble - least);
  const lifted = matrix.map((row, k) => row.map((value, l) => (k === l ? value + ridge : value)));
  const inverse = inverseOf(lifted);
  const theta = inverse.map((row) => dot(row, target));
  const squares = gram[count]?.[count] ?? 0;
  const residual = Math.max(0, squares - dot(theta, target)) / Math.max(1, rows - count);
  const share = Math.min(1, wobble / Math.max(least + ridge, Number.MIN_VALUE));
  const reliable = ridge === 0 && rows > count && share < 0.5;
  const coefficients = functions.map((row) => {
    const factors = theta.map((_, k) => row.reduce((sum, weight, j) => sum + weight * (inverse[j]?.[k] ?? 0), 0));
    const weights = (forms[0]?.[0] ?? []).map((_, i) =>
      factors.reduce((sum, factor, k) => {
        const fitted = theta.reduce((part, value, l) => part + value * (forms[k]?.[l]?.[i] ?? 0), 0);
        return sum + factor * (fitted - (forms[k]?.[count]?.[i] ?? 0));
      }, 0),
    );
    const halfWidth = combinationHalfWidth(noise, weights, failureProbability) / (reliable ? 1 - share : 1);
    const drawn = residual * Math.max(0, dot(factors, row));
    return { value: dot(row, theta), halfWidth, standardError: Math.sqrt(drawn + noiseOf(weights) ** 2) };
  });
  return { coefficients, rows, reliable };
}

/**
 * Half-width of a slope before there is data, for predictors spread evenly over their bounds and unrelated to each other, and a
 * line that stays within the outcome's bounds [M122].
 */
export function linearHalfWidth(
  design: Design,
  noise: Noise,
  rows: number,
  failureProbability: number,
  most: number,
): number {
  const forms = gramForms(design);
  const count = forms.length - 1;
  const wobble =
    deviation(noise) *
    Math.hypot(...forms.slice(0, count).flatMap((row) => row.slice(0, count).map((form) => Math.hypot(...form))));
  const share = wobble / (EVEN_VARIANCE * rows);
  if (!(share < 0.5)) return most;
  // Z_b − Z_Aθ with Σ|θ| ≤ 1 is widest where one θ is ±1.
  const cross = forms[1]?.[count] ?? [];
  const widest = Math.max(
    ...forms.slice(0, count).flatMap((_, k) =>
      [-1, 1].map((sign) =>
        combinationHalfWidth(
          noise,
          cross.map((weight, i) => weight - sign * (forms[1]?.[k]?.[i] ?? 0)),
          failureProbability,
        ),
      ),
    ),
  );
  return Math.min(most, widest / (EVEN_VARIANCE * rows) / (1 - share));
}

/** Gauss–Jordan with pivoting; the matrices here are small and lifted to be safely positive. */
function inverseOf(matrix: Matrix): Matrix {
  const count = matrix.length;
  const work = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let column = 0; column < count; column++) {
    let pivot = column;
    for (let i = column + 1; i < count; i++)
      if (Math.abs(work[i]?.[column] ?? 0) > Math.abs(work[pivot]?.[column] ?? 0)) pivot = i;
    const [top, found] = [work[column], work[pivot]];
    if (top === undefined || found === undefined) break;
    [work[column], work[pivot]] = [found, top];
    const divisor = found[column] ?? 0;
    const scaled = found.map((value) => (divisor === 0 ? 0 : value / divisor));
    work[column] = scaled;
    work.forEach((row, i) => {
      const factor = row[column] ?? 0;
      if (i !== column && factor !== 0) work[i] = row.map((value, j) => value - factor * (scaled[j] ?? 0));
    });
  }
  return work.map((row) => row.slice(count));
}

/** Jacobi's rotations: exact to rounding for symmetric matrices of this size. */
function eigenvaluesOf(matrix: Matrix): readonly number[] {
  const a = matrix.map((row) => [...row]);
  const at = (i: number, j: number): number => a[i]?.[j] ?? 0;
  const set = (i: number, j: number, value: number): void => {
    const row = a[i];
    if (row !== undefined) row[j] = value;
  };
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < a.length; p++)
      for (let q = p + 1; q < a.length; q++) {
        if (at(p, q) === 0) continue;
        const angle = 0.5 * Math.atan2(2 * at(p, q), at(p, p) - at(q, q));
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
        for (let k = 0; k < a.length; k++) {
          const [x, y] = [at(k, p), at(k, q)];
          set(k, p, cos * x + sin * y);
          set(k, q, cos * y - sin * x);
        }
        for (let k = 0; k < a.length; k++) {
          const [x, y] = [at(p, k), at(q, k)];
          set(p, k, cos * x + sin * y);
          set(q, k, cos * y - sin * x);
        }
      }
  }
  return a.map((_, i) => at(i, i));
}
