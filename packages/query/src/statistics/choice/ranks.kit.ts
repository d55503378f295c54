import { Exact, type Random } from "@dosimeter/core";
import { addNoise } from "../../answer/add-noise.ts";
import type { BoundedPlan } from "../../plan/bounded.ts";

/** Rows in each leaf. */
export function leafCounts(leaves: number, values: readonly number[]): bigint[] {
  const counts = new Array<bigint>(leaves).fill(0n);
  for (const value of values) counts[value] = (counts[value] ?? 0n) + 1n;
  return counts;
}

/** By how many rows each chosen leaf is off [M93], release by release: all shares of the first group, then those of the next. */
export function ranksOff(
  plan: BoundedPlan,
  groups: readonly (readonly bigint[])[],
  { shares, releases, random }: { shares: readonly number[]; releases: number; random: Random },
): readonly (readonly number[])[] {
  const upTo = groups.map((counts) => {
    let sum = 0;
    return counts.map((count) => (sum += Number(count)));
  });
  const exact = new Exact([groups.flat()]);
  return Array.from({ length: releases }, () => {
    const leaves = addNoise(plan, exact, random)[0]?.cells.flatMap(({ noisy }) => noisy.map(Number)) ?? [];
    if (leaves.length !== groups.length * shares.length) throw new Error("one leaf for each share of each group");
    return leaves.map((leaf, at) => {
      const rows = upTo[Math.floor(at / shares.length)] ?? [];
      const rank = (shares[at % shares.length] ?? 0) * (rows.at(-1) ?? 0);
      return Math.max((rows[leaf - 1] ?? 0) - rank, rank - (rows[leaf] ?? 0), 0);
    });
  });
}

/** The same, the most of each release. */
export const mostOff = (...asked: Parameters<typeof ranksOff>): readonly number[] =>
  ranksOff(...asked).map((off) => Math.max(...off));

/** The least c that a number of misses exceeds with a chance of at most `alarm` where each happens with `chance`: Binomial(n, chance). */
export function mostMisses(n: number, chance: number, alarm = 1e-6): number {
  let [term, left] = [(1 - chance) ** n, 1];
  for (let c = 0; c <= n; c++) {
    left -= term;
    if (left <= alarm) return c;
    term *= ((n - c) / (c + 1)) * (chance / (1 - chance));
  }
  return n;
}
