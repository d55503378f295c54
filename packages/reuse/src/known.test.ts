import { seededRandom } from "@dosimeter/core/testing";
import { biasOf, biasText, type Tails } from "@dosimeter/query/quote";
import { describe, expect, test } from "vitest";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { diagramsOf } from "./diagram.ts";
import type { Earlier } from "./earlier.ts";
import { knownOf } from "./known.ts";
import { waysTo } from "./offer.ts";
import { askedFor, bounded, declaration, measured, type Person, peopleOf, released } from "./reuse.kit.ts";

const diagrams = diagramsOf(declaration);
const people = peopleOf(2000);
const CAP = 20;
const capped: StatisticRequest = { statistic: "mean", column: "pay", upper: CAP, epsilon: 1 };
const histogram: StatisticRequest = { statistic: "histogram", column: "pay", bins: 20, epsilon: 0.5 };

const knownFrom = (request: StatisticRequest, earlier: readonly Earlier[]) => {
  const asked = askedFor(request);
  return knownOf(asked, waysTo(asked, earlier, diagrams), earlier, diagrams);
};
const meanOf = (rows: readonly Person[], of: (pay: number) => number): number =>
  rows.reduce((sum, { pay }) => sum + of(pay), 0) / rows.length;
const drawnFrom = (request: StatisticRequest, seed: number): Earlier =>
  released(request, exactOf(request), seededRandom(seed));

function exactOf(request: StatisticRequest): readonly bigint[] {
  const statistic = bounded(request);
  const { task } = statistic;
  if (task.kind === "clips") {
    const below = people.filter(({ pay }) => pay < task.range.lower).length;
    const above = people.filter(({ pay }) => pay > task.range.upper).length;
    return [below, people.length - below - above, above].map(BigInt);
  }
  if (task.kind !== "curve") return measured(statistic, people);
  const counts = new Array<bigint>(task.leaves).fill(0n);
  for (const { pay } of people) {
    const leaf = Number(BigInt(Math.round(pay * 4)) / task.ticksPerLeaf);
    counts[leaf] = (counts[leaf] ?? 0n) + 1n;
  }
  return counts;
}

describe("what capping changes, from earlier answers about the same rows [M350]", () => {
  test.each([
    histogram,
    { statistic: "cdf", column: "pay", bins: 100, epsilon: 2 },
    { statistic: "clippedValues", column: "pay", upper: CAP, epsilon: 0.5 },
  ] as const satisfies readonly StatisticRequest[])("$statistic tells, as often as it says", (source) => {
    const truth = meanOf(people, (pay) => Math.min(pay, CAP)) - meanOf(people, (pay) => pay);
    const draws = 200;
    let missed = 0;
    for (let seed = 0; seed < draws; seed++) {
      const { tails } = knownFrom(capped, [drawnFrom(source, seed)]);
      const [least, most] = biasOf(bounded(capped), tails) ?? [Number.NaN, Number.NaN];
      // Rounding to the grid of a fine column changes a mean by less than this.
      if (!(least <= truth + 0.01 && truth - 0.01 <= most)) missed += 1;
    }
    expect(truth).toBeLessThan(-10);
    // Each of 20 tails and the total has a twentieth of 5 %: 27 misses of 200 have a chance below 10⁻⁶ at 5 %.
    expect(missed).toBeLessThan(27);
  });

  test("a finer source says more; a change of both ends, and of a sum, adds up", () => {
    const [least, most] = biasOf(bounded(capped), knownFrom(capped, [drawnFrom(histogram, 1)]).tails) ?? [0, 0];
    expect(least).toBeGreaterThan(-25);
    expect(most).toBeLessThan(-10);
    const exact: Tails = {
      from: "x",
      rows: [100, 120],
      failureProbability: 0.005,
      points: [
        { at: 10, least: 0.9, most: 0.9 },
        { at: 50, least: 0.25, most: 0.25 },
        { at: 90, least: 0, most: 0 },
      ],
    };
    expect(biasOf(bounded({ ...capped, upper: 50 }), exact)).toEqual([-10, 0]);
    // 10 to 50 from below adds at most 40 · 75 %, at least 40 · 10 %; below 10 all but 10 % have nothing to add.
    const both = biasOf(bounded({ ...capped, lower: 50, upper: 90 }), exact) ?? [0, 0];
    expect(both[0]).toBeCloseTo(40 * 0.1, 9);
    expect(both[1]).toBeCloseTo(10 * 0.1 + 40 * 0.75, 9);
    expect(biasOf(bounded({ ...capped, statistic: "sum", upper: 50 }), exact)).toEqual([-1200, 0]);
  });

  test("of groups it holds for every one; of other rows, other groups or found ones nothing is known", () => {
    const bySex: StatisticRequest = { ...capped, groupBy: ["sex"] };
    expect(knownFrom(bySex, [drawnFrom(histogram, 1)]).tails).toBeUndefined();
    expect(knownFrom({ ...capped, where: "member = true" }, [drawnFrom(histogram, 1)]).tails).toBeUndefined();
    expect(knownFrom({ ...capped, column: "age" }, [drawnFrom(histogram, 1)]).tails).toBeUndefined();
    const { tails } = knownFrom(bySex, [drawnFrom({ ...histogram, groupBy: ["sex"] }, 1)]);
    const [least, most] = biasOf(bounded(bySex), tails) ?? [0, 0];
    for (const sex of ["f", "m"] as const) {
      const rows = people.filter((person) => person.sex === sex);
      const truth = meanOf(rows, (pay) => Math.min(pay, CAP)) - meanOf(rows, (pay) => pay);
      expect(least).toBeLessThan(truth);
      expect(most).toBeGreaterThan(truth);
    }
  });

  test("a row that caps nothing, or only its bins, has no bias; a column without bounds an unknown one", () => {
    const { tails } = knownFrom(capped, [drawnFrom(histogram, 1)]);
    expect(
      knownFrom({ statistic: "histogram", column: "pay", upper: CAP, bins: 5, epsilon: 1 }, [drawnFrom(histogram, 1)])
        .tails,
    ).toBeUndefined();
    expect(biasOf(bounded({ ...capped, upper: 100 }), tails)).toBeNull();
    const { caps, ...rest } = bounded(capped);
    if (caps === undefined) throw new Error("it is capped");
    expect(biasOf({ ...rest, caps: { ...caps, declared: { lower: 0, upper: null } } }, tails)).toBeNull();
  });

  test.each([
    [10, 60],
    [0, 30],
    [40, 100],
  ])("of spreads and ranks between %d and %d it holds as often as it says, and is not idle [M375]", (lower, upper) => {
    const cut = (pay: number): number => Math.min(Math.max(pay, lower), upper);
    const variance = (of: (pay: number) => number): number => {
      const mean = meanOf(people, of);
      return meanOf(people, (pay) => (of(pay) - mean) ** 2);
    };
    const [before, after] = [variance((pay) => pay), variance(cut)];
    const within = people.filter(({ pay }) => pay <= upper).length;
    const below = people.filter(({ pay }) => pay < lower).length;
    const rankOf = (share: number): number => {
      const rank = share * people.length;
      return rank > within ? within - rank : rank < below ? below - rank : 0;
    };
    const truths = {
      variance: after - before,
      standardDeviation: Math.sqrt(after) - Math.sqrt(before),
      ...{ minimum: rankOf(0), median: rankOf(0.5), maximum: rankOf(1) },
    };
    const told = Array.from({ length: 60 }, (_, seed) => knownFrom(capped, [drawnFrom(histogram, seed)]).tails);
    for (const [name, truth] of Object.entries(truths)) {
      const statistic = bounded({ statistic: name as "median", column: "pay", lower, upper, epsilon: 1 });
      const biases = told.map((tails) => biasOf(statistic, tails) ?? [Number.NaN, Number.NaN]);
      const missed = biases.filter(([least, most]) => !(least <= truth + 1e-9 && truth - 1e-9 <= most));
      // At half a percent, 8 misses of 60 have a chance below 10⁻⁸; there are fifteen such lines.
      expect(missed.length, name).toBeLessThan(8);
      for (const [least, most] of biases)
        expect(most - least, name).toBeLessThan({ variance: 900, standardDeviation: 30 }[name] ?? 600);
    }
  });
});

test("the size of an answer is known from an earlier one, whatever its bounds: a mean's is its distance from the nearer one", () => {
  const mean: StatisticRequest = { statistic: "mean", column: "pay", epsilon: 2 };
  const { expected } = knownFrom(capped, [drawnFrom(mean, 1)]);
  const truth = meanOf(people, (pay) => pay);
  expect(expected?.from).toBe("mean of pay");
  expect(expected?.size).toBeGreaterThan(truth - 3);
  expect(expected?.size).toBeLessThan(truth + 0.1);
  expect(knownFrom(mean, []).expected).toBeUndefined();
  const count = knownFrom({ statistic: "count", epsilon: 1 }, [drawnFrom(histogram, 1)]).expected;
  expect(count?.size).toBeGreaterThan(1800);
});

test("in words: where it is known, where it may be nothing, where it is not known", () => {
  expect(biasText(null)).toBe("capping unknown");
  expect(biasText([-17_000, -16_000], "$")).toBe("capping − $16,000 to $17,000");
  expect(biasText([-3, 0])).toBe("capping − 3 at most");
  expect(biasText([0, 0])).toBe("capping changes nothing");
  expect(biasText([-2, 4])).toBe("capping − 2 to + 4");
});
