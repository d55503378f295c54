import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import type { Bench } from "./people.kit.ts";
import { type Cell, measure, type Row, SALT, type Stored } from "./under-test.kit.ts";

/** How a column is stored and declared, the values that are drawn, and which of them its markers are. */
interface Marked {
  readonly stored: Stored;
  readonly column: object;
  readonly values: readonly Cell[];
  readonly missing: readonly (string | number)[];
  readonly marked: readonly Cell[];
}

const marked: Readonly<Record<string, Marked>> = {
  person: {
    stored: "VARCHAR",
    column: { type: "text" },
    values: ["ada", "bob", "eve"],
    missing: ["nobody"],
    marked: ["nobody"],
  },
  age: {
    stored: "BIGINT",
    column: { type: "integer", lower: 0, upper: 100 },
    values: [0, 1, 50, 100, 101, -8],
    missing: ["-9", "99", "9007199254740991", "NA"],
    marked: [-9, 99, Number.MAX_SAFE_INTEGER],
  },
  pay: {
    stored: "DOUBLE",
    column: { type: "number", lower: -4, upper: 6, granularity: 0.5 },
    values: [-4, 0.1, 2.5, 7, Number.POSITIVE_INFINITY, Number.NaN],
    missing: ["-9.25", "1e2", " 0.3 ", -0],
    marked: [-9.25, 100, 0.3, 0],
  },
  paid: {
    stored: "DECIMAL(18, 6)",
    column: { type: "decimal", scale: 6, lower: -123.45, upper: 123.45 },
    values: ["0.01", "-123.45", "99.99", "5000"],
    missing: ["-99.99", "0.50", "9999"],
    marked: ["-99.99", "0.5", "9999"],
  },
  word: {
    stored: "VARCHAR",
    column: { type: "text" },
    values: ["x", "NA ", "na", "'"],
    missing: ["NA", "99", "e\u0301", "it's"],
    marked: ["NA", "99", "\u00e9", "e\u0301", "it's"],
  },
  region: {
    stored: "VARCHAR",
    column: { type: "category", categories: ["a", "b", "NA"] },
    values: ["a", "b", "NA", "elsewhere"],
    missing: ["unknown", "-1"],
    marked: ["unknown", "-1"],
  },
  code: {
    stored: "DOUBLE",
    column: { type: "category", categories: [1, 2.5] },
    values: [1, 2.5, 3],
    missing: ["9", "-0.5"],
    marked: [9, -0.5],
  },
};

const stored = Object.fromEntries(Object.entries(marked).map(([name, { stored }]) => [name, stored]));
const columnsWith = (more: (column: Marked) => object) =>
  Object.fromEntries(Object.entries(marked).map(([name, each]) => [name, { ...each.column, ...more(each) }]));

const epsilon = 1;
const plan: Plan = {
  let: {
    twice: "age * 2",
    known: "coalesce(age, -1)",
    cents: "paid * 2",
    said: "map(word, 'x', 'one', 'NA', 'two', 'other')",
  },
  statistics: [
    ...Object.keys(marked)
      .filter((name) => name !== "person")
      .flatMap((name) => [
        { statistic: "count", column: name, epsilon } as const,
        { statistic: "count", where: `${name} is null`, epsilon } as const,
      ]),
    ...["age", "pay", "paid", "twice", "cents"].flatMap((column) =>
      (["sum", "mean", "clippedValues", "median"] as const).map((statistic) => ({ statistic, column, epsilon })),
    ),
    ...["age", "pay", "paid"].map((column) => ({ statistic: "histogram", column, bins: 4, epsilon }) as const),
    ...["age", "region", "code"].map((name) => ({ statistic: "count", groupBy: [name], epsilon }) as const),
    { statistic: "sum", column: "known", epsilon },
    { statistic: "sum", column: "paid", groupBy: ["region"], epsilon },
    { statistic: "distinctValues", column: "word", epsilon },
    { statistic: "count", groupBy: ["said"], epsilon },
    { statistic: "count", where: "age = 99 or pay >= 100 or paid = 0.5 or word = 'NA' or code = 1", epsilon },
    { statistic: "count", where: "not (age < 50) and not word in ('x', '99')", epsilon },
  ],
};

/** An engine takes a value that is declared to stand for none as no value, before bounds, bins, groups and filters [M86]. */
export function markersKit({ under }: Bench, pairs: number): void {
  const table = async (types: Readonly<Record<string, Stored>>, rows: readonly Row[], columns: object) => {
    const privacyUnit = Object.hasOwn(types, "person") ? { column: "person" } : "row";
    const contribution = privacyUnit === "row" ? undefined : { rows: 1000 };
    return checkDeclaration({
      name: "t",
      source: await under().store(types, rows),
      privacyUnit,
      contribution,
      columns,
    });
  };

  describe("markers of missing values", () => {
    test.each(["person", "row"] as const)(
      "a table with markers measures like one without these values, by %s",
      async (unit) => {
        const isMeant = ([name]: readonly [string, unknown]): boolean => unit === "person" || name !== "person";
        const kept = <T>(of: Readonly<Record<string, T>>) => Object.fromEntries(Object.entries(of).filter(isMeant));
        const row = fc.record(
          kept(
            Object.fromEntries(
              Object.entries(marked).map(([name, { values, marked }]) => [
                name,
                fc.constantFrom(...values, ...marked, null),
              ]),
            ),
          ),
        );
        const bare = (one: Row): Row =>
          Object.fromEntries(
            Object.entries(one).map(([name, value]) => [
              name,
              marked[name]?.marked.includes(value) === true ? null : value,
            ]),
          );
        await fc.assert(
          fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), async (rows) => {
            const declared = await table(kept(stored), rows, kept(columnsWith(({ missing }) => ({ missing }))));
            const without = await table(kept(stored), rows.map(bare), kept(columnsWith(() => ({}))));
            expect(await measure(under().engine, plan, declared)).toEqual(await measure(under().engine, plan, without));
          }),
          { numRuns: Math.max(3, Math.ceil(pairs / 2)) },
        );
      },
    );

    test("a word stands for no number where numbers are stored as texts, and another word is refused", async () => {
      if (under().strict === true) return;
      const words = { missing: ["-9", "NA", "inf", "n/a"] };
      const columns = {
        age: { type: "integer", lower: 0, upper: 100, ...words },
        pay: { type: "number", lower: 0, upper: 100, granularity: 1, ...words },
        paid: { type: "decimal", scale: 2, lower: 0, upper: 100, ...words },
        code: { type: "category", categories: [1, 2], ...words },
      };
      const types = { age: "VARCHAR", pay: "VARCHAR", paid: "VARCHAR", code: "VARCHAR" } as const;
      const all = (text: string): Row => ({ age: text, pay: text, paid: text, code: text });
      const rows = [...["-9", "-9.0", " -9", "NA", "inf", "n/a", ""].map(all), all("1")];
      const asked: Plan = {
        statistics: [
          ...Object.keys(types).map((column) => ({ statistic: "count", column, epsilon }) as const),
          ...["age", "pay", "paid"].map((column) => ({ statistic: "sum", column, epsilon }) as const),
        ],
      };
      const declared = await table(types, rows, columns);
      expect(await measure(under().engine, asked, declared)).toEqual([[1n], [1n], [1n], [1n], [1n], [1n], [100n]]);
      for (const name of Object.keys(columns))
        await expect(
          under().engine.check(await table(types, [{ ...all("1"), [name]: "na" }], columns), { salt: SALT }),
          name,
        ).rejects.toThrow(`column "${name}" holds values that are not`);
    });

    test("a row with a marker in a required column is left out", async () => {
      for (const [
        name,
        {
          stored,
          column,
          missing,
          marked: [value = null],
        },
      ] of Object.entries(marked)) {
        const declared = await table({ [name]: stored }, [{ [name]: value }], {
          [name]: { ...column, missing, required: true },
        });
        expect(
          await measure(under().engine, { statistics: [{ statistic: "count", epsilon }] }, declared),
          name,
        ).toEqual([[0n]]);
      }
    });
  });
}
