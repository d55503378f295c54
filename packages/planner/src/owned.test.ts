import { expect, test } from "vitest";
import { type Edit, emptyDraft, type PlanDraft, planOf } from "./draft.ts";
import { leftBelow } from "./follow.ts";
import type { Headroom } from "./headroom.ts";
import { peopleWith, player } from "./planner.kit.ts";
import { openPlan, savedPlan } from "./saved-plan.ts";
import { waysOut } from "./ways-out.ts";

const declaration = peopleWith({ income: { type: "number", lower: -10_000, upper: 250_000 } }, { assumed: 20_000 });

const headroomOf = (epsilon: string): Headroom => ({
  rule: "addition",
  activeRule: "addition",
  policy: "ask",
  adjacency: "addRemove",
  path: ["ledger", "account"].map((name) => ({
    name,
    epsilon: { cap: epsilon, spent: "0" },
    delta: { cap: "0.000001", spent: "0" },
    mu2: { cap: "1", left: "1" },
  })),
});
const opened = (epsilon: string): PlanDraft => ({ ...emptyDraft("0"), headroom: headroomOf(epsilon), follows: true });
const play = player(declaration);

const count: Edit = { kind: "add", id: "n", request: { statistic: "count" } };
const mean: Edit = { kind: "add", id: "m", request: { statistic: "mean", column: "income" } };
const owned: Edit = { kind: "owned", ids: ["n"] };
const shares = (draft: PlanDraft) => draft.rows.map(({ epsilon }) => epsilon);

test("a row that an earlier answer serves takes nothing of the total, and stays in the plan with its price", () => {
  const before = play(opened("1"), count, mean, { kind: "epsilon", id: "m", epsilon: "0.2" });
  const after = play(before, owned);
  expect(shares(after)).toEqual(shares(before));
  expect(after.epsilon).toBe("0.2");
  expect(planOf(after).statistics.map(({ id }) => id)).toEqual(["n", "m"]);
  // A new answer after all: the total has it again.
  expect(play(after, { kind: "owned", ids: [] }).epsilon).toBe(before.epsilon);
});

test("a saved plan is the same whether or not its reader owns answers, and opens with every price", () => {
  const before = play(opened("1"), count, mean, { kind: "epsilon", id: "m", epsilon: "0.2" });
  const saved = savedPlan(play(before, owned), declaration);
  expect(saved).toEqual(savedPlan(before, declaration));
  const all = play(before, { kind: "owned", ids: ["n", "m"] });
  expect(all.epsilon).toBe("0");
  expect(shares(openPlan(savedPlan(all, declaration), opened("1"), declaration))).toEqual(shares(before));
});

test("a saved plan of more than is left can be released once its free rows are known", () => {
  const saved = savedPlan(play(opened("1"), count, mean, { kind: "epsilon", id: "m", epsilon: "0.2" }), declaration);
  const lent = openPlan(saved, opened("0.2"), declaration);
  expect(leftBelow(lent)).toBe("0.2");
  expect(leftBelow(play(lent, owned))).toBeNull();
});

test("the most that a row can have is all that is left where the others are free", () => {
  const draft = play(opened("0.65"), count, mean, owned, { kind: "epsilon", id: "m", epsilon: "0.7" });
  expect(draft.pending).toMatchObject({ needs: "0.7", available: "0.65" });
  const best = waysOut(draft, declaration).find(({ kind }) => kind === "best");
  expect(best?.value).toBe("0.65");
  expect(best?.result.epsilon).toBe("0.65");
});

test("an ε typed for the plan goes to the rows that are paid, or to new answers where none is", () => {
  const draft = play(opened("0.65"), count, mean);
  expect(shares(play(draft, owned, { kind: "total", epsilon: "0.65" }))).toEqual([draft.rows[0]?.epsilon, "0.65"]);
  const all = play(draft, { kind: "owned", ids: ["n", "m"] }, { kind: "total", epsilon: "0.65" });
  expect(all.rows.reduce((sum, { epsilon }) => sum + Number(epsilon), 0)).toBeCloseTo(0.65, 11);
});

test("a price typed into a free row counts until the answer that serves it is known again", () => {
  const draft = play(opened("0.65"), count, mean, owned, { kind: "epsilon", id: "n", epsilon: "0.3" });
  expect(Number(draft.epsilon)).toBeCloseTo(0.3 + Number(draft.rows[1]?.epsilon), 12);
});
