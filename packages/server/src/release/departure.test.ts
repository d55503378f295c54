import { present } from "@dosimeter/core/internal";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration, type JoinedColumn } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { expect, test } from "vitest";
import { declaration } from "../instance.kit.ts";
import { MAX_JOB_MS } from "../measuring/measurer.ts";
import { CLASS_MS, deadlineOf, inDurationClass, isBrief, openDepartures } from "./duration-class.ts";

const columns = { ...declaration.columns, word: { type: "text" } } as const;
const deadline = (people: number, ...statistics: Plan["statistics"]) =>
  deadlineOf(boundPlan({ statistics }, checkDeclaration({ ...declaration, columns, mostRows: people })));
const count = { statistic: "count", epsilon: "0.1" } as const;
const median = { statistic: "median", column: "salary", epsilon: "0.1" } as const;

test("the deadline of a plan depends on its shape and on the declared size alone", () => {
  expect(deadline(6, count)).toBe(CLASS_MS);
  expect(deadline(6, { ...count, where: { op: ">=", column: "age", value: 30 } })).toBe(CLASS_MS);
  expect(deadline(1_000_000, count)).toBe(800);
  const found = { statistic: "keyCounts", column: "word", epsilon: "1", delta: "0.000001" } as const;
  expect(deadline(1_000_000, found), "as if each row had a value of its own").toBe(25_600);
  expect(deadline(1_000_000, { ...count, groupBy: ["word"], keys: "select", delta: "0.000001" })).toBe(25_600);
  const matching = (value: number) => ({ ...found, where: { op: ">=", column: "age", value } }) as const;
  expect(
    [18, 65].map((value) => deadline(400_000, matching(value))),
    "whichever rows match",
  ).toEqual([6400, 6400]);
  expect(deadline(6, median)).toBe(200);
  const shares = Array.from({ length: 99 }, (_, at) => (at + 1) / 100);
  expect(
    deadline(6, { ...median, statistic: "quantiles", quantiles: shares }),
    "each share goes through all leaves",
  ).toBe(3200);
  const variances = { statistic: "variance", column: "salary", groupBy: ["sex", "age"], epsilon: "0.1" } as const;
  expect(deadline(6, variances), "intervals are searched for").toBe(100);
  expect(deadline(6, ...Array.from({ length: 9 }, (_, at) => ({ ...count, id: `c${at}` })))).toBe(200);
});

test("a join counts as often as it goes through the rows of both tables", () => {
  const mostRows = 500_000;
  const other = checkDeclaration({ ...declaration, name: "other", mostRows });
  const joinable = { d2: { version: 1, declaration: other } };
  const joined = (taken: Readonly<Record<string, JoinedColumn>>) => {
    const plan: Plan = {
      join: { dataset: "d2", columns: taken },
      statistics: [
        { ...count, where: { op: "and", of: Object.keys(taken).map((column) => ({ op: "isNull", column })) } },
      ],
    };
    return deadlineOf(boundPlan(plan, { ...checkDeclaration({ ...declaration, mostRows }), joinable }));
  };
  const all = (length: number, taken: JoinedColumn) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`x${index}`, taken]));
  expect(joined(all(1, { take: "max", column: "salary" }))).toBe(1600);
  expect(joined(all(8, { take: "max", column: "salary" }))).toBe(1600);
  expect(joined(all(1, { take: "one", column: "salary" }))).toBe(3200);
  expect(joined(all(1, { take: "first", column: "salary", by: "age" }))).toBe(3200);
  expect(joined(all(8, { take: "first", column: "salary", by: "age" }))).toBe(25_600);
});

test("a plan is brief by the most rows that its table may hold, whatever it says of itself", () => {
  const brief = (declared: { readonly size?: { readonly assumed: number }; readonly mostRows?: number }) => {
    const { size: _, ...unsized } = declaration;
    return isBrief(boundPlan({ statistics: [count] }, checkDeclaration({ ...unsized, ...declared })));
  };
  expect([{ size: { assumed: 3000 } }, { size: { assumed: 10_000_000 } }, {}].map(brief)).toEqual([true, false, true]);
  expect(brief({ size: { assumed: 1 }, mostRows: 10_000_000 })).toBe(false);
});

test("the most values of a column decide how long they are looked for, and no more than there are rows", () => {
  const found = { statistic: "keyCounts", column: "word", epsilon: "1", delta: "0.000001" } as const;
  const after = (mostValues?: number) => {
    const word = { type: "text", ...present({ mostValues }) };
    const declared = checkDeclaration({ ...declaration, columns: { ...columns, word }, mostRows: 400_000 });
    return deadlineOf(boundPlan({ statistics: [found] }, declared));
  };
  expect([after(), after(500), after(100_000), after(4_000_000)]).toEqual([6400, 1600, 3200, 6400]);
});

test("no declared size makes a deadline later than the end of every measuring process", () => {
  const many = Array.from({ length: 50 }, (_, at) => ({ ...count, id: `c${at}` }));
  expect(deadline(2 ** 40, ...many)).toBe(819_200);
  expect(deadline(2 ** 40, count)).toBeGreaterThan(MAX_JOB_MS);
});

test("published groups count when they are known, and those that are not published do not", () => {
  const asked = { ...median, groupBy: ["word"], keys: "select", delta: "0.000001" } as const;
  const plan = boundPlan({ statistics: [asked] }, checkDeclaration({ ...declaration, columns }));
  const answered = (words: number) =>
    deadlineOf(plan, [{ cells: Array.from({ length: words }, (_, at) => ({ group: { word: `w${at}` } })) }] as never);
  expect([deadlineOf(plan), answered(0), answered(100)]).toEqual([CLASS_MS, CLASS_MS, 25_600]);
});

test("an outcome appears at its deadline, a failure too, and what misses it at the end of the next class, and is counted", async () => {
  const plan = boundPlan({ statistics: [count] }, checkDeclaration(declaration));
  const lines: unknown[] = [];
  const departures = openDepartures({ info: () => undefined, error: (...line) => lines.push(line) });
  for (const [took, shown] of [
    [1, CLASS_MS],
    [CLASS_MS + 20, 2 * CLASS_MS],
  ] as const) {
    const started = performance.now();
    const failing = new Promise<never>((_, reject) => setTimeout(reject, took, new Error("no rows")));
    await expect(inDurationClass(plan, failing, departures)).rejects.toThrow("no rows");
    expect(performance.now() - started).toBeGreaterThanOrEqual(shown);
  }
  expect([departures.count(), lines]).toEqual([1, [["a departure was missed", { count: 1 }]]]);
});
