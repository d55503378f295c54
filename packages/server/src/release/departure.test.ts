import { present } from "@dosimeter/core/internal";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration, type Declaration, type JoinedColumn } from "@dosimeter/query/declaration";
import type { BoundedPlan } from "@dosimeter/query/plan";
import type { Plan } from "@dosimeter/query/statistics";
import fc from "fast-check";
import { expect, test } from "vitest";
import { declaration } from "../instance.kit.ts";
import { MAX_JOB_MS, STOP_MS } from "../measuring/measurer.ts";
import { atDeparture } from "./departure.ts";
import { CLASS_MS, classEnd, MARGIN, openTimetable } from "./timetable.ts";

const columns = { ...declaration.columns, word: { type: "text" } } as const;
const timetable = openTimetable({ info: () => undefined, error: () => undefined });
const { departureOf } = timetable;
const deadlineOf = (plan: BoundedPlan, published: readonly number[] = []) => departureOf(plan, { published }).deadline;
const declared = (more: object): Declaration => checkDeclaration({ ...declaration, columns, ...more });
const deadline = (mostRows: number, ...statistics: Plan["statistics"]) =>
  deadlineOf(boundPlan({ statistics }, declared({ mostRows })));
const count = { statistic: "count", epsilon: "0.1" } as const;
const median = { statistic: "median", column: "salary", epsilon: "0.1" } as const;
const found = { statistic: "keyCounts", column: "word", epsilon: "1", delta: "0.000001" } as const;

test("[M362] departures are a quarter apart, and each is at least the margin later than what measuring takes alone", () => {
  expect([0, 99, 100, 101, 125, 150].map(classEnd)).toEqual([100, 100, 100, 125, 125, 156.25]);
  fc.assert(
    fc.property(fc.double({ min: 1, max: 1e6, noNaN: true }), (elapsed) => {
      const end = classEnd(elapsed);
      expect(end).toBeGreaterThanOrEqual(elapsed * (1 - 1e-9));
      expect(end / 1.25).toBeLessThan(Math.max(elapsed, CLASS_MS));
      const steps = Math.log(end / CLASS_MS) / Math.log(1.25);
      expect(steps).toBeCloseTo(Math.round(steps), 9);
      expect(classEnd(end)).toBe(end);
    }),
  );
  const { cost, deadline } = departureOf(boundPlan({ statistics: [median] }, declared({ mostRows: 3_000_000 })));
  expect(deadline).toBe(classEnd(MARGIN * cost));
});

test("[M360] a departure follows from the plan and the declaration alone: rows, literals and what is asked of whom change nothing", () => {
  const least = deadline(10_000_000, count);
  for (const value of [18, 40, 90])
    expect(deadline(10_000_000, { ...count, where: { op: ">=", column: "age", value } })).toBe(
      deadline(10_000_000, { ...count, where: { op: ">=", column: "age", value: 30 } }),
    );
  for (const name of ["epsilon", "rho"])
    expect(deadline(10_000_000, { statistic: "count", [name]: "0.7" })).toBe(least);
  fc.assert(
    fc.property(fc.integer({ min: 6, max: 1e9 }), fc.integer({ min: 6, max: 1e9 }), (some, more) => {
      const [few, many] = some < more ? [some, more] : [more, some];
      for (const one of [count, median, found] as const)
        expect(deadline(few, one)).toBeLessThanOrEqual(deadline(many, one));
    }),
  );
});

test("each thing that takes time makes a departure later: rows, text, times, formulas, groups, people, values, sums", () => {
  const seen = { type: "timestamp", zone: "Europe/Berlin", lower: "2000-01-01", upper: "2024-12-31" };
  const of = (statistic: Plan["statistics"][number], more: object = {}, asked: Omit<Plan, "statistics"> = {}) => {
    const table = declared({ mostRows: 3_000_000, source: { parquet: "staff.parquet" }, ...more });
    return departureOf(boundPlan({ ...asked, statistics: [statistic] }, table)).cost;
  };
  const byRow = { privacyUnit: "row", contribution: {} };
  const timed = { columns: { ...columns, seen } };
  const hour = { ...count, groupBy: ["hour"] };
  const hours = { let: { hour: "hour(seen)" } };
  for (const [less, more] of [
    [of(count, byRow), of(count)],
    [of(count), of(count, { contribution: { groups: 2, rowsPerGroup: 1 } })],
    [of(count), of(count, { source: declaration.source })],
    [of(count), of({ ...count, groupBy: ["sex"] })],
    [of(count), of({ ...count, where: "age > 30 and sex = 'f'" } as never)],
    [of(count), of({ statistic: "mean", column: "salary", epsilon: "0.1" })],
    [of(count), of({ statistic: "histogram", column: "age", bins: 50, epsilon: "0.1" } as never)],
    [of(count, timed), of(hour, timed, hours)],
    [of(hour, timed, hours), of(hour, { ...timed, source: declaration.source }, hours)],
    [of(count), of(found)],
  ] as const)
    expect(less).toBeLessThan(more);
  expect(of(hour, timed, hours) / of(count, timed), "what clocks show").toBeGreaterThan(5);
});

test("a join counts as often as it goes through the rows of both tables", () => {
  const mostRows = 500_000;
  const joinable = { d2: { version: 1, declaration: declared({ name: "other", mostRows }) } };
  const joined = (length: number, taken: JoinedColumn) => {
    const names = Array.from({ length }, (_, index) => `x${index}`);
    const plan: Plan = {
      join: { dataset: "d2", columns: Object.fromEntries(names.map((name) => [name, taken])) },
      statistics: [{ ...count, where: { op: "and", of: names.map((column) => ({ op: "isNull", column })) } }],
    };
    return departureOf(boundPlan(plan, { ...declared({ mostRows }), joinable })).cost;
  };
  const first = { take: "first", column: "salary", by: "age" } as const;
  expect(joined(1, first)).toBeGreaterThan(1.5 * joined(1, { take: "max", column: "salary" }));
  expect(joined(8, first)).toBeGreaterThan(5 * joined(1, first));
  expect(joined(8, { take: "max", column: "salary" })).toBeLessThan(1.1 * joined(1, { take: "max", column: "salary" }));
});

test("the most values of a column decide how long they are looked for, and no more than there are rows", () => {
  const after = (mostValues?: number) => {
    const word = { type: "text", ...present({ mostValues }) };
    const table = declared({ columns: { ...columns, word }, mostRows: 400_000 });
    return departureOf(boundPlan({ statistics: [found] }, table)).cost;
  };
  const [all, few, some, more] = [after(), after(500), after(100_000), after(4_000_000)];
  expect([few < some, some < all, all === more]).toEqual([true, true, true]);
});

test("no declared size makes a departure later than a class after the end of every measuring process", () => {
  const many = Array.from({ length: 50 }, (_, at) => ({ ...count, id: `c${at}` }));
  expect(deadline(2 ** 40, ...many)).toBe(deadline(2 ** 40, count));
  expect(deadline(2 ** 40, count) / 1.25 ** 2).toBeLessThan(MAX_JOB_MS);
  expect(deadline(2 ** 40, count)).toBeGreaterThan(MAX_JOB_MS + STOP_MS);
});

test("published groups count when they are known, and those that are not published do not", () => {
  const asked = { ...median, groupBy: ["word"], keys: "select", delta: "0.000001" } as const;
  const plan = boundPlan({ statistics: [asked] }, declared({ mostRows: 1000 }));
  const [none, hundred] = [deadlineOf(plan, [0]), deadlineOf(plan, [100])];
  expect([deadlineOf(plan), hundred > 5 * none]).toEqual([none, true]);
});

test("[M364] an outcome appears at its departure, a failure too, and what misses it at the next one, and is counted", async () => {
  const plan = boundPlan({ statistics: [count] }, checkDeclaration(declaration));
  const reader = { hasRead: true, depart: () => expect.unreachable("a failure read nothing") };
  const lines: unknown[] = [];
  const counting = openTimetable({ info: () => undefined, error: (...line: unknown[]) => lines.push(line) });
  for (const [took, shown] of [
    [1, CLASS_MS],
    [CLASS_MS + 10, 1.25 * CLASS_MS],
  ] as const) {
    const started = performance.now();
    const failing = new Promise<never>((_, reject) => setTimeout(reject, took, new Error("no rows")));
    await expect(atDeparture({ plan, reader }, failing, counting)).rejects.toThrow("no rows");
    expect(performance.now() - started).toBeGreaterThanOrEqual(shown);
  }
  expect([counting.count(), lines]).toEqual([1, [["DEPARTURE_MISSED", { count: 1 }]]]);
});

test("[M360] what was read counts from the departure on, however long before it measuring ended", async () => {
  const plan = boundPlan({ statistics: [count] }, checkDeclaration(declaration));
  let departed = Infinity;
  const depart = (): void => {
    departed = performance.now();
  };
  const started = performance.now();
  await atDeparture({ plan, reader: { hasRead: true, depart } }, Promise.resolve([]), timetable);
  expect(departed).toBeGreaterThanOrEqual(started + CLASS_MS);
  expect(departed).toBeLessThan(Infinity);
});

test("the first release of a table that the process has not read is given the time to read it, by its declared size", () => {
  const plan = boundPlan({ statistics: [count] }, declared({ mostRows: 3_000_000 }));
  expect(departureOf(plan, { isFirst: true }).deadline).toBeGreaterThan(2 * departureOf(plan).deadline);
});
