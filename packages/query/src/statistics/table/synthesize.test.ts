import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyDraft } from "../../../../planner/src/draft.ts";
import { measured } from "../../../../planner/src/practice/measure.ts";
import { tableErrorsOf } from "../../../../planner/src/price.ts";
import { openPlan } from "../../../../planner/src/saved-plan.ts";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import type { ReleasedTable } from "../released.ts";
import { estimate } from "./estimate.ts";
import { standingOfPair, tableErrors } from "./released-table.ts";
import { MAX_SYNTHETIC_ROWS, syntheticCells, syntheticCsv } from "./synthesize.ts";

const column = (name: string, counts: readonly number[]) => ({
  name,
  type: "category" as const,
  bins: counts.map((_, at) => ({ label: `${name}${at}`, value: `${name}${at}` })),
  hasMissing: false,
  counts,
});
/** Three columns, of which the first is joined with both others; b follows a closely. */
const table: ReleasedTable = {
  columns: [column("a", [600, 400, -3]), column("b", [610, 395]), column("c", [10, 490, 505])],
  pairs: [
    { columns: [0, 1], counts: [580, 10, 22, 390, 3, -5] },
    { columns: [0, 2], counts: [5, 300, 290, 4, 190, 205, 1, 0, -2] },
  ],
  noise: { columns: 5, pairs: 5 },
};
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const tally = (values: Iterable<number>, cells: number): readonly number[] => {
  const counts = new Array<number>(cells).fill(0);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

test("counts become possible and consistent, whatever the noise was [M203]", () => {
  const noisy = (cells: number) =>
    fc.array(fc.integer({ min: -200, max: 2000 }), { minLength: cells, maxLength: cells });
  fc.assert(
    fc.property(noisy(3), noisy(2), noisy(3), noisy(6), noisy(9), (a, b, c, ab, ac) => {
      const { rows, columns, pairs } = estimate({
        ...table,
        columns: [column("a", a), column("b", b), column("c", c)],
        pairs: [
          { columns: [0, 1], counts: ab },
          { columns: [0, 2], counts: ac },
        ],
      });
      expect(rows).toBeGreaterThanOrEqual(1);
      for (const counts of columns) {
        expect(Math.min(...counts)).toBeGreaterThanOrEqual(0);
        expect(sum(counts)).toBeCloseTo(rows, 5);
      }
      for (const {
        columns: [, second],
        counts,
      } of pairs) {
        expect(Math.min(...counts)).toBeGreaterThanOrEqual(0);
        const width = columns[second]?.length ?? 1;
        // The second column is fitted last.
        columns[second]?.forEach((want, at) => {
          expect(sum(counts.filter((_, cell) => cell % width === at))).toBeCloseTo(want, 4);
        });
      }
    }),
    { numRuns: 60 },
  );
});

test("rows keep counts of columns and of measured pairs; the same seed gives the same rows, another one others", () => {
  const { columns: estimated, pairs, rows } = estimate(table);
  const made = syntheticCells(table, { seed: 5 });
  expect(made.rows).toBe(rows);
  tally(made.columns[0] ?? [], 3).forEach((count, value) => {
    expect(Math.abs(count - (estimated[0]?.[value] ?? 0))).toBeLessThan(1 + 1e-6);
  });
  const together = tally(
    Array.from({ length: rows }, (_, row) => (made.columns[0]?.[row] ?? 0) * 2 + (made.columns[1]?.[row] ?? 0)),
    6,
  );
  together.forEach((count, cell) => {
    expect(Math.abs(count - (pairs[0]?.counts[cell] ?? 0))).toBeLessThan(3);
  });
  expect(syntheticCells(table, { seed: 5 })).toEqual(made);
  expect(syntheticCells(table, { seed: 6 })).not.toEqual(made);
  // In the file as well: these bytes are the same on every machine.
  const [first, second] = [...syntheticCsv(table, { rows: 3, seed: 1 })].join("").split("\n");
  expect([first, second]).toEqual(["a,b,c", "a0,b0,c1"]);
});

test("columns that no pair joins are independent, and each value of a bin lies in it", () => {
  const ages = {
    ...column("age", [500, 500]),
    type: "integer" as const,
    bins: [
      { label: "0–9", lower: 0, upper: 9 },
      { label: "10–19", lower: 10, upper: 19 },
    ],
  };
  const pay = {
    ...column("pay", [300, 700]),
    type: "number" as const,
    granularity: 0.5,
    bins: [
      { label: "[0, 5)", lower: 0, upper: 5 },
      { label: "[5, 9]", lower: 5, upper: 9 },
    ],
    hasMissing: true,
    counts: [300, 600, 100],
  };
  const text = [
    ...syntheticCsv({ columns: [ages, pay], pairs: [], noise: { columns: 1, pairs: 0 } }, { rows: 5000 }),
  ].join("");
  const lines = text
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
  expect(lines).toHaveLength(5000);
  expect(new Set(lines.map(([age]) => age))).toEqual(new Set(Array.from({ length: 20 }, (_, at) => String(at))));
  const paid = lines.filter(([, amount]) => amount !== "");
  expect(paid.length).toBeGreaterThanOrEqual(4499);
  expect(
    paid.every(([, amount]) => Number(amount) >= 0 && Number(amount) <= 9 && Number.isInteger(Number(amount) * 2)),
  ).toBe(true);
  const young = lines.filter(([age, amount]) => Number(age) < 10 && amount !== "" && Number(amount) < 5).length;
  // Half of 30 %: 750 ± 5.5σ.
  expect(Math.abs(young - 750)).toBeLessThan(5.5 * Math.sqrt(750 * 0.85));
});

test("values with commas, quotes and line breaks stay one field; limits of rows and seeds are named", () => {
  const odd = {
    ...table,
    pairs: [],
    columns: [{ ...column("a", [1]), name: 'x,"y', bins: [{ label: "v", value: 'one\n"two"' }] }],
  };
  expect([...syntheticCsv(odd, { rows: 1 })].join("")).toBe('"x,""y"\n"one\n""two"""\n');
  for (const rows of [0, 1.5, -1, MAX_SYNTHETIC_ROWS + 1])
    expect(() => syntheticCells(table, { rows })).toThrow("rows is");
  for (const seed of [-1, 0.5, 2 ** 32]) expect(() => syntheticCells(table, { seed })).toThrow("seed is");
});

test("two columns were measured together, are linked by measured pairs, or are taken as independent", () => {
  const four = { ...table, columns: [...table.columns, column("d", [500, 500])] };
  expect(
    [
      [0, 1],
      [2, 0],
      [1, 2],
      [3, 1],
    ].map(([a = 0, b = 0]) => standingOfPair(four, [a, b])),
  ).toEqual(["measured", "measured", "linked", "independent"]);
  const ruled = { ...four, impossible: [{ columns: [1, 3] as const, cells: [0], says: "b = 1 and d = 1" }] };
  expect(standingOfPair(ruled, [3, 1])).toBe("linked");
});

test("a missing value of the only column is no empty line, which readers skip", () => {
  const alone = {
    ...table,
    pairs: [],
    columns: [{ ...column("a", [0, 500]), bins: [{ label: "x", value: "x" }], hasMissing: true }],
  };
  expect([...syntheticCsv(alone, { rows: 2 })].join("")).toBe('a\n""\n""\n');
});

test("no rows, only missing values, and an ε that drowns everything still give a table", () => {
  const declaration = checkDeclaration({
    name: "t",
    source: { csv: "t.csv" },
    privacyUnit: "row",
    columns: {
      a: { type: "boolean" },
      b: { type: "category", categories: ["x", "y"] },
      d: { type: "date", lower: "2020-01-01", upper: "2020-12-31", granularity: "month" },
    },
  });
  for (const rows of [[], Array.from({ length: 50 }, () => ({ a: null, b: null, d: null }))])
    for (const epsilon of ["0.000001", "1", "1000"]) {
      const plan = boundPlan({ statistics: [{ statistic: "syntheticTable", epsilon }] }, declaration);
      const [statistic] = plan.statistics;
      if (statistic === undefined) throw new Error("one row");
      const [answer] = addNoise(plan, new Exact([measured(statistic, rows)]), seededRandom(3));
      if (answer?.table === undefined) throw new Error("a table");
      const lines = [...syntheticCsv(answer.table, { rows: 40 })].join("").trimEnd().split("\n");
      expect(lines).toHaveLength(41);
      if (rows.length > 0 && epsilon === "1000") expect(lines.slice(1).every((line) => line === ",,")).toBe(true);
      expect(answer.notes.join(" ")).toContain("Do not use made-up rows");
      expect(answer.cells.map(({ bin }) => bin?.label).slice(0, 3)).toEqual(["a: false", "a: true", "a: missing"]);
    }
});

test("the stated error is what the noise makes on average [M204]", () => {
  const declaration = checkDeclaration({
    name: "t",
    source: { csv: "t.csv" },
    privacyUnit: "row",
    columns: { a: { type: "integer", lower: 0, upper: 19, required: true } },
  });
  for (const price of [{ epsilon: 1 }, { rho: "0.1", noise: "gaussian" }] as const) {
    const plan = boundPlan({ statistics: [{ statistic: "syntheticTable", ...price }] }, declaration);
    const random = seededRandom(204);
    const exact = new Exact([new Array<bigint>(20).fill(50n)]);
    const off: number[] = [];
    let stated = 0;
    for (let draw = 0; draw < 300; draw++) {
      const [answer] = addNoise(plan, exact, random);
      if (answer?.table === undefined) throw new Error("a table");
      off.push(sum(answer.table.columns[0]?.counts.map((count) => Math.abs(count - 50)) ?? []) / 2 / 1000);
      stated = tableErrors(answer.table, 1000).columns[0]?.error ?? 0;
    }
    expect(sum(off) / off.length).toBeLessThan(stated * 1.1);
    expect(sum(off) / off.length).toBeGreaterThan(stated * 0.85);
    const draft = { ...emptyDraft("1"), people: 1000 };
    const opened = openPlan({ statistics: [{ statistic: "syntheticTable", ...price }] }, draft, declaration);
    const [planned] = opened.rows;
    if (planned === undefined) throw new Error("a row");
    expect(tableErrorsOf(planned, opened, declaration)?.columns).toEqual([{ name: "a", error: stated }]);
  }
});

test("a table whose rows one order cannot hold is refused before it is paid", () => {
  const bound = (columns: number, most: number) => {
    const named = Array.from({ length: columns }, (_, at) => [`x${at}`, { type: "integer", lower: 1, upper: most }]);
    const declaration = checkDeclaration({
      name: "t",
      source: { csv: "t.csv" },
      privacyUnit: { column: "who" },
      contribution: { rows: 3 },
      columns: { who: { type: "integer" }, ...Object.fromEntries(named) },
    });
    return () => boundPlan({ statistics: [{ statistic: "syntheticTable", bins: 10_000, epsilon: "1" }] }, declaration);
  };
  // Eight columns of 7 bits, six of 9 or four of 14 fit 62 bits, and three such numbers are hashed.
  for (const [fits, most] of [
    [24, 100],
    [18, 300],
    [12, 9000],
  ] as const) {
    expect(bound(fits, most)).not.toThrow();
    expect(bound(fits + 1, most)).toThrow("fewer columns: each unit's rows are ordered by all of them");
  }
});

test("made-up numbers lie in their bins, also where bins are narrow for their size [M206]", () => {
  for (const [lower, upper] of [
    [1e12, 1e12 + 1],
    [1e13, 1e13 + 1],
    [1e14, 1e14 + 2],
  ] as const) {
    const middle = (lower + upper) / 2;
    const bins = [
      { label: "a", lower, upper: middle },
      { label: "b", lower: middle, upper },
    ];
    const narrow: ReleasedTable = {
      columns: [{ name: "x", type: "number", bins, hasMissing: false, counts: [500, 500] }],
      pairs: [],
      noise: { columns: 1, pairs: 1 },
    };
    const made = syntheticCells(narrow, { rows: 10_000 });
    const values = [...syntheticCsv(narrow, { rows: 10_000 })].join("").trim().split("\n").slice(1).map(Number);
    values.forEach((value, row) => {
      const bin = bins[made.columns[0]?.[row] ?? 0];
      expect(value >= (bin?.lower ?? 0) && value <= (bin?.upper ?? 0)).toBe(true);
      if (bin?.label === "a") expect(value).toBeLessThan(middle);
    });
  }
});
