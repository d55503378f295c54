import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Predicate } from "../../../query/src/declaration/predicate.ts";
import type { Measured } from "../../../query/src/plan/engine.ts";
import type { Plan, StatisticRequest } from "../../../query/src/statistics/request.ts";
import { type Bench, columns, row } from "./people.kit.ts";
import { measure, type Row, SALT } from "./under-test.kit.ts";

/** Tests values as files and databases store them: missing, huge, hostile, at the edges. */
export function valueKit({ under, declare, exactly }: Bench, pairs: number): void {
  describe("values", () => {
    const plan: Plan = {
      statistics: [
        { statistic: "sum", column: "pay", epsilon: 1 },
        { statistic: "mean", column: "pay", epsilon: 1 },
        { statistic: "sum", column: "age", epsilon: 1 },
        { statistic: "histogram", column: "pay", bins: [-4, 0, 1.5, 6], epsilon: 1 },
        { statistic: "histogram", column: "age", bins: 3, epsilon: 1 },
        { statistic: "count", where: "pay is null", epsilon: 1 },
        { statistic: "variance", column: "pay", epsilon: 1 },
        { statistic: "median", column: "pay", epsilon: 1 },
        { statistic: "count", column: "pay", epsilon: 1 },
        { statistic: "count", column: "age", where: "not pay is null", epsilon: 1 },
        { statistic: "count", column: "region", epsilon: 1 },
        { statistic: "count", column: "member", epsilon: 1 },
      ],
    };
    const paid = (pays: readonly (number | null)[]): readonly Row[] =>
      pays.map((pay) => ({ person: "p", region: "a", age: null, pay, member: null }));

    test("integers agree with a plain computation on every table", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(row(fc.constant("p")), { maxLength: 30 }), async (rows) => {
          const [measured] = await exactly(rows, plan, {});
          const pays = rows
            .map((r) => r.pay as number | null)
            .filter((pay) => pay !== null && !Number.isNaN(pay)) as number[];
          const ages = rows.map((r) => r.age as number | null).filter((age) => age !== null) as number[];
          const ticks = pays.map((pay) => BigInt(Math.floor((Math.min(6, Math.max(-4, pay)) + 4) / 0.5 + 0.5)));
          const total = ticks.reduce((a, b) => a + b, 0n);
          const n = BigInt(ticks.length);
          const fine = 52n; // ⌈1024/20⌉ refines the 20 ticks of the range
          const binned = (values: readonly number[], starts: readonly number[]): bigint[] =>
            starts.map((start, index) =>
              BigInt(
                values.filter(
                  (x) => (index === 0 || x >= start) && (index === starts.length - 1 || x < (starts[index + 1] ?? 0)),
                ).length,
              ),
            );
          expect(measured).toEqual([
            [total - 8n * n],
            [fine * total, fine * (20n * n - total)],
            [BigInt(ages.reduce((a, age) => a + Math.min(10, Math.max(0, age)), 0))],
            binned(pays, [-4, 0, 1.5]),
            binned(ages, [0, 3, 7]),
            [BigInt(rows.length - pays.length)],
            [(t: bigint) => (20n - t) * (20n - t), (t: bigint) => 2n * t * (20n - t), (t: bigint) => t * t].map(
              (feature) => 3n * ticks.reduce((a, t) => a + feature(t), 0n),
            ), // ⌈1024/400⌉
            Array.from({ length: 21 }, (_, leaf) => BigInt(ticks.filter((t) => t === BigInt(leaf)).length)),
            // A value counts when the mean counts it: clamped ones too, NaN and NULL never.
            [n],
            [BigInt(rows.filter(({ age, pay }) => age !== null && pay !== null && !Number.isNaN(pay)).length)],
            [BigInt(rows.filter(({ region }) => region !== null).length)],
            [BigInt(rows.filter(({ member }) => member !== null).length)],
          ]);
        }),
        { numRuns: 3 * pairs },
      );
    });

    test("case 1, 2, 3: NaN and NULL are dropped, infinities are clamped, and nothing becomes the lower bound", async () => {
      const [measured] = await exactly(
        paid([Number.NaN, null, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1]),
        plan,
        {},
      );
      expect(measured[0]).toEqual([12n - 8n + 2n]);
      expect(measured[3]).toEqual([1n, 1n, 1n]);
      expect(measured[5]).toEqual([2n]);
      expect(measured[8]).toEqual([3n]);
    });

    test("case 4, 5: an empty table, a column without values and a filter that keeps nothing have the same shape", async () => {
      const shape = (measured: Measured): readonly number[] => measured.map((vector) => vector.length);
      const [full] = await exactly(paid([1, 2]), plan, {});
      for (const rows of [[], paid([null, null])]) {
        const [measured] = await exactly(rows, plan, {});
        expect(shape(measured)).toEqual(shape(full));
        expect(
          measured
            .slice(0, 5)
            .flat()
            .every((value) => value === 0n),
        ).toBe(true);
      }
    });

    test("case 20, 21, 22, 24: order, huge values, negative zero and values at the edges", async () => {
      const [first] = await exactly(paid([1e16, 1, -1e16, -0, 0, 6, 5.9999999999, -4, 5e-324]), plan, {});
      const [second] = await exactly(paid([-1e16, 5e-324, 6, -4, 1e16, 0, 1, 5.9999999999, -0]), plan, {});
      expect(second).toEqual(first);
      expect(first[3]).toEqual([2n, 4n, 3n]);
    });

    test("case 23: halves round up, on decimals as they are stored", async () => {
      const [measured] = await exactly(paid([0.25, 0.75, -0.25, 0.1 + 0.2]), plan, {});
      expect(measured[0]).toEqual([1n + 2n + 0n + 1n]);
    });

    test("case 33, 34: a declared key without rows is in the answer, an undeclared key is not", async () => {
      const rows = ["a", "zz", "a"].map((region) => ({ person: "p", region, age: 1, pay: 1, member: true }));
      const [measured] = await exactly(
        rows,
        { statistics: [{ statistic: "count", groupBy: ["region"], epsilon: 1 }] },
        {},
      );
      expect(measured).toEqual([[2n, 0n, 0n, 0n]]);
    });

    test("several keys: cells run through the last key fastest", async () => {
      const rows = [
        ["a", true],
        ["b", false],
        ["b", true],
        ["b", true],
        ["b", null],
      ].map(([region, member]) => ({
        person: "p",
        region: region as string,
        age: 1,
        pay: 1,
        member: member as boolean | null,
      }));
      const [measured] = await exactly(
        rows,
        { statistics: [{ statistic: "count", groupBy: ["region", "member"], epsilon: 1 }] },
        {},
      );
      expect(measured).toEqual([[0n, 1n, 1n, 2n, 0n, 0n, 0n, 0n]]);
    });

    test("case 18: sums of the largest integers are exact", async () => {
      const huge = 2 ** 53;
      const declaration = await declare(
        Array.from({ length: 3000 }, () => ({ person: "p", region: "a", age: huge, pay: 1, member: true })),
        { columns: { ...columns, age: { type: "integer", lower: 0, upper: Number.MAX_SAFE_INTEGER } } },
      );
      expect(
        await measure(under().engine, { statistics: [{ statistic: "sum", column: "age", epsilon: 1 }] }, declaration),
      ).toEqual([[3000n * BigInt(Number.MAX_SAFE_INTEGER)]]);
    });

    test("case 18, 22: whole numbers beyond 2⁵³ and up to 2⁶³ keep their exact value where it matters", async () => {
      const far = ["9007199254740993", "9007199254740992", "9223372036854775807", "-9223372036854775808", null];
      const types = { id: "BIGINT", unit: "BIGINT" } as const;
      const id = { type: "integer", lower: 0, upper: Number.MAX_SAFE_INTEGER };
      const beyond = await declare(
        far.map((each) => ({ id: each, unit: each })),
        { columns: { id, unit: { type: "integer" } } },
        types,
      );
      const statistics: readonly StatisticRequest[] = [
        { statistic: "sum", column: "id", epsilon: 1 },
        { statistic: "distinctValues", column: "id", epsilon: 1 },
        { statistic: "clippedValues", column: "id", epsilon: 1 },
        { statistic: "count", where: "id > 9007199254740991", epsilon: 1 },
        { statistic: "count", where: "id < 0", epsilon: 1 },
        { statistic: "keyCounts", column: "unit", epsilon: 1, delta: 1e-6 },
      ];
      const measured = await measure(under().engine, { statistics }, beyond);
      const most = BigInt(Number.MAX_SAFE_INTEGER);
      expect(measured.slice(0, 5)).toEqual([[3n * most], [4n], [1n, 0n, 3n], [3n], [1n]]);
      // A key has to be a number of JSON.
      expect(measured[5]?.found).toEqual([2 ** 53]);
      const people = { ...beyond, privacyUnit: { column: "unit" }, contribution: { rows: 1 } };
      const units: Plan = { statistics: [{ statistic: "distinctUnits", epsilon: 1 }] };
      expect(await measure(under().engine, units, checkDeclaration(people))).toEqual([[4n]]);
    });

    test("case 22: negative and positive zero are one declared number, and NaN is none", async () => {
      const doubles = [-0, 0, 5e-324, Number.NaN, 0.5, Number.POSITIVE_INFINITY, -2.2e-308, null];
      const declaration = await declare(
        doubles.map((share) => ({ share })),
        { columns: { share: { type: "category", categories: [0, 0.5] } } },
        { share: "DOUBLE" },
      );
      const statistics: readonly StatisticRequest[] = [
        { statistic: "count", groupBy: ["share"], epsilon: 1 },
        { statistic: "histogram", column: "share", epsilon: 1 },
      ];
      const groups: Plan = { statistics };
      expect(await measure(under().engine, groups, declaration)).toEqual([
        [2n, 1n],
        [2n, 1n],
      ]);
    });

    test("case 23: decimals keep their exact value in every format", async () => {
      const texts = ["0.29", "1.005", "2.675", "0.000001", "999999999999.999999", "-0.5", "0.285", "1.115"];
      const declaration = await declare(
        texts.map((pay) => ({ pay })),
        { columns: { pay: { type: "number", lower: 0, upper: 4, granularity: 0.01 } } },
        { pay: "DECIMAL(18, 6)" },
      );
      const ticks = texts.map((text) => Math.floor(Math.min(4, Math.max(0, Number(text))) * 100 + 0.5));
      const plan: Plan = { statistics: [{ statistic: "sum", column: "pay", epsilon: 1 }] };
      expect(await measure(under().engine, plan, declaration)).toEqual([[BigInt(ticks.reduce((a, b) => a + b, 0))]]);
    });

    test("case 3: an empty text is missing everywhere: as a value, a key, a person and a date", async () => {
      const texts = { word: "VARCHAR", person: "VARCHAR", day: "VARCHAR", region: "VARCHAR" } as const;
      const source = await under().store(texts, [
        { word: "", person: "p1", day: "", region: "" },
        { word: "x", person: "", day: "2020-02-29", region: "a" },
        { word: null, person: null, day: null, region: null },
        { word: "y", person: "p2", day: "2020-03-01", region: "b" },
      ]);
      const [day, word] = [{ type: "date", lower: "2020-01-01", upper: "2020-12-31" }, { type: "text" }];
      const over = (more: object, required = false) =>
        checkDeclaration({
          ...{ name: "t", source, privacyUnit: "row" },
          columns: { word: { ...word, required }, person: word, day, region: columns.region },
          ...more,
        });
      const of = (where: string) => ({ statistic: "count", where, epsilon: 1 }) as const;
      const statistics: readonly StatisticRequest[] = [
        ...["word", "day", "region"].map((name) => of(`${name} is null`)),
        of("word = ''"),
        { statistic: "count", column: "word", epsilon: 1 },
        { statistic: "distinctValues", column: "word", epsilon: 1 },
        { statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 },
      ];
      const measured = await measure(under().engine, { statistics }, over({}));
      expect(measured.map((each) => [...each])).toEqual([[2n], [2n], [2n], [0n], [2n], [2n], [1n, 1n]]);
      expect(measured.at(-1)?.found?.toSorted()).toEqual(["x", "y"]);
      const people = over({ privacyUnit: { column: "person" }, contribution: { rows: 1 } });
      const counted: Plan = { statistics: [{ statistic: "count", epsilon: 1 }] };
      expect(await measure(under().engine, counted, people)).toEqual([[2n]]);
      expect(await measure(under().engine, counted, over({}, true))).toEqual([[2n]]);
    });

    test("spaces around a category do not count, wherever it is read; case does, unless the declaration says otherwise", async () => {
      const sexes = [" m", "m ", "m", "f", "  ", "M", "m m"];
      const source = await under().store(
        { sex: "VARCHAR" },
        sexes.map((sex) => ({ sex })),
      );
      const table = (more: object) =>
        checkDeclaration({
          ...{ name: "t", source, privacyUnit: "row" },
          columns: { sex: { type: "category", categories: ["m", "f"], ...more } },
        });
      const statistics: readonly StatisticRequest[] = [
        { statistic: "count", groupBy: ["sex"], epsilon: 1 },
        { statistic: "histogram", column: "sex", epsilon: 1 },
        { statistic: "count", where: "sex = 'm'", epsilon: 1 },
        { statistic: "count", where: "sex is null", epsilon: 1 },
      ];
      expect(await measure(under().engine, { statistics }, table({}))).toEqual([[3n, 1n], [3n, 1n], [3n], [1n]]);
      const spelled = table({ spellings: { m: ["M"] }, missing: ["m m"], required: true });
      expect(await measure(under().engine, { statistics }, spelled)).toEqual([[4n, 1n], [4n, 1n], [4n], [0n]]);
    });

    test("case 25, 28: quantiles and variances of a constant column, one row and no rows", async () => {
      const asked: readonly StatisticRequest[] = [
        { statistic: "median", column: "pay", epsilon: 1 },
        { statistic: "variance", column: "pay", epsilon: 1 },
        { statistic: "variance", column: "pay", rho: 1 },
        { statistic: "correlation", column: "pay", with: "age", epsilon: 1 },
      ];
      for (const rows of [paid([]), paid([2.5]), paid(Array.from({ length: 40 }, () => 2.5))]) {
        const [[leaves = [], bernstein = [], chebyshev = []]] = await exactly(rows, { statistics: asked }, {});
        const n = BigInt(rows.length);
        expect(leaves.map((count, leaf) => (leaf === 13 ? count - n : count)).every((count) => count === 0n)).toBe(
          true,
        );
        // Each of three rows is 13 of 20 steps: (7², 2·13·7, 13²), or 5·20², 5·20·6, 4·(2·36 − 20²).
        expect(bernstein).toEqual([3n * 49n * n, 3n * 182n * n, 3n * 169n * n]);
        expect(chebyshev).toEqual([3n * 2000n * n, 3n * 600n * n, -3n * 1312n * n]);
      }
    });

    test("case 30, 31: hostile keys and column names are data", async () => {
      const keys = ["'; DROP TABLE t;--", '"', "=cmd|' /C calc'!A0", "😀", "\u202eabc", "$1", "\\"];
      const name = 'a"; drop table x;--';
      const declaration = checkDeclaration({
        name: "t",
        source: await under().store(
          { [name]: "VARCHAR" },
          keys.flatMap((key, index) => Array.from({ length: index + 1 }, () => ({ [name]: key }))),
        ),
        privacyUnit: "row",
        columns: { [name]: { type: "category", categories: keys } },
      });
      expect(
        await measure(
          under().engine,
          { statistics: [{ statistic: "count", groupBy: [name], epsilon: 1 }] },
          declaration,
        ),
      ).toEqual([[1n, 2n, 3n, 4n, 5n, 6n, 7n]]);
      const where: Predicate = { op: "in", column: name, values: keys.slice(1, 3) };
      expect(
        await measure(under().engine, { statistics: [{ statistic: "count", where, epsilon: 1 }] }, declaration),
      ).toEqual([[5n]]);
    });

    test("columns may have the names that the SQL uses itself", async () => {
      const names = ["u", "g", "v", "x", "k0", "k1", "c", "n", "h", "e", "p", "s", "b", "heavy"];
      const source = await under().store(
        Object.fromEntries(names.map((each) => [each, "BIGINT"])),
        [1, 2, 2].map((value) => Object.fromEntries(names.map((each, index) => [each, value * (index + 1)]))),
      );
      const every = Object.fromEntries(names.map((each) => [each, { type: "integer", lower: 0, upper: 50 }]));
      const declaration = checkDeclaration({
        name: "t",
        source,
        privacyUnit: { column: "heavy" },
        contribution: { rows: 100 },
        columns: every,
      });
      // x is the fourth column: 4, 8, 8; v the third: 3, 6, 6; u the first: 1, 2, 2.
      const statistics: readonly StatisticRequest[] = [
        { statistic: "sum", column: "v", where: "x > 5", epsilon: 1 },
        { statistic: "sum", column: "x", where: "v < 5 and u = 1", epsilon: 1 },
        { statistic: "count", where: "g = 2", epsilon: 1 },
        { statistic: "distinctUnits", where: "u = 2 and n > 1", epsilon: 1 },
      ];
      expect(await measure(under().engine, { statistics }, declaration)).toEqual([[12n], [4n], [1n], [1n]]);
      const rowUnit = checkDeclaration({ ...declaration, privacyUnit: "row", contribution: undefined });
      const [sum, other, count] = await measure(under().engine, { statistics }, rowUnit);
      expect([sum, other, count]).toEqual([[12n], [4n], [1n]]);
    });

    test("public number of rows: a value that is missing counts as the lower bound", async () => {
      const required: Record<string, object> = { pay: { ...columns.pay, required: true } };
      const source = await under().store({ pay: "DOUBLE" }, [{ pay: 1 }, { pay: 6 }]);
      const declaration = checkDeclaration({
        name: "t",
        source,
        privacyUnit: "row",
        adjacency: "replace",
        size: { public: 2 },
        columns: required,
      });
      expect(
        await measure(under().engine, { statistics: [{ statistic: "mean", column: "pay", epsilon: 1 }] }, declaration),
      ).toEqual([[52n * 30n]]);
      const gappy = await under().store({ pay: "DOUBLE" }, [{ pay: 1 }, { pay: null }]);
      expect(
        await measure(
          under().engine,
          { statistics: [{ statistic: "mean", column: "pay", epsilon: 1 }] },
          { ...declaration, source: gappy },
        ),
      ).toEqual([[52n * 10n]]);
      await expect(under().engine.check({ ...declaration, size: { public: 3 } }, { salt: SALT })).rejects.toThrow(
        "does not hold the declared public number of rows",
      );
    });
  });
}
