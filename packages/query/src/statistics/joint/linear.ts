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
 * not safely positive a ridge lifts its least eigenvalue above the noise's. Half-widths hold for all functions at once; where
 * the noise allows any line they are infinite [M122]. `functions` are the reported
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
  /** Weights of the noise of each equation at the fitted line. */
  const equations = forms
    .slice(0, count)
    .map((row) =>
      (row[count] ?? []).map((outcome, i) =>
        theta.reduce((sum, value, l) => sum + value * (row[l]?.[i] ?? 0), -outcome),
      ),
    );
  const failureOfEach = failureProbability / (2 * count);
  const errors =
    ridge > 0 || rows <= count
      ? null
      : equationErrors(inverse, {
          fitted: equations.map((weights) => combinationHalfWidth(noise, weights, failureOfEach)),
          matrix: matrixErrors(forms, noise, failureOfEach),
        });
  const coefficients = functions.map((row) => {
    const factors = theta.map((_, k) => row.reduce((sum, weight, j) => sum + weight * (inverse[j]?.[k] ?? 0), 0));
    const weights = (forms[0]?.[0] ?? []).map((_, i) =>
      dot(
        factors,
        equations.map((each) => each[i] ?? 0),
      ),
    );
    const halfWidth = errors === null ? Number.POSITIVE_INFINITY : dot(factors.map(Math.abs), errors);
    const drawn = residual * Math.max(0, dot(factors, row));
    return { value: dot(row, theta), halfWidth, standardError: Math.sqrt(drawn + noiseOf(weights) ** 2) };
  });
  return { coefficients, rows };
}

/** Half-widths of the noise of each sum of products of two predictors; those of one equation share its failure probability. */
const matrixErrors = (forms: readonly Matrix[], noise: Noise, failureOfEach: number): Matrix => {
  const count = forms.length - 1;
  return forms
    .slice(0, count)
    .map((row) => row.slice(0, count).map((form) => combinationHalfWidth(noise, form, failureOfEach / count)));
};

/**
 * Bounds e on |Z_b − Z_Aθ|, equation by equation, at the true θ: e = h + H·d with |θ − θ̂| ≤ d, the least d ≥ |A⁻¹|(h + H·d). Null where no
 * finite d is that large. [M122]
 */
function equationErrors(
  inverse: Matrix,
  { fitted, matrix }: { readonly fitted: readonly number[]; readonly matrix: Matrix },
): readonly number[] | null {
  const size = inverse.map((row) => row.map(Math.abs));
  const grown = size.map((row, i) =>
    fitted.map(
      (_, l) =>
        Number(i === l) -
        dot(
          row,
          matrix.map((each) => each[l] ?? 0),
        ),
    ),
  );
  const solved = inverseOf(grown);
  if (!solved.every((row) => row.every((value) => value >= 0 && Number.isFinite(value)))) return null;
  const off = size.map((row) => dot(row, fitted));
  const most = solved.map((row) => dot(row, off));
  return fitted.map((half, k) => (half + dot(matrix[k] ?? [], most)) * (1 + 1e-9));
}

/**
 * Half-width of a slope before there is data, for predictors spread evenly over their bounds and unrelated to each other, and a
 * line that stays within the outcome's bounds [M122]. [M304]
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
  const failureOfEach = failureProbability / (2 * count);
  // Z_b − Z_Aθ with Σ|θ| ≤ 1 is widest where one θ is ±1.
  const widest = (equation: Matrix): number =>
    Math.max(
      ...equation.slice(0, count).flatMap((form) =>
        [-1, 1].map((sign) =>
          combinationHalfWidth(
            noise,
            (equation[count] ?? []).map((weight, i) => weight - sign * (form[i] ?? 0)),
            failureOfEach,
          ),
        ),
      ),
    );
  const scale = (k: number): number => 1 / (rows * (k === 0 ? 1 : EVEN_VARIANCE));
  const inverse = forms.slice(0, count).map((_, k) => forms.slice(0, count).map((_, l) => (k === l ? scale(k) : 0)));
  const errors = equationErrors(inverse, {
    fitted: forms.slice(0, count).map(widest),
    matrix: matrixErrors(forms, noise, failureOfEach),
  });
  return errors === null ? most : Math.min(most, (errors[1] ?? most) * scale(1));
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
    const scaled = found.map((value) => (divisor === 0 ? Number.NaN : value / divisor));
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
