import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../plan/bound-plan.ts";
import { accuracy, epsilonFor } from "../../quote/calculus.ts";
import { quotePlan } from "../../quote/quote.ts";
import { consistentCells } from "../../reuse/consistent.ts";
import { diagramsOf } from "../../reuse/diagram.ts";
import { poolOf } from "../../reuse/earlier.ts";
import { waysTo } from "../../reuse/offer.ts";
import { askedFor, declaration, measured, peopleOf, released } from "../../reuse/reuse.kit.ts";
import type { StatisticRequest } from "../request.ts";

const asked = { statistic: "interquartileRange", column: "age", epsilon: 1 } as const;
const LEAVES = 100;
const bounded = (request: StatisticRequest) => boundPlan({ statistics: [request] }, declaration);
const counted = (ages: readonly number[]): readonly bigint[] =>
  Array.from({ length: LEAVES }, (_, age) => BigInt(ages.filter((each) => each === age).length));

/** Rows between a value and the rank that a share asks for. */
function rankError(ages: readonly number[], value: number, share: number): number {
  const below = ages.filter((age) => age < value).length;
  const upTo = ages.filter((age) => age <= value).length;
  return Math.max(0, below - share * ages.length, share * ages.length - upTo);
}

describe("the interquartile range [M185]", () => {
  test.each([
    ["spread out", Array.from({ length: 500 }, (_, i) => (i * i) % LEAVES)],
    ["all alike", Array.from({ length: 500 }, () => 37)],
    ["in two heaps", Array.from({ length: 500 }, (_, i) => (i % 2 === 0 ? 3 : 90))],
    ["nobody", []],
  ])("%s: both quartiles are within the quoted ranks at once, and no answer is negative", (_, ages) => {
    const plan = bounded(asked);
    const quoted = quotePlan(plan)[0]?.accuracy.halfWidth ?? Number.NaN;
    const random = seededRandom(185);
    let held = 0;
    for (let i = 0; i < 200; i++) {
      const [cell] = addNoise(plan, new Exact([counted(ages)]), random)[0]?.cells ?? [];
      const [low = 0, high = 0] = cell?.noisy.map(Number) ?? [];
      expect(cell).toMatchObject({ value: high - low, interval: [0, 99], rank: quoted });
      expect(cell?.value).toBeGreaterThanOrEqual(0);
      if (rankError(ages, low, 0.25) <= quoted && rankError(ages, high, 0.75) <= quoted) held += 1;
    }
    // Binomial(200, 0.95) is below 172 with probability 1e-6.
    expect(held).toBeGreaterThanOrEqual(172);
  });

  test("a true range is found: 50 of 0 … 99, and 0 of a constant", () => {
    const random = seededRandom(2);
    const ages = Array.from({ length: 20_000 }, (_, i) => i % LEAVES);
    const rangeOf = (each: readonly number[]): number =>
      addNoise(bounded(asked), new Exact([counted(each)]), random)[0]?.cells[0]?.value ?? Number.NaN;
    const found = Array.from({ length: 10 }, () => rangeOf(ages));
    expect(found.every((value) => Math.abs(value - 50) <= 2)).toBe(true);
    expect(rangeOf(ages.map(() => 42))).toBe(0);
  });

  test("it costs what its two quartiles cost together, in each group one answer", () => {
    const quartiles = { statistic: "quantiles", column: "age", quantiles: [0.25, 0.75], epsilon: 1 } as const;
    const [range, both] = [bounded(asked), bounded(quartiles)].map(({ statistics: [each] }) => each);
    expect(range?.events).toEqual([{ kind: "pure", epsilon: "1" }]);
    expect(range?.events).toEqual(both?.events);
    expect(range?.noise).toEqual(both?.noise);
    const grouped = bounded({ ...asked, groupBy: ["sex"] });
    expect(quotePlan(grouped)[0]).toMatchObject({ noise: "selection", cells: 2 });
    const [answer] = addNoise(grouped, new Exact([new Array(2 * LEAVES).fill(1n)]), seededRandom(1));
    expect(answer?.cells.map(({ group, noisy }) => [group.sex, noisy.length])).toEqual([
      ["f", 2],
      ["m", 2],
    ]);
  });

  test("groups that are found in rows have one answer each", () => {
    const plan = bounded({ ...asked, groupBy: ["sex"], keys: "select", delta: 1e-6, epsilon: 20 });
    const vector = ["f", "m"].flatMap(() => [5000n, ...new Array<bigint>(LEAVES).fill(50n)]);
    const exact = new Exact([Object.assign(vector, { found: ["f", "m"] })]);
    const [answer] = addNoise(plan, exact, seededRandom(3));
    expect(answer?.cells.map(({ group: { sex }, value }) => [sex, Math.abs(value - 50) <= 3])).toEqual([
      ["f", true],
      ["m", true],
    ]);
  });

  test("the least epsilon for an error reaches it, and one unit less does not", () => {
    const request = { statistic: "interquartileRange", lower: 0, upper: 100 } as const;
    const { epsilon } = epsilonFor({ ...request, accuracy: 40 }) as { epsilon: string };
    expect(accuracy({ ...request, epsilon })).toBeLessThanOrEqual(40);
    expect(accuracy({ ...request, epsilon: Number(epsilon) - 1e-9 })).toBeGreaterThan(40);
  });

  test("an error of a quarter of the rows is useless: the range could be empty", () => {
    const half = quotePlan(bounded(asked))[0]?.accuracy.halfWidth ?? Number.NaN;
    const uselessFor = (people: number): boolean | undefined =>
      quotePlan(bounded(asked), { people })[0]?.accuracy.useless;
    expect([uselessFor(4 * half), uselessFor(4 * half + 4)]).toEqual([true, false]);
  });

  test.each([
    [{ rho: 1, epsilon: undefined }, "an interquartile range is chosen"],
    [{ quantiles: [0.1, 0.9] }, "must be absent from an interquartileRange"],
    [{ column: "sex" }, "an integer or number column"],
  ])("%j is refused", (more, message) => {
    const { epsilon, ...rest } = { ...asked, ...more };
    const request = (epsilon === undefined ? rest : { ...rest, epsilon }) as StatisticRequest;
    expect(() => bounded(request)).toThrow(message);
  });
});

describe("free from earlier answers [M185]", () => {
  const people = peopleOf(3000, 5);
  const diagrams = diagramsOf(declaration, { closed: true });
  const ages = people.map(({ age }) => age).sort((a, b) => a - b);
  const truth = (ages[Math.ceil(0.75 * ages.length) - 1] ?? 0) - (ages[Math.ceil(0.25 * ages.length) - 1] ?? 0);
  const wanted = askedFor({ ...asked, epsilon: 0.01 }, 0.8);
  const sources: readonly (readonly [StatisticRequest, readonly bigint[]])[] = [
    [{ statistic: "cdf", column: "age", epsilon: 0.5 }, counted(ages)],
    [
      { statistic: "histogram", column: "age", bins: 20, rho: 0.01 },
      measured(askedFor({ statistic: "histogram", column: "age", bins: 20, rho: 0.01 }).statistic, people),
    ],
  ];

  test.each(sources)("the interval of one read off %j holds, and is never negative", (request, exact) => {
    const random = seededRandom(7);
    let held = 0;
    for (let i = 0; i < 100; i++) {
      const source = released(request, exact, random, { confidence: 0.8 });
      const [way] = waysTo(wanted, [source], diagrams);
      const [cell] = way?.cells ?? [];
      expect(way?.kind).toBe("derived");
      expect(way?.cells).toHaveLength(1);
      const [from, to] = cell?.interval ?? [Number.NaN, Number.NaN];
      expect(from).toBeGreaterThanOrEqual(0);
      expect(cell?.value).toBeGreaterThanOrEqual(from);
      expect(cell?.value).toBeLessThanOrEqual(to);
      if (from <= truth && truth <= to) held += 1;
    }
    // Binomial(100, 0.8) is below 63 with probability 3e-5.
    expect(held).toBeGreaterThanOrEqual(63);
  });

  test("it is no quantile: a median of the same release does not move it", () => {
    const random = seededRandom(4);
    const pools = [asked, { ...asked, statistic: "median" } as const].map((request) =>
      poolOf(released(request, counted(ages), random)),
    );
    expect(consistentCells(pools, diagrams, 0.05)).toEqual([null, null]);
  });
});
