import { boundPlan, checkDeclaration, type JoinedColumn, type Plan } from "@dosimeter/query";
import { expect, test } from "vitest";
import { declaration } from "../instance.kit.ts";
import { MAX_JOB_MS } from "../measuring/measurer.ts";
import { CLASS_MS, deadlineOf, inDurationClass, isBrief } from "./duration-class.ts";

const columns = { ...declaration.columns, word: { type: "text" } } as const;
const deadline = (people: number, ...statistics: Plan["statistics"]) =>
  deadlineOf(boundPlan({ statistics }, checkDeclaration({ ...declaration, columns, size: { assumed: people } })));
const count = { statistic: "count", epsilon: "0.1" } as const;
const median = { statistic: "median", column: "salary", epsilon: "0.1" } as const;

test("the deadline of a plan depends on its shape and on the declared size alone", () => {
  expect(deadline(6, count)).toBe(CLASS_MS);
  expect(deadline(6, { ...count, where: { op: ">=", column: "age", value: 30 } })).toBe(CLASS_MS);
  expect(deadline(1_000_000, count)).toBe(800);
  const found = { statistic: "keyCounts", column: "word", epsilon: "1", delta: "0.000001" } as const;
  expect(deadline(1_000_000, found), "as if each row had a value of its own").toBe(25_600);
  const matching = (value: number) => ({ ...found, where: { op: ">=", column: "age", value } }) as const;
  expect(
    [18, 65].map((value) => deadline(400_000, matching(value))),
    "whichever rows match",
  ).toEqual([12_800, 12_800]);
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
  const size = { assumed: 500_000 };
  const other = checkDeclaration({ ...declaration, name: "other", size });
  const joinable = { d2: { version: 1, declaration: other } };
  const joined = (taken: Readonly<Record<string, JoinedColumn>>) => {
    const plan: Plan = {
      join: { dataset: "d2", columns: taken },
      statistics: [
        { ...count, where: { op: "and", of: Object.keys(taken).map((column) => ({ op: "isNull", column })) } },
      ],
    };
    return deadlineOf(boundPlan(plan, { ...checkDeclaration({ ...declaration, size }), joinable }));
  };
  const all = (length: number, taken: JoinedColumn) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`x${index}`, taken]));
  expect(joined(all(1, { take: "max", column: "salary" }))).toBe(1600);
  expect(joined(all(8, { take: "max", column: "salary" }))).toBe(1600);
  expect(joined(all(1, { take: "one", column: "salary" }))).toBe(3200);
  expect(joined(all(1, { take: "first", column: "salary", by: "age" }))).toBe(3200);
  expect(joined(all(8, { take: "first", column: "salary", by: "age" }))).toBe(25_600);
});

test("a plan is brief by what is declared, and never where no size is", () => {
  const brief = (size?: { readonly assumed: number }) => {
    const { size: _, ...unsized } = declaration;
    const declared = checkDeclaration({ ...unsized, ...(size === undefined ? {} : { size }) });
    return isBrief(boundPlan({ statistics: [count] }, declared));
  };
  expect([brief({ assumed: 3000 }), brief({ assumed: 10_000_000 }), brief()]).toEqual([true, false, false]);
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

test("an outcome appears at its deadline, a failure too, and what misses it at the end of the next class", async () => {
  const plan = boundPlan({ statistics: [count] }, checkDeclaration(declaration));
  for (const [took, shown] of [
    [1, CLASS_MS],
    [CLASS_MS + 20, 2 * CLASS_MS],
  ] as const) {
    const started = performance.now();
    const failing = new Promise<never>((_, reject) => setTimeout(reject, took, new Error("no rows")));
    await expect(inDurationClass(plan, failing)).rejects.toThrow("no rows");
    expect(performance.now() - started).toBeGreaterThanOrEqual(shown);
  }
});
