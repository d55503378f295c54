import { Exact, type Random } from "@dosimeter/core";
import type { Run } from "@dosimeter/core/internal";
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

/** Probability of each candidate, over all orders. */
export function lawOf(losses: readonly number[], scale: number): readonly number[] {
  const law = losses.map(() => 0);
  const visit = (left: readonly number[], reach: number): void => {
    for (const at of left) {
      const taken = (reach / left.length) * Math.exp(-(losses[at] ?? 0) / scale);
      law[at] = (law[at] ?? 0) + taken;
      const rest = left.filter((other) => other !== at);
      if (rest.length > 0) visit(rest, reach / left.length - taken);
    }
  };
  visit([...losses.keys()], 1);
  return law;
}

/**
 * The largest |log ratio| of the chances of an answer on a table of four leaves with up to four rows each and on that table with a
 * row more, where an answer is one candidate of each of these independent choices.
 */
export function worstOfNeighbours(
  choices: (counts: readonly bigint[]) => readonly (readonly Run[])[],
  scale: number,
): number {
  const known = new Map<string, readonly (readonly number[])[]>();
  const lawsOf = (counts: readonly number[]): readonly (readonly number[])[] => {
    const laws =
      known.get(counts.join()) ??
      choices(counts.map(BigInt)).map((runs) =>
        lawOf(
          runs.flatMap(({ length, loss }) => new Array<number>(length).fill(Number(loss))),
          scale,
        ),
      );
    known.set(counts.join(), laws);
    return laws;
  };
  let worst = 0;
  for (let table = 0; table < 5 ** 4; table++) {
    const counts = [0, 1, 2, 3].map((at) => Math.floor(table / 5 ** at) % 5);
    for (const at of counts.keys()) {
      const [a, b] = [lawsOf(counts), lawsOf(counts.with(at, (counts[at] ?? 0) + 1))];
      // Choices are independent: an answer can be the one that tells most in each of them.
      for (const sign of [1, -1]) {
        const most = a.map((law, i) => Math.max(...law.map((p, v) => sign * Math.log(p / (b[i]?.[v] ?? 0)))));
        worst = Math.max(
          worst,
          most.reduce((sum, each) => sum + each, 0),
        );
      }
    }
  }
  return worst;
}
