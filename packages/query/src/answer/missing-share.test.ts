import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Answer } from "./answer.ts";
import { missingNote, missingShare, missingShares, rowsOf } from "./missing-share.ts";
import { answersToShow } from "./title.ts";

const table = (more: object = {}) =>
  checkDeclaration({
    name: "people",
    source: { csv: "people.csv" },
    privacyUnit: "row",
    columns: {
      age: { type: "integer", lower: 0, upper: 120 },
      sex: { type: "category", categories: ["f", "m"], required: true },
    },
    ...more,
  });
const known = { adjacency: "replace", size: { public: 20_000 } };
const row = (id: string, more: object = {}) => ({ id, statistic: "count" as const, ...more });

describe("whose rows a count of values tells a share of", () => {
  const present = row("p", { column: "age" });

  test("those that the same plan counts, with the same filter and without groups", () => {
    const statistics = [
      { statistic: "count" as const },
      { statistic: "count" as const, column: "age" },
      row("grown", { column: "age", where: "age >= 18" }),
      row("all grown", { where: { op: "and", of: [{ op: ">=", column: "age", value: 18 }] } }),
      row("by", { column: "age", groupBy: ["sex"] }),
      row("never", { column: "sex" }),
      { ...row("mean", { column: "age" }), statistic: "mean" as const },
    ];
    expect(rowsOf({ statistics }, table())).toEqual({ s2: "s1", grown: "all grown" });
    expect(rowsOf({ statistics: [present, row("f", { where: "age > 1" })] }, table())).toEqual({ p: null });
    expect(rowsOf({ statistics: [present, row("by", { groupBy: ["sex"] })] }, table())).toEqual({ p: null });
  });

  test("the public number, where every row is a unit and counts", () => {
    const statistics = [row("all"), present, row("grown", { column: "age", where: "age >= 18" })];
    const columns = Object.fromEntries(
      Object.entries(table().columns).map(([name, column]) => [name, { ...column, required: false }]),
    );
    expect(rowsOf({ statistics }, { ...table(known), columns })).toMatchObject({ p: 20_000 });
    // A row that misses a required value is in the public number, and in no count.
    expect(rowsOf({ statistics }, table(known))).toEqual({ p: "all", grown: null });
    expect(rowsOf({ statistics, join: {} }, table(known))).toEqual({ p: "all", grown: null });
    expect(rowsOf({ statistics: [present] }, table({ size: { assumed: 20_000 } }))).toEqual({ p: null });
    const byPerson = { ...known, privacyUnit: { column: "sex" }, contribution: { rows: 2 } };
    expect(rowsOf({ statistics }, table(byPerson))).toEqual({ p: "all", grown: null });
  });
});

test("the share lies in its interval wherever both numbers lie in theirs, and its text reaches as far [M148]", () => {
  const size = fc.integer({ min: 0, max: 3000 });
  const drawn = fc.record({
    rows: fc.integer({ min: 1, max: 1_000_000 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    off: fc.tuple(size, size, size, size, size, size),
  });
  fc.assert(
    fc.property(drawn, ({ rows, part, off: [a, b, c, d, e, f] }) => {
      const values = Math.floor(rows * part);
      const truth = 1 - values / rows;
      // Any value and any interval that holds the truth: noise may put the value outside of it, and ends below zero.
      const present = { value: values + e - f, interval: [values - a, values + b] as const };
      const all = { value: rows + f - e, interval: [rows - c, rows + d] as const };
      const found = missingShare(present, all);
      if (found === null) {
        expect(all.value).toBeLessThanOrEqual(0);
        return;
      }
      const { value, interval } = found;
      expect(interval[0]).toBeLessThanOrEqual(truth);
      expect(interval[1]).toBeGreaterThanOrEqual(truth);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
      const text = missingNote(answer("p", present), [answer("n", all)], "n");
      const [, from, to] = /between ([\d.]+) and ([\d.]+) % in 90 of 100 cases/.exec(text) ?? [];
      expect([Number(from) <= 100 * interval[0], Number(to) >= 100 * interval[1]], text).toEqual([true, true]);
    }),
    { numRuns: 500 },
  );
});

const answer = (id: string, cell: object, confidence = 0.95): Answer =>
  ({ id, statistic: "count", confidence, cells: [cell], notes: ["A note."] }) as unknown as Answer;

describe("what the share is about", () => {
  const answers = [answer("p", { value: 50, interval: [45, 55] }), answer("n", { value: 100, interval: [95, 105] })];
  const statistics = [row("p", { column: "age" }), row("n")];
  const noteOf = (declared: object = {}, plan: object = {}, isOfOneTime = () => true) =>
    missingShares({ statistics, ...plan }, table(declared), answers, isOfOneTime).missing?.p;

  test("not about a sample: each count has one of its own", () => {
    expect(noteOf()).toMatch(/^About 50 %/);
    expect(noteOf({}, { sample: { rate: "1/2" } })).toBeUndefined();
    expect(noteOf(known, { sample: { size: 10 } })).toBeUndefined();
  });

  test("of people with several rows the condition is said under which all of them count", () => {
    const visits = { privacyUnit: { column: "sex" }, contribution: { rows: 1000, rowsPerGroup: 1200, groups: 5 } };
    expect(noteOf(visits)).toMatch(
      /of this plan\. This is right only if no person has more than 1,000 of these rows: each number counts at most 1,000 of them\.$/,
    );
    const perGroup = {
      ...visits,
      contribution: { rowsPerGroup: 3, groups: 5 },
      unitNoun: { one: "patient", many: "patients" },
    };
    expect(noteOf(perGroup)).toMatch(/no patient has more than 3 of these rows: /);
    const columns = {
      sex: { type: "text" },
      age: { type: "integer" },
      seen: { type: "date", lower: "2024-01-01", upper: "2024-12-31" },
    };
    const blocks = { column: "seen", every: "month", zone: "UTC" };
    expect(noteOf({ ...perGroup, columns, blocks })).toMatch(/has more than 3 of these rows in one month: /);
    expect(noteOf({ ...perGroup, columns, blocks: { ...blocks, protects: "person" } })).toMatch(/of these rows: each/);
    expect(noteOf()).not.toContain("only if");
  });

  test("not about rows of different times", () => {
    expect(noteOf({}, {}, () => false)).toBe(
      "What share of the rows has no value is not known: both numbers are about the table at different times.",
    );
    const [, all] = statistics;
    expect(noteOf({}, { statistics: [statistics[0], { ...all, where: "age > 1" }] }, () => false)).toMatch(
      /not count them/,
    );
  });

  test("a filter that this program cannot read is one with its own spelling alone", () => {
    const where = "gone > 1";
    const rows = [row("p", { column: "age", where }), row("n", { where })];
    expect(rowsOf({ statistics: rows }, table())).toEqual({ p: "n" });
  });
});

describe("in words", () => {
  const counted = (value: number, half: number) => ({ value, interval: [Math.max(0, value - half), value + half] });
  const present = answer("p", counted(9680, 41));

  test("with the noisy count of the plan both intervals must hold", () => {
    const text = missingNote(present, [present, answer("n", counted(10_000, 40))], "n");
    expect(text).toBe(
      "About 3.2 % of the rows have no value, between 2.3 and 4 % in 90 of 100 cases. Their number is the noisy count of this plan.",
    );
  });

  test("with a public number only the count of values is noisy", () => {
    expect(missingNote(present, [present], 10_000)).toBe(
      "About 3.2 % of the rows have no value, between 2.79 and 3.62 % in 95 of 100 cases. Their number, 10,000, is public.",
    );
  });

  test("a number of rows that is not known is said to be so", () => {
    expect(missingNote(present, [present], null)).toMatch(/not known: their number is not public, and this plan/);
    expect(missingNote(present, [answer("n", counted(-3, 40))], "n")).toMatch(/not known: the noise hides how many/);
    expect(missingNote(present, [], 0)).toMatch(/not known/);
    expect(missingNote(answer("p", counted(4, 1), 0.4), [answer("n", counted(5, 1), 0.4)], "n")).not.toContain("cases");
  });

  test("comes first among the notes of the shown answer, and of no other one", () => {
    const answers = [answer("constructor", counted(10_000, 40)), present];
    const { missing } = missingShares(
      { statistics: [row("constructor"), row("p", { column: "age" })] },
      table(),
      answers,
    );
    const words = { noun: { one: "person", many: "people" }, columns: {}, missing };
    expect(answersToShow({ answers, words })?.map(({ notes }) => notes)).toEqual([
      ["A note."],
      [expect.stringMatching(/^About 3.2 %/), "A note."],
    ]);
    expect(answersToShow({ answers: null, words })).toBeNull();
    expect(missingShares({ statistics: [row("all")] }, table(), answers)).toEqual({});
  });
});
