import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import { quotePlan } from "../quote/quote.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { addNoise } from "./add-noise.ts";

export const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  size: { assumed: 400 },
  columns: {
    age: { type: "integer", lower: 0, upper: 100 },
    pay: { type: "number", lower: -50, upper: 150, granularity: 1 },
    married: { type: "boolean" },
  },
});

/** Chance that correct intervals fail one check below: 95 % of the releases ± 5.2σ, one-sided about 1e-7. */
const leastCovered = (releases: number): number => releases * 0.95 - 5.2 * Math.sqrt(releases * 0.95 * 0.05);

interface Case {
  readonly name: string;
  readonly request: Omit<StatisticRequest, "epsilon" | "rho">;
  /** Exact integers of one cell and the answer they mean. */
  readonly measured: readonly bigint[];
  /** Where Gaussian noise is added to other integers. */
  readonly measuredForGaussian?: readonly bigint[];
  readonly truth: number;
  /** The interval is exact, not only valid: it must not cover much more than its confidence. */
  readonly tight: boolean;
  readonly people?: number;
}

const fine = 11n; // ⌈1024/100⌉
const finer = 6n; // ⌈1024/200⌉
const mean = (rows: bigint, sum: bigint, steps: bigint, factor: bigint): readonly bigint[] => [
  factor * sum,
  factor * (rows * steps - sum),
];
const cases: Case[] = [
  { name: "count", request: { statistic: "count" }, measured: [400n], truth: 400, tight: false },
  { name: "count of nobody", request: { statistic: "count" }, measured: [0n], truth: 0, tight: false },
  { name: "sum", request: { statistic: "sum", column: "pay" }, measured: [-1234n], truth: -1234, tight: true },
  {
    name: "mean in the middle",
    request: { statistic: "mean", column: "age" },
    measured: mean(400n, 20_000n, 100n, fine),
    truth: 50,
    tight: true,
  },
  {
    name: "mean near a bound",
    request: { statistic: "mean", column: "age" },
    measured: mean(400n, 400n, 100n, fine),
    truth: 1,
    tight: false,
  },
  {
    name: "mean of few people",
    request: { statistic: "mean", column: "age" },
    measured: mean(12n, 400n, 100n, fine),
    truth: 400 / 12,
    tight: false,
    people: 12,
  },
  {
    name: "mean of signed values",
    request: { statistic: "mean", column: "pay" },
    measured: mean(400n, 24_000n, 200n, finer),
    truth: 10,
    tight: true,
  },
];
const about = (values: readonly bigint[], steps: bigint): readonly bigint[] => [
  values.reduce((sum, t) => sum + (steps - t) ** 2n, 0n),
  values.reduce((sum, t) => sum + 2n * t * (steps - t), 0n),
  values.reduce((sum, t) => sum + t ** 2n, 0n),
];
/** 5T², 5Tc and 4(2c² − T²) with c = 2t − T [M119]. */
const centred = (values: readonly bigint[], steps: bigint): readonly bigint[] => [
  5n * steps * steps * BigInt(values.length),
  values.reduce((sum, t) => sum + 5n * steps * (2n * t - steps), 0n),
  values.reduce((sum, t) => sum + 4n * (2n * (2n * t - steps) ** 2n - steps * steps), 0n),
];
const spreadOut = Array.from({ length: 400 }, (_, i) => BigInt(i % 101));
const squared = (values: readonly bigint[]): number => {
  const numbers = values.map(Number);
  const middle = numbers.reduce((a, b) => a + b, 0) / numbers.length;
  return numbers.reduce((sum, x) => sum + (x - middle) ** 2, 0) / numbers.length;
};
const alike = Array.from({ length: 400 }, () => 30n);
for (const [name, values, people] of [
  ["of people spread out", spreadOut, 400],
  ["of people all alike", alike, 400],
  ["of few people", spreadOut.slice(20, 32), 12],
] as const) {
  const measured = about(values, 100n);
  const measuredForGaussian = centred(values, 100n);
  cases.push(
    {
      name: `variance ${name}`,
      request: { statistic: "variance", column: "age" },
      measured,
      measuredForGaussian,
      truth: squared(values),
      tight: false,
      people,
    },
    {
      name: `standard deviation ${name}`,
      request: { statistic: "standardDeviation", column: "age" },
      measured,
      measuredForGaussian,
      truth: Math.sqrt(squared(values)),
      tight: false,
      people,
    },
  );
}
const prices = [{ epsilon: "0.1" }, { epsilon: 1 }, { rho: 0.02 }];

/** Tests intervals and quoted errors over many releases; `spreads` of them for variances, which take longest. */
export function coverageKit({ spreads }: { readonly spreads: number }): void {
  describe.each(prices)("at %j", (price) => {
    test.each(cases)(
      "$name: intervals and quoted errors hold as often as they say",
      ({ request, measured: plain, measuredForGaussian, truth, tight, people }) => {
        const measured = "rho" in price ? (measuredForGaussian ?? plain) : plain;
        const bounded = boundPlan({ statistics: [{ ...request, ...price }] }, declaration);
        const random = seededRandom(20_261_121);
        const releases = measured.length === 3 ? spreads : 1000;
        const half = quotePlan(bounded, { people: people ?? 400 })[0]?.accuracy.halfWidth ?? Number.NaN;
        let [covered, near] = [0, 0];
        for (let i = 0; i < releases; i++) {
          const cell = addNoise(bounded, new Exact([measured]), random)[0]?.cells[0];
          if (cell === undefined) throw new Error("one cell");
          const [from, to] = cell.interval;
          expect(from).toBeLessThanOrEqual(to);
          if (from <= truth && truth <= to) covered += 1;
          if (Math.abs(cell.value - truth) <= half * (1 + 1e-12)) near += 1;
        }
        expect(covered).toBeGreaterThanOrEqual(leastCovered(releases));
        expect(near).toBeGreaterThanOrEqual(leastCovered(releases));
        if (tight) expect(covered).toBeLessThan(releases * 0.975);
      },
    );
  });
}
