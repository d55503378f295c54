import { Exact } from "@dosimeter/core";
import { meaningful } from "@dosimeter/core/internal";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { addNoise } from "../../query/src/answer/add-noise.ts";
import type { Answer } from "../../query/src/answer/answer.ts";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { atOnce } from "../../query/src/plan/steps.ts";
import { planOfSql } from "./plan-of-sql.ts";
import { readSql } from "./read.ts";
import { declaration } from "./sql-text.kit.ts";
import { tableSteps } from "./table-rows.ts";

type Rows = readonly (readonly bigint[])[];

/** The table of a query over exact integers, one list for each aggregate, with noise that a seed decides. */
function shown(
  sql: string,
  exact: Rows,
  { epsilon = "100", isExact = false, change = (same: readonly Answer[]): readonly Answer[] => same } = {},
) {
  const { plan, tables } = planOfSql(readSql(sql), declaration, { epsilon });
  const bounded = boundPlan(plan, declaration);
  const answers = change(addNoise(bounded, new Exact(exact), seededRandom(3)));
  const [table] = tables;
  if (table === undefined) throw new Error("no table");
  return {
    answers,
    names: table.columns.map(({ name }) => name),
    ...atOnce(tableSteps(table, answers, bounded, { isExact })),
  };
}

const BY_REGION = "SELECT region, COUNT(*) AS n FROM survey GROUP BY region";
const COUNTS = [[1000n, 3000n, 2000n]];
const regions = (tail: string, sql = BY_REGION) => shown(`${sql} ${tail}`, COUNTS).rows.map(([region]) => region);

describe("rows are kept and ordered by released values", () => {
  test.each([
    ["", ["a", "it's", "c d"]],
    ["HAVING COUNT(*) > 1500", ["it's", "c d"]],
    ["HAVING n / 2 + 1 < 900 OR NOT (n < 2500)", ["a", "it's"]],
    ["HAVING region IN ('a', 'c d')", ["a", "c d"]],
    ["HAVING region <> 'a' AND region IS NOT NULL", ["it's", "c d"]],
    ["ORDER BY n DESC LIMIT 2", ["it's", "c d"]],
    ["ORDER BY 2 LIMIT 1 OFFSET 1", ["c d"]],
    ["ORDER BY region", ["a", "c d", "it's"]],
  ])("%s", (tail, expected) => {
    expect(regions(tail)).toEqual(expected);
  });

  test("many rows are sorted as few are, those alike in their order", () => {
    const sql = "SELECT age, COUNT(*) AS n FROM survey GROUP BY age ORDER BY n DESC, age";
    const { rows } = shown(sql, [Array.from({ length: 101 }, (_, age) => BigInt(1000 * (age % 7)))]);
    const sorted = rows.toSorted((a, b) => Number(b[1]) - Number(a[1]) || Number(a[0]) - Number(b[0]));
    expect(rows).toEqual(sorted);
    expect(rows).toHaveLength(101);
  });
});

describe("an aggregate without a name", () => {
  const sql = "SELECT AVG(age), COUNT(*), MEDIAN(age) FROM survey";
  // S1 and S2 of the mean, then the rows, then a leaf.
  const exact: Rows = [[41_237n, 58_763n], [1000n], [37n]];

  test("is called by what it asks, carries its interval, and has the digits that mean something; all on request", () => {
    const table = shown(sql, exact, { epsilon: "3" });
    expect(table.names).toEqual(["avg_age", "count", "median_age"]);
    const [mean] = table.answers[0]?.cells ?? [];
    if (mean === undefined) throw new Error("one cell");
    expect(table.rows[0]?.[0]).toBe(meaningful(mean).value);
    expect(table.rows[0]?.[0]).not.toBe(mean.value);
    const [from, to] = meaningful(mean).interval;
    expect(table.notes).toContain(`avg_age: ${from} to ${to}, in 95 of 100 cases.`);
    expect(table.notes.filter((note) => note.startsWith("median_age: "))).not.toContainEqual(
      expect.stringMatching(/in 95 of 100 cases\.$/),
    );
    expect(shown(sql, exact, { epsilon: "3", isExact: true }).rows[0]?.[0]).toBe(mean.value);
  });

  test("has a number where its name is taken", () => {
    const sums = [1n, 2n, 3n, 4n, 5n, 6n];
    const two = "SELECT region, AVG(age, upper => 50), AVG(age) AS avg_age FROM survey GROUP BY region";
    expect(shown(two, [sums, sums]).names).toEqual(["region", "s1", "avg_age"]);
  });

  test("of several rows each interval is named, in their order", () => {
    const { rows, notes } = shown(
      "SELECT region, COUNT(*) FROM survey GROUP BY region ORDER BY region LIMIT 2",
      COUNTS,
    );
    expect(rows).toHaveLength(2);
    expect(notes[0]).toMatch(
      /^count: [\d,]+ to [\d,]+; [\d,]+ to [\d,]+, in the order of the rows, in 95 of 100 cases\.$/,
    );
    const low = "SELECT region, COUNT(*) AS n, DP_INTERVAL_LOW(n) FROM survey GROUP BY region";
    expect(shown(low, COUNTS).notes.filter((note) => note.startsWith("n: "))).toEqual([]);
  });
});

describe("times", () => {
  const sql = "SELECT region, MAX(came) AS last FROM survey GROUP BY region";
  const exact: Rows = [[1n, 2n, 3n]];

  test("are compared and ordered as instants, where clocks go back too", () => {
    const texts = ["2024-10-27T02:50:00+02:00", "2024-10-27T02:10:00+01:00", "2024-10-27T02:30:00+01:00"];
    const cells = (same: readonly Answer[]) =>
      same.map((answer) => ({
        ...answer,
        origin: {},
        cells: answer.cells.map((cell, at) => {
          const value = Date.parse(texts[at] ?? "") / 1000;
          return { ...cell, unreliable: false, value, interval: [value - 1, value + 1] as const };
        }),
      }));
    const rows = (tail: string) =>
      shown(`${sql} ${tail}`, exact, { change: cells as never }).rows.map(([, last]) => last);
    expect(rows("ORDER BY last")).toEqual([texts[0], texts[1], texts[2]]);
    expect(rows("HAVING last < '2024-10-27 02:30:00'")).toEqual([]);
    expect(rows("HAVING last >= TIMESTAMP '2024-10-27 02:30:00+01:00'")).toEqual([texts[2]]);
    expect(rows("HAVING MAX(came) <> '2024-10-27T01:30:00Z' ORDER BY 2 DESC")).toEqual([texts[1], texts[0]]);
    expect(() => rows("HAVING last > 3")).toThrow("a time is compared with one such as");
  });
});

describe("intervals of rows that noise picks", () => {
  const sql = "SELECT region, COUNT(*) AS n, DP_INTERVAL_LOW(n), DP_INTERVAL_HIGH(n) FROM survey GROUP BY region";
  const noisy = { epsilon: "1" };
  const width = (row: readonly unknown[] | undefined): number => Number(row?.[3]) - Number(row?.[2]);

  test("hold for all groups at once: each fails a third as often as one alone", () => {
    const alone = shown(sql, COUNTS, noisy);
    expect(alone.notes.join(" ")).not.toContain("pick");
    for (const tail of ["HAVING n > 0", "ORDER BY n DESC LIMIT 1"]) {
      const picked = shown(`${sql} ${tail}`, COUNTS, noisy);
      const confident = shown(sql.replace("SELECT", OPTIONS), COUNTS, noisy);
      expect(width(picked.rows[0])).toBe(width(confident.rows[0]));
      expect(width(picked.rows[0])).toBeGreaterThan(width(alone.rows[0]));
      expect(picked.notes).toContainEqual(
        expect.stringContaining("Intervals hold for all 3 answers at once, in 95 of 100 cases;"),
      );
    }
  });
  const OPTIONS = `SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(confidence = ${1 - 0.05 / 3})`;

  test("of groups that are not picked by noise, and of answers that were made before, stay as they are", () => {
    expect(shown(`${sql} ORDER BY region`, COUNTS).notes.join(" ")).not.toContain("at once");
    const { notes, rows } = shown(`${sql} ORDER BY n`, COUNTS, {
      change: (answers) => answers.map((answer) => ({ ...answer, origin: { kind: "pooled", from: [] } })),
    });
    expect(width(rows[0])).toBe(width(shown(sql, COUNTS).rows[0]));
    expect(notes).toContain("Intervals hold one by one, in 95 of 100 cases, and not for rows that were picked.");
  });
});

describe("what a value is goes with it", () => {
  test("an unreliable answer is NULL, and said to be one", () => {
    const { rows, notes } = shown("SELECT region, AVG(age) AS age FROM survey GROUP BY region HAVING age > 0", [
      [0n, 0n, 40_000n, 60_000n, 50_000n, 50_000n],
    ]);
    expect(rows.map(([region]) => region)).toEqual(["it's", "c d"]);
    expect(notes).toContain("NULL in 1 of 3 answers: the noise was larger than the data.");
    expect(notes.join(" ")).toContain("outside 0 to 100 were");
  });

  test("dates are dates, their intervals rounded outwards, and compared as dates", () => {
    const sql = "SELECT AVG(seen) AS m, DP_INTERVAL_LOW(m), DP_INTERVAL_HIGH(m) FROM survey";
    const exact = [[1_000_000n, 1_000_000n]];
    const [row] = shown(sql, exact).rows;
    expect(row?.[0]).toBe("2024-07-02");
    expect((row?.[1] as string) <= "2024-07-02" && (row?.[2] as string) >= "2024-07-02").toBe(true);
    expect(shown(`${sql} HAVING m > DATE '2024-06-01'`, exact).rows).toHaveLength(1);
    expect(shown(`${sql} HAVING m > DATE '2024-08-01'`, exact).rows).toHaveLength(0);
    expect(
      shown("SELECT seen, COUNT(*) FROM survey GROUP BY 1 HAVING seen <= '2024-01-02'", [
        Array.from({ length: 366 }, () => 5n),
      ]).rows.map(([day]) => day),
    ).toEqual(["2024-01-01", "2024-01-02"]);
  });

  test("the error of a median is in rows, more of them where noise picks; a note says whose it is", () => {
    const ask = "SELECT region, COUNT(*) AS n, MEDIAN(age) AS m FROM survey GROUP BY region";
    const ages = Array.from({ length: 303 }, () => 100n);
    const most = (tail: string): number => {
      const { notes } = shown(`${ask} ${tail}`, [[1n, 2n, 3n], ages], { epsilon: "1" });
      const [, rank = ""] = /\bm: At most (\d+) rows lie between/.exec(notes.join(" ")) ?? [];
      return Number(rank);
    };
    expect(most("")).toBeGreaterThan(0);
    expect(most("ORDER BY m")).toBeGreaterThan(most(""));
  });

  test("a histogram says what it lists", () => {
    const { rows, notes } = shown("SELECT HISTOGRAM(age, bins => ARRAY[0, 50, 100]) AS h FROM survey", [[10n, 20n]]);
    expect(rows[0]?.[0]).toHaveLength(2);
    expect(notes).toContain("The list has, in this order: 0–49; 50–100.");
  });
});

describe("several groupings are one set of tables, whose rows add up", () => {
  const select = "SELECT region, order, COUNT(*) AS n, DP_INTERVAL_LOW(n) AS low FROM survey GROUP BY";
  // Regions a, it's, c d and missing, by order false and true.
  const counts = [[100n, 200n, 3000n, 40n, 0n, 50n, 7n, 0n]];
  const kinds = (rows: readonly (readonly unknown[])[]) => [
    ...new Set(rows.map(([region, order]) => `${region === null ? "-" : "region"} ${order === null ? "-" : "order"}`)),
  ];

  test.each([
    ['CUBE (region, "order")', ["- -", "region -", "- order", "region order"]],
    ['rollup(region, "order")', ["- -", "region -", "region order"]],
    ['GROUPING SETS ((region), ("order"))', ["region -", "- order"]],
    ['GROUPING SETS (region, ("order", region), ())', ["- -", "region -", "region order"]],
    ['CUBE ((region, "order"))', ["- -", "region order"]],
  ])("%s", (grouping, expected) => {
    const { rows, answers } = shown(`${select.replace(" order,", ' "order",')} ${grouping}`, counts, { isExact: true });
    expect(kinds(rows)).toEqual(expected);
    const both = rows.filter(([region, order]) => region !== null && order !== null);
    if (both.length > 0) {
      expect(both).toHaveLength(8);
      const total = answers[0]?.cells.find(({ group }) => Object.keys(group).length === 0)?.value ?? 0;
      expect(Math.abs(both.reduce((sum, [, , n]) => sum + Number(n), 0) - total)).toBeLessThan(1e-4);
    }
    for (const [, , n, low] of rows) expect(Number(low)).toBeLessThanOrEqual(Number(n));
  });

  test("sums of a column stand next to counts, and add up too", () => {
    const sql = "SELECT region, COUNT(*) AS n, SUM(age) AS total FROM survey GROUP BY ROLLUP (region)";
    const { rows, answers } = shown(
      sql,
      [
        [9n, 5n, 7n, 0n],
        [900n, 50n, 3n, 0n],
      ],
      { isExact: true },
    );
    expect(answers.map(({ statistic, column }) => [statistic, column])).toEqual([
      ["tables", null],
      ["tableSums", "age"],
    ]);
    const [all, ...parts] = rows.toSorted(([one], [other]) => Number(one !== null) - Number(other !== null));
    expect(parts).toHaveLength(4);
    for (const at of [1, 2])
      expect(Number(all?.[at])).toBeCloseTo(
        parts.reduce((sum, row) => sum + Number(row[at]), 0),
        3,
      );
  });

  test("rows without a number are in no order with numbers, and in no condition on them", () => {
    const months = (tail: string) => {
      const sql = `SELECT region, EXTRACT(MONTH FROM seen) AS m, COUNT(*) AS n FROM survey GROUP BY ROLLUP (region, m) ${tail}`;
      return shown(sql, [new Array<bigint>(4 * 13).fill(9n)], { isExact: true }).rows.map(([, month]) => month);
    };
    const sorted = months("ORDER BY m");
    // Texts, as one of them is no number.
    expect(sorted.slice(0, 48)).toEqual(Array.from({ length: 48 }, (_, at) => String(1 + Math.floor(at / 4))));
    expect(new Set(sorted.slice(48))).toEqual(new Set([null, "missing"]));
    expect(new Set(months("HAVING m > 10"))).toEqual(new Set(["11", "12"]));
    const days = "SELECT seen, COUNT(*) AS n FROM survey GROUP BY ROLLUP (seen) HAVING seen >= DATE '2024-12-31'";
    expect(shown(days, [new Array<bigint>(367).fill(9n)]).rows.map(([day]) => day)).toEqual(["2024-12-31"]);
  });

  test("HAVING, ORDER BY and LIMIT work on them; a column called cube is one", () => {
    const { rows } = shown(
      `${select.replace(" order,", ' "order",')} ROLLUP (region, "order") HAVING n > 150 ORDER BY n DESC LIMIT 3`,
      counts,
    );
    expect(rows.map(([region, order]) => [region, order])).toEqual([
      [null, null],
      ["it's", null],
      ["it's", false],
    ]);
    expect(() => shown("SELECT cube, COUNT(*) FROM survey GROUP BY cube", counts)).toThrow(/cube/);
  });
});
