import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { refusalText } from "../../../../../test/refusal.kit.ts";
import { vectorOf } from "../../../../engines/src/sql/measure.ts";
import { isDerivable } from "../../../../reuse/src/derive.ts";
import { viewsOf } from "../../../../reuse/src/views.ts";
import { addNoise } from "../../answer/add-noise.ts";
import { spareDraws } from "../../answer/draw.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { foundBytesOf } from "../../bind/limits.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import { unitsToPublish } from "../../noise/key-selection.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import { atOnce } from "../../plan/steps.ts";
import { binsOf } from "../../plan/task.ts";
import { isChosen } from "../../plan/task-kinds.ts";
import { eventsOf, quotePlan, quoteStatistic } from "../../quote/quote.ts";
import type { StatisticRequest } from "../request.ts";

const people = (more: object = {}) =>
  checkDeclaration({
    name: "people",
    source: { csv: "people.csv" },
    privacyUnit: "row",
    size: { assumed: 1000 },
    columns: {
      person: { type: "text" },
      age: { type: "integer", lower: 0, upper: 100 },
      size: { type: "number" },
      debt: { type: "integer" },
      word: { type: "text" },
      state: { type: "category", categories: Array.from({ length: 50 }, (_, i) => `s${i}`) },
      sex: { type: "category", categories: ["f", "m"] },
    },
    ...more,
  });
const visits = people({ privacyUnit: { column: "person" }, contribution: { groups: 10, rowsPerGroup: 3 } });
const one = (request: StatisticRequest, declaration = people()) => {
  const plan = boundPlan({ statistics: [request] }, declaration);
  const [statistic] = plan.statistics;
  if (statistic === undefined) throw new Error("no statistic");
  return { plan, statistic };
};
const refusal = (request: StatisticRequest, declaration = people()): string =>
  refusalText(() => boundPlan({ statistics: [request] }, declaration));
const leastHeld = (releases: number): number => releases * 0.95 - 5.2 * Math.sqrt(releases * 0.95 * 0.05);

describe("groups that no one declared [M114]", () => {
  const select = { groupBy: ["word"], keys: "select", delta: "0.000001" } as const;

  test("the price is split, and all of it is charged", () => {
    const { plan, statistic } = one({ statistic: "mean", column: "age", ...select, epsilon: 1 });
    expect(statistic.events).toEqual([
      { kind: "approximate", epsilon: "0.25", delta: "0.000001" },
      { kind: "pure", epsilon: "0.75" },
    ]);
    expect(quoteStatistic(statistic, plan, 1000).cost).toEqual({ epsilon: "1", delta: "0.000001" });
    const third = one({ statistic: "count", ...select, keyShare: "1/3", epsilon: 1 }).statistic;
    expect(third.events).toMatchObject([{ epsilon: "0.333333333333" }, { epsilon: "0.666666666667" }]);
    const gaussian = one({ statistic: "count", ...select, rho: 0.02 }).statistic;
    expect(gaussian.events).toMatchObject([
      { kind: "gaussian" },
      { kind: "approximate", epsilon: "0", delta: "0.000001" },
      { kind: "gaussian" },
    ]);
    expect(quoteStatistic(gaussian, plan, 1000).cost).toEqual({ rho: "0.02", muSquared: "0.04", delta: "0.000001" });
  });

  test("who can change how many keys follows from the bounds and the neighbours [M112]", () => {
    const request = { statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 } as const;
    expect(one(request).statistic.keys).toMatchObject({ changes: 1, rule: { kind: "truncated" }, counts: true });
    expect(one(request, visits).statistic.keys).toMatchObject({ changes: 10, rule: { kind: "gaussian" } });
    expect(one(request, people({ adjacency: "replace" })).statistic.keys).toMatchObject({ changes: 2 });
    expect(one({ ...request, column: "sex" }).statistic.keys).toMatchObject({ among: ["f", "m"] });
    expect(one(request).statistic.events).toEqual([{ kind: "approximate", epsilon: "1", delta: "0.000001" }]);
  });

  test("a quote says which values will be seen, and for how many people the error is", () => {
    const quote = (request: StatisticRequest) => quotePlan(one(request).plan)[0]?.sentence;
    expect(quote({ statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 })).toBe(
      "Each answer will be within ± 3 in 95 of 100 cases. A value that about 15 people share is published half of the time, one of 19 in 99 cases of 100; one of a single person, over all values, with probability at most 0.000001. One that is only just published is likely to have fewer than its count says: its interval reaches down. That is paid from the part of δ kept for selecting: a tenth, unless the ledger was opened otherwise.",
    );
    const planes = people({ unitNoun: { one: "plane", many: "planes" } });
    const ofPlanes = quotePlan(one({ statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 }, planes).plan);
    expect(ofPlanes[0]?.sentence).toMatch(
      /A value that about 15 planes share .* one of a single plane, over all values/,
    );
    expect(quote({ statistic: "mean", column: "age", ...select, epsilon: 4 })).toMatch(
      /^If there are about \d+ people in the group, each answer will be within ±/,
    );
    expect(quote({ statistic: "keyCounts", column: "word", epsilon: 0.005, delta: 1e-6 })).toMatch(
      /At this price it says nothing, measured by [^.]+\. Useful from ε = 0\.0\d+\.$/,
    );
  });

  test.each<[StatisticRequest, string]>([
    [{ statistic: "keyCounts", column: "word", epsilon: 1 }, "statistics[0].delta is"],
    [{ statistic: "keyCounts", column: "word", epsilon: 1, delta: 0.5 }, "statistics[0].delta is 0.5"],
    [{ statistic: "keyCounts", column: "size", epsilon: 1, delta: 1e-6 }, "numbers have no values that people share"],
    [{ statistic: "keyCounts", column: "nowhere", epsilon: 1, delta: 1e-6 }, "nowhere"],
    [{ statistic: "keyCounts", column: "word", groupBy: ["sex"], epsilon: 1, delta: 1e-6 }, "statistics[0].groupBy is"],
    [{ statistic: "count", keys: "select", epsilon: 1, delta: 1e-6 }, "statistics[0].groupBy is"],
    [{ statistic: "count", keys: "select", groupBy: ["word", "sex"], epsilon: 1, delta: 1e-6 }, "must be one column"],
    [{ statistic: "count", groupBy: ["sex"], delta: 1e-6, epsilon: 1 }, "statistics[0].delta is"],
    [{ statistic: "count", ...select, atLeast: 0, epsilon: 1 }, "statistics[0].atLeast is 0"],
    [{ statistic: "count", ...select, keyShare: 1, epsilon: 1 }, "statistics[0].keyShare is 1"],
    [{ statistic: "count", ...select, keysFrom: "s0", epsilon: 1 }, "statistics[0].keysFrom is"],
    [{ statistic: "count", k: 3, epsilon: 1 }, "statistics[0].k is 3"],
    [{ statistic: "topValues", column: "sex", k: 3, epsilon: 1 }, "must be a whole number from 1 to 2"],
  ])("refused: %o", (request, message) => {
    expect(refusal(request)).toContain(message);
  });

  test("what bounding leaves out is not counted for groups that were selected within it", () => {
    expect(refusal({ statistic: "cutUnits", ...select, epsilon: 1 }, visits)).toContain("statistics[0].");
    expect(refusal({ statistic: "cutUnits", epsilon: 1 }, visits)).toBe("accepted");
  });

  test("groups of another row must be an earlier row that selects the same column", () => {
    const rows = (from: string, column = "word"): string => {
      try {
        boundPlan(
          {
            statistics: [
              { id: "a", statistic: "keyCounts", column, epsilon: 1, delta: 1e-6 },
              { id: "b", statistic: "count", groupBy: ["word"], keysFrom: from, epsilon: 1 },
            ],
          },
          people(),
        );
        return "accepted";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(rows("a")).toBe("accepted");
    expect(rows("b")).toContain("statistics[1].keysFrom is");
    expect(rows("c")).toContain("statistics[1].keysFrom is");
    expect(rows("a", "debt")).toContain("statistics[1].keysFrom is");
    const alone = one({ statistic: "count", groupBy: ["word"], keysFrom: "a", epsilon: 1 });
    expect(quotePlan(alone.plan)[0]?.sentence).toContain("The groups are those that a publishes.");
    expect(() => eventsOf(alone.plan)).toThrow("statistics[0].keysFrom is");
  });
});

describe("most frequent values [M116]", () => {
  /** Law of the first value that permute and flip takes, over all orders. */
  function lawOf(counts: readonly number[], scale: number): readonly number[] {
    const best = Math.max(...counts);
    const law = counts.map(() => 0);
    const visit = (left: readonly number[], reach: number): void => {
      for (const index of left) {
        const take = (reach / left.length) * Math.exp(((counts[index] ?? 0) - best) / scale);
        law[index] = (law[index] ?? 0) + take;
        const rest = left.filter((each) => each !== index);
        if (rest.length > 0) visit(rest, reach / left.length - take);
      }
    };
    visit(
      counts.map((_, index) => index),
      1,
    );
    return law;
  }

  test("counts that move together by one change no choice by more than e^(1/scale), others by e^(2/scale)", () => {
    const scale = 2;
    let [together, apart] = [0, 0];
    for (const counts of [
      [3, 3, 3],
      [5, 4, 0],
      [9, 1, 1],
      [2, 7, 6],
    ])
      for (let mask = 1; mask < 27; mask++) {
        const moves = [0, 1, 2].map((at) => (Math.floor(mask / 3 ** at) % 3) - 1);
        const [a, b] = [
          lawOf(counts, scale),
          lawOf(
            counts.map((count, at) => count + (moves[at] ?? 0)),
            scale,
          ),
        ];
        const ratio = Math.max(...a.map((p, at) => Math.abs(Math.log(p / (b[at] ?? 1)))));
        if (moves.every((move) => move >= 0) || moves.every((move) => move <= 0)) together = Math.max(together, ratio);
        else apart = Math.max(apart, ratio);
      }
    expect(together).toBeLessThanOrEqual(1 / scale + 1e-9);
    expect(together).toBeGreaterThan(0.9 / scale);
    expect(apart).toBeLessThanOrEqual(2 / scale + 1e-9);
    expect(apart).toBeGreaterThan(1.05 / scale);
  });

  test("the cheaper way is taken: all counts where a person has one value, choices where many and few are asked for", () => {
    const request = { statistic: "topValues", column: "state", k: 3, epsilon: 1 } as const;
    expect(one(request).statistic).toMatchObject({
      task: { k: 3, chosen: false },
      noise: { scale: { numerator: 1n } },
    });
    const { statistic } = one(request, visits);
    expect(statistic).toMatchObject({
      task: { k: 3, chosen: true },
      noise: { scale: { numerator: 3n, denominator: 1n } },
    });
    expect(statistic.events).toEqual([{ kind: "pure", epsilon: "1" }]);
    const replaced = people({ privacyUnit: { column: "person" }, contribution: { rows: 10 }, adjacency: "replace" });
    expect(one(request, replaced).statistic).toMatchObject({
      task: { chosen: true },
      noise: { scale: { numerator: 6n } },
    });
    expect(one({ ...request, k: 10 }, visits).statistic).toMatchObject({ task: { chosen: false } });
    expect(one({ ...request, epsilon: undefined, rho: 0.1 } as never, visits).statistic).toMatchObject({
      task: { chosen: false },
    });
  });

  test.each([people(), visits])("what is left out has hardly more people than what is chosen", (declaration) => {
    const { plan, statistic } = one({ statistic: "topValues", column: "state", k: 3, epsilon: "0.5" }, declaration);
    const half = quotePlan(plan)[0]?.accuracy.halfWidth ?? 0;
    const exact = Array.from({ length: 50 }, (_, i) => BigInt(10 * i));
    const random = seededRandom(116);
    let held = 0;
    for (let i = 0; i < 400; i++) {
      const cells = addNoise(plan, new Exact([exact]), random)[0]?.cells ?? [];
      expect(cells).toHaveLength(3);
      const counts = cells.map(({ group }) => 10 * Number(String(group.state).slice(1)));
      const left = Math.max(...exact.map(Number).filter((count) => !counts.includes(count)));
      if (!isChosen(statistic)) expect(cells[0]?.value).toBeGreaterThanOrEqual(cells[1]?.value ?? 0);
      else expect(cells.map(({ value }) => value)).toEqual([1, 2, 3]);
      if (left - Math.min(...counts) <= (isChosen(statistic) ? half : 4 * half)) held += 1;
    }
    expect(held).toBeGreaterThanOrEqual(leastHeld(400));
  });

  test("of values that no one declared, the largest published ones", () => {
    const { plan, statistic } = one({ statistic: "topValues", column: "word", k: 2, epsilon: 1, delta: 1e-6 });
    expect(statistic.keys?.counts).toBe(true);
    const measured = Object.assign([90n, 3n, 70n, 200n], { found: ["x", "rare", "y", "z"] });
    const [answer] = addNoise(plan, new Exact([measured]), seededRandom(1));
    expect(answer?.cells.map(({ group }) => group.word)).toEqual(["z", "x"]);
  });

  test("the largest of 500 found values with as many people: all shown are within their intervals", () => {
    const { plan } = one({ statistic: "topValues", column: "word", k: 5, epsilon: 1, delta: 1e-6 });
    const found = Array.from({ length: 500 }, (_, at) => `w${at}`);
    const exact = new Exact([Object.assign(new Array<bigint>(500).fill(100n), { found })]);
    const random = seededRandom(183);
    let held = 0;
    for (let i = 0; i < 100; i++) {
      const cells = addNoise(plan, exact, random)[0]?.cells ?? [];
      expect(cells).toHaveLength(5);
      if (cells.every(({ interval: [from, to] }) => from <= 100 && 100 <= to)) held += 1;
    }
    expect(held).toBeGreaterThanOrEqual(leastHeld(100));
  });
});

describe("ends and bounds [M115, M117]", () => {
  const leaves = (values: readonly number[]): bigint[] => {
    const counts = new Array<bigint>(101).fill(0n);
    for (const value of values) counts[value] = (counts[value] ?? 0n) + 1n;
    return counts;
  };

  test.each(["minimum", "maximum"] as const)(
    "%s: few rows lie beyond it, and it is not where no one is",
    (statistic) => {
      const { plan } = one({ statistic, column: "age", epsilon: 1 });
      const half = quotePlan(plan)[0]?.accuracy.halfWidth ?? 0;
      const values = Array.from({ length: 1000 }, (_, i) => 40 + (i % 30));
      const random = seededRandom(117);
      let [held, inside] = [0, 0];
      for (let i = 0; i < 300; i++) {
        const value = addNoise(plan, new Exact([leaves(values)]), random)[0]?.cells[0]?.value ?? 0;
        if (value >= 40 && value < 70) inside += 1;
        const beyond = values.filter((each) => (statistic === "minimum" ? each < value : each > value)).length;
        if (beyond <= half) held += 1;
      }
      expect(held).toBeGreaterThanOrEqual(leastHeld(300));
      expect(inside).toBeGreaterThanOrEqual(leastHeld(300));
      expect(half).toBeLessThan(40);
      for (const few of [[], [5]]) expect(addNoise(plan, new Exact([leaves(few)]), random)[0]?.cells).toHaveLength(1);
    },
  );

  test.each([
    ["debt", -5000, 3],
    ["size", 0.004, 700_000],
  ] as const)("bounds of %s hold all but the rows they say, whatever the noise", (column, low, high) => {
    for (const price of [{ epsilon: "0.5" }, { rho: 0.05 }]) {
      const { plan, statistic } = one({ statistic: "bounds", column, ...price });
      const values = Array.from({ length: 1000 }, (_, i) => low * (1 - i / 999) + high * (i / 999));
      const place = (value: number): number =>
        binsOf(statistic).findLastIndex((bin) => "lower" in bin && value >= bin.lower);
      const counts = binsOf(statistic).map(() => 0n);
      for (const value of values) {
        const at = Math.max(0, place(column === "debt" ? Math.round(value) : value));
        counts[at] = (counts[at] ?? 0n) + 1n;
      }
      const random = seededRandom(115);
      let [held, inside] = [0, 0];
      for (let i = 0; i < 200; i++) {
        const [lower, upper] = addNoise(plan, new Exact([counts]), random)[0]?.cells ?? [];
        if (lower?.rank === undefined || upper?.rank === undefined) throw new Error("no ranks");
        const below = values.filter((value) => Math.round(value * 1e6) < Math.round(lower.value * 1e6)).length;
        const above = values.filter((value) => value > upper.value + 1).length;
        if (below <= lower.rank && above <= upper.rank) held += 1;
        if (column === "size") expect(upper.value).toBeGreaterThan(high / 4);
        if (lower.value === -8191) inside += 1;
      }
      expect(held).toBeGreaterThanOrEqual(leastHeld(200));
      if (column === "debt") expect(inside).toBeGreaterThanOrEqual(leastHeld(200));
    }
  });

  test("bins of bounds are fixed, and no one's column gives bounds that say nothing", () => {
    const { plan, statistic } = one({ statistic: "bounds", column: "debt", epsilon: 1 });
    expect(binsOf(statistic)).toHaveLength(2 * 53 + 1);
    expect(binsOf(statistic)[53]).toMatchObject({ lower: 0, upper: 0 });
    expect(binsOf(statistic).at(-1)).toMatchObject({ upper: 2 ** 53 - 1 });
    expect(statistic.sensitivity.l1).toBe(1n);
    const unreliable = Array.from({ length: 100 }, (_, seed) => seed).filter(
      (seed) =>
        addNoise(plan, new Exact([binsOf(statistic).map(() => 0n)]), seededRandom(seed))[0]?.cells[0]?.unreliable ===
        true,
    );
    expect(unreliable.length).toBeGreaterThan(85);
    expect(refusal({ statistic: "bounds", column: "word", epsilon: 1 })).toContain("an integer or number column");
  });
});

test("a found value that is not published takes its rows alone, whatever is asked of its group", () => {
  const columns = {
    word: { type: "text" },
    pay: { type: "integer", lower: 0, upper: 60_000, required: true },
  } as const;
  const people = checkDeclaration({ name: "people", source: { csv: "people.csv" }, privacyUnit: "row", columns });
  const asked = {
    statistic: "median",
    column: "pay",
    groupBy: ["word"],
    keys: "select",
    delta: 1e-6,
    epsilon: 1,
  } as const;
  const plan = boundPlan({ statistics: [asked] }, people);
  // With all leaves of each these would be 600 million integers.
  const rows = Array.from({ length: 10_000 }, (_, at) => [
    [`w${at}`, -1, 1],
    [`w${at}`, at, 1],
  ]).flat();
  const vector = vectorOf(plan.statistics[0] as BoundedStatistic, rows);
  expect(vector).toHaveLength(10_000);
  expect(vector.cellsOf?.(7).filter((count) => count !== 0n)).toEqual([1n]);
  expect(addNoise(plan, new Exact([vector]), seededRandom(1))[0]?.cells.length).toBeLessThan(5);
});

test("drawing takes as many random words whether no value is found, some are, or all that the table may hold [M210]", () => {
  const { plan } = one({ statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 });
  const most = plan.statistics[0]?.keys?.most ?? 0;
  expect(most).toBe(2000);
  const words = (found: number): number => {
    const rows = Array.from({ length: found }, (_, at) => [`w${at}`, -1, 1]);
    const exact = new Exact([vectorOf(plan.statistics[0] as BoundedStatistic, rows)]);
    const random = seededRandom(found);
    let taken = 0;
    const counted = {
      uint32() {
        taken += 1;
        return random.uint32();
      },
    };
    addNoise(plan, exact, counted);
    atOnce(spareDraws(plan, exact, counted));
    return taken;
  };
  const [none = 0, ...others] = [0, 1000, 2000].map(words);
  // Each of 2000 draws takes some words by chance: the sums of others differ by a few in a hundred.
  for (const other of others) expect(Math.abs(other / none - 1)).toBeLessThan(0.05);
});

test("the memory that values may take follows from what is declared: texts more than numbers, cells more than counts", () => {
  const bytes = (request: StatisticRequest, more: object = {}) => foundBytesOf(one(request, people(more)).plan);
  const price = { epsilon: 1, delta: 1e-6 } as const;
  const counts = (column: string) => ({ statistic: "keyCounts", column, ...price }) as const;
  const mean = { statistic: "mean", column: "age", groupBy: ["word"], keys: "select", ...price } as const;
  expect(bytes({ statistic: "count", epsilon: 1 })).toBe(0);
  expect([bytes(counts("word")), bytes(counts("debt")), bytes(counts("state"))]).toEqual([1_924_000, 900_000, 22_500]);
  expect(bytes(mean)).toBeGreaterThan(bytes(counts("word")));
  expect(bytes(counts("word"), { mostRows: 4000 })).toBe(2 * bytes(counts("word")));
});

describe("what would make a useless answer useful", () => {
  const asked: readonly StatisticRequest[] = [
    { statistic: "count", epsilon: "0.001" },
    { statistic: "distinctUnits", groupBy: ["sex"], epsilon: "0.001" },
    { statistic: "sum", column: "age", epsilon: "0.001" },
    { statistic: "unitSum", column: "age", groupBy: ["sex"], epsilon: "0.001" },
    { statistic: "mean", column: "age", groupBy: ["sex"], epsilon: "0.001" },
    { statistic: "variance", column: "age", epsilon: "0.001" },
    { statistic: "standardDeviation", column: "age", rho: "0.000001" },
    { statistic: "median", column: "age", groupBy: ["sex"], epsilon: "0.001" },
    { statistic: "interquartileRange", column: "age", epsilon: "0.001" },
    { statistic: "quantileInterval", column: "age", epsilon: "0.001" },
    { statistic: "quantiles", column: "age", epsilon: "0.001" },
    { statistic: "minimum", column: "age", epsilon: "0.001" },
    { statistic: "histogram", column: "age", groupBy: ["sex"], epsilon: "0.01" },
    { statistic: "histogram", column: "state", rho: "0.0001" },
    { statistic: "cdf", column: "age", epsilon: "0.001" },
    { statistic: "keyCounts", column: "word", epsilon: "0.001", delta: 1e-6 },
    { statistic: "mean", column: "age", groupBy: ["word"], keys: "select", epsilon: "0.001", delta: 1e-6 },
    { statistic: "topValues", column: "state", epsilon: "0.001" },
    { statistic: "bounds", column: "debt", epsilon: "0.001" },
  ];

  test.each(asked)("%o", (request) => {
    const quote = (at: object) =>
      quotePlan(one({ ...request, ...at } as StatisticRequest).plan, { people: 1000 })[0]?.accuracy;
    const found = quote({});
    expect(found?.useless).toBe(true);
    const { cells: _, ...price } = found?.remedy ?? {};
    expect(Object.keys(price)).toEqual([request.rho === undefined ? "epsilon" : "rho"]);
    expect(quote(price)?.useless).toBe(false);
    const less = Object.fromEntries(
      Object.entries(price).map(([key, value]) => [key, (0.85 * Number(value)).toFixed(12)]),
    );
    expect(quote(less)?.useless).toBe(true);
  });

  test("fewer bins are another way", () => {
    const many = one({ statistic: "histogram", column: "age", bins: 101, epsilon: "0.1" });
    const cells = quotePlan(many.plan, { people: 1000 })[0]?.accuracy.remedy?.cells ?? 0;
    expect(cells).toBeGreaterThan(10);
    const fewer = one({ statistic: "histogram", column: "age", bins: cells, epsilon: "0.1" });
    expect(quotePlan(fewer.plan, { people: 1000 })[0]?.accuracy.useless).toBe(false);
  });
});

test("the rules publish what the quote says", () => {
  const { plan, statistic } = one({ statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 });
  const rule = statistic.keys?.rule ?? null;
  if (rule === null) throw new Error("no rule");
  const half = unitsToPublish(rule, 0.5);
  const random = seededRandom(7);
  const measured = Object.assign([BigInt(half), BigInt(2 * half), 1n], { found: ["half", "double", "one"] });
  let published = 0;
  for (let i = 0; i < 1000; i++) {
    const cells = addNoise(plan, new Exact([measured]), random)[0]?.cells ?? [];
    expect(cells.some(({ group }) => group.word === "one")).toBe(false);
    expect(cells.some(({ group }) => group.word === "double")).toBe(true);
    if (cells.length === 2) published += 1;
  }
  expect(published).toBeGreaterThan(400);
  expect(published).toBeLessThan(750);
});

test.each<StatisticRequest>([
  { statistic: "cdf", column: "age", epsilon: 1 },
  { statistic: "bounds", column: "age", epsilon: 1 },
  { statistic: "minimum", column: "age", epsilon: 1 },
  { statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 },
  { statistic: "topValues", column: "state", epsilon: 1 },
  { statistic: "count", groupBy: ["word"], keys: "select", epsilon: 1, delta: 1e-6 },
])("no sum over declared groups is derived from %o", (request) => {
  const { statistic } = one(request);
  expect(viewsOf(statistic)).toEqual({});
  const isReadOffOthers = ["cdf", "minimum", "topValues"].includes(statistic.statistic);
  expect(isDerivable(statistic)).toBe(isReadOffOthers);
});
