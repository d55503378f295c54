import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { bestBounds, biasOf, biasText, type Tails } from "@dosimeter/query/quote";
import { accuracyOf } from "@dosimeter/query/statistics";
import { expect, test } from "vitest";
import { addNoise } from "../../query/src/answer/add-noise.ts";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { diagramsOf } from "./diagram.ts";
import { knownOf } from "./known.ts";
import { askedFor, bounded, declaration, measured, type Person, peopleOf, released } from "./reuse.kit.ts";

const CONFIDENCE = 0.9;
const terms = { declaration, confidence: CONFIDENCE };
const diagrams = diagramsOf(declaration);
/** As incomes are: most are small, a few are far above. */
const people: readonly Person[] = peopleOf(1500, 4).map((person) => ({
  ...person,
  pay: Math.min(100, Math.round(-32 * Math.log(1.001 - Math.sqrt(person.pay / 100))) / 4),
}));
const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const clamped = ([lower, upper]: readonly [number, number]) =>
  people.map(({ pay }) => Math.min(upper, Math.max(lower, pay)));
const statistics = {
  mean: average,
  sum: (values: readonly number[]) => average(values) * values.length,
  variance: (values: readonly number[]) => {
    const mean = average(values);
    return average(values.map((value) => (value - mean) ** 2));
  },
} as const;
const histogram: StatisticRequest = { statistic: "histogram", column: "pay", bins: 20, epsilon: 0.5 };
const exact = measured(bounded(histogram), people);
const tailsFrom = (
  request: StatisticRequest,
  integers: readonly bigint[],
  seed: number,
  asked: StatisticRequest,
): Tails => {
  const earlier = [released(request, integers, seededRandom(seed), { confidence: CONFIDENCE })];
  const { tails } = knownOf(askedFor(asked, CONFIDENCE), [], earlier, diagrams);
  if (tails === undefined) throw new Error("it tells");
  return tails;
};
const clamps = (
  name: keyof typeof statistics,
  [lower, upper]: readonly [number, number],
  epsilon: number,
): StatisticRequest => ({ statistic: name, column: "pay", lower, upper, epsilon });

test.each(["mean", "sum"] as const)(
  "the error stated for the best bounds of a %s holds although they were selected [M374]",
  (name) => {
    const asked = clamps(name, [0, 100], 0.02);
    const truth = statistics[name](people.map(({ pay }) => pay));
    const plain = bounded(asked);
    const draws = 150;
    let [missed, offered, stated] = [0, 0, 0];
    for (let seed = 0; seed < draws; seed++) {
      const best = bestBounds(plain, terms, tailsFrom(histogram, exact, seed, asked));
      if (best === null) continue;
      offered += 1;
      stated += best.error / draws;
      const ends = [Number(best.lower), Number(best.upper)] as const;
      const plan = boundPlan({ statistics: [clamps(name, ends, 0.02)], confidence: CONFIDENCE }, declaration);
      const [statistic] = plan.statistics;
      if (statistic === undefined) throw new Error("a plan of one statistic");
      const counted = clamped(ends).map((pay, at) => ({ ...(people[at] as Person), pay }));
      const [answer] = addNoise(plan, new Exact([measured(statistic, counted)]), seededRandom(10_000 + seed));
      if (!(Math.abs((answer?.cells[0]?.value ?? Number.NaN) - truth) <= best.error)) missed += 1;
    }
    expect(offered).toBeGreaterThan(0.9 * draws);
    expect(stated).toBeLessThan(0.8 * (accuracyOf(plain, 1 - CONFIDENCE, people.length) ?? 0));
    // At 10 % of 150, 36 misses have a chance below 10⁻⁷.
    expect(missed).toBeLessThan(36);
  },
);

test.each(["mean", "sum", "variance"] as const)(
  "of a %s they are the best of all pairs, by exact arithmetic [M374]",
  (name) => {
    const epsilon = 0.05;
    // So little noise that the histogram is the truth: what is left is the width of its bins.
    const fine: StatisticRequest = { ...histogram, bins: 100, epsilon: 1e6 };
    const asked = clamps(name, [0, 100], epsilon);
    const tails = tailsFrom(fine, measured(bounded(fine), people), 1, asked);
    const best = bestBounds(bounded(asked), terms, tails);
    if (best === null) throw new Error("some are better");
    const of = statistics[name];
    const truth = of(people.map(({ pay }) => pay));
    const changeOf = (ends: readonly [number, number]): number => of(clamped(ends)) - truth;
    // What is cut off below does not make up for what is cut off above.
    const total = ([lower, upper]: readonly [number, number]): number =>
      Math.abs(changeOf([lower, 100])) +
      Math.abs(changeOf([0, upper])) +
      (accuracyOf(bounded(clamps(name, [lower, upper], epsilon)), 0.09, people.length) ?? 0);
    const chosen = [Number(best.lower), Number(best.upper)] as const;
    // What is stated is the truth, but for the bins: never less.
    expect(best.error).toBeGreaterThanOrEqual(total(chosen) * (1 - 1e-9));
    const places = Array.from({ length: 51 }, (_, at) => 2 * at);
    let least = Number.POSITIVE_INFINITY;
    for (const lower of places)
      for (const upper of places) if (lower < upper) least = Math.min(least, total([lower, upper]));
    expect(best.error).toBeLessThan(1.15 * least);
    expect(best.error).toBeLessThan(0.9 * total([0, 100]));
    // Each stated change holds the true one, whichever bounds.
    for (const ends of [
      [0, 10],
      [0, 30],
      [5, 50],
      [20, 80],
    ] as const) {
      const [from, to] = biasOf(bounded(clamps(name, ends, epsilon)), tails) ?? [Number.NaN, Number.NaN];
      expect(from).toBeLessThanOrEqual(changeOf(ends) + 1e-6 * Math.abs(truth));
      expect(to).toBeGreaterThanOrEqual(changeOf(ends) - 1e-6 * Math.abs(truth));
    }
  },
);

test("nothing is offered where nothing tells, where no rows are known to be there, or where the row is as good", () => {
  const asked = clamps("mean", [0, 100], 0.02);
  const tails = tailsFrom(histogram, exact, 1, asked);
  const best = bestBounds(bounded(asked), terms, tails);
  if (best === null) throw new Error("some are better");
  expect(bestBounds(bounded(asked), terms, undefined)).toBeNull();
  expect(bestBounds(bounded(asked), terms, { ...tails, rows: [0, 9] })).toBeNull();
  // A confidence that what is known does not have.
  expect(bestBounds(bounded(asked), { declaration, confidence: 1 - tails.failureProbability / 2 }, tails)).toBeNull();
  expect(bestBounds(bounded({ ...asked, lower: best.lower, upper: best.upper }), terms, tails)).toBeNull();
  expect(bestBounds(bounded({ ...asked, epsilon: 1000 }), terms, tails)).toBeNull();
  expect(bestBounds(bounded({ statistic: "median", column: "pay", epsilon: 1 }), terms, tails)).toBeNull();
});

test("what is said of capping holds what is known of it, rounded outward", () => {
  for (let seed = 0; seed < 60; seed++) {
    const draw = seededRandom(seed);
    const [near, more] = [(draw.uint32() / 2 ** 32) * 10 ** (seed % 7), (draw.uint32() / 2 ** 32) * 10 ** (seed % 5)];
    const said = biasText([-near - more, -near]);
    const [from = Number.NaN, to = Number.NaN] = (said.match(/[\d,.]+/g) ?? []).map((text) =>
      Number(text.replaceAll(",", "")),
    );
    expect(from, said).toBeLessThanOrEqual(near);
    expect(to, said).toBeGreaterThanOrEqual(near + more);
  }
});

test("a sample tells nothing about the rows that were not drawn", () => {
  const earlier = released(histogram, exact, seededRandom(1), { confidence: CONFIDENCE });
  const sampling = { fraction: "0.05" } as unknown as NonNullable<typeof earlier.statistic.sampling>;
  const sampled = { ...earlier, statistic: { ...earlier.statistic, sampling } };
  const asked = askedFor(clamps("mean", [0, 40], 0.1), CONFIDENCE);
  expect(knownOf(asked, [], [earlier], diagrams).tails).toBeDefined();
  expect(knownOf(asked, [], [sampled], diagrams)).toEqual({});
});
