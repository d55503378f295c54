import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { consistentSteps } from "../../../../reuse/src/consistent.ts";
import { diagramsOf } from "../../../../reuse/src/diagram.ts";
import { poolOf } from "../../../../reuse/src/earlier.ts";
import { waysTo } from "../../../../reuse/src/offer.ts";
import { askedFor, declaration, measured, type Person, peopleOf, released } from "../../../../reuse/src/reuse.kit.ts";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import { atOnce } from "../../plan/steps.ts";
import { accuracy, epsilonFor } from "../../quote/calculus.ts";
import { quotePlan } from "../../quote/quote.ts";
import type { AnswerCell } from "../cell.ts";
import { leafCounts, mostMisses, mostOff } from "../choice/ranks.kit.ts";
import type { StatisticRequest } from "../request.ts";
import { interquartile } from "./index.ts";

const asked = { statistic: "interquartileRange", column: "age", epsilon: 1 } as const;
const LEAVES = 100;
const shares = [0.25, 0.75];
const bounded = (request: StatisticRequest) => boundPlan({ statistics: [request] }, declaration);

describe("the interquartile range [M185]", () => {
  const quotedOf = (request: StatisticRequest): number =>
    quotePlan(bounded(request))[0]?.accuracy.halfWidth ?? Number.NaN;
  const heap = (low: number, rows: number): readonly bigint[] =>
    leafCounts(LEAVES, [])
      .with(0, BigInt(low * rows))
      .with(LEAVES - 1, BigInt(rows - low * rows));

  test.each([
    [
      "spread out",
      leafCounts(
        LEAVES,
        Array.from({ length: 500 }, (_, i) => (i * i) % LEAVES),
      ),
    ],
    ["all alike", leafCounts(LEAVES, new Array(500).fill(37))],
    [
      "in two heaps",
      leafCounts(
        LEAVES,
        Array.from({ length: 500 }, (_, i) => (i % 2 === 0 ? 3 : 90)),
      ),
    ],
    ["of nobody", leafCounts(LEAVES, [])],
    ["26 % at the lower end", heap(0.26, 40_000)],
    ["26 % at the upper end", heap(0.74, 40_000)],
    ["a hair more than a quarter at the lower end", heap(0.2501, 1_000_000)],
    ["a hair more than a quarter at the upper end", heap(0.7499, 1_000_000)],
  ])("%s: both quartiles are within the quoted ranks at once, and no answer is negative", (_, counts) => {
    const plan = bounded(asked);
    const quoted = quotedOf(asked);
    const off = mostOff(plan, [counts], { shares, releases: 200, random: seededRandom(185) });
    // A correct one fails with a chance of at most 1e-6.
    expect(off.filter((rows) => rows > quoted).length).toBeLessThanOrEqual(mostMisses(200, 0.05));
    const [cell] = addNoise(plan, new Exact([counts]), seededRandom(1))[0]?.cells ?? [];
    const [low = 0, high = 0] = cell?.noisy.map(Number) ?? [];
    expect(cell).toMatchObject({ value: high - low, interval: [0, 99], rank: quoted });
    expect(cell?.value).toBeGreaterThanOrEqual(0);
  });

  test("each of two groups is within the quoted ranks", () => {
    const request = { ...asked, groupBy: ["sex"] } as const;
    const groups = [heap(0.3, 10_000), heap(0.7, 10_000)];
    const off = mostOff(bounded(request), groups, { shares, releases: 100, random: seededRandom(8) });
    expect(off.filter((rows) => rows > quotedOf(request)).length).toBeLessThanOrEqual(mostMisses(100, 0.1));
  });

  test("the quoted ranks are nearly reached where all values are alike", () => {
    const request = { ...asked, epsilon: "0.1" } as const;
    const quoted = quotedOf(request);
    const random = seededRandom(25);
    const offWith = (rows: number): readonly number[] =>
      mostOff(bounded(request), [leafCounts(LEAVES, new Array(rows).fill(99))], { shares, releases: 400, random });
    expect(offWith(4 * quoted + 1).filter((rows) => rows > quoted).length).toBeLessThanOrEqual(mostMisses(400, 0.05));
    // With 85 % of these rows a wrong first quartile is off by 85 % of what is quoted: in about a tenth of the releases.
    const near = offWith(Math.floor(3.4 * quoted)).filter((rows) => rows >= 0.84 * quoted);
    expect(near.length).toBeGreaterThan(10);
  });

  test("no rounding takes an answer past its interval, nor a truth", () => {
    const tenths = checkDeclaration({
      ...{ name: "tenths", source: { csv: "tenths.csv" }, privacyUnit: "row" },
      columns: { length: { type: "number", lower: 0.1, upper: 0.3, granularity: 0.1 } },
    });
    const plan = boundPlan({ statistics: [{ statistic: "interquartileRange", column: "length", epsilon: 5 }] }, tenths);
    const [cell] = addNoise(plan, new Exact([[400n, 0n, 400n]]), seededRandom(3))[0]?.cells ?? [];
    expect(cell?.noisy).toEqual(["0", "2"]);
    expect(cell?.interval).toEqual([0, 0.2]);
    expect(cell?.value).toBeLessThanOrEqual(0.2);
    expect(cell?.value).toBeCloseTo(0.2, 15);
    const { joined } = interquartile.interquartileRange.reuse.from;
    const read = joined([
      { value: 0.1, interval: [0.1, 0.1], rank: 1 },
      { value: 0.3, interval: [0.3, 0.3], rank: 2 },
    ]);
    expect(read.interval[0]).toBeLessThanOrEqual(0.2);
    expect(read.interval[1]).toBe(0.2);
    expect(read.value).toBeGreaterThanOrEqual(read.interval[0]);
    expect(read).toMatchObject({ rank: 2 });
  });

  test("a true range is found: 50 of 0 … 99, and 0 of a constant", () => {
    const random = seededRandom(2);
    const ages = Array.from({ length: 20_000 }, (_, i) => i % LEAVES);
    const rangeOf = (each: readonly number[]): number =>
      addNoise(bounded(asked), new Exact([leafCounts(LEAVES, each)]), random)[0]?.cells[0]?.value ?? Number.NaN;
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
    const exact = new Exact([
      Object.assign([5000n, 5000n], { found: ["f", "m"], cellsOf: () => new Array<bigint>(LEAVES).fill(50n) }),
    ]);
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
    [{ column: "sex" }, "an integer, number or date column"],
  ])("%j is refused", (more, message) => {
    const { epsilon, ...rest } = { ...asked, ...more };
    const request = (epsilon === undefined ? rest : { ...rest, epsilon }) as StatisticRequest;
    expect(() => bounded(request)).toThrow(message);
  });
});

describe("free from earlier answers [M185]", () => {
  const diagrams = diagramsOf(declaration);
  const cdf = { statistic: "cdf", column: "age", epsilon: 0.5 } as const;
  const bins = (edges: number | readonly number[]): StatisticRequest => ({
    ...{ statistic: "histogram", column: "age", bins: edges, rho: 0.01 },
  });
  const spread = peopleOf(3000, 5);
  /** All ages at the ends of bins and of the range, the quartiles among them. */
  const atEdges = spread.map((person, i) => ({ ...person, age: [0, 24, 25, 74, 75, 99][i % 6] ?? 0 }));

  const exactly = (request: StatisticRequest, people: readonly Person[]): readonly bigint[] => {
    const { statistic } = askedFor(request);
    if (request.statistic !== "cdf") return measured(statistic, people);
    return statistic.groups.flatMap(({ sex }) =>
      leafCounts(
        LEAVES,
        people.filter((person) => sex === undefined || person.sex === sex).map(({ age }) => age),
      ),
    );
  };
  const truthOf = (people: readonly Person[]): number => {
    const ages = people.map(({ age }) => age).sort((a, b) => a - b);
    const [low = 0, high = 0] = shares.map((share) => ages[Math.ceil(share * ages.length) - 1] ?? 0);
    return high - low;
  };

  test.each<readonly [string, readonly Person[], readonly StatisticRequest[], readonly "sex"[]]>([
    ["a curve", spread, [cdf], []],
    ["bins that cut no quartile", spread, [bins(20)], []],
    ["bins whose edges are the quartiles", atEdges, [bins([0, 25, 75, 99])], []],
    ["a curve of heaps at the edges", atEdges, [cdf], []],
    ["the narrowest of a curve and two histograms", spread, [cdf, bins(20), bins(9)], []],
    ["a curve and bins of each group", spread, [cdf, bins(20)], ["sex"]],
  ])("the interval of one derived from %s holds, and is never negative", (_, people, requests, groupBy) => {
    const sources = requests.map((request) => ({ ...request, groupBy }));
    const exact = sources.map((request) => exactly(request, people));
    const wanted = askedFor({ ...asked, groupBy, epsilon: 0.01 }, 0.8);
    const random = seededRandom(7);
    const held = wanted.statistic.groups.map(() => 0);
    for (let i = 0; i < 60; i++) {
      const earlier = sources.map((request, at) =>
        released(request, exact[at] ?? [], random, { release: `rel_${at}`, confidence: 0.8 }),
      );
      const [way] = waysTo(wanted, earlier, diagrams);
      expect(way?.kind).toBe("derived");
      expect(way?.cells).toHaveLength(held.length);
      way?.cells?.forEach(({ group, value, interval: [from, to] }, at) => {
        expect(from).toBeGreaterThanOrEqual(0);
        expect(value).toBeGreaterThanOrEqual(from);
        expect(value).toBeLessThanOrEqual(to);
        const truth = truthOf(people.filter(({ sex }) => group.sex === undefined || sex === group.sex));
        if (from <= truth && truth <= to) held[at] = (held[at] ?? 0) + 1;
      });
    }
    // A correct interval of one group fails with a chance of at most 1e-6.
    for (const each of held) expect(60 - each).toBeLessThanOrEqual(mostMisses(60, 0.2));
  });

  test("the two quartiles share the chance of a miss where bins are counted, and pay it once on a curve", () => {
    const random = seededRandom(11);
    for (const [request, confidence] of [
      [cdf, 0.8],
      [bins(20), 0.9],
    ] as const) {
      const source = released(request, exactly(request, spread), random, { confidence: 0.8 });
      const cellsOf = (question: StatisticRequest, at: number): readonly AnswerCell[] =>
        waysTo(askedFor(question, at), [source], diagrams)[0]?.cells ?? [];
      const [range] = cellsOf({ ...asked, epsilon: 0.01 }, 0.8);
      const [low, high] = cellsOf(
        { statistic: "quantiles", column: "age", quantiles: shares, epsilon: 0.01 },
        confidence,
      );
      expect(range?.interval).toEqual([
        Math.max(0, (high?.interval[0] ?? 0) - (low?.interval[1] ?? 0)),
        (high?.interval[1] ?? 0) - (low?.interval[0] ?? 0),
      ]);
      expect(range?.rank).toBe(Math.max(low?.rank ?? 0, high?.rank ?? 0));
    }
  });

  test("it is no quantile: a median of the same release does not move it", () => {
    const random = seededRandom(4);
    const pools = [asked, { ...asked, statistic: "median" } as const].map((request) =>
      poolOf(released(request, exactly(cdf, spread), random)),
    );
    expect(atOnce(consistentSteps(pools, diagrams, 0.05)).cells).toEqual([null, null]);
  });
});
