import { type Mu2Amount, payMu2 } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { atOnce } from "../../query/src/plan/steps.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { combined } from "./combine.ts";
import { consistentSteps } from "./consistent.ts";
import { diagramsOf } from "./diagram.ts";
import { poolOf } from "./earlier.ts";
import { answerOf, waysTo, whyNoTopUp, whyNotAtThis } from "./offer.ts";
import { askedFor, bounded, declaration, measured, peopleOf, released } from "./reuse.kit.ts";

const people = peopleOf(500);
const diagrams = diagramsOf(declaration);
const count = (rho: string): StatisticRequest => ({ statistic: "count", rho });
const exact = measured(bounded(count("1")), people);

test("two steps cost exactly what one release at the final accuracy costs", () => {
  const random = seededRandom(2);
  const asked = askedFor(count("0.05"));
  const way = waysTo(asked, [released(count("0.0123"), exact, random)], diagrams).find(
    ({ kind }) => kind === "refined",
  );
  expect(way?.cost).toEqual({ rho: "0.0377", muSquared: "0.0754" });
  const mu2 = (10n ** 12n) as Mu2Amount;
  const pay = (...steps: readonly bigint[]) =>
    payMu2(
      mu2,
      steps.map((cost) => ({ kind: "subtract", cost })),
    );
  const fresh = way?.fresh?.statistic.noise;
  expect(fresh?.kind === "gaussian" && pay(24_600_000_000n, fresh.mu2)).toBe(pay(100_000_000_000n));
});

test("two steps have the variance of one release, and the interval covers", () => {
  const random = seededRandom(4);
  const asked = askedFor(count("0.05"), 0.8);
  const [draws, errors] = [1500, [] as number[]];
  let hits = 0;
  for (let i = 0; i < draws; i++) {
    const [way] = waysTo(asked, [released(count("0.0123"), exact, random)], diagrams).filter(
      ({ kind }) => kind === "refined",
    );
    if (way?.fresh == null) throw new Error("a top-up is offered");
    const drawn = released({ statistic: "count", rho: way.fresh.rho }, exact, random, { confidence: 0.8 });
    const [cell] = answerOf(way, asked, drawn.answer).cells;
    if (cell === undefined) throw new Error("one cell");
    errors.push(cell.value - people.length);
    if (cell.interval[0] <= people.length && people.length <= cell.interval[1]) hits += 1;
  }
  const variance = errors.reduce((sum, error) => sum + error * error, 0) / draws;
  // One release has σ² = 1/(2ρ) = 10, and rounding adds at most 1/12 a draw: χ² with 1500 degrees leaves ±15 % once in 10⁴ runs.
  expect(variance).toBeGreaterThan(10 * 0.85);
  expect(variance).toBeLessThan(10.17 * 1.15);
  expect(hits).toBeGreaterThan(1500 * 0.8 - 4 * Math.sqrt(1500 * 0.8 * 0.2));
});

test("draws that are accurate enough together are free", () => {
  const random = seededRandom(6);
  const draws = ["0.02", "0.03"].map((rho, i) => released(count(rho), exact, random, { release: `rel_${i}` }));
  const ways = waysTo(askedFor(count("0.05")), draws, diagrams);
  expect(ways.find(({ kind }) => kind === "pooled")).toMatchObject({ cost: { epsilon: "0" }, asAccurate: true });
  expect(ways.some(({ kind }) => kind === "refined")).toBe(false);
});

test("Laplace noise is not topped up, and the reason is said", () => {
  const random = seededRandom(6);
  const laplace: StatisticRequest = { statistic: "count", epsilon: 0.1 };
  const sources = [released(laplace, exact, random)];
  const asked = askedFor({ statistic: "count", epsilon: 0.2 });
  const ways = waysTo(asked, sources, diagrams);
  expect(ways.map(({ kind, asAccurate }) => [kind, asAccurate])).toEqual([["same", false]]);
  expect(whyNoTopUp(asked, sources)).toContain("Laplace");
  expect(waysTo(askedFor({ statistic: "count", epsilon: 0.05 }), sources, diagrams)[0]?.asAccurate).toBe(true);
});

test("more than a thousand answers are reused at the confidence of their release alone, and the reason is said", () => {
  const many = { statistic: "histogram", column: "pay", bins: 300, groupBy: ["sex", "member"], epsilon: 0.1 } as const;
  const source = released(many, measured(bounded(many), people), seededRandom(6), { confidence: 0.95 });
  expect(source.noisy).toHaveLength(1200);
  const reusedAt = (confidence: number) => {
    const asked = askedFor(many, confidence);
    return [waysTo(asked, [source], diagrams).map(({ kind }) => kind), whyNotAtThis(asked, [source])];
  };
  expect(reusedAt(0.95)).toEqual([["same"], null]);
  expect(reusedAt(0.9)).toEqual([[], expect.stringContaining("intervals that hold in 95 of 100 cases")]);
});

test("many answers are made to agree in short steps", () => {
  const [count, pairs] = [
    { statistic: "count", epsilon: 0.1 },
    { statistic: "mean", column: "pay", groupBy: ["sex", "member"], epsilon: 0.1 },
  ] as const;
  const requests = [count, pairs, pairs, pairs];
  const pools = requests.map((request, at) =>
    poolOf(released(request, measured(bounded(request), people), seededRandom(at), { release: `rel_${at}` })),
  );
  const steps = consistentSteps(pools, diagrams, 0.05);
  let taken = 0;
  for (let step = steps.next(); step.done !== true; step = steps.next()) taken += 1;
  // One for each of the 13 answers, at least.
  expect(taken).toBeGreaterThan(13);
});

test("at another confidence the interval is read again from the same integers", () => {
  const source = released({ statistic: "count", epsilon: 0.1 }, exact, seededRandom(6));
  const half = (confidence: number): number => {
    const [way] = waysTo(askedFor({ statistic: "count", epsilon: 0.1 }, confidence), [source], diagrams);
    const [from, to] = way?.cells?.[0]?.interval ?? [0, 0];
    return (to - from) / 2;
  };
  expect(half(0.5)).toBeLessThan(half(0.95));
  expect(half(0.99)).toBeGreaterThan(half(0.95));
});

test("what released numbers refute is not used: a note names it to the readers of both, and the others agree still [M354]", () => {
  const requests: readonly StatisticRequest[] = [
    { statistic: "count", epsilon: 0.2 },
    { statistic: "count", epsilon: 0.2, groupBy: ["sex"] },
    { statistic: "count", epsilon: 0.2, groupBy: ["member"] },
  ];
  const [all = [], bySex = [], byMember = []] = requests.map((request) => measured(bounded(request), people));
  const agree = (exact: readonly (readonly bigint[])[], seed: number) => {
    const random = seededRandom(seed);
    const sources = requests.map((request, i) => released(request, exact[i] ?? [], random, { release: `rel_${i}` }));
    return atOnce(consistentSteps(sources.map(poolOf), diagrams, 0.05));
  };
  // Hundreds of rows have a sex that no one declared.
  const [f = 0n, m = 0n] = bySex;
  const { cells, broken } = agree([all, [f - 300n, m], byMember], 1);
  expect(broken).toHaveLength(1);
  expect(broken[0]).toMatchObject({ total: 0, parts: 1 });
  expect(broken[0]?.note).toMatch(
    /^The parts of count by sex do not add up to count: they are off by \d+, which noise explains up to \d+\. They were not made to agree with each other directly\. Are there values of sex that are not declared\?$/,
  );
  expect(cells[1]).toBeNull();
  expect(cells[0]?.[0]?.value).toBeCloseTo(
    (cells[2] ?? []).reduce((sum, { value }) => sum + value, 0),
    6,
  );
  // A table that is as declared is refuted in one of a million releases.
  for (let seed = 0; seed < 300; seed++) expect(agree([all, bySex, byMember], seed).broken).toEqual([]);
});

test("totals match their parts and means their sums, with less error than before", () => {
  const random = seededRandom(8);
  const requests: readonly StatisticRequest[] = [
    { statistic: "count", epsilon: 0.2 },
    { statistic: "count", epsilon: 0.2, groupBy: ["sex"] },
    { statistic: "sum", column: "pay", epsilon: 0.2 },
    { statistic: "mean", column: "pay", epsilon: 0.2 },
  ];
  const vectors = requests.map((request) => measured(bounded(request), people));
  let [before, after, hits] = [0, 0, 0];
  const draws = 300;
  for (let draw = 0; draw < draws; draw++) {
    const sources = requests.map((request, i) => released(request, vectors[i] ?? [], random, { release: `rel_${i}` }));
    const [all, bySex, sum, mean] = atOnce(consistentSteps(sources.map(poolOf), diagrams, 0.2)).cells;
    const [n = 0, f = 0, m = 0] = [...(all ?? []), ...(bySex ?? [])].map(({ value }) => value);
    expect(n).toBeCloseTo(f + m, 6);
    expect(mean?.[0]?.value).toBeCloseTo((sum?.[0]?.value ?? 0) / n, 6);
    before += ((sources[0]?.answer.cells[0]?.value ?? 0) - people.length) ** 2;
    after += (n - people.length) ** 2;
    const [from = 0, to = 0] = all?.[0]?.interval ?? [];
    if (from <= people.length && people.length <= to) hits += 1;
  }
  expect(after).toBeLessThan(0.8 * before);
  expect(hits).toBeGreaterThan(draws * 0.8 - 4 * Math.sqrt(draws * 0.8 * 0.2));
});

test("sums of one column on different steps are left as they are: their exact answers differ", () => {
  const random = seededRandom(4);
  const requests: readonly StatisticRequest[] = [
    { statistic: "sum", column: "pay", epsilon: 0.5 },
    { statistic: "sum", column: "pay", granularity: 50, groupBy: ["sex"], epsilon: 5 },
  ];
  const sources = requests.map((request, at) =>
    released(request, measured(bounded(request), people), random, { release: `rel_${at}` }),
  );
  expect(atOnce(consistentSteps(sources.map(poolOf), diagrams, 0.2)).cells).toEqual([null, null]);
});

test("a curve, its total and its bins agree, with less error, and the curve still rises", () => {
  const random = seededRandom(12);
  const requests: readonly StatisticRequest[] = [
    { statistic: "count", epsilon: 0.5 },
    { statistic: "histogram", column: "age", bins: 5, epsilon: 0.5 },
    { statistic: "cdf", column: "age", epsilon: 0.5 },
  ];
  const ages = people.map(({ age }) => age);
  const leaves = Array.from({ length: 100 }, (_, age) => BigInt(ages.filter((one) => one === age).length));
  const vectors = requests.map((request) =>
    request.statistic === "cdf" ? leaves : measured(bounded(request), people),
  );
  let hits = 0;
  const draws = 20;
  for (let draw = 0; draw < draws; draw++) {
    const sources = requests.map((request, i) => released(request, vectors[i] ?? [], random, { release: `rel_${i}` }));
    const [count, bins, curve] = atOnce(consistentSteps(sources.map(poolOf), diagrams, 0.2)).cells;
    const total = count?.[0]?.value ?? Number.NaN;
    expect((bins ?? []).reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(total, 6);
    expect(curve?.at(-1)?.value).toBeCloseTo(total, 6);
    expect(curve?.every(({ value }, i) => value >= (curve[i - 1]?.value ?? 0))).toBe(true);
    const half = ([low = 0, high = 0]: readonly number[] = []): number => (high - low) / 2;
    expect(half(count?.[0]?.interval)).toBeLessThan(half(sources[0]?.answer.cells[0]?.interval));
    const truth = ages.filter((age) => age < 40).length;
    const [from = 0, to = 0] = curve?.[39]?.interval ?? [];
    if (from <= truth && truth <= to) hits += 1;
  }
  expect(hits).toBeGreaterThan(draws * 0.8 - 4 * Math.sqrt(draws * 0.8 * 0.2));
});

test("quantiles that were chosen apart are put in order", () => {
  const shares: readonly StatisticRequest[] = [
    { statistic: "median", column: "age", epsilon: 0.01 },
    { statistic: "quantiles", column: "age", quantiles: [0.45, 0.55], epsilon: 0.01 },
  ];
  const ages = people.map(({ age }) => age);
  const leaves = Array.from({ length: 100 }, (_, age) => BigInt(ages.filter((one) => one === age).length));
  const random = seededRandom(5);
  let moved = 0;
  for (let draw = 0; draw < 40; draw++) {
    const sources = shares.map((request) => released(request, leaves, random));
    const [median, others] = atOnce(consistentSteps(sources.map(poolOf), diagrams, 0.05)).cells;
    const raw = sources.map(({ answer }) => answer.cells.map(({ value }) => value));
    const [low, high] = others?.map(({ value }) => value) ?? raw[1] ?? [];
    const middle = median?.[0]?.value ?? raw[0]?.[0] ?? Number.NaN;
    expect([low, middle, high]).toEqual([low, middle, high].toSorted((a, b) => Number(a) - Number(b)));
    if (median != null || others != null) moved += 1;
  }
  expect(moved).toBeGreaterThan(0);
  expect(moved).toBeLessThan(40);
});

test("sums, differences and ratios of released cells cover", () => {
  const random = seededRandom(9);
  const request: StatisticRequest = { statistic: "count", epsilon: 0.3, groupBy: ["sex"] };
  const vector = measured(bounded(request), people);
  const [f = 0, m = 0] = vector.map(Number);
  const truth = { sum: f + m, difference: f - m, ratio: f / m };
  const hits = { sum: 0, difference: 0, ratio: 0 };
  for (let draw = 0; draw < 300; draw++) {
    const source = released(request, vector, random);
    for (const operation of ["sum", "difference", "ratio"] as const) {
      const { interval, confidence } = combined(operation, { source, cell: 0 }, { source, cell: 1 }, 0.8);
      expect(confidence).toBeCloseTo(0.8);
      const [from, to] = interval;
      if (from === null || to === null || (from <= truth[operation] && truth[operation] <= to)) hits[operation] += 1;
    }
  }
  for (const hit of Object.values(hits)) expect(hit).toBeGreaterThan(300 * 0.8 - 4 * Math.sqrt(300 * 0.8 * 0.2));
  const none = combined(
    "ratio",
    { source: released(request, [5n, 0n], random), cell: 0 },
    { source: released(request, [5n, 0n], random), cell: 1 },
    0.999,
  );
  expect(none.interval).toEqual([null, null]);
});
