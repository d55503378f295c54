import { Exact } from "@dosimeter/core";
import { laplaceSampler } from "@dosimeter/core/internal";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { addNoise } from "../../answer/add-noise.ts";
import { quantileOfCdf } from "../../answer/quantile-of-cdf.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import { quotePlan } from "../../quote/quote.ts";
import type { StatisticRequest } from "../request.ts";
import { shareOf, weightedHalfWidth } from "./cdf.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  size: { assumed: 2000 },
  columns: {
    age: { type: "integer", lower: 0, upper: 100 },
    pay: { type: "number", lower: 0, upper: 200_000, granularity: 1 },
    sex: { type: "category", categories: ["f", "m"] },
  },
});
const ask = (more: Partial<StatisticRequest>) =>
  boundPlan({ statistics: [{ statistic: "cdf", column: "age", ...more } as StatisticRequest] }, declaration);
const counts = (values: readonly number[], leaves = 101): bigint[] => {
  const leaf = new Array<bigint>(leaves).fill(0n);
  for (const value of values) leaf[value] = (leaf[value] ?? 0n) + 1n;
  return leaf;
};
const ages = Array.from({ length: 2000 }, (_, i) => (i * i + 7 * i) % 90);

describe("cumulative counts [M111]", () => {
  test("a plan says what the tree costs: every row once a level", () => {
    const [statistic] = ask({ epsilon: "0.5" }).statistics;
    expect(statistic?.task).toMatchObject({ kind: "curve", shape: { fanOut: 16, sizes: [7, 101] } });
    expect(statistic?.sensitivity).toEqual({ l1: 2n, l2Squared: 2n, linf: 1n });
    expect(statistic?.events).toEqual([{ kind: "pure", epsilon: "0.5" }]);
    expect(statistic?.noise).toMatchObject({ scale: { numerator: 4n, denominator: 1n } });
    const [gaussian] = ask({ rho: 0.01 }).statistics;
    expect(gaussian?.events).toMatchObject([{ kind: "gaussian" }]);
    const [fine] = ask({ column: "pay", bins: 65_536, epsilon: 1 }).statistics;
    expect(fine?.task).toMatchObject({ ticksPerLeaf: 4n, leaves: 50_001 });
    expect(() => ask({ bins: 1, epsilon: 1 })).toThrow(
      "statistics[0].bins is 1, must be a whole number from 2 to 65536",
    );
  });

  test.each([{ epsilon: "0.1" }, { epsilon: 1 }, { rho: 0.01 }])(
    "at %j: intervals, the whole curve and quantiles hold as often as they say",
    (price) => {
      const plan = ask(price);
      const half = quotePlan(plan)[0]?.accuracy.halfWidth ?? Number.NaN;
      const random = seededRandom(111);
      const exact = new Exact([counts(ages)]);
      const truth = Array.from({ length: 101 }, (_, age) => ages.filter((each) => each <= age).length);
      const sorted = ages.toSorted((a, b) => a - b);
      const trueMedian = sorted[Math.ceil(0.5 * sorted.length) - 1] ?? 0;
      const releases = 160;
      const held = { curve: 0, cells: 0, median: 0 };
      for (let i = 0; i < releases; i++) {
        const [answer] = addNoise(plan, exact, random);
        if (answer === undefined) throw new Error("no answer");
        const { cells } = answer;
        expect(cells).toHaveLength(101);
        expect(cells.every(({ value }, at) => value >= 0 && value >= (cells[at - 1]?.value ?? 0))).toBe(true);
        expect(cells.every(({ value, interval: [from, to] }) => from <= value && value <= to)).toBe(true);
        if (cells.every(({ value }, at) => Math.abs(value - (truth[at] ?? 0)) <= half)) held.curve += 1;
        held.cells += cells.filter(
          ({ interval: [from, to] }, at) => from <= (truth[at] ?? 0) && (truth[at] ?? 0) <= to,
        ).length;
        const median = quantileOfCdf(answer, 0.5);
        if (median.interval[0] <= trueMedian && trueMedian <= median.interval[1]) held.median += 1;
        expect(answer.simultaneous).toBe(half);
      }
      // 5σ below 95 %.
      const least = releases * 0.95 - 5 * Math.sqrt(releases * 0.95 * 0.05);
      expect(held.curve).toBeGreaterThanOrEqual(least);
      expect(held.median).toBeGreaterThanOrEqual(least);
      expect(held.cells / 101).toBeGreaterThanOrEqual(least);
    },
  );

  test("its error falls with the price, rises with the steps, and of each total is no larger than that of a running count [M377]", () => {
    const halfOf = (more: Partial<StatisticRequest>): number =>
      quotePlan(
        boundPlan({ statistics: [{ statistic: "cdf", column: "pay", ...more } as StatisticRequest] }, declaration),
      )[0]?.accuracy.halfWidth ?? Number.NaN;
    for (const name of ["epsilon", "rho"] as const) {
      for (const bins of [2, 16, 700]) {
        const errors = [0.01, 0.1, 0.5, 1, 1.01, 2, 4, 4.1, 8, 100].map((price) => halfOf({ bins, [name]: price }));
        expect(errors).toEqual(errors.toSorted((a, b) => b - a));
      }
      const errors = [2, 4, 8, 15, 16, 17, 32, 64, 256, 500, 501, 1024].map((bins) => halfOf({ bins, [name]: 0.5 }));
      expect(errors).toEqual(errors.toSorted((a, b) => a - b));
    }
    const [curve, running] = [{ statistic: "cdf" }, { statistic: "runningCount" }].map((asked) => {
      const plan = boundPlan(
        { statistics: [{ ...asked, column: "pay", bins: 16, rho: 0.5 } as StatisticRequest] },
        declaration,
      );
      const [answer] = addNoise(plan, new Exact([new Array<bigint>(16).fill(1000n)]), seededRandom(5));
      return (answer?.cells ?? []).map(({ interval: [from, to] }) => to - from);
    });
    expect(curve).toHaveLength(16);
    curve?.forEach((width, at) => {
      expect(width).toBeLessThan((running?.[at] ?? 0) + 1);
    });
    // The whole curve at once: 22.2 as a flat list of counts.
    expect(halfOf({ bins: 16, rho: 0.5 })).toBeLessThan(5.8);
  });

  test("without noise to speak of the curve is exact, and so is every quantile of it", () => {
    const [answer] = addNoise(ask({ epsilon: 1000 }), new Exact([counts(ages)]), seededRandom(1));
    if (answer === undefined) throw new Error("no answer");
    const sorted = ages.toSorted((a, b) => a - b);
    for (const share of [0.001, 0.1, 0.25, 0.5, 0.75, 0.999, 1])
      expect(quantileOfCdf(answer, share)).toMatchObject({ value: sorted[Math.ceil(share * 2000) - 1] });
    expect(answer.cells.at(-1)?.value).toBe(2000);
    expect(answer.cells[30]?.bin).toEqual({ label: "≤ 30", lower: 30, upper: 30 });
    expect(answer.cells.flatMap(({ noisy }) => noisy)).toHaveLength(108);
  });

  test("case 25, 26: a constant column, an empty one, shares beyond their range", () => {
    const plan = ask({ epsilon: 1, groupBy: ["sex"] });
    const [answer] = addNoise(plan, new Exact([[...counts(new Array(500).fill(40)), ...counts([])]]), seededRandom(2));
    if (answer === undefined) throw new Error("no answer");
    expect(quantileOfCdf(answer, 0.5, { sex: "f" })).toMatchObject({ value: 40 });
    expect(quantileOfCdf(answer, 0.5, { sex: "m" }).unreliable).toBe(true);
    expect(() => quantileOfCdf(answer, 1.5, { sex: "f" })).toThrow("share is 1.5");
    expect(() => quantileOfCdf(answer, 0.5, { sex: "x" })).toThrow("group is");
    expect(() => quantileOfCdf({ ...answer, statistic: "count" }, 0.5)).toThrow("must be an answer of cdf");
  });

  test("the tail of a weighted sum is bounded, not missed by much", () => {
    const random = seededRandom(3);
    const plan = ask({ epsilon: "0.2" });
    const noise = plan.statistics[0]?.noise;
    if (noise?.kind !== "laplace") throw new Error("laplace");
    const draw = laplaceSampler(noise.scale);
    const draws = Array.from({ length: 20_000 }, () =>
      Array.from({ length: 16 }, () => Number(draw(random))).reduce((a, b) => a + b, 0),
    ).map(Math.abs);
    for (const beta of [0.2, 0.05, 0.01]) {
      const half = weightedHalfWidth(noise, 16, beta);
      const beyond = draws.filter((draw) => draw > half).length / draws.length;
      expect(beyond).toBeLessThanOrEqual(beta);
      expect(weightedHalfWidth(noise, 16, 4 * beta)).toBeLessThan(half);
    }
    expect(draws.toSorted((a, b) => a - b)[Math.floor(0.95 * draws.length)]).toBeGreaterThan(
      weightedHalfWidth(noise, 16, 0.05) / 1.8,
    );
  });
});

test("a share is marked where its curve is, and never by how wide its interval is: that would select [M352]", () => {
  const steps = Array.from({ length: 10 }, (_, at) => ({ start: at, end: at + 1, value: 10 * (at + 1) }));
  const widest = shareOf({ steps, off: 60, isMarked: false }, 0.5);
  expect(widest).toMatchObject({ interval: [0, 10] });
  expect(widest.unreliable).toBeUndefined();
  expect(shareOf({ steps, off: 1, isMarked: true }, 0.5).unreliable).toBe(true);
});
