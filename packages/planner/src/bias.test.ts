import { expect, test } from "vitest";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import type { Known } from "../../query/src/quote/bias.ts";
import { lostText, quotePlan } from "../../query/src/quote/quote.ts";
import { emptyDraft, type PlanDraft } from "./draft.ts";
import { fitnessOf } from "./grade.ts";
import { peopleWith, player } from "./planner.kit.ts";
import { waysOut } from "./ways-out.ts";

const declaration = peopleWith({
  income: { type: "number", lower: 0, upper: 500_000 },
  sex: { type: "category", categories: ["f", "m"] },
});

const play = player(declaration);
const mean = { statistic: "mean", column: "income", groupBy: ["sex"] } as const;
const added = play(emptyDraft("5"), { kind: "add", id: "a", request: mean });
const wanted = play(added, { kind: "accuracy", id: "a", accuracy: 300 });
/** Of incomes with a mean of 25,000, as a histogram of 20 bins and small noise tells them. */
const tails: NonNullable<Known["tails"]> = {
  from: "histogram of income by sex",
  rows: [480, 520],
  failureProbability: 0.005,
  points: [
    { at: 25_000, least: 0.28, most: 0.32 },
    { at: 50_000, least: 0.12, most: 0.14 },
    { at: 100_000, least: 0.02, most: 0.03 },
    { at: 300_000, least: 0, most: 0.005 },
  ],
};
const fitness = (draft: PlanDraft) => {
  const [row] = draft.rows;
  if (row === undefined) throw new Error("a row");
  return fitnessOf(row, draft, declaration);
};
const capWay = (draft: PlanDraft) => waysOut(draft, declaration).find(({ kind }) => kind === "bounds");

test("a way out that caps values is another question, and is never graded without what capping changes [M350]", () => {
  expect(wanted.pending?.edit.kind).toBe("accuracy");
  const way = capWay(wanted);
  expect(way?.isOtherQuestion).toBe(true);
  expect(waysOut(wanted, declaration).filter(({ isOtherQuestion }) => isOtherQuestion)).toEqual([way]);
  expect(way?.error).toBeLessThanOrEqual(300);
  // The noise alone is good; whether the answer is, is not known.
  expect(way === undefined ? null : fitness(way.result)).toMatchObject({ grade: "unknown" });
});

test("where an earlier answer tells, the way out is the bounds with the least error in all, with what they change [M374]", () => {
  const small = play(
    emptyDraft("0.5"),
    { kind: "add", id: "a", request: mean },
    { kind: "accuracy", id: "a", accuracy: 300 },
    { kind: "owned", ids: [], known: { a: { tails } } },
  );
  const ways = waysOut(small, declaration);
  expect(ways.some(({ kind }) => kind === "bounds")).toBe(false);
  const way = ways.find(({ kind }) => kind === "bestBounds");
  expect(way).toMatchObject({ isOtherQuestion: true, value: "0 to 300,000" });
  const graded = way === undefined ? null : fitness(way.result);
  expect(graded?.error).toBe((way?.error ?? 0) + 1000);
  expect(graded?.error).toBeLessThan(0.9 * (ways.find(({ kind }) => kind === "best")?.error ?? 0));
});

test("what earlier answers tell of capping is part of the error, also after the bounds have changed", () => {
  const capped = play(added, { kind: "change", id: "a", request: { ...mean, upper: 10_800 } });
  expect(fitness(capped)?.grade).toBe("unknown");
  const known = play(added, { kind: "owned", ids: [], known: { a: { tails } } });
  const narrow = fitness(play(known, { kind: "change", id: "a", request: { ...mean, upper: 50_000 } }));
  expect(narrow?.error).toBeGreaterThan(5000);
  const wide = fitness(play(known, { kind: "change", id: "a", request: { ...mean, upper: 300_000 } }));
  expect(wide?.grade).not.toBe("unknown");
  expect(wide?.error).toBeLessThan(narrow?.error ?? 0);
  // Other rows, or other groups: what is known is of no use.
  const filtered = { ...mean, upper: 50_000, where: "sex = 'f'" };
  expect(fitness(play(known, { kind: "change", id: "a", request: filtered }))?.grade).toBe("unknown");
  // Against the mean of an earlier answer, 5,000 too little is poor; ± 25,000 would be useless.
  const expected = { size: 24_000, sizes: [24_000], from: "mean of income by sex" };
  const scaled = play(added, { kind: "owned", ids: [], known: { a: { tails, expected } } });
  expect(fitness(play(scaled, { kind: "change", id: "a", request: { ...mean, upper: 50_000 } }))?.grade).toBe("poor");
});

test("what earlier answers tell changes no price and no ε that a person typed", () => {
  const typed = play(added, { kind: "epsilon", id: "a", epsilon: "1" }, { kind: "total", epsilon: "4" });
  const known = play(typed, { kind: "owned", ids: [], known: { a: { tails } } });
  expect(known).toEqual({ ...typed, rows: typed.rows.map((row) => ({ ...row, known: { tails } })) });
});

test("an error as large as a mean is useless, whatever the range; no suggestion is", () => {
  // ε 0.11 gives ± 27,000 by sex.
  const few = play(emptyDraft("0.11"), { kind: "add", id: "a", request: mean });
  expect(fitness(few)).toMatchObject({ grade: "useless" });
  expect(fitness(few)?.error).toBeGreaterThan(20_000);
  const wish = play(few, { kind: "accuracy", id: "a", accuracy: 2000 });
  const ways = waysOut(wish, declaration);
  expect(ways.map(({ kind }) => kind)).not.toContain("best");
  for (const { kind, result } of ways)
    if (result.rows.length > 0 && kind !== "raise") expect(fitness(result)?.grade).not.toBe("useless");
});

test("a quote says what capping changes, or what would tell it and its price", () => {
  const capped = { statistics: [{ ...mean, upper: 10_800, epsilon: 1 }] };
  const bounded = boundPlan(capped, declaration);
  const [unknown] = quotePlan(bounded);
  expect(unknown?.label).toBe("mean of income capped at 10,800 by sex");
  expect(unknown?.caps).toBe("capped at 10,800");
  expect(unknown?.sentence).toMatch(
    / That is the noise\. Capping: unknown; a histogram of income by sex for ε = 0\.\d+ would tell\.$/,
  );
  const [stated] = quotePlan(bounded, { known: new Map([["s1", { tails }]]) });
  expect(stated?.sentence).toMatch(
    / That is the noise; capping − [\d,]+ to [\d,]+, by the earlier histogram of income by sex\. Bounds of 0 to 300,000 leave the least error in all, by the earlier histogram of income by sex: ± [\d,]+ in 95 of 100 cases \(noise ± [\d,]+, capping − 1,000 at most\)\.$/,
  );
  const { bestBounds: best, bias } = stated?.accuracy ?? {};
  expect(best).toMatchObject({ lower: 0, upper: 300_000, bias: [-1000, 0] });
  expect(best?.error).toBe((best?.noise ?? 0) + 1000);
  expect(best?.error).toBeLessThan(-(bias?.[0] ?? 0));
  const expected = { size: 24_000, sizes: [20_000, 28_000], from: "mean of income by sex" };
  const [part] = quotePlan(boundPlan({ statistics: [{ ...mean, epsilon: 0.13 }] }, declaration), {
    known: new Map([["s1", { expected }]]),
  });
  expect(part === undefined ? null : lostText(part)).toBe(
    "1 of 2 answers of mean of income by sex cannot be distinguished from nothing",
  );
});

test("groups that are found are not lost because the smallest would be", () => {
  const found = { ...mean, keys: "select", delta: 1e-6, epsilon: 0.5 } as const;
  const [quote] = quotePlan(boundPlan({ statistics: [found] }, declaration));
  expect(quote?.accuracy.useless).toBe(true);
  expect(quote === undefined ? null : lostText(quote)).toBeNull();
  const [hidden] = quotePlan(boundPlan({ statistics: [{ ...found, epsilon: 0.01 }] }, declaration));
  expect(hidden === undefined ? null : lostText(hidden)).toContain("cannot be distinguished from nothing");
});
