import { invalid } from "@dosimeter/core";
import type { Column } from "../../declaration/declaration.ts";
import { noiseHalfWidth } from "../../noise/tail.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import type { Bin, CountsTask } from "../../plan/task.ts";
import { weightedHalfWidth } from "../curve/cdf.ts";
import type { CellReading } from "../statistic.ts";

const MIN_POWER = -20;
const MAX_POWER = 60;
const MAX_WHOLE_POWER = 53;

/**
 * Bins whose edges are 0 and the powers of two of either sign, fixed in advance for every column. Whole numbers to
 * ±2⁵³; other numbers from ±2⁻²⁰ (smaller ones count as 0) to ±2⁶⁰ (larger ones count in the last bin).
 */
export function magnitudeBins(column: Column, path: string): readonly Bin[] {
  if (column.type !== "integer" && column.type !== "number")
    return invalid(`${path}.column`, column.type, "an integer or number column");
  const whole = column.type === "integer";
  const [from, to] = whole ? [0, MAX_WHOLE_POWER] : [MIN_POWER, MAX_POWER];
  const sizes = Array.from({ length: to - from + 1 }, (_, index) => 2 ** (from + index));
  const bin = (lower: number, upper: number): Bin => ({ label: `${text(lower)} to ${text(upper)}`, lower, upper });
  if (!whole) {
    const edges = [...sizes.map((size) => -size).reverse(), ...sizes];
    return edges.slice(0, -1).map((edge, index) => bin(edge, edges[index + 1] ?? edge));
  }
  const above = sizes.slice(0, -1).map((size) => bin(size, 2 * size - 1));
  const below = sizes.slice(0, -1).map((size) => bin(1 - 2 * size, -size));
  return [...below.reverse(), bin(0, 0), ...above];
}

// One formatter for all edges: to make one takes longer than to format a hundred edges.
const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const text = (value: number): string => digits.format(value);

/** A bin with this number of rows is found, with probability 1 − failureProbability for all bins at once [M115]. */
export const boundsHalfWidth = (statistic: BoundedStatistic<CountsTask>, failureProbability: number): number =>
  2 * noiseHalfWidth(statistic.noise, failureProbability / statistic.task.bins.length);

/**
 * The outer edges of the outermost bins whose noisy count exceeds the reach of noise alone: with probability 1 −
 * failureProbability no empty bin does. `rank` is the number of rows that may lie beyond [M115].
 */
export function boundsCells(
  integers: readonly bigint[],
  statistic: BoundedStatistic<CountsTask>,
  failureProbability: number,
): readonly CellReading[] {
  const {
    task: { bins },
    noise,
  } = statistic;
  const most = BigInt(noiseHalfWidth(noise, failureProbability / bins.length));
  const isFull = (count: bigint): boolean => count > most;
  const [first, last] = [integers.findIndex(isFull), integers.findLastIndex(isFull)];
  const edge = (index: number): { readonly lower: number; readonly upper: number } => {
    const bin = bins[index];
    return bin !== undefined && "lower" in bin ? bin : { lower: 0, upper: 0 };
  };
  const beyond = (counts: readonly bigint[]): number => {
    if (counts.length === 0) return 0;
    const half = weightedHalfWidth(noise, counts.length, failureProbability / bins.length);
    return Math.max(0, Math.ceil(Number(counts.reduce((a, b) => a + b, 0n)) + half));
  };
  const unreliable = first < 0 ? { unreliable: true as const } : {};
  const [lower, upper] = [edge(first).lower, edge(last).upper];
  const from = first < 0 ? integers.length : first;
  return [
    {
      bin: { label: "lower", value: "lower" },
      value: lower,
      interval: [edge(0).lower, lower],
      rank: beyond(integers.slice(0, from)),
      noisy: integers.slice(0, Math.max(first, 0)),
      ...unreliable,
    },
    {
      bin: { label: "upper", value: "upper" },
      value: upper,
      interval: [upper, edge(bins.length - 1).upper],
      rank: beyond(integers.slice(last + 1)),
      noisy: integers.slice(Math.max(first, 0)),
      ...unreliable,
    },
  ];
}
