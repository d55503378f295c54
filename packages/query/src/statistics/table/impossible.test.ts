import { present } from "@dosimeter/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import type { ReleasedTable } from "../released.ts";
import type { StatisticRequest } from "../request.ts";
import { estimate } from "./estimate.ts";
import { tableNotes } from "./released-table.ts";
import { syntheticCells, syntheticCsv } from "./synthesize.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  columns: {
    age: { type: "integer", lower: 0, upper: 99, required: true },
    married: { type: "boolean" },
    job: { type: "category", categories: ["none", "school", "work"], required: true },
    pay: { type: "number", lower: 0, upper: 1000, required: true },
    born: { type: "date", lower: "1990-01-01", upper: "2009-12-31", granularity: "year", required: true },
  },
});
const task = (impossible: StatisticRequest["impossible"], more: object = {}) => {
  const request = { statistic: "syntheticTable", bins: 10, epsilon: 1, ...more } as const;
  const plan = boundPlan({ statistics: [{ ...request, ...present({ impossible }) }] }, declaration);
  const of = plan.statistics[0]?.task;
  if (of?.kind !== "table") throw new Error("a table");
  return of;
};

describe("facts as cells [M206]", () => {
  test("whole bins, missing values, dates and edges of numbers", () => {
    expect(task("age < 10 and married = true").impossible).toEqual([
      { columns: [0, 1], cells: [1], says: "age < 10 and married = true" },
    ]);
    expect(task("married is null and age between 90 and 99").impossible?.[0]?.cells).toEqual([29]);
    expect(task("not (pay >= 100) and job = 'work'").impossible).toMatchObject([{ columns: [2, 3], cells: [20] }]);
    expect(task("born > '2007' and job = 'work'").impossible).toMatchObject([{ columns: [2, 4], cells: [29] }]);
    const two = task("(age < 10 and married = true) or (age < 20 and job = 'work')").impossible;
    expect(two?.map(({ columns }) => columns)).toEqual([
      [0, 1],
      [0, 2],
    ]);
    const merged = task("(age < 10 and married = true) or (age >= 90 and married is null)").impossible;
    expect(merged?.map(({ cells }) => cells)).toEqual([[1, 29]]);
  });

  test.each<[unknown, string]>([
    ["age < 15 and married = true", "one that ends where bins end"],
    ["pay > 950 and job = 'work'", "one that ends where bins end"],
    // 900 itself is in the bin, and possible.
    ["pay > 900 and job = 'work'", "one that ends where bins end"],
    ["age < 10", "facts about two columns each"],
    ["age < 10 and married = true and job = 'work'", "facts about two columns each"],
    ["age >= 0 and job = 'work'", "no row could have job work"],
    ["age < 10 and married in (true, false) or age < 10 and married is null", "leaves each value possible"],
    [
      "(age < 10 and married = true) or (age < 10 and job = 'work') or (job = 'school' and married = true)",
      "pairs of columns that make no circle",
    ],
    ["nobody = 1 and age < 10", "nobody"],
    [{ op: "maybe" }, "statistics[0].impossible.op"],
    [7, "statistics[0].impossible is 7"],
    [
      Array.from({ length: 17 }, (_, at) => `(age < 10 and pay >= ${at * 50} and pay < ${at * 50 + 7})`).join(" or "),
      "at most 16 facts",
    ],
  ])("%j is refused before it is paid: %s", (impossible, message) => {
    expect(() => task(impossible as never)).toThrow(message);
  });

  test("a fact about a column that is not in the table is refused", () => {
    expect(() => task("age < 10 and married = true", { with: ["age", "job"] })).toThrow("columns of the table");
  });
});

const column = (name: string, counts: readonly number[]) => ({
  name,
  type: "category" as const,
  bins: counts.map((_, at) => ({ label: `${name}${at}`, value: `${name}${at}` })),
  hasMissing: false,
  counts,
});

describe("made-up rows [M206]", () => {
  const facts = [
    { columns: [0, 1] as const, cells: [0, 4], says: "a with b" },
    { columns: [1, 2] as const, cells: [0, 1, 5], says: "b with c" },
    { columns: [1, 3] as const, cells: [1, 2], says: "b with d" },
  ];
  const counts = (cells: number) =>
    fc.array(fc.integer({ min: -50, max: 500 }), { minLength: cells, maxLength: cells });
  const pairs = [
    [0, 1],
    [0, 2],
    [1, 2],
    [2, 3],
    [1, 3],
  ] as const;
  const sizes = [2, 3, 3, 2];

  test("none breaks a fact, any pairs measured and whatever their counts", () => {
    const forests = fc.constantFrom([], [0], [2], [0, 2], [1, 3], [1, 4], [0, 1, 3], [2, 4]);
    let changed = 0;
    fc.assert(
      fc.property(
        fc.tuple(...sizes.map(counts)),
        forests,
        fc.array(counts(9), { minLength: 3, maxLength: 3 }),
        fc.nat(1000),
        fc.integer({ min: 1, max: 300 }),
        (columns, forest, measured, seed, rows) => {
          const bare: ReleasedTable = {
            columns: columns.map((each, at) => column("abcd"[at] ?? "", each)),
            pairs: forest.map((at, place) => {
              const [a, b] = pairs[at] ?? [0, 1];
              const cells = (sizes[a] ?? 0) * (sizes[b] ?? 0);
              return { columns: [a, b] as const, counts: (measured[place] ?? []).slice(0, cells) };
            }),
            noise: { columns: 5, pairs: 5 },
          };
          const breaks = (made: ReturnType<typeof syntheticCells>): number =>
            facts.reduce((sum, { columns: [a, b], cells }) => {
              const width = sizes[b] ?? 1;
              const [first = new Uint16Array(), second = new Uint16Array()] = [made.columns[a], made.columns[b]];
              return sum + first.filter((value, row) => cells.includes(value * width + (second[row] ?? 0))).length;
            }, 0);
          changed += breaks(syntheticCells(bare, { seed, rows }));
          expect(breaks(syntheticCells({ ...bare, impossible: facts }, { seed, rows }))).toBe(0);
        },
      ),
      { numRuns: 300 },
    );
    // Without facts many rows are what they rule out.
    expect(changed).toBeGreaterThan(1000);
  });

  test("counts of columns are kept where a table without the cells has them", () => {
    const impossible = [{ columns: [0, 1] as const, cells: [1], says: "a0 with b1" }];
    const table: ReleasedTable = {
      ...{ columns: [column("a", [300, 700]), column("b", [600, 400])], pairs: [], impossible },
      noise: { columns: 5, pairs: 0 },
    };
    const [pair] = estimate(table).pairs;
    [300, 0, 300, 400].forEach((want, cell) => {
      expect(pair?.counts[cell]).toBeCloseTo(want, 3);
    });
    const made = syntheticCells(table);
    const married = made.columns[1]?.filter((value) => value === 1).length ?? 0;
    expect(Math.abs(married - 400)).toBeLessThanOrEqual(1);
    expect(tableNotes(table).join(" ")).toContain("No made-up row has a0 with b1: the plan says so");
  });

  test("values within bins keep to the fact in the file", () => {
    const of = task("(age < 20 and pay >= 100) or (age < 20 and born < '2000')");
    const table: ReleasedTable = {
      ...{
        columns: of.columns.map((each) => ({ ...each, counts: new Array<number>(each.cells).fill(100) })),
        pairs: [],
      },
      noise: { columns: 5, pairs: 0 },
      ...present({ impossible: of.impossible }),
    };
    const lines = [...syntheticCsv(table, { rows: 5000, seed: 3 })].join("").trimEnd().split("\n").slice(1);
    const young = lines.map((line) => line.split(",")).filter(([age]) => Number(age) < 20);
    expect(young.length).toBeGreaterThan(500);
    expect(young.filter(([, , , pay, born]) => Number(pay) >= 100 || (born ?? "") < "2000")).toEqual([]);
  });
});
