import { present } from "@dosimeter/core/internal";
import { describe, expect, test } from "vitest";
import { refusalText } from "../../../../test/refusal.kit.ts";
import { canonicalOf } from "../../../reuse/src/canonical.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Declaration } from "../declaration/declaration.ts";
import { PLAN_FORMAT, planHash } from "../plan/plan-file.ts";
import { quotePlan } from "../quote/quote.ts";
import type { Plan, StatisticRequest } from "../statistics/request.ts";
import { boundPlan } from "./bound-plan.ts";
import { closeThrough, lastDatedBlock, lastToClose, planOver, planOverAll, refuseEarlyClosing } from "./window.ts";

const visits = {
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 4 },
  size: { assumed: 5000 },
  columns: {
    person: { type: "text" },
    seen: { type: "date", lower: "2024-01-01", upper: "2025-12-31" },
    cost: { type: "integer", lower: 0, upper: 100 },
    ward: { type: "category", categories: ["a", "b"] },
  },
};
const blocks = { column: "seen", every: "month", zone: "UTC" };
const monthly = checkDeclaration({ ...visits, blocks });
const plain = checkDeclaration(visits);
const count: StatisticRequest = { statistic: "count", epsilon: 1 };
const at = (text: string): number => Date.parse(text) / 1000;

const refusal = refusalText;
const over = (given: Plan["window"], now: string, declaration: Declaration = monthly) =>
  planOver({ statistics: [count], ...present({ window: given }) }, declaration, at(now)).window;

describe("a window when it is quoted", () => {
  test("is the list of its blocks: of closed ones for latest and all, by the calendar alone", () => {
    expect(over("latest 2", "2024-04-01T00:00:00Z")).toEqual({ blocks: ["2024-02 to 2024-03"] });
    expect(over("latest 2", "2024-03-31T23:59:59Z")).toEqual({ blocks: ["2024-01 to 2024-02"] });
    expect(over({ latest: 1 }, "2030-01-01T00:00:00Z")).toEqual({ blocks: ["2025-12"] });
    expect(over("all closed", "2024-04-01T00:00:00Z")).toEqual({ blocks: ["2024-01 to 2024-03"] });
    expect(over({ all: "closed" }, "2024-02-01T00:00:00Z")).toEqual({ blocks: ["2024-01"] });
    expect(over("2024-01 to 2024-03", "2024-03-01T00:00:00Z")).toEqual({ blocks: ["2024-01 to 2024-03"] });
    expect(over("2024-03, 2024-01", "2024-03-01T00:00:00Z")).toEqual({ blocks: ["2024-01", "2024-03"] });
    expect(over({ from: "2024-01", to: "2024-01" }, "2024-03-01T00:00:00Z")).toEqual({ blocks: ["2024-01"] });
    const again = planOver(
      { statistics: [count], window: { blocks: ["2024-01"] } },
      monthly,
      at("2024-03-01T00:00:00Z"),
    );
    expect(planOver(again, monthly, at("2025-03-01T00:00:00Z"))).toEqual(again);
    // What was resolved can be asked again, and is the same list however it is written.
    const ranges = { blocks: ["2024-01 to 2024-02", "2024-03"] };
    expect(over(ranges, "2024-03-01T00:00:00Z")).toEqual({ blocks: ["2024-01 to 2024-03"] });
    expect(bound([count], ["2024-01 to 2024-03"]).window).toEqual([{ from: 648, to: 650 }]);
  });

  test("of a saved plan is that of its file, which is whole", () => {
    const saved = { format: PLAN_FORMAT, statistics: [count], window: "latest 1" };
    const plan = { ...saved, hash: planHash(saved) } as unknown as Plan;
    expect(planOver(plan, monthly, at("2024-03-01T00:00:00Z"))).toEqual({
      statistics: [count],
      window: { blocks: ["2024-02"] },
    });
    const edited = { ...plan, window: "latest 2" };
    expect(refusal(() => planOver(edited, monthly, at("2024-03-01T00:00:00Z")))).toContain(
      "was changed after it was saved",
    );
  });

  test("waits for the lag, and for the clocks of the zone", () => {
    const late = checkDeclaration({ ...visits, blocks: { ...blocks, zone: "America/New_York", lag: 2 } });
    expect(over("all closed", "2024-03-03T04:59:59Z", late)).toEqual({ blocks: ["2024-01"] });
    expect(over("all closed", "2024-03-03T05:00:00Z", late)).toEqual({ blocks: ["2024-01 to 2024-02"] });
  });

  test("waits for an admin who closes blocks by hand, and for the end of what is closed", () => {
    const byHand = (closed?: string) =>
      checkDeclaration({ ...visits, blocks: { ...blocks, closes: "by hand", closed } });
    const may = "2024-05-01T00:00:00Z";
    expect(over("latest 1", may, byHand("2024-02"))).toEqual({ blocks: ["2024-02"] });
    expect(over("all closed", may, byHand("2024-02"))).toEqual({ blocks: ["2024-01 to 2024-02"] });
    // What has begun can be named, closed or not.
    expect(over("2024-03 to 2024-05", may, byHand("2024-02"))).toEqual({ blocks: ["2024-03 to 2024-05"] });
    expect(refusal(() => over("latest 1", may, byHand()))).toContain("none is closed yet");
    // By a clock that was set back, March is not over.
    expect(over("all closed", "2024-03-31T23:59:59Z", byHand("2024-04"))).toEqual({ blocks: ["2024-01 to 2024-02"] });
    expect(planOverAll({ statistics: [count], window: "latest 24" }, byHand()).window).toEqual({
      blocks: ["2024-01 to 2025-12"],
    });
    refuseEarlyClosing(byHand("2024-04"), at(may));
    expect(refusal(() => refuseEarlyClosing(byHand("2024-04"), at(may) - 1))).toBe(
      'INVALID_PARAMETER blocks.closed is "2024-04", must be a month that is over',
    );
    expect([lastToClose(byHand(), at(may)), lastToClose(byHand("2024-01"), at("2024-01-09T00:00:00Z"))]).toEqual([
      651,
      null,
    ]);
    expect(lastToClose(monthly, at(may))).toBeNull();
    expect(closeThrough(byHand(), "2024-03")).toEqual(byHand("2024-03"));
    expect(refusal(() => closeThrough(monthly, "2024-03"))).toContain("are not closed by hand");
  });

  test.each([
    [undefined, "window is missing"],
    ["latest 3", "window.latest is 3, must be a whole number from 1 to 2"],
    ["latest 0", "window.latest is 0"],
    ["2024-01 to 2024-04", 'window is "2024-04", must be blocks that have been opened'],
    [{ blocks: ["2024-04"] }, 'window is "2024-04", must be blocks that have been opened'],
    [{ blocks: ["2023-12"] }, "from 2024-01 to 2025-12"],
    [{ blocks: ["2024-01", "2024-01"] }, "every block once"],
    [{ blocks: [] }, "at least one block"],
    [
      { blocks: Array.from({ length: 10_001 }, () => "2024-01") },
      "window.blocks is 10001, must be at most 10000 blocks",
    ],
    [{ blocks: Array.from({ length: 1000 }, () => "2024-01 to 2024-12") }, "must be at most 10000 blocks"],
    [{ blocks: ["2024-02 to 2024-01"] }, "window.blocks[0]"],
    [{ blocks: ["2024-01 to 2024-02", "2024-02"] }, 'window is "2024-02", must be every block once'],
    [{ from: "2024-02", to: "2024-01" }, "window.from"],
    [{ from: "2024-02" }, "window is"],
    [{ all: "open" }, 'window.all is "open", must be closed'],
    [{ latest: "2" }, 'window.latest is "2"'],
    ["cost > 3 and so on", 'window.blocks[0] is "cost"'],
    ["everything", "window is"],
    ["2024", "a month such as 2024-03"],
  ])("window %# is refused", (given, message) => {
    expect(refusal(() => over(given as Plan["window"], "2024-03-15T12:00:00Z"))).toContain(message);
  });

  test("belongs to blocks: a population without any has no window, and its plan stays as it is", () => {
    const plan: Plan = { statistics: [count] };
    expect(planOver(plan, plain, 0)).toBe(plan);
    const want = "must be absent: this population has no blocks";
    expect(refusal(() => planOver({ ...plan, window: "latest 1" }, plain, 0))).toContain(want);
    expect(refusal(() => boundPlan({ ...plan, window: { blocks: ["2024-01"] } }, plain))).toContain(want);
  });
});

const bound = (statistics: readonly StatisticRequest[], names: readonly string[], more: object = {}) =>
  boundPlan({ statistics, window: { blocks: names }, ...more }, monthly);

describe("a plan over a window", () => {
  test("is bound to a list of blocks only: a word that moves with the clock would name other rows later", () => {
    expect(bound([count], ["2024-01", "2024-02", "2024-04"]).window).toEqual([
      { from: 648, to: 649 },
      { from: 651, to: 651 },
    ]);
    for (const moving of [{ latest: 2 }, { all: "closed" }, "latest 2", { from: "2024-01", to: "2024-02" }])
      expect(refusal(() => boundPlan({ statistics: [count], window: moving as never }, monthly))).toContain("window");
    expect(refusal(() => boundPlan({ statistics: [count] }, monthly))).toContain("window is missing");
  });

  test("counts and totals people over one block only; rows, sums and shares over any", () => {
    const byPerson: readonly StatisticRequest[] = [
      { statistic: "distinctUnits", epsilon: 1 },
      { statistic: "unitSum", column: "cost", unitLower: 0, unitUpper: 100, epsilon: 1 },
      { statistic: "cutUnits", epsilon: 1 },
      { statistic: "keyCounts", column: "ward", delta: 1e-6, epsilon: 1 },
      { statistic: "count", groupBy: ["ward"], keys: "select", delta: 1e-6, epsilon: 1 },
    ];
    for (const request of byPerson) {
      expect(bound([request], ["2024-02"]).statistics).toHaveLength(1);
      expect(refusal(() => bound([request], ["2024-02", "2024-03"]))).toContain(
        "over one month: it counts or totals people",
      );
    }
    const byRow: readonly StatisticRequest[] = [
      ...[count, { ...count, groupBy: ["ward"] }, { statistic: "sum", column: "cost", epsilon: 1 } as const],
      ...[
        { statistic: "mean", column: "cost", epsilon: 1 } as const,
        { statistic: "median", column: "cost", epsilon: 1 } as const,
      ],
    ];
    const whole = boundPlan({ statistics: byRow }, plain);
    // A unit is a person in a block, with the bounds that a person has in a table without blocks: sensitivities and prices are those.
    for (const [index, { sensitivity, events, noise }] of bound(byRow, ["2024-02", "2024-03"]).statistics.entries())
      expect({ sensitivity, events, noise }).toEqual({
        sensitivity: whole.statistics[index]?.sensitivity,
        events: whole.statistics[index]?.events,
        noise: whole.statistics[index]?.noise,
      });
  });

  test("counts and totals people over any cohorts, each of whom is in one [M170]", () => {
    const cohorts = checkDeclaration({ ...visits, blocks: { ...blocks, protects: "person" } });
    const names = ["2024-02", "2024-03"];
    const requests: readonly StatisticRequest[] = [
      ...[count, { statistic: "distinctUnits", epsilon: 1 } as const, { statistic: "cutUnits", epsilon: 1 } as const],
      { statistic: "unitSum", column: "cost", unitLower: 0, unitUpper: 100, epsilon: 1 },
      { statistic: "keyCounts", column: "ward", delta: 1e-6, epsilon: 1 },
    ];
    for (const request of requests) {
      const [inCohorts] = boundPlan({ statistics: [request], window: { blocks: names } }, cohorts).statistics;
      const [whole] = boundPlan({ statistics: [request] }, plain).statistics;
      // A unit is a person, as without blocks.
      expect([inCohorts?.sensitivity, inCohorts?.events]).toEqual([whole?.sensitivity, whole?.events]);
    }
    // Of the dates of cohorts those of their later rows are periods too: the column's own bounds hold.
    const running: StatisticRequest = { statistic: "runningCount", column: "seen", bins: "month", epsilon: 1 };
    const periods = (declaration: Declaration) => {
      const [statistic] = boundPlan({ statistics: [running], window: { blocks: names } }, declaration).statistics;
      return statistic?.task.kind === "series" ? statistic.task.bins.length : null;
    };
    expect([periods(monthly), periods(cohorts)]).toEqual([2, 24]);
    const about = { dataset: "d", version: 1 };
    const [key, other] = [monthly, cohorts].map((declaration) => {
      const [statistic] = boundPlan({ statistics: [count], window: { blocks: names } }, declaration).statistics;
      return statistic === undefined ? "" : canonicalOf(statistic, { ...about, declaration }).key;
    });
    expect(key).not.toBe(other);
  });

  test("reads no other table and no sample, and does not take the size of the table for its own", () => {
    expect(refusal(() => bound([count], ["2024-02"], { sample: { rate: 0.1 } }))).toContain("sample is");
    expect(refusal(() => bound([count], ["2024-02"], { join: {} }))).toContain("join is");
    const joinable = { d: { version: 1, declaration: monthly } };
    const join = { dataset: "d", columns: { paid: "cost" } };
    const other = { ...plain, joinable };
    expect(refusal(() => boundPlan({ statistics: [count], join } as Plan, other))).toContain(
      "tables with blocks are not joined",
    );
    const mean: StatisticRequest = { statistic: "mean", column: "cost", epsilon: 1 };
    const [quoted] = quotePlan(bound([mean], ["2024-02", "2024-03"]));
    expect(quoted?.accuracy.halfWidth).toBeNull();
    expect(quotePlan(boundPlan({ statistics: [mean] }, plain))[0]?.accuracy.halfWidth).not.toBeNull();
  });

  test("is another question than one over another window or calendar, whatever the lag", () => {
    const key = (names: readonly string[], declaration = monthly): readonly string[] => {
      const [statistic] = boundPlan({ statistics: [count], window: { blocks: names } }, declaration).statistics;
      if (statistic === undefined) throw new RangeError("one statistic");
      const { key, scope } = canonicalOf(statistic, { dataset: "d", version: 1, declaration });
      return [key, scope];
    };
    const [february, scope] = key(["2024-02"]);
    for (const more of [{ lag: 3 }, { closes: "by hand" }, { closes: "by hand", closed: "2024-04" }])
      expect(key(["2024-02"], checkDeclaration({ ...visits, blocks: { ...blocks, ...more } }))).toEqual([
        february,
        scope,
      ]);
    const yearly = checkDeclaration({ ...visits, blocks: { ...blocks, every: "year" } });
    const others = [key(["2024-03"]), key(["2024-02", "2024-03"]), key(["2024"], yearly)];
    expect(new Set([february, ...others.map(([each]) => each)]).size).toBe(4);
    expect(new Set([scope, ...others.map(([, each]) => each)]).size).toBe(4);
  });
});

test("where a population has no blocks, no plan and no key names any", () => {
  const plan = boundPlan({ statistics: [count, { statistic: "mean", column: "cost", rho: 0.1 }] }, plain);
  const keys = plan.statistics.map((statistic) =>
    canonicalOf(statistic, { dataset: "d", version: 1, declaration: plain }),
  );
  for (const { key } of keys) expect(key).not.toMatch(/"(window|blocks)"/);
  expect(plan).not.toHaveProperty("window");
});

test("the block of the latest date that is declared, in any column", () => {
  const { columns } = visits;
  const last = (more: object) =>
    lastDatedBlock(checkDeclaration({ ...visits, columns: { ...columns, ...more } }).columns, {
      ...{ every: "month", zone: "Europe/Berlin" },
    });
  const december = 12 * 55 + 11; // of 2025
  expect(last({})).toBe(december);
  expect(last({ due: { type: "date", lower: "2024-01", upper: "2026-02", granularity: "month" } })).toBe(december + 2);
  const instants = { type: "timestamp", zone: "UTC", lower: "2024-01-01T00:00:00" };
  expect(last({ at: { ...instants, upper: "2025-12-31T22:59:59" } })).toBe(december);
  expect(last({ at: { ...instants, upper: "2025-12-31T23:00:00" } })).toBe(december + 1);
  expect(lastDatedBlock({}, { every: "month", zone: "UTC" })).toBeNull();
});
