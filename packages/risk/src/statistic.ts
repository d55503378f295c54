import { invalid } from "@dosimeter/core";
import { choiceOf } from "@dosimeter/core/internal";

/** A table of numbers: one array per record, all of the same length. */
export type Rows = readonly (readonly number[])[];

/** What sampled sensitivity can be asked of: records in, a vector of answers out. */
export interface SampledStatistic {
  readonly label: string;
  /** Columns that a record must have at the least. */
  readonly columns: number;
  answer(rows: Rows): readonly number[];
}

const column = (rows: Rows, index: number): number[] => rows.map((row) => row[index] ?? Number.NaN);
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const mean = (values: readonly number[]): number => total(values) / values.length;

/** The statistics that the library can sample; `ridge` is the paper's: the last column on the others, λ = 0.01. */
const sampledStatistics = {
  sum: { label: "Sum", columns: 1, answer: (rows) => [total(column(rows, 0))] },
  mean: { label: "Mean", columns: 1, answer: (rows) => [mean(column(rows, 0))] },
  variance: {
    label: "Variance",
    columns: 1,
    answer: (rows) => {
      const values = column(rows, 0);
      const centre = mean(values);
      return [mean(values.map((value) => (value - centre) ** 2))];
    },
  },
  median: {
    label: "Median",
    columns: 1,
    answer: (rows) => {
      const sorted = column(rows, 0).sort((a, b) => a - b);
      const middle = sorted.length >> 1;
      const upper = sorted[middle] ?? Number.NaN;
      return [sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2];
    },
  },
  ridge: { label: "Ridge regression", columns: 2, answer: (rows) => ridge(rows, 0.01) },
} as const satisfies Record<string, SampledStatistic>;

export type SampledStatisticName = keyof typeof sampledStatistics;

export const sampledStatisticNames = Object.keys(sampledStatistics) as readonly SampledStatisticName[];

/** argmin ‖Xw − y‖²/n + λ‖w‖², y the last column: the normal equations by Cholesky, which λ > 0 keeps regular. */
function ridge(rows: Rows, lambda: number): readonly number[] {
  const width = (rows[0]?.length ?? 1) - 1;
  const gram = Array.from({ length: width }, () => new Float64Array(width));
  const right = new Float64Array(width);
  for (const row of rows) {
    const y = row[width] ?? 0;
    gram.forEach((line, i) => {
      const x = row[i] ?? 0;
      right[i] = (right[i] ?? 0) + x * y;
      for (let j = 0; j <= i; j++) line[j] = (line[j] ?? 0) + x * (row[j] ?? 0);
    });
  }
  gram.forEach((line, i) => {
    line[i] = (line[i] ?? 0) + lambda * rows.length;
  });
  return solveCholesky(gram, right);
}

/** Solves A·w = b for a positive definite A given by its lower triangle; overwrites both. */
function solveCholesky(a: readonly Float64Array[], b: Float64Array): readonly number[] {
  const entry = (i: number, j: number): number => a[i]?.[j] ?? 0;
  a.forEach((line, i) => {
    for (let j = 0; j <= i; j++) {
      let sum = entry(i, j);
      for (let k = 0; k < j; k++) sum -= entry(i, k) * entry(j, k);
      line[j] = i === j ? Math.sqrt(sum) : sum / entry(j, j);
    }
  });
  b.forEach((value, i) => {
    let sum = value;
    for (let k = 0; k < i; k++) sum -= entry(i, k) * (b[k] ?? 0);
    b[i] = sum / entry(i, i);
  });
  for (let i = b.length - 1; i >= 0; i--) {
    let sum = b[i] ?? 0;
    for (let k = i + 1; k < b.length; k++) sum -= entry(k, i) * (b[k] ?? 0);
    b[i] = sum / entry(i, i);
  }
  return Array.from(b);
}

export function sampledStatistic(name: string): SampledStatistic {
  const found: Record<string, SampledStatistic> = sampledStatistics;
  const statistic = Object.hasOwn(found, name) ? found[name] : undefined;
  if (!statistic) {
    invalid("statistic", name, choiceOf(name, sampledStatisticNames));
  }
  return statistic;
}
