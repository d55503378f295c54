import { type Calendar, FIRST_DAY, formatPeriod, LAST_DAY, parsePeriod } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EngineUnderTest, Row, Stored as Storage } from "../../../engines/src/engine/under-test.kit.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Formula } from "../declaration/formula.ts";
import { MAX_KEY_LENGTH } from "../declaration/most.ts";
import type { Engine } from "../plan/engine.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { withDerived } from "./derive.ts";
import { evaluate, type Stored } from "./evaluate.ts";
import { formula } from "./expression.kit.ts";

const storage = {
  age: "BIGINT",
  pay: "DOUBLE",
  region: "VARCHAR",
  code: "DOUBLE",
  member: "BOOLEAN",
  note: "VARCHAR",
  born: "DATE",
  seen: "DATE",
  month: "DATE",
  came: "TIMESTAMPTZ",
  left: "VARCHAR",
} as const satisfies Record<string, Storage>;
const columns = {
  age: { type: "integer", lower: 0, upper: 100 },
  pay: { type: "number", lower: -4, upper: 6, granularity: 0.5 },
  region: { type: "category", categories: ["a", "b", "c"] },
  code: { type: "category", categories: [7, 1, 30] },
  member: { type: "boolean" },
  note: { type: "text" },
  born: { type: "date", lower: "1896-02-28", upper: "2024-12-31" },
  seen: { type: "date", lower: "0001-01-01", upper: "9999-12-31" },
  month: { type: "date", lower: "2023-11", upper: "2024-03", granularity: "month" },
  came: { type: "timestamp", zone: "Europe/Berlin", lower: "1975-01-01", upper: "2030-12-31" },
  left: { type: "timestamp", zone: "Pacific/Apia", lower: "2009-01-01", upper: "2015-12-31" },
};

const UNITS: Readonly<Record<string, Calendar>> = {
  ...{ born: "day", seen: "day", month: "month" },
  ...{ came: "second Europe/Berlin", left: "second Pacific/Apia" },
};
const someDay = fc.oneof(
  fc.integer({ min: FIRST_DAY, max: LAST_DAY }).map((day) => formatPeriod(day, "day")),
  fc.constantFrom("0001-01-01", "9999-12-31", "2024-02-29", "2023-02-28", "2023-03-01", "1900-03-01", "2000-02-29"),
  fc.constantFrom("2020-12-31", "2021-01-03", "2021-01-04", "1969-12-31", "1970-01-01", null),
);

const someTime = fc.oneof(
  fc.integer({ min: -1e9, max: 3e9 }).map((second) => formatPeriod(second, "second UTC")),
  fc.constantFrom("2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z", "2024-03-31T00:59:59Z", "2024-03-31T01:00:00Z"),
  fc.constantFrom("2011-12-30T09:59:59Z", "2011-12-30T10:00:00Z", "1969-12-31T23:59:59Z", "9999-12-30T00:00:00Z", null),
);

const hostile = fc.record<Row>({
  age: fc.oneof(fc.integer({ min: -3, max: 110 }), fc.constantFrom(null, -(2 ** 53), 2 ** 53, 0, 100)),
  pay: fc.oneof(
    fc.double({ min: -8, max: 9, noNaN: true }),
    fc.constantFrom(
      null,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      -0,
      0.25,
      5e-324,
      1e300,
      2 ** 53 + 2,
    ),
  ),
  region: fc.constantFrom("a", "b", "zz", "é", null),
  code: fc.constantFrom(1, 7, 30, 8, null),
  member: fc.constantFrom(true, false, null),
  note: fc.constantFrom("b", "zz", "a'b", null),
  born: someDay,
  seen: someDay,
  month: someDay,
  came: someTime,
  left: someTime,
});

/** Requests about a derived column, with the answers of the reference evaluation. */
function questions(
  given: Formula,
  declared: ReturnType<typeof checkDeclaration>,
  rows: readonly Row[],
): [StatisticRequest, bigint[]][] {
  const column = withDerived(declared, { d: given }).columns.d;
  const code = column?.derived?.code;
  if (column === undefined || code === undefined) throw new Error("derived");
  const values = rows.map((row) =>
    evaluate(code, (name): Stored => {
      const x = row[name] ?? null;
      const unit = UNITS[name];
      if (unit !== undefined) return typeof x === "string" ? parsePeriod(x, unit) : null;
      return name === "age" && typeof x === "number" ? BigInt(x) : x;
    }),
  );
  const count = (wanted: unknown): bigint => BigInt(values.filter((value) => value === wanted).length);
  const all: [StatisticRequest, bigint[]][] = [[{ statistic: "count", where: "d is null", epsilon: 1 }, [count(null)]]];
  if (column.type === "boolean")
    all.push([{ statistic: "histogram", column: "d", epsilon: 1 }, [count(false), count(true)]]);
  if (column.type === "text")
    all.push([{ statistic: "count", where: "d in ('zz', 'b')", epsilon: 1 }, [count("zz") + count("b")]]);
  if (column.type === "date") {
    const periods = values.filter((value) => typeof value === "bigint");
    for (const period of [...new Set(periods)].slice(0, 3)) {
      const text = formatPeriod(Number(period), column.calendar ?? "day");
      const upTo = BigInt(periods.filter((value) => value <= period).length);
      all.push([{ statistic: "count", where: `d <= '${text}'`, epsilon: 1 }, [upTo]]);
    }
  }
  if (column.type === "integer" || column.type === "number") {
    const numbers = values.filter((value) => typeof value === "bigint");
    all.push([{ statistic: "sum", column: "d", epsilon: 1 }, [numbers.reduce((a, b) => a + b, 0n)]]);
  }
  if (column.type === "category" && (column.categories?.length ?? 0) > 0) {
    const { numerator, denominator } = column.derived?.step ?? { numerator: 1n, denominator: 1n };
    const real = (value: unknown): unknown =>
      typeof value === "bigint" ? Number(value * numerator) / Number(denominator) : value;
    const found = (column.categories ?? []).map((key) => BigInt(values.filter((value) => real(value) === key).length));
    all.push([{ statistic: "histogram", column: "d", epsilon: 1 }, found]);
  }
  return all;
}

/** An engine computes every derived column as the reference evaluation does, bit for bit [M123]. */
export function expressionKit(
  under: () => EngineUnderTest,
  measure: (
    engine: Engine,
    plan: object,
    declaration: ReturnType<typeof checkDeclaration>,
  ) => Promise<readonly (readonly bigint[])[]>,
  pairs: number,
): void {
  test("joined values of several columns are selected as in the reference evaluation [M114, M123]", async () => {
    // Letters are code points, not surrogates or graphemes; NFC changes their number. The last two notes differ in
    // letter 1,001 only.
    const long = ["\u{1f600}", "\u{1f469}\u200d\u{1f467}", "e\u0301\u0301|", "\u0958", "b|"].map((each) =>
      each.repeat(900),
    );
    const notes = ["b", " | ", "'", "|", "||", "b | true", ...long, `${"z".repeat(1000)}1`, `${"z".repeat(1000)}2`];
    const rows: readonly Row[] = Array.from({ length: 120 }, (_, at) => ({
      age: [3, 40, null, 2 ** 53][at % 4] ?? null,
      pay: 1,
      region: ["a", "zz", "é", "e\u0301", null][at % 5] ?? null,
      code: [7, 8][at % 2] ?? null,
      member: [true, false, null][at % 3] ?? null,
      note: notes[(at >> 2) % notes.length] ?? null,
    }));
    const source = await under().store(storage, rows);
    const declared = checkDeclaration({ name: "t", source, privacyUnit: "row", columns });
    for (const formula of [
      "join(note, member)",
      "coalesce(note, region)",
      "join(region, note)",
      "join(note, region, note)",
      "join(join(note, member), join(region, note), '|')",
      "join(note, age, code)",
      "join(note, -age * 2)",
    ]) {
      const plan = {
        let: { d: formula },
        statistics: [{ statistic: "keyCounts", column: "d", epsilon: 1, delta: 1e-6 }],
      };
      const code = withDerived(declared, plan.let).columns.d?.derived?.code;
      if (code === undefined) throw new Error("derived");
      const want = new Map<unknown, bigint>();
      for (const row of rows) {
        const value = evaluate(code, (name): Stored => {
          const x = row[name] ?? null;
          const unit = UNITS[name];
          if (unit !== undefined) return typeof x === "string" ? parsePeriod(x, unit) : null;
          return name === "age" && typeof x === "number" ? BigInt(x) : x;
        });
        // Longer texts are no keys [M210].
        if (value !== null && [...String(value)].length <= MAX_KEY_LENGTH)
          want.set(value, (want.get(value) ?? 0n) + 1n);
      }
      const [vector] = await measure(under().engine, plan, declared);
      const { found = [] } = vector as { readonly found?: readonly unknown[] };
      expect(new Map(found.map((key, at) => [key, vector?.[at]])), formula).toEqual(want);
      expect(want.size).toBeGreaterThan(2);
    }
  });

  test("derived columns equal the reference evaluation on random and hostile rows [M123]", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostile, { maxLength: 20 }),
        fc.array(formula, { minLength: 6, maxLength: 12 }),
        async (rows, formulas) => {
          const source = await under().store(storage, rows);
          const declared = checkDeclaration({ name: "t", source, privacyUnit: "row", columns });
          for (const given of formulas) {
            let asked: [StatisticRequest, bigint[]][];
            try {
              asked = questions(given, declared, rows);
              boundPlan({ let: { d: given }, statistics: asked.map(([request]) => request) }, declared);
            } catch {
              // Refused when the plan is made: nothing to compare.
              continue;
            }
            const plan = { let: { d: given }, statistics: asked.map(([request]) => request) };
            expect(await measure(under().engine, plan, declared), JSON.stringify(given)).toEqual(
              asked.map(([, found]) => found),
            );
            compared += 1;
          }
        },
      ),
      { numRuns: Math.min(15, Math.ceil(pairs / 2)) },
    );
    expect(compared).toBeGreaterThan(Math.min(15, pairs / 2));
  });
}
