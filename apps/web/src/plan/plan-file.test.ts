import { editPlan, emptyDraft, planOf } from "@dosimeter/planner";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { expect, test } from "vitest";
import { planFile, readPlanFile } from "./plan-file.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  size: { assumed: 1000 },
  columns: { age: { type: "integer", lower: 0, upper: 100 }, married: { type: "boolean" } },
});
const draft = (["count", "mean"] as const).reduce(
  (before, statistic, index) =>
    editPlan(
      before,
      { kind: "add", id: `s${index + 1}`, request: { statistic, ...(statistic === "mean" ? { column: "age" } : {}) } },
      declaration,
    ),
  emptyDraft(1),
);

test("a plan saved and opened again is the same plan, byte for byte", () => {
  const text = planFile(draft, declaration);
  expect(planFile(readPlanFile(text, emptyDraft(1), declaration), declaration)).toBe(text);
});

test("a plain plan whose shares exceed the budget is divided again; an edited file is refused", () => {
  const plain = JSON.stringify(planOf(draft)).replaceAll('"0.5"', '"50"');
  expect(readPlanFile(plain, emptyDraft(1), declaration).rows.map(({ epsilon }) => epsilon)).toEqual(["0.5", "0.5"]);
  const file = planFile(draft, declaration).replaceAll('"0.5"', '"50"');
  expect(() => readPlanFile(file, emptyDraft(1), declaration)).toThrow(/changed after it was saved/);
});

test.each([
  ["not json", /JSON/],
  ["{}", /statistics/],
  ['{"statistics":[{"id":"a","statistic":"count"},{"id":"a","statistic":"count"}]}', /different ids/],
  ['{"statistics":[],"adjacency":"replace"}', /addRemove/],
])("%s is refused in words", (text, reason) => {
  expect(() => readPlanFile(text, emptyDraft(1), declaration)).toThrow(reason);
});
