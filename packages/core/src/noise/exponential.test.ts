import { expect, test } from "vitest";
import { rational } from "../amounts/rational.ts";
import { chiSquareTail, SIGNIFICANCE } from "./chi-square.kit.ts";
import { chooseExponentially, type Nested } from "./exponential.ts";
import { seededRandom } from "./seeded-random.ts";

/** Whole losses in sets that are a step apart, as many as asked for. */
function nested(losses: readonly number[], step: number, sets: number): Nested<number> {
  const members = Array.from({ length: sets }, (_, set) =>
    losses.flatMap((loss, at) => (set === sets - 1 || loss <= (set + 1) * step ? [at] : [])),
  );
  return {
    step: BigInt(step),
    sizes: members.map(({ length }) => BigInt(length)),
    pick: (set, at) => {
      const candidate = members[set]?.[Number(at)] ?? Number.NaN;
      return { candidate, loss: BigInt(losses[candidate] ?? 0) };
    },
  };
}

test.each([
  [[0, 0, 1, 3, 3, 7, 20], 2, 4, rational(3n, 2n)],
  [[0, 4, 5, 5, 9, 12, 13, 13], 3, 5, rational(3n)],
  [[2, 2, 3, 30, 31, 32], 1, 1, rational(7n, 8n)],
  [[5, 6, 6, 7, 40], 2, 3, rational(2n)],
] as const)("case %#: each candidate is as likely as its loss says [M406]", (losses, step, sets, scale) => {
  const weights = losses.map((loss) => Math.exp((-loss * Number(scale.denominator)) / Number(scale.numerator)));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const random = seededRandom(406);
  const draws = 100_000;
  const counts = losses.map(() => 0);
  const choice = nested(losses, step, sets);
  for (let i = 0; i < draws; i++) {
    const at = chooseExponentially(choice, scale, random);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  // Candidates that are seldom taken count as one.
  const common = weights.flatMap((weight, at) => ((draws * weight) / all >= 10 ? [at] : []));
  const cells = common.map((at) => [counts[at] ?? 0, (draws * (weights[at] ?? 0)) / all] as const);
  const rest = draws - cells.reduce((sum, [, expected]) => sum + expected, 0);
  const seldom = draws - cells.reduce((sum, [count]) => sum + count, 0);
  const statistic = [...cells, ...(rest > 1e-6 ? [[seldom, Math.max(rest, 1)] as const] : [])].reduce(
    (sum, [count, expected]) => sum + (count - expected) ** 2 / expected,
    0,
  );
  expect(chiSquareTail(statistic, cells.length)).toBeGreaterThan(SIGNIFICANCE);
});

test("a step below the scale, and no candidate, are refused", () => {
  const { pick } = nested([0], 1, 1);
  expect(() => chooseExponentially({ step: 1n, sizes: [1n], pick }, rational(2n), seededRandom(1))).toThrow("step");
  expect(() => chooseExponentially({ step: 2n, sizes: [0n], pick }, rational(2n), seededRandom(1))).toThrow("sizes");
});
