import { noiseAt } from "../../noise/noise-at.ts";
import type { Noise, NoiseFamily, Sensitivity } from "../../plan/bounded.ts";
import type { TableTask } from "../../plan/task.ts";

/** Parts of ten of the price: the counts of columns, the choice of pairs, the counts of the chosen pairs. */
const PARTS = { columns: 2n, choice: 1n, pairs: 7n } as const;

/** The price of each step; they add up to the whole. With no pair to choose, all of it is for the columns. [M202] */
export function stepUnits(units: bigint, { pairs }: Pick<TableTask, "pairs">): Record<keyof typeof PARTS, bigint> {
  if (pairs.length === 0) return { columns: units, choice: 0n, pairs: 0n };
  const columns = (units * PARTS.columns) / 10n;
  const choice = (units * PARTS.choice) / 10n;
  return { columns, choice, pairs: units - columns - choice };
}

/** What one unit changes in one histogram, from what it changes in all of them [M200]. */
export function oneHistogram(sensitivity: Sensitivity, { columns, pairs }: TableTask): Sensitivity {
  const all = BigInt(columns.length + pairs.length);
  return { ...sensitivity, l1: sensitivity.l1 / all, l2Squared: sensitivity.l2Squared / all };
}

/** The noise of each integer of `count` histograms that share a price. */
export const histogramNoise = (
  family: NoiseFamily,
  units: bigint,
  count: number,
  { l1, l2Squared, linf }: Sensitivity,
): Noise => noiseAt(family, units, { l1: BigInt(count) * l1, l2Squared: BigInt(count) * l2Squared, linf });

/** The noise of scores that a unit moves by up to `move` each, all at once [M201]. */
export const scoreNoise = (units: bigint, count: number, move: bigint): Noise =>
  noiseAt("gaussian", units, { l1: BigInt(count) * move, l2Squared: BigInt(count) * move * move, linf: move });

export const mostPairs = ({ columns, pairs }: Pick<TableTask, "columns" | "pairs">): number =>
  Math.min(pairs.length, columns.length - 1);
