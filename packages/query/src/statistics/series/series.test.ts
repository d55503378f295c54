import { Exact, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { canonicalOf } from "../../../../reuse/src/canonical.ts";
import { combined } from "../../../../reuse/src/combine.ts";
import { diagramsOf } from "../../../../reuse/src/diagram.ts";
import { type Earlier, earlierOf } from "../../../../reuse/src/earlier.ts";
import { waysTo } from "../../../../reuse/src/offer.ts";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import type { SeriesTask } from "../../plan/task.ts";
import { quotePlan } from "../../quote/quote.ts";
import { mostMisses } from "../choice/ranks.kit.ts";
import { factorOf, mixed, weightsOf } from "../curve/factor.ts";
import type { Plan, StatisticRequest } from "../request.ts";
import { runningCells, runningHalfWidth } from "./running.ts";

const visits = {
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 3 },
  columns: {
    person: { type: "text" },
    seen: { type: "date", lower: "2024-01-01", upper: "2024-12-31", required: true },
    cost: { type: "integer", lower: -20, upper: 80, required: true },
    paid: { type: "integer", lower: 0, upper: 80, required: true },
    word: { type: "text" },
    member: { type: "boolean" },
  },
};
const yearly = checkDeclaration(visits);
const monthly = checkDeclaration({ ...visits, blocks: { column: "seen", every: "month", zone: "UTC" } });

const ofBlocks: StatisticRequest = { statistic: "runningCount", column: "seen", rho: 0.5 };
const count: StatisticRequest = { ...ofBlocks, bins: "month" };
const total: StatisticRequest = { statistic: "runningTotal", column: "cost", with: "seen", bins: "month", rho: 0.5 };

function bounded(request: StatisticRequest, declaration = yearly, window?: Plan["window"]) {
  const plan = { statistics: [request], ...present({ window }) };
  const [statistic] = boundPlan(plan, declaration).statistics;
  if (statistic?.task.kind !== "series") throw new Error("a series");
  return { ...statistic, task: statistic.task } as BoundedStatistic<SeriesTask>;
}

/** The rows of A·C⁻¹, A of ones on and below the diagonal, C of the factor: C⁻¹ is whole numbers over powers of c₀, with no rounding. */
function exactWeights(factor: readonly bigint[], periods: number): readonly (readonly number[])[] {
  const [first = 1n] = factor;
  const inverse: bigint[] = [1n];
  for (let at = 1; at < periods; at++) {
    let sum = 0n;
    for (let back = 1; back <= at; back++)
      sum += (factor[back] ?? 0n) * (inverse[at - back] ?? 0n) * first ** BigInt(back - 1);
    inverse.push(-sum);
  }
  const parts = inverse.map((over, at) => Number((over * 10n ** 40n) / first ** BigInt(at + 1)) / 1e40);
  return Array.from({ length: periods }, (_, row) =>
    Array.from({ length: periods }, (_, column) =>
      parts.slice(0, Math.max(0, row - column + 1)).reduce((sum, part) => sum + part, 0),
    ),
  );
}

const rootMeanSquare = (factor: readonly bigint[], periods: number): number => {
  const column = factor.reduce((sum, c) => sum + Number(c) ** 2, 0);
  const squares = exactWeights(factor, periods).map((row) => row.reduce((sum, w) => sum + w * w, 0) * column);
  return Math.sqrt(squares.reduce((a, b) => a + b, 0) / periods);
};

describe("the mechanism [M208]", () => {
  test("errors at equal price: 1.71 for 12 periods against 2.55 of periods added up, 2.05 against 4.30 for 36, 2.43 against 7.78 for 120", () => {
    expect(rootMeanSquare(factorOf("gaussian", 12), 12)).toBeCloseTo(1.7086, 4);
    expect(rootMeanSquare(factorOf("laplace", 12), 12)).toBeCloseTo(2.5495, 4);
    expect(rootMeanSquare(factorOf("gaussian", 36), 36)).toBeCloseTo(2.0488, 4);
    expect(rootMeanSquare(factorOf("laplace", 36), 36)).toBeCloseTo(4.3012, 4);
    expect(rootMeanSquare(factorOf("gaussian", 120), 120)).toBeCloseTo(2.4284, 4);
    expect(rootMeanSquare(factorOf("laplace", 120), 120)).toBeCloseTo(Math.sqrt(121 / 2), 4);
  });

  test.each(["laplace", "gaussian"] as const)("%s: the weights are those of exact elimination", (family) => {
    const periods = 24;
    const factor = factorOf(family, periods);
    const weights = weightsOf({ factor }, periods);
    exactWeights(factor, periods).forEach((row, at) => {
      row.forEach((weight, column) => {
        expect(weights[at - column] ?? 0).toBeCloseTo(weight, 12);
      });
    });
  });

  test.each([
    ["a person", yearly, undefined],
    ["a person's month", monthly, { blocks: ["2024-01 to 2024-12"] }],
  ])(
    "%s: twelve releases one after the other, each of its own row of the matrix, cost no more than the charge",
    (_, declaration, window) => {
      for (const [request, most] of [
        [count, 3n],
        [total, 3n * 80n],
      ] as const) {
        const { noise, task, events } = bounded(request, declaration, window);
        if (noise.kind !== "gaussian") throw new Error("Gaussian noise");
        const { numerator, denominator } = noise.sigma;
        for (let period = 0; period < task.bins.length; period++) {
          // What all rows of the unit in one period move in the release of each later one, as μ² in units of 10⁻¹².
          const moved = task.factor.slice(0, task.bins.length - period).map((c) => most * c);
          const spent = moved.reduce((sum, by) => sum + by * by, 0n) * denominator ** 2n * 10n ** 12n;
          expect(spent <= noise.mu2 * numerator ** 2n).toBe(true);
          if (period === 0) expect(spent * 1_000_001n > noise.mu2 * numerator ** 2n * 1_000_000n).toBe(true);
        }
        expect(events).toHaveLength(1);
        expect(noise.mu2).toBe(10n ** 12n);
      }
    },
  );

  test("rows of a unit in several periods move the integers by no more than all of them in the first", () => {
    const { task, sensitivity } = bounded(count);
    for (const places of [
      [0, 1, 2],
      [0, 0, 11],
      [0, 0, 0],
      [5, 6, 11],
    ]) {
      const totals = task.bins.map((_, at) => BigInt(places.filter((place) => place === at).length));
      const moved = mixed(totals, task);
      const squares = moved.reduce((sum, by) => sum + by * by, 0n);
      expect(squares <= sensitivity.l2Squared).toBe(true);
      expect(squares === sensitivity.l2Squared).toBe(places.every((place) => place === 0));
    }
  });
});

const months = Array.from({ length: 12 }, (_, at) => BigInt(200 + 37 * ((at * 5) % 7)));
const changes = Array.from({ length: 12 }, (_, at) => BigInt(900 * (at % 2 === 0 ? 1 : -1) + 13 * at));

function released(request: StatisticRequest, totals: readonly bigint[], seed: number, of = yearly): Earlier {
  const plan = boundPlan({ statistics: [request] }, of);
  const [statistic] = plan.statistics;
  const [answer] = addNoise(plan, new Exact([totals]), seededRandom(seed));
  if (statistic === undefined || answer === undefined) throw new Error("one answer");
  const { key } = canonicalOf(statistic, { dataset: "ds_1", version: 1, declaration: of });
  return earlierOf({ release: `rel_${seed}`, row: answer.id }, statistic, key, answer);
}

describe("answers [M208]", () => {
  test.each([
    ["counts, Gaussian noise", count, months],
    [
      "counts, Laplace noise",
      { statistic: "runningCount", column: "seen", bins: "month", epsilon: 1 } satisfies StatisticRequest,
      months,
    ],
    ["totals of both signs", total, changes],
  ])(
    "%s: intervals of totals to date and of what was added between hold as often as they say",
    (_, request, totals) => {
      const RELEASES = 400;
      const truths = totals.map((_, at) => totals.slice(0, at + 1).reduce((a, b) => a + Number(b), 0));
      const missed = { last: 0, first: 0, year: 0, month: 0 };
      const quoted = quotePlan(boundPlan({ statistics: [request] }, yearly))[0]?.accuracy.halfWidth ?? Number.NaN;
      let isBeyond = 0;
      for (let seed = 1; seed <= RELEASES; seed++) {
        const source = released(request, totals, seed);
        const { cells } = source.answer;
        const isIn = ([from, to]: readonly [number | null, number | null], truth: number): boolean =>
          (from ?? -Infinity) <= truth && truth <= (to ?? Infinity);
        const at = (cell: number) => ({ source, cell });
        const added = (from: number, to: number) => combined("difference", at(to), at(from), 0.95).interval;
        const truth = (cell: number): number => truths[cell] ?? Number.NaN;
        missed.first += Number(!isIn(cells[0]?.interval ?? [0, 0], truth(0)));
        missed.last += Number(!isIn(cells[11]?.interval ?? [0, 0], truth(11)));
        missed.year += Number(!isIn(added(2, 8), truth(8) - truth(2)));
        missed.month += Number(!isIn(added(9, 10), truth(10) - truth(9)));
        isBeyond += Number(Math.abs((cells[11]?.value ?? 0) - truth(11)) > quoted);
        if (request.statistic === "runningCount")
          expect(cells.every(({ value }, index) => value >= (cells[index - 1]?.value ?? 0))).toBe(true);
      }
      // A correct one fails with a chance of at most 1e-6 each.
      for (const misses of [...Object.values(missed), isBeyond])
        expect(misses).toBeLessThanOrEqual(mostMisses(RELEASES, 0.05));
      // And intervals are not so wide that they say nothing: 95 % of 400 would miss 20.
      if (request.rho !== undefined) expect(missed.month + missed.year).toBeGreaterThan(8);
    },
  );

  test("what was added is the difference of totals, and its noise that of the difference of their weights", () => {
    const source = released(total, changes, 7);
    const { value, interval } = combined("difference", { source, cell: 10 }, { source, cell: 9 }, 0.95);
    const [cells, weights] = [source.answer.cells, exactWeights(factorOf("gaussian", 12), 12)];
    expect(value).toBeCloseTo((cells[10]?.value ?? 0) - (cells[9]?.value ?? 0), 6);
    const { noise } = bounded(total);
    if (noise.kind !== "gaussian") throw new Error("Gaussian noise");
    const sigma = Number(noise.sigma.numerator) / Number(noise.sigma.denominator);
    const apart = Math.hypot(...(weights[10] ?? []).map((weight, at) => weight - (weights[9]?.[at] ?? 0)));
    expect(((interval[1] ?? 0) - (interval[0] ?? 0)) / 2 / (1.959964 * sigma * apart)).toBeCloseTo(1, 4);
  });

  test("counts of ranges of periods and totals of them are free, with the noise of one release", () => {
    const diagrams = diagramsOf(yearly);
    const spec = (request: StatisticRequest) => {
      const statistic = boundPlan({ statistics: [request] }, yearly).statistics[0];
      if (statistic === undefined) throw new Error("one statistic");
      const { key } = canonicalOf(statistic, { dataset: "ds_1", version: 1, declaration: yearly });
      return { statistic, key, confidence: 0.95, rows: 5000 };
    };
    const spring = "seen between '2024-03-01' and '2024-05-31'";
    const [counted] = waysTo(
      spec({ statistic: "count", where: spring, epsilon: 1 }),
      [released(count, months, 3)],
      diagrams,
    );
    const truth = Number((months[2] ?? 0n) + (months[3] ?? 0n) + (months[4] ?? 0n));
    expect(counted?.kind).toBe("derived");
    expect(Math.abs((counted?.cells?.[0]?.value ?? 0) - truth)).toBeLessThan(30);
    const [added] = waysTo(
      spec({ statistic: "sum", column: "cost", where: spring, epsilon: 1 }),
      [released(total, changes, 3)],
      diagrams,
    );
    expect(added?.kind).toBe("derived");
    const same = combined(
      "difference",
      { source: released(total, changes, 3), cell: 4 },
      { source: released(total, changes, 3), cell: 1 },
      0.95,
    );
    expect(added?.cells?.[0]?.value).toBeCloseTo(same.value, 6);
    expect(added?.cells?.[0]?.interval[1]).toBeCloseTo(same.interval[1] ?? 0, 6);
    // Not of part of a month, nor of another column.
    expect(
      waysTo(
        spec({ statistic: "count", where: "seen < '2024-03-15'", epsilon: 1 }),
        [released(count, months, 3)],
        diagrams,
      ),
    ).toEqual([]);
    expect(
      waysTo(
        spec({ statistic: "sum", column: "paid", where: spring, epsilon: 1 }),
        [released(total, changes, 3)],
        diagrams,
      ),
    ).toEqual([]);
  });

  test("500 periods, the most, are read", () => {
    const statistic = bounded({ statistic: "runningCount", column: "paid", lower: 0, upper: 499, rho: 0.1 });
    expect(statistic.task.bins).toHaveLength(500);
    const ones = statistic.task.bins.map(() => 1n);
    const cells = runningCells(mixed(ones, statistic.task), statistic, 0.05);
    expect(cells.at(-1)?.value).toBe(500);
    expect(runningHalfWidth(statistic, 0.05)).toBeGreaterThan(0);
  });
});

describe("what is asked", () => {
  const refusal = (request: StatisticRequest, declaration = yearly, window?: Plan["window"]): string => {
    try {
      bounded(request, declaration, window);
    } catch (error) {
      if (error instanceof PrivacyError) return `${error.code} ${error.message}`;
      throw error;
    }
    return "accepted";
  };

  test("periods of a window are its blocks, or finer parts of them; gaps have no period", () => {
    const labels = (request: StatisticRequest, ...blocks: readonly string[]) =>
      bounded(request, monthly, { blocks }).task.bins.map(({ label }) => label);
    expect(labels(ofBlocks, "2024-03 to 2024-05")).toEqual(["2024-03", "2024-04", "2024-05"]);
    expect(labels(ofBlocks, "2024-03", "2024-07")).toEqual(["2024-03", "2024-07"]);
    expect(labels({ ...total, bins: "day" }, "2024-02")).toHaveLength(29);
    expect(labels({ ...ofBlocks, bins: "quarter" }, "2024-03 to 2024-04")).toEqual(["2024-Q1", "2024-Q2"]);
  });

  test("what cannot be put in order, has no bounds or too many periods is refused with its place", () => {
    expect(refusal({ ...count, column: "member" })).toMatch(/^UNSUPPORTED_QUERY statistics\[0\]\.column is "member"/);
    expect(refusal({ ...total, with: "word" })).toMatch(/^UNSUPPORTED_QUERY statistics\[0\]\.with is "word"/);
    expect(refusal({ ...total, with: [] })).toMatch(/^INVALID_PARAMETER statistics\[0\]\.with/);
    expect(refusal({ ...total, with: ["seen", "cost"] })).toMatch(/^INVALID_PARAMETER statistics\[0\]\.with/);
    expect(refusal({ ...total, with: "nobody" })).toMatch(/^UNKNOWN_COLUMN/);
    expect(refusal({ ...total, column: "seen", with: "cost" })).toMatch(/dates have no total/);
    expect(refusal({ ...ofBlocks, column: "paid", lower: 0, upper: 500 })).toMatch(
      /statistics\[0\]\.bins is 501, must be at most 500 periods/,
    );
    expect(refusal({ ...count, lower: "2024-09-01" }, monthly, { blocks: ["2024-03"] })).toMatch(
      /statistics\[0\]\.lower .* within the window/,
    );
    expect(refusal({ ...count, with: "cost" })).toMatch(/statistics\[0\]\.with .* absent/);
  });
});
