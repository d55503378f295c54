import { Exact, PrivacyError } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import type { BoundedStatistic, NoiseFamily } from "../../plan/bounded.ts";
import type { TableColumn, TablesTask } from "../../plan/task.ts";
import { cellsIn } from "../../plan/task-kinds.ts";
import { quotePlan } from "../../quote/quote.ts";
import type { StatisticRequest } from "../request.ts";
import { halfWidthsOf, partIntegers, spreadsOf, tablesFrom } from "./estimate.ts";
import { answeredOf, columnsIn, largestOf, setOf, within } from "./sets.ts";
import { movesBy, partsOf, type Weights } from "./strategy.ts";
import { cpuOf, dot, type Fraction, fraction, identity, kronecker, shareOf, solved, toNumber } from "./tables.kit.ts";

const SIZES = [3, 4, 2];
const columnsOf = (sizes: readonly number[]): readonly TableColumn[] =>
  sizes.map((cells, at) => ({ name: `c${at}`, type: "category", bins: [], hasMissing: false, cells }));

/** Tables of columns of these sizes, as a request makes them. */
function tablesOf(
  sizes: readonly number[],
  asked: readonly (readonly number[])[],
  {
    weights,
    family = "gaussian",
    adjacency = "addRemove",
  }: {
    readonly weights?: readonly number[] | "largest";
    readonly family?: NoiseFamily;
    readonly adjacency?: "addRemove" | "replace";
  } = {},
): TablesTask {
  const columns = columnsOf(sizes);
  const sets = asked.map(setOf);
  const given: Weights = weights === "largest" ? weights : new Map(sets.map((set, at) => [set, weights?.[at] ?? 1]));
  const counted = largestOf(sets).map(columnsIn);
  const cells = counted.reduce((sum, table) => sum + table.reduce((all, at) => all * (sizes[at] ?? 1), 1), 0);
  return {
    kind: "tables",
    columns,
    asked,
    counted,
    cells,
    answers: 0,
    ...partsOf(columns, sets, { weights: given, family, adjacency }),
  };
}

/** The matrix of the sums of a table, or of what it adds, over all cells of the columns together. */
const matrixOf = (sizes: readonly number[], set: number, isResidual: boolean): readonly (readonly bigint[])[] =>
  kronecker(
    sizes.map((size, at) =>
      ((set >> at) & 1) === 0
        ? [new Array<bigint>(size).fill(1n)]
        : identity(size, (i, j) => (isResidual ? (i === j ? BigInt(size) : 0n) - 1n : i === j ? 1n : 0n)),
    ),
  );
const times = (matrix: readonly (readonly bigint[])[], x: readonly bigint[]): readonly bigint[] =>
  matrix.map((row) => row.reduce((sum, value, at) => sum + value * (x[at] ?? 0n), 0n));

/** What an engine counts of these cells. */
const countedIn = ({ counted }: TablesTask, sizes: readonly number[], x: readonly bigint[]): readonly bigint[] =>
  counted.flatMap((table) => times(matrixOf(sizes, setOf(table), false), x));

const EVERY = Array.from({ length: 7 }, (_, at) => columnsIn(at + 1));
const settings = [
  ["every table", EVERY],
  ["one table", [[0, 1, 2]]],
  [
    "pairs",
    [
      [0, 1],
      [0, 2],
      [1, 2],
    ],
  ],
  [
    "a chain",
    [
      [0, 1],
      [1, 2],
    ],
  ],
  ["nested", [[0], [0, 1], [2]]],
] as const;
const families = ["gaussian", "laplace"] as const;

describe.each(settings)("3 × 4 × 2, %s", (_, asked) => {
  test.each(families)(
    "integers, estimates and variances are those of all linear algebra in fractions: %s [M397, M398]",
    (family) => {
      const task = tablesOf(SIZES, asked, { family, weights: asked.map((__, at) => 1 + at) });
      const x = Array.from({ length: 24 }, (__, at) => BigInt((at * at * 7 + 3 * at) % 23));
      const rows = task.parts.flatMap(({ columns, times: q }) =>
        matrixOf(SIZES, setOf(columns), task.isResidual).map((row) => row.map((value) => value * q)),
      );
      const exact = times(rows, x);
      expect(partIntegers(countedIn(task, SIZES, x), task)).toEqual(exact);
      const noisy = exact.map((value, at) => value + BigInt(((at * 37) % 11) - 5) * 1000n);
      const toFractions = (row: readonly bigint[]): readonly Fraction[] => row.map((value) => fraction(value));
      const gram = identity(24).map((__, i) =>
        toFractions(identity(24).map((___, j) => rows.reduce((sum, row) => sum + (row[i] ?? 0n) * (row[j] ?? 0n), 0n))),
      );
      const right = Array.from({ length: 24 }, (__, i) =>
        fraction(rows.reduce((sum, row, at) => sum + (row[i] ?? 0n) * (noisy[at] ?? 0n), 0n)),
      );
      const tables = answeredOf(task).map((table) => matrixOf(SIZES, table, false).map(toFractions));
      const [best = [], ...solutions] = solved(gram, [right, ...tables.map(([first = []]) => first)]);
      const found = tablesFrom(noisy, task);
      tables.forEach((sums, at) => {
        for (const [cell, sum] of sums.entries()) expect(found[at]?.[cell]).toBeCloseTo(toNumber(dot(sum, best)), 4);
        const [first = []] = sums;
        const variance = toNumber(dot(first, solutions[at] ?? []));
        expect((spreadsOf(task)[at]?.squares ?? 0) / variance).toBeCloseTo(1, 10);
      });
    },
  );

  test.each(["addRemove", "replace"] as const)(
    "no neighbours are further apart, and some as far: %s [M395, M396, M399]",
    (adjacency) => {
      for (const family of families) {
        const task = tablesOf(SIZES, asked, { family, adjacency });
        const vectors = identity(24).map((cell) => partIntegers(countedIn(task, SIZES, cell), task));
        const products = vectors.map((a) =>
          vectors.map((b) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0n), 0n)),
        );
        // What a unit of up to two rows can add: nothing, one row, or two in any cells.
        const places = [...vectors.keys()];
        const units = [[], ...places.flatMap((a) => [[a], ...places.slice(a).map((b) => [a, b])])];
        for (const rows of [1, 2]) {
          const possible = units.filter(({ length }) => length <= rows);
          const most = possible.reduce((largest, here) => {
            const others = adjacency === "addRemove" ? [[]] : possible;
            return others.reduce((all, there) => {
              const signed = [...here.map((at) => [at, 1n] as const), ...there.map((at) => [at, -1n] as const)];
              let square = 0n;
              for (const [a, s] of signed) for (const [b, t] of signed) square += s * t * (products[a]?.[b] ?? 0n);
              return square > all ? square : all;
            }, largest);
          }, 0n);
          expect(movesBy(task, rows, adjacency).l2Squared).toBe(most);
        }
        const norms = vectors.map((vector) => vector.map((value) => (value < 0n ? -value : value)));
        const { l1, linf } = movesBy(task, 1, "addRemove");
        for (const norm of norms) {
          expect(norm.reduce((sum, value) => sum + value, 0n)).toBe(l1);
          expect(norm.reduce((largest, value) => (value > largest ? value : largest))).toBe(linf);
        }
      }
    },
  );
});

test("the closed form: price and variance of the paper, and no split of the price is better [M395, M397]", () => {
  const task = tablesOf(SIZES, EVERY, { weights: [1, 2, 3, 1, 1, 5, 1] });
  const price = Number(movesBy(task, 1, "addRemove").l2Squared);
  const scaleOf = (set: number): number => columnsIn(set).reduce((all, at) => all * (SIZES[at] ?? 1), 1);
  const weightOf = (table: readonly number[]): number => [1, 2, 3, 1, 1, 5, 1][EVERY.indexOf(table)] ?? 0;
  const parts = answeredOf(task).map((set) => {
    const leaf = columnsIn(set).reduce((all, at) => (all * ((SIZES[at] ?? 1) - 1)) / (SIZES[at] ?? 1), 1);
    const matters = EVERY.filter((table) => within(setOf(table)).includes(set)).reduce(
      (sum, table) => sum + weightOf(table) * shareOf(task.columns, setOf(table), set),
      0,
    );
    const q = Number(task.parts.find(({ columns }) => setOf(columns) === set)?.times ?? 0n);
    return { leaf, matters, variance: 1 / (q * scaleOf(set)) ** 2 };
  });
  expect(parts.reduce((sum, { leaf, variance }) => sum + leaf / variance, 0) / price).toBeCloseTo(1, 12);
  const least = parts.reduce((sum, { leaf, matters }) => sum + Math.sqrt(leaf * matters), 0) ** 2;
  const errors = EVERY.reduce(
    (sum, table) => sum + weightOf(table) * (spreadsOf(task)[answeredOf(task).indexOf(setOf(table))]?.squares ?? 0),
    0,
  );
  expect((errors * price) / least).toBeCloseTo(1, 8);
});

test("what one integer weighs at most in a cell is what answers make of it [M408]", () => {
  const task = tablesOf(SIZES, [[0, 1], [2], [1, 2]], { weights: [1, 9, 4], family: "laplace" });
  const noised = task.parts.reduce((sum, { columns }) => sum + cellsIn(task.columns, columns), 0);
  const weights = Array.from({ length: noised }, (_, at) =>
    tablesFrom(
      Array.from({ length: noised }, (__, place) => (place === at ? 1_000_000n : 0n)),
      task,
    ).map((cells) => Math.max(...cells.map((value) => Math.abs(value) / 1e6))),
  );
  spreadsOf(task).forEach(({ largest }, at) => {
    expect(largest / Math.max(...weights.map((of) => of[at] ?? 0))).toBeCloseTo(1, 9);
  });
});

/** Weighted sum, and largest, of the variances of asked tables at a price of 1. */
function errorsOf(task: TablesTask, adjacency: "addRemove" | "replace") {
  const price = Number(movesBy(task, 1, adjacency).l2Squared);
  const all = task.asked.map(
    (table) => price * (spreadsOf(task)[answeredOf(task).indexOf(setOf(table))]?.squares ?? 0),
  );
  return { sum: all.reduce((sum, each) => sum + each, 0), largest: Math.max(...all) };
}

test.each([
  ["3 × 4 × 2, every table", SIZES, EVERY],
  [
    "pairs of five",
    [2, 3, 4, 5, 6],
    within(31)
      .filter((set) => columnsIn(set).length === 2)
      .map(columnsIn),
  ],
  ["a tall pair", [50, 2], [[0], [1], [0, 1]]],
  [
    "yes and no",
    [2, 2, 2, 2],
    within(15)
      .filter((set) => set > 0)
      .map(columnsIn),
  ],
  ["margins alone", [7, 3, 2], [[0], [1], [2]]],
] as const)("never worse than tables that are each released alone and made to agree: %s", (_, sizes, asked) => {
  for (const adjacency of ["addRemove", "replace"] as const) {
    const ours = errorsOf(tablesOf(sizes, asked, { adjacency }), adjacency);
    const balanced = errorsOf(tablesOf(sizes, asked, { adjacency, weights: "largest" }), adjacency);
    // Each alone, at one part of the price: of the tables themselves a row moves every one by 1, and a row replaced two cells.
    const alone = asked.length * (adjacency === "addRemove" ? 1 : 2);
    const agreed = tablesOf(sizes, asked, { family: "laplace" });
    const squares = agreed.asked.map(
      (table) => spreadsOf(agreed)[answeredOf(agreed).indexOf(setOf(table))]?.squares ?? 0,
    );
    const ratio = ours.sum / (alone * squares.reduce((sum, each) => sum + each, 0));
    expect(ratio).toBeLessThanOrEqual(1 + 1e-4);
    expect(ours.sum / (alone * asked.length)).toBeLessThanOrEqual(1 + 1e-4);
    expect(balanced.largest).toBeLessThanOrEqual(ours.largest * (1 + 1e-3));
    expect(balanced.largest).toBeLessThanOrEqual(alone * (1 + 1e-3));
  }
});

test("whatever noise is drawn, tables add up to one another [M397]", () => {
  const cases = fc.record({
    sizes: fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 2, maxLength: 4 }),
    masks: fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 4 }),
    family: fc.constantFrom(...families),
    seed: fc.nat(),
  });
  fc.assert(
    fc.property(cases, ({ sizes, masks, family, seed }) => {
      const all = 2 ** sizes.length - 1;
      const asked = [...new Set(masks.map((mask) => mask & all || 1))].map(columnsIn);
      const task = tablesOf(sizes, asked, { family });
      const random = seededRandom(seed);
      const noisy = task.parts.flatMap(({ columns }) =>
        Array.from(
          { length: columns.reduce((cells, at) => cells * (sizes[at] ?? 1), 1) },
          () => BigInt(random.uint32() % 2001) * 1000n - 1_000_000n,
        ),
      );
      const tables = tablesFrom(noisy, task);
      const answered = answeredOf(task);
      answered.forEach((table, at) => {
        for (const part of within(table)) {
          const sides = columnsIn(table);
          const sums = kronecker(
            sides.map((column) =>
              ((part >> column) & 1) === 1
                ? identity(sizes[column] ?? 1)
                : [new Array<bigint>(sizes[column] ?? 1).fill(1n)],
            ),
          );
          const smaller = tables[answered.indexOf(part)] ?? [];
          sums.forEach((row, cell) => {
            const sum = row.reduce((total, one, place) => total + Number(one) * (tables[at]?.[place] ?? 0), 0);
            expect(Math.abs(sum - (smaller[cell] ?? 0))).toBeLessThan(1e-3);
          });
        }
      });
    }),
    { numRuns: 60 },
  );
});

const census = checkDeclaration({
  name: "census",
  source: { csv: "census.csv" },
  privacyUnit: "row",
  columns: {
    region: { type: "category", categories: ["north", "south", "west"], required: true },
    sex: { type: "category", categories: ["f", "m"], required: true },
    married: { type: "boolean" },
    age: { type: "integer", lower: 0, upper: 99, required: true },
    only: { type: "category", categories: ["one"], required: true },
    pay: { type: "integer", lower: 0, upper: 9_999, required: true },
    shifts: { type: "integer", lower: 0, upper: 9_999, required: true },
    word: { type: "text" },
    "a+b": { type: "boolean", required: true },
  },
});
const ask = (request: Partial<StatisticRequest>, declared = census) =>
  boundPlan({ statistics: [{ statistic: "tables", rho: 0.5, ...request }] }, declared);
function taskOf(plan: ReturnType<typeof ask>) {
  const [statistic] = plan.statistics;
  if (statistic?.task.kind !== "tables") throw new Error("tables");
  return statistic as BoundedStatistic<TablesTask>;
}

test.each(["rho", "epsilon"] as const)(
  "drawn answers are right on average and their intervals hold: %s",
  (currency) => {
    const asked = { with: ["region", "sex"], tables: "region, region+sex" } as const;
    const plan = boundPlan({ statistics: [{ statistic: "tables", ...asked, [currency]: 0.5 }] }, census);
    const statistic = taskOf(plan);
    const counts = [40n, 0n, 7n, 1000n, 3n, 12n];
    const random = seededRandom(520_395);
    const DRAWS = 400;
    const answered = answeredOf(statistic.task).map(columnsIn);
    expect(answered).toEqual([[], [0], [1], [0, 1]]);
    const wanted = [1062, 40, 1007, 15, 50, 1012, 40, 0, 7, 1000, 3, 12];
    const [sums, missed] = [wanted.map(() => 0), wanted.map(() => 0)];
    for (let draw = 0; draw < DRAWS; draw++) {
      const [answer] = addNoise(plan, new Exact([counts]), random);
      answer?.cells.forEach(({ value, interval: [low, high] }, at) => {
        sums[at] = (sums[at] ?? 0) + value;
        if (low > (wanted[at] ?? 0) || high < (wanted[at] ?? 0)) missed[at] = (missed[at] ?? 0) + 1;
      });
    }
    const halves = halfWidthsOf(statistic, 0.05);
    const tableAt = [0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3];
    wanted.forEach((count, at) => {
      // Five standard deviations of the mean, and Binomial(400, 0.05) above 45: together fewer than 10⁻⁵ for all cells.
      const deviation = (halves[tableAt[at] ?? 0] ?? 0) / 1.9;
      expect(Math.abs((sums[at] ?? 0) / DRAWS - count)).toBeLessThan((5 * deviation) / Math.sqrt(DRAWS));
      expect(missed[at]).toBeLessThanOrEqual(45);
    });
  },
);

test("a quote says the error of each table, exactly what intervals then have", () => {
  const plan = ask({ tables: [["region"], ["region", "sex"]], weights: "region+sex = 3" });
  const [quoted] = quotePlan(plan);
  const halves = halfWidthsOf(taskOf(plan), 1 - plan.confidence);
  expect(quoted?.accuracy.tables).toEqual([
    { table: [], cells: 1, halfWidth: halves[0] },
    { table: ["region"], cells: 3, halfWidth: halves[1] },
    { table: ["sex"], cells: 2, halfWidth: halves[2] },
    { table: ["region", "sex"], cells: 6, halfWidth: halves[3] },
  ]);
  expect(quoted?.accuracy.halfWidth).toBe(Math.max(halves[1] ?? 0, halves[3] ?? 0));
  expect(quoted?.cells).toBe(12);
  expect(quoted?.sentence).toMatch(
    /By table: all rows ± [\d.]+, region ± [\d.]+, sex ± [\d.]+, region × sex ± [\d.]+\./,
  );
  expect(quoted?.cost).toEqual({ rho: "0.5", muSquared: "1" });
  const [answer] = addNoise(plan, new Exact([[1n, 2n, 3n, 4n, 5n, 6n]]), seededRandom(1));
  expect(answer?.groupBy).toEqual(["region", "sex"]);
  const groups = answer?.cells.map(({ group }) => group);
  expect(groups?.slice(0, 2)).toEqual([{}, { region: "north" }]);
  expect(groups?.at(-1)).toEqual({ region: "west", sex: "m" });
});

test("a quote says no less than the largest error, and an answer what the ends of a column also hold", () => {
  const plan = ask({ tables: "age, sex, age+sex", bins: { age: [20, 40, 60] } });
  const [quoted] = quotePlan(plan);
  expect(quoted?.sentence).toMatch(
    /^Each cell of an asked table will be within ± [\d.]+ in 95 of 100 cases\. By table:/,
  );
  const [answer] = addNoise(plan, new Exact([[1n, 2n, 3n, 4n]]), seededRandom(1));
  expect(answer?.notes).toContain("Of age, 20–39 also holds the values below it, and 40–60 those above.");
  expect(answer?.notes.join(" ")).not.toContain("Of sex");
});

test("rows without a value have a cell of their own, also where a value is called missing", () => {
  const columns = { pet: { type: "category", categories: ["missing", "cat"] }, word: { type: "text" } } as const;
  const declared = checkDeclaration({ name: "pets", source: { csv: "x.csv" }, privacyUnit: "row", columns });
  const plan = ask({ tables: "pet, word", bins: { word: ["missing", "(missing)"] } }, declared);
  const [answer] = addNoise(plan, new Exact([[1n, 2n, 3n, 4n, 5n, 6n]]), seededRandom(1));
  expect(answer?.cells.slice(1).map(({ group }) => group.pet ?? group.word)).toEqual([
    ...["missing", "cat", "(missing)"],
    ...["missing", "(missing)", "((missing))"],
  ]);
});

test("a unit of several rows moves K times as far, whichever bounds say so [M399]", () => {
  const of = (contribution: object) => {
    const declared = checkDeclaration({
      name: "visits",
      source: { csv: "visits.csv" },
      privacyUnit: { column: "person" },
      contribution,
      columns: {
        person: { type: "text" },
        a: { type: "boolean", required: true },
        b: { type: "boolean", required: true },
      },
    });
    return taskOf(ask({ with: ["a", "b"] }, declared)).sensitivity.l2Squared;
  };
  const one = of({ rows: 1 });
  expect(of({ rows: 3 })).toBe(9n * one);
  expect(of({ groups: 2, rowsPerGroup: 2 })).toBe(16n * one);
  expect(of({ rows: 3, groups: 2, rowsPerGroup: 2 })).toBe(9n * one);
});

test.each([
  [{ with: ["pay", "shifts"], bins: 5000 }, /tables is 25010001, must be at most 500000 cells/],
  [{ with: ["region", "only"] }, /with\[1\] is "only", must be a column of at least two values/],
  [{ tables: "region, region" }, /tables\[1\] is "region", must be a table that is not asked for twice/],
  [{ tables: "region+sex, sex+region" }, /must be a table that is not asked for twice/],
  [{ tables: "region+region" }, /must be a table that names a column once/],
  [{ tables: "region", weights: { region: 0 } }, /weights\.region is 0, must be a whole number from 1 to 100/],
  [{ tables: "region", weights: { region: Number.NaN } }, /weights\.region/],
  [{ tables: "region", weights: "region = NaN" }, /weights\.region/],
  [{ tables: "region", weights: { sex: 2 } }, /weights/],
  [{ tables: "region", with: ["region"], weights: "region = 1, region = 2" }, /named once/],
  [{ tables: "nobody" }, /nobody/],
  [{ tables: "word" }, /must be not a text column/],
  [{ with: ["region", "nobody"] }, /nobody/],
  [{ with: ["region"], tables: "sex" }, /tables\[0\] is "sex", must be a column of the tables \(region\)/],
  [{ with: ["region", "sex"], tables: "3-way" }, /must be 1-way to 2-way/],
  [{ with: ["region"], tables: "0-way" }, /must be 1-way/],
  [{ tables: [] }, /tables/],
  [{ tables: [[]], with: ["region"] }, /tables\[0\] is "empty", must be at least one column/],
  [{ tables: 7 }, /tables/],
  [{ with: ["region"], groupBy: ["sex"] }, /groupBy/],
  [{ with: ["region"], impossible: "age < 3" }, /impossible is "age", must be about columns of the table/],
  [{ with: ["region"], numbers: "real" }, /numbers is "real", must be whole/],
] as const)("what cannot be answered is refused before anything is paid: %j", (request, says) => {
  expect(() => ask(request as unknown as Partial<StatisticRequest>)).toThrow(says);
  expect(() => ask(request as unknown as Partial<StatisticRequest>)).toThrow(PrivacyError);
});

test("of one column its own table is asked for; lists and names may overlap", () => {
  expect(taskOf(ask({ with: ["region"] })).task.asked).toEqual([[0]]);
  expect(taskOf(ask({ tables: "a+b" })).task.columns.map(({ name }) => name)).toEqual(["a+b"]);
  expect(taskOf(ask({ with: ["region", "sex"], tables: "1-way, region, all" })).task.asked).toEqual([[0], [1], [0, 1]]);
});

const yesAndNo = (columns: number) =>
  checkDeclaration({
    ...{ name: "wide", source: { csv: "wide.csv" }, privacyUnit: "row", size: { assumed: 1000 } },
    columns: Object.fromEntries(
      Array.from({ length: columns }, (_, at) => [`c${at}`, { type: "boolean", required: true }]),
    ),
  });

test.each([
  ["epsilon", {}],
  ["rho", {}],
  ["rho", { weights: "largest" }],
] as const)(
  "the server's thread is not held by every table of ten columns, nor where it says nothing: %s %j",
  (currency, more) => {
    const declared = yesAndNo(10);
    const request = { ...more, statistic: "tables", tables: "all" } as const;
    for (const price of [0.5, 1e-6]) {
      // 0.1 s; of pairs of tables 7 s.
      const cpu = cpuOf(() =>
        quotePlan(boundPlan({ statistics: [{ ...request, [currency]: price }] }, declared), { people: 1000 }),
      );
      expect(cpu).toBeLessThan(2);
    }
  },
);

test("what is too much is refused before it takes time", () => {
  const wide = yesAndNo(12);
  expect(cpuOf(() => expect(() => ask({ tables: "all" }, wide)).toThrow(/at most 1024 tables/))).toBeLessThan(1);
  const fact = (at: number): string => `age = ${at} and pay = ${at}`;
  const facts = (count: number): string => Array.from({ length: count }, (_, at) => fact(at)).join(" or ");
  const request = { tables: "age+pay", bins: 200 };
  expect(() => ask({ ...request, impossible: facts(17) })).toThrow(/impossible is 17, must be at most 16 facts/);
  const many = () => expect(() => ask({ ...request, impossible: facts(16) })).toThrow(/columns with fewer values/);
  expect(cpuOf(many)).toBeLessThan(1);
});

test("many columns take no longer than a page waits", () => {
  const declared = checkDeclaration({
    name: "wide",
    source: { csv: "wide.csv" },
    privacyUnit: "row",
    columns: Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`c${at}`, { type: "integer", lower: 0, upper: 9, required: true }]),
    ),
  });
  const cpu = cpuOf(() => {
    const plan = ask({ tables: "2-way, 1-way", weights: "largest" }, declared);
    quotePlan(plan);
    expect(taskOf(plan).task.parts).toHaveLength(79);
  });
  expect(cpu).toBeLessThan(5);
});
