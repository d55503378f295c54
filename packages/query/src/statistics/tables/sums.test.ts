import { Exact, rational } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import type { TablesTask } from "../../plan/task.ts";
import { quotePlan } from "../../quote/quote.ts";
import { histogramsOf, placeIn } from "../table/histograms.ts";
import { halfWidthAt, inUnits, partIntegers, tablesFrom } from "./estimate.ts";

const category = (...categories: readonly string[]) => ({ type: "category", categories, required: true });
const declared = (pay: object, more: object = {}) =>
  checkDeclaration({
    ...{ name: "staff", source: { csv: "staff.csv" }, privacyUnit: "row" },
    columns: {
      region: category("n", "s", "w"),
      sex: category("f", "m"),
      state: category("A", "B"),
      county: { ...category("a", "b", "c"), within: { column: "state", of: { A: ["a", "b"], B: ["c"] } } },
      pay: { type: "integer", ...pay, required: true },
    },
    ...more,
  });
function boundOf(declaration: ReturnType<typeof declared>, request: object) {
  const plan = boundPlan({ statistics: [{ statistic: "tableSums", column: "pay", ...request }] }, declaration);
  return { plan, statistic: plan.statistics[0] as BoundedStatistic<TablesTask> };
}

/** What a row with these values of the columns that are read, and this many steps, adds to the counted tables. */
function counted(task: TablesTask, values: readonly number[], steps: bigint): readonly bigint[] {
  const vector = new Array<bigint>(task.cells).fill(0n);
  const read = task.columns.flatMap(({ isLevel }, at) => (isLevel === true ? [] : [at]));
  for (const histogram of histogramsOf(task)) {
    const at = (column: number): number => values[read.indexOf(column)] ?? 0;
    const cell =
      histogram.from + placeIn(histogram, task.columns, { at, next: (p, cells, value) => p * cells + value });
    vector[cell] = (vector[cell] ?? 0n) + steps;
  }
  return vector;
}

const everyCell = (task: TablesTask): readonly (readonly number[])[] =>
  task.columns
    .filter(({ isLevel }) => isLevel !== true)
    .reduce<readonly (readonly number[])[]>(
      (all, { cells }) => all.flatMap((row) => Array.from({ length: cells }, (_, value) => [...row, value])),
      [[]],
    );

const bounds = [
  ["0 to 3", 0, 3],
  ["-2 to 3", -2, 3],
  ["-3 to 1", -3, 1],
  ["-3 to -1", -3, -1],
  ["2 to 3", 2, 3],
] as const;
const asked = [
  ["one table", { tables: "region+sex" }, true],
  ["margins", { tables: "region, sex" }, true],
  // Lines of unlike length, where products are bounded and not known.
  ["counties of states", { tables: "county, state+sex" }, false],
] as const;

describe.each(asked)("%s", (_, tables, isReached) => {
  test.each(bounds)("no neighbours are further apart, and some as far: %s [M409]", (__, lower, upper) => {
    for (const adjacency of ["addRemove", "replace"] as const)
      for (const price of [{ rho: 0.5 }, { epsilon: 1 }])
        for (const rows of [1, 2]) {
          const unit = { adjacency, privacyUnit: { column: "who" }, contribution: { rows } };
          const { columns } = declared({ lower, upper });
          const withWho = { ...unit, columns: { ...columns, who: { type: "integer", required: true } } };
          const { statistic } = boundOf(declared({ lower, upper }, withWho), { ...tables, ...price });
          const { task, sensitivity } = statistic;
          // Every row: absent, or in any cell with any value.
          const rowsOf = everyCell(task).flatMap((cell) =>
            Array.from({ length: upper - lower + 1 }, (___, at) =>
              partIntegers(counted(task, cell, BigInt(lower + at)), task),
            ),
          );
          const none = rowsOf[0]?.map(() => 0n) ?? [];
          const one = [none, ...rowsOf];
          // Two rows of a unit: the extreme ones are alike, and a few that are not are tried too.
          const units =
            rows === 1
              ? one
              : one.flatMap((a, at) =>
                  [a, one[(at * 5) % one.length] ?? a].map((b) => a.map((x, i) => x + (b[i] ?? 0n))),
                );
          const others = adjacency === "addRemove" ? [none] : [none, ...units];
          const most = { l1: 0n, l2Squared: 0n, linf: 0n };
          for (const here of units)
            for (const there of others) {
              const apart = here.map((x, i) => x - (there[i] ?? 0n));
              const sizes = apart.map((x) => (x < 0n ? -x : x));
              const l1 = sizes.reduce((sum, x) => sum + x, 0n);
              const l2 = sizes.reduce((sum, x) => sum + x * x, 0n);
              if (l1 > most.l1) most.l1 = l1;
              if (l2 > most.l2Squared) most.l2Squared = l2;
              for (const x of sizes) if (x > most.linf) most.linf = x;
            }
          const at = `${JSON.stringify(price)} ${adjacency} ${rows}`;
          expect(most.l2Squared <= sensitivity.l2Squared, at).toBe(true);
          expect(most.l1 <= sensitivity.l1 && most.linf <= sensitivity.linf, at).toBe(true);
          if (isReached || "epsilon" in price) expect(most.l2Squared, at).toBe(sensitivity.l2Squared);
          if ("epsilon" in price) expect([most.l1, most.linf], at).toEqual([sensitivity.l1, sensitivity.linf]);
        }
  });
});

test.each(["rho", "epsilon"] as const)("totals are right on average and their intervals hold: %s [M409]", (price) => {
  const { plan, statistic } = boundOf(declared({ lower: -5, upper: 20, type: "number", granularity: 0.5 }), {
    ...{ tables: "county+sex, state", [price]: 0.5 },
    ...(price === "rho" ? { weights: "largest" } : {}),
  });
  const { task } = statistic;
  const sums = new Array<bigint>(task.cells).fill(0n);
  for (let row = 0; row < 90; row++) {
    const value = { county: row % 3, sex: (row >> 1) % 2, state: row % 3 === 2 ? 1 : 0 };
    const cell = task.columns.flatMap(({ name, isLevel }) => (isLevel ? [] : [value[name as keyof typeof value]]));
    counted(task, cell, BigInt((row % 51) - 10)).forEach((x, at) => {
      sums[at] = (sums[at] ?? 0n) + x;
    });
  }
  const truth = tablesFrom(partIntegers(sums, task), task).flatMap((cells) => cells.map((x) => inUnits(x, task)));
  // 0.5 a step: all of it is what the rows add up to.
  expect(truth[0]).toBeCloseTo(Array.from({ length: 90 }, (_, row) => (row % 51) - 10).reduce((a, b) => a + b) / 2, 6);
  const random = seededRandom(520_409);
  const DRAWS = 600;
  const [missed, added] = [truth.map(() => 0), truth.map(() => 0)];
  const halves: number[] = [];
  for (let draw = 0; draw < DRAWS; draw++)
    addNoise(plan, new Exact([sums]), random)[0]?.cells.forEach(({ value, interval: [low, high] }, at) => {
      const total = truth[at] ?? Number.NaN;
      halves[at] = (high - low) / 2;
      added[at] = (added[at] ?? 0) + value - total;
      if (!(low <= total && total <= high)) missed[at] = (missed[at] ?? 0) + 1;
    });
  // Binomial(600, 0.05) is above 66 with a chance of 10⁻⁹, and a mean of 600 more than a quarter of 1.96 σ off with less.
  expect(Math.max(...missed)).toBeLessThanOrEqual(66);
  added.forEach((sum, at) => {
    expect(Math.abs(sum / DRAWS)).toBeLessThan((halves[at] ?? 0) / 4);
  });
});

test.each([0.4, 3, 8])(
  "noise of which one part is large is as rarely beyond as stated, and less far than one alone: scale %d [M410]",
  (scale) => {
    const { noise: drawn } = boundOf(declared({ lower: 0, upper: 1 }), { tables: "sex", epsilon: 1 }).statistic;
    if (drawn.kind !== "laplace") throw new Error("laplace");
    const noise = { ...drawn, scale: rational(BigInt(Math.round(scale * 10)), 10n) };
    const p = Math.exp(-1 / scale);
    const most = Math.ceil(30 * scale) + 3;
    const places = Array.from({ length: 2 * most + 1 }, (_, at) => at - most);
    const chance = (k: number): number => ((1 - p) / (1 + p)) * p ** Math.abs(k);
    // Its own weight is all its squares by least squares; alone is 1.
    for (const beta of [0.05, 0.001])
      for (const m of [0.52, 0.6, 0.8, 0.95, 0.99])
        expect(halfWidthAt(noise, { squares: m, largest: m }, beta)).toBeLessThan(
          scale * Math.log(2 / ((1 + p) * beta)),
        );
    for (const beta of [0.05, 0.001])
      for (const [m, w] of [
        [0.95, 0.2],
        [0.8, 0.4],
        [0.6, 0.48],
      ] as const) {
        const half = halfWidthAt(noise, { squares: m * m + w * w, largest: m }, beta);
        let beyond = 0;
        for (const k of places)
          for (const j of places) if (Math.abs(m * k + w * j) > half) beyond += chance(k) * chance(j);
        expect(beyond).toBeLessThanOrEqual(beta);
      }
  },
);

test.each([{ epsilon: 1e-5 }, { epsilon: 50 }, { rho: 1e-10 }, { rho: 1000 }])(
  "answers at the ends of prices are finite and hold: %j",
  (price) => {
    const { plan, statistic } = boundOf(declared({ lower: -5, upper: 20 }), { tables: "county+sex, state", ...price });
    const sums = new Array<bigint>(statistic.task.cells).fill(7n);
    const [answer] = addNoise(plan, new Exact([sums]), seededRandom(3));
    for (const { value, interval } of answer?.cells ?? [])
      for (const number of [value, ...interval]) expect(Number.isFinite(number)).toBe(true);
    const [[low, high] = [1, 0]] = (answer?.cells ?? []).map(({ interval }) => interval);
    expect(low <= high).toBe(true);
  },
);

test("an error is compared with the rows of a cell, as that of a sum of each is", () => {
  const declaration = declared({ lower: 0, upper: 10 }, { size: { assumed: 600 } });
  const price = { column: "pay", rho: 0.5 } as const;
  const statistics = [
    { statistic: "tableSums", tables: "region+sex", ...price },
    { statistic: "sum", groupBy: ["region", "sex"], ...price },
  ] as const;
  const [together, each] = quotePlan(boundPlan({ statistics }, declaration)).map(({ accuracy }) => accuracy.scale);
  expect(together).toEqual(each);
  expect(each?.useless).toBe(50);
});
