import fc from "fast-check";
import { expect, test } from "vitest";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import { type Edit, emptyDraft, type PlanDraft } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { withOwned } from "./follow.ts";
import type { Headroom } from "./headroom.ts";
import { openTyped, typedPlan } from "./typed-plan.ts";

const columns = { age: { type: "integer", lower: 0, upper: 100 }, sex: { type: "category", categories: ["F", "M"] } };
const table = { name: "people", source: { csv: "people.csv" }, privacyUnit: "row", size: { assumed: 1000 } };
const declaration = checkDeclaration({ ...table, columns });
const headroom: Headroom = {
  ...{ rule: "addition", activeRule: "addition", policy: "ask", adjacency: "addRemove" },
  path: [
    {
      name: "ledger",
      epsilon: { cap: "1", spent: "0.25" },
      delta: { cap: "0.000001", spent: "0" },
      mu2: { cap: "0", left: "0" },
    },
  ],
};
const opened: PlanDraft = { ...emptyDraft("0"), headroom, follows: true };

const id = fc.constantFrom("a", "b", "c");
const request = fc.constantFrom<Extract<Edit, { kind: "add" }>["request"]>(
  { statistic: "count" },
  { statistic: "mean", column: "age" },
  { statistic: "mean" },
  { statistic: "histogram", column: "sex" },
  {},
);
const share = fc.constantFrom("0.01", "0.1", "0.5", "3");
const editOf = (fields: { readonly [K in string]: fc.Arbitrary<unknown> }): fc.Arbitrary<Edit> =>
  fc.record(fields) as fc.Arbitrary<unknown> as fc.Arbitrary<Edit>;
const kind = (name: Edit["kind"]) => fc.constant(name);
const edits = fc.array(
  fc.oneof(
    editOf({ kind: kind("add"), id, request }),
    editOf({ kind: kind("change"), id, request }),
    editOf({ kind: kind("epsilon"), id, epsilon: share }),
    editOf({ kind: kind("total"), epsilon: share }),
    editOf({ kind: kind("remove"), id }),
    editOf({ kind: kind("mode"), id, mode: fc.constantFrom("free", "soft", "share") }),
    editOf({ kind: kind("let"), let: fc.constant({ young: "age < 30" }) }),
    editOf({ kind: kind("reason"), reason: fc.constant("because") }),
    editOf({ kind: kind("policy"), policy: fc.constant("strict") }),
    editOf({ kind: kind("owned"), ids: fc.constantFrom(["a"], []) }),
  ),
  { maxLength: 14 },
);

const tried = (draft: PlanDraft, edit: Edit): PlanDraft => {
  try {
    return editPlan(draft, edit, declaration);
  } catch {
    return draft; // refused: the page says why, and the plan stays
  }
};

/** As a page compares it: undefined is left out, and the age of an edit is no part of it. */
const plain = ({ clock: _, notices: __, ...draft }: PlanDraft): unknown => JSON.parse(JSON.stringify(draft));

test("a plan comes back as it was typed, whole, also what is not complete or waits for room", () => {
  let waits = 0;
  fc.assert(
    fc.property(edits, (all) => {
      const draft = withOwned(all.reduce(tried, opened), { kind: "owned", ids: [] });
      if (draft.pending !== null) waits++;
      const kept: unknown = JSON.parse(JSON.stringify(typedPlan(draft)));
      expect(plain(openTyped(kept, opened, declaration))).toEqual(plain(draft));
    }),
    { numRuns: 300 },
  );
  expect(waits).toBeGreaterThan(0);
});

test("a row of a column that is gone is not complete, and what is no plan is refused", () => {
  const draft = tried(opened, { kind: "add", id: "a", request: { statistic: "mean", column: "age" } });
  const other = checkDeclaration({ ...table, columns: { sex: columns.sex } });
  expect(openTyped(typedPlan(draft), opened, other).rows).toMatchObject([{ id: "a", isComplete: false }]);
  for (const json of [
    null,
    {},
    { ...typedPlan(draft), rows: [{ id: "a" }] },
    { ...typedPlan(draft), let: { a: "b +" } },
  ])
    expect(() => openTyped(json, opened, other)).toThrow(expect.objectContaining({ code: expect.any(String) }));
  expect(JSON.stringify(typedPlan(draft))).not.toContain("cap");
});
