import { expect, test } from "vitest";
import type { Plan } from "../../query/src/statistics/request.ts";
import { emptyDraft, type PlanDraft, planOf } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { headroomOf } from "./headroom.ts";
import { peopleWith } from "./planner.kit.ts";
import { pricedPlan } from "./priced-plan.ts";

const declaration = peopleWith(
  {
    age: { type: "integer", lower: 0, upper: 100, required: true },
    income: { type: "integer", lower: 0, upper: 200_000, required: true },
    note: { type: "text" },
  },
  { assumed: 20_000 },
);

const balance = {
  epsilon: { cap: "1", spent: "0.35" },
  delta: { cap: "0.000001", spent: "0" },
  mu2: { cap: "0.05", left: "0.03" },
};
const headroom = headroomOf(
  { ledger: { rule: "addition", activeRule: "addition", balance }, adjacency: "addRemove" },
  { name: "Ana", balance },
  { hasBlocks: false },
);
if (headroom === null) throw new Error("no ledger");

test("statistics without a price get the one that the planning page gives them, in order; the others stay as written", () => {
  const plan: Plan = {
    let: { young: "age < 30" },
    statistics: [
      { statistic: "mean", column: "age" },
      { id: "mine", statistic: "mean", column: "income", epsilon: 0.125 },
      { statistic: "count", where: "young = true" },
    ],
  };
  const { plan: whole, priced } = pricedPlan(plan, headroom, declaration);
  expect(priced).toEqual([0, 2]);
  expect(whole.statistics[1]).toEqual(plan.statistics[1]);
  const empty: PlanDraft = { ...emptyDraft("0"), headroom, follows: true, let: { young: "age < 30" } };
  const draft = [0, 2].reduce(
    (before, at) => editPlan(before, { kind: "add", id: `r${at}`, request: plan.statistics[at] ?? {} }, declaration),
    empty,
  );
  expect([whole.statistics[0]?.epsilon, whole.statistics[2]?.epsilon]).toEqual(
    planOf(draft).statistics.map(({ epsilon }) => epsilon),
  );
});

test("a price is at most a tenth of what is left; what cannot be priced stays without one", () => {
  const { plan, priced } = pricedPlan(
    {
      statistics: [
        { statistic: "mean", column: "note" },
        { statistic: "median", column: "income", where: "age > 1" },
      ],
    },
    headroom,
    declaration,
  );
  expect(priced).toEqual([1]);
  expect(Number(plan.statistics[1]?.epsilon)).toBeLessThanOrEqual(0.065);
  const spent = { ...balance, epsilon: { cap: "1", spent: "1" } };
  const none = { ...headroom, path: headroom.path.map((node) => ({ ...node, ...spent })) };
  expect(pricedPlan({ statistics: [{ statistic: "count" }] }, none, declaration).priced).toEqual([]);
});
