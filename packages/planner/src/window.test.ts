import { expect, test } from "vitest";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import { emptyDraft, type PlanDraft, planOf } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { profileOf } from "./profile.ts";
import { openPlan, savedPlan } from "./saved-plan.ts";

const visits = checkDeclaration({
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 4 },
  blocks: { column: "seen", every: "month", zone: "UTC" },
  columns: {
    person: { type: "text" },
    seen: { type: "date", lower: "2024-01-01", upper: "2024-12-31" },
    ward: { type: "category", categories: ["a", "b"] },
  },
});
const opened: PlanDraft = { ...emptyDraft("1"), window: "latest 1" };
const withCounts = (["count", "distinctUnits"] as const).reduce(
  (draft, statistic) => editPlan(draft, { kind: "add", id: statistic, request: { statistic } }, visits),
  opened,
);
const complete = ({ rows }: PlanDraft) => rows.filter(({ isComplete }) => isComplete).map(({ id }) => id);

test("the months of a plan are part of it, and people are counted over one month at a time", () => {
  expect(complete(withCounts)).toEqual(["count", "distinctUnits"]);
  const year = editPlan(withCounts, { kind: "window", window: "2024-01 to 2024-12" }, visits);
  expect(complete(year)).toEqual(["count"]);
  expect(planOf(year)).toMatchObject({ window: "2024-01 to 2024-12", statistics: [{ id: "count" }] });
  expect(() => editPlan(withCounts, { kind: "window", window: "2023-01" }, visits)).toThrow("from 2024-01 to 2024-12");
  expect(complete(editPlan(year, { kind: "window", window: { blocks: ["2024-05"] } }, visits))).toEqual([
    "count",
    "distinctUnits",
  ]);
});

test("a saved plan keeps its months; one without any is about those of the draft", () => {
  const year = editPlan(withCounts, { kind: "window", window: "2024-01 to 2024-06, 2024-08" }, visits);
  const again = openPlan(savedPlan(year, visits), opened, visits);
  expect(again.window).toBe("2024-01 to 2024-06, 2024-08");
  expect(openPlan({ statistics: [{ statistic: "count", epsilon: "0.1" }] }, opened, visits).window).toBe("latest 1");
  expect(() => openPlan({ statistics: [], window: "2025-01" }, opened, visits)).toThrow("from 2024-01 to 2024-12");
});

test("a profile is asked over the months of the plan", () => {
  const { rows } = profileOf(visits, { epsilon: "1", window: "latest 12" });
  expect(rows.map(({ request }) => request.statistic)).toContain("count");
});
