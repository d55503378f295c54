import { type EventAdjacency, invalid, type Random, type Rational } from "@dosimeter/core";
import { permuteAndFlip } from "@dosimeter/core/internal";
import { noiseHalfWidth, spread } from "../../noise/tail.ts";
import type { BoundedStatistic, NoiseFamily, Sensitivity } from "../../plan/bounded.ts";
import type { TopTask } from "../../plan/task.ts";
import type { Off } from "../statistic.ts";

const MAX = 100;
const DEFAULT = 10;

export function readTop(value: unknown, keys: number, path: string): number {
  const k = value ?? Math.min(DEFAULT, keys);
  if (typeof k !== "number" || !Number.isSafeInteger(k) || k < 1 || k > Math.min(MAX, keys))
    return invalid(`${path}.k`, value, `a whole number from 1 to ${Math.min(MAX, keys)}`);
  return k;
}

/** Change of one key's score that a choice must hide; scores rise together under add/remove, which halves it [M116]. */
const perChoiceOf = (adjacency: EventAdjacency): bigint => (adjacency === "replace" ? 2n : 1n);

/** Whether choosing k keys one after another takes less noise than counting all of them [M116]. */
export function topOf(
  k: number,
  {
    sensitivity: { l1 },
    adjacency,
    family,
  }: {
    readonly sensitivity: Sensitivity;
    readonly adjacency: EventAdjacency;
    readonly family: NoiseFamily;
  },
): TopTask {
  const perChoice = perChoiceOf(adjacency);
  return { kind: "top", k, chosen: family === "laplace" && BigInt(k) * perChoice < l1, perChoice };
}

/** Chooses k indices, likely the largest counts first, by permute and flip among those not chosen yet. */
export function chooseTop(counts: readonly bigint[], k: number, scale: Rational, random: Random): readonly number[] {
  const left = counts.map((count, index) => ({ count, index })).sort((a, b) => Number(b.count - a.count));
  const chosen: number[] = [];
  while (chosen.length < k && left.length > 0) {
    const largest = left[0]?.count ?? 0n;
    const at = permuteAndFlip(
      left.map(({ count }) => ({ length: 1, loss: largest - count })),
      scale,
      random,
    );
    chosen.push(...left.splice(at, 1).map(({ index }) => index));
  }
  return chosen;
}

/** The noise decides which counts are shown, so all declared or published ones share the failure probability [M116]. */
export const ofEach = ({ groups }: Pick<BoundedStatistic, "groups">, failureProbability: number): number =>
  failureProbability / Math.max(1, groups.length);

/**
 * The most by which a key that should have been chosen can exceed a chosen one, in people; else the error of each
 * count.
 */
export function topHalfWidth(statistic: BoundedStatistic<TopTask>, failureProbability: number): number {
  const { task, noise, groups } = statistic;
  if (!task.chosen) return noiseHalfWidth(noise, ofEach(statistic, failureProbability));
  return Math.ceil(spread(noise) * Math.log((groups.length * task.k) / failureProbability) * (1 + 1e-12));
}

/** The number of people by which a chosen key falls short of one that should have been chosen. */
export function missedTop(
  { task }: BoundedStatistic<TopTask>,
  exact: ReadonlyMap<string, readonly bigint[]>,
): Off | null {
  if (!task.chosen) return null;
  const counts = new Map([...exact].map(([group, [count = 0n]]) => [group, Number(count)]));
  const least = [...counts.values()].sort((a, b) => b - a)[task.k - 1] ?? 0;
  return ({ group }) => Math.max(0, least - (counts.get(JSON.stringify(group)) ?? 0));
}
