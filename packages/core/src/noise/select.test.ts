import { describe, expect, test } from "vitest";
import { rational } from "../amounts/rational.ts";
import { chiSquareTail, SIGNIFICANCE } from "./chi-square.kit.ts";
import { seededRandom } from "./seeded-random.ts";
import { permuteAndFlip, type Run } from "./select.ts";

/** Probability of each candidate, over all orders: exponential in their number. */
function exactly(accept: readonly number[]): readonly number[] {
  const result = accept.map(() => 0);
  const visit = (left: readonly number[], reach: number): void => {
    for (const candidate of left) {
      const here = reach / left.length;
      result[candidate] = (result[candidate] ?? 0) + here * (accept[candidate] ?? 0);
      const rest = left.filter((other) => other !== candidate);
      if (rest.length > 0) visit(rest, here * (1 - (accept[candidate] ?? 0)));
    }
  };
  visit(
    accept.map((_, index) => index),
    1,
  );
  return result;
}

const candidates = (runs: readonly Run[]): readonly bigint[] =>
  runs.flatMap(({ length, loss }) => Array.from({ length }, () => loss));
const chances = (losses: readonly bigint[], scale: number): readonly number[] =>
  exactly(losses.map((loss) => Math.exp(-Number(loss) / scale)));

describe("permute and flip [M92]", () => {
  test.each([
    [
      [
        { length: 1, loss: 0n },
        { length: 5, loss: 1n },
      ],
      rational(2n),
    ],
    [
      [
        { length: 2, loss: 3n },
        { length: 0, loss: 0n },
        { length: 1, loss: 1n },
        { length: 3, loss: 0n },
        { length: 1, loss: 7n },
      ],
      rational(5n, 3n),
    ],
  ] as const)("case %#: the distribution over all orders", (runs, scale) => {
    const expected = chances(candidates(runs), Number(scale.numerator) / Number(scale.denominator));
    const random = seededRandom(20);
    const draws = 200_000;
    const counts = expected.map(() => 0);
    for (let i = 0; i < draws; i++) {
      const at = permuteAndFlip(runs, scale, random);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    const statistic = expected.reduce((sum, p, i) => sum + ((counts[i] ?? 0) - draws * p) ** 2 / (draws * p), 0);
    expect(chiSquareTail(statistic, expected.length - 1)).toBeGreaterThan(SIGNIFICANCE);
  });

  test("the exact distribution keeps its epsilon on every pair of neighbouring scores, and reaches most of it", () => {
    let worst = 0;
    const all = (length: number): number[][] =>
      length === 0 ? [[]] : all(length - 1).flatMap((rest) => [-2, -1, 0].map((score) => [...rest, score]));
    const chance = (scores: readonly number[]): readonly number[] => {
      const best = Math.max(...scores);
      return chances(
        scores.map((score) => BigInt(best - score)),
        2, // Δ = 1, ε = 1
      );
    };
    for (const scores of all(5))
      for (const moves of [
        [1, 1, 1, -1, -1],
        [1, -1, -1, -1, -1],
        [-1, 1, 1, 1, 1],
        [1, 1, 0, -1, 0],
      ]) {
        const [a, b] = [chance(scores), chance(scores.map((score, i) => score + (moves[i] ?? 0)))];
        a.forEach((p, i) => {
          worst = Math.max(worst, Math.abs(Math.log(p / (b[i] ?? 0))));
        });
      }
    expect(worst).toBeLessThanOrEqual(1 + 1e-9);
    expect(worst).toBeGreaterThan(0.9);
  });

  test("its range is more than ε: no price of bounded range is its own", () => {
    // The worse of two candidates comes from 2Δ further below: s = 2Δ/ε with Δ = ε = 1.
    const [near, far] = [1n, 3n].map((loss) => chances([0n, loss], 2)) as [readonly number[], readonly number[]];
    const losses = near.map((chance, at) => Math.log(chance / (far[at] ?? 0)));
    expect(Math.max(...losses)).toBeCloseTo(1, 12);
    expect(Math.max(...losses) - Math.min(...losses)).toBeGreaterThan(1.24);
  });

  test("hopeless candidates are hardly ever taken, and many of them cost no memory", () => {
    const runs = [
      { length: 30_000, loss: 1000n },
      { length: 1, loss: 0n },
      { length: 30_000, loss: 1000n },
    ];
    const random = seededRandom(3);
    for (let i = 0; i < 20; i++) expect(permuteAndFlip(runs, rational(1n), random)).toBe(30_000);
  });

  test.each([
    [[], rational(1n)],
    [[{ length: 3, loss: 1n }], rational(1n)],
    [[{ length: 3, loss: 0n }], rational(0n)],
    [[{ length: 1.5, loss: 0n }], rational(1n)],
  ])("%# is refused", (runs, scale) => {
    expect(() => permuteAndFlip(runs, scale, seededRandom(1))).toThrow("must be");
  });
});
