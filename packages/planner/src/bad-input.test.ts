import { formatEpsilon, VERSION } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import { refusalOf } from "../../../test/refusal.kit.ts";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import { checkReason, planHash } from "../../query/src/plan/plan-file.ts";
import { binsOf } from "../../query/src/plan/task.ts";
import { type Edit, emptyDraft, type PlanDraft, planOf, shareOf } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { fitnessOf } from "./grade.ts";
import type { Headroom } from "./headroom.ts";
import { leastTotal } from "./least.ts";
import { peopleWith, player } from "./planner.kit.ts";
import { openPlan, savedPlan } from "./saved-plan.ts";
import { requestOfTexts } from "./settings.ts";
import { waysOut } from "./ways-out.ts";

const declaration = peopleWith(
  {
    age: { type: "integer", lower: 0, upper: 100, required: true },
    pay: { type: "number", lower: 0, upper: 1e6, required: true },
    race: { type: "category", categories: ["a", "b", "c"], required: true },
  },
  { public: 1000 },
);
const play = player(declaration);
const mean = (id: string, target?: number): Edit => ({
  kind: "add",
  id,
  request: { statistic: "mean", column: "age" },
  ...present({ target }),
});
const sharesOf = ({ rows }: PlanDraft): readonly string[] => rows.map((row) => formatEpsilon(shareOf(row).units));
const refusal = (run: () => unknown): string => refusalOf(run)?.message ?? "nothing was refused";

test("targets that cannot all be met: by how much each is missed, and the least ε that would do", () => {
  const draft = play(emptyDraft(1), mean("a", 0.05), mean("b", 0.05), { kind: "allocate", allocate: "targets" });
  const least = leastTotal(draft, declaration);
  expect(least?.missedBy).toBeGreaterThan(5);
  expect(least?.totals.addition).toBeCloseTo(least?.missedBy ?? 0, 6);
  for (const row of draft.rows) expect(fitnessOf(row, draft, declaration)?.grade).toBe("missed");
  expect(draft.pending).toBeNull();
});

test("everything held: it stays, what is left stays unspent, and what does not fit gets its ways out", () => {
  const draft = play(
    emptyDraft(1),
    mean("a"),
    mean("b"),
    { kind: "mode", id: "a", mode: "share" },
    { kind: "mode", id: "b", mode: "share" },
    { kind: "total", epsilon: 2 },
  );
  expect(sharesOf(draft)).toEqual(["0.5", "0.5"]);
  const tight = play(draft, { kind: "total", epsilon: "0.9" });
  expect(tight.epsilon, "the plan stays as it was").toBe("2");
  expect(tight.pending).toMatchObject({ edit: { kind: "total", epsilon: "0.9" }, needs: "1", available: "0.9" });
  expect(waysOut(tight, declaration).map(({ kind }) => kind)).toContain("release");
});

test("no rows: nothing to quote, nothing to save, and no ε spent", () => {
  const draft = play(emptyDraft(1), { kind: "total", epsilon: "0.3" }, { kind: "reserve", reserve: "0.5" });
  expect(planOf(draft).statistics).toEqual([]);
  expect(() => boundPlan(planOf(draft), declaration)).toThrow(expect.objectContaining({ code: "EMPTY_PLAN" }));
  expect(leastTotal(draft, declaration)).toBeNull();
});

test("fewer people than steps: the error is stated, and graded useless", () => {
  const small = checkDeclaration({ ...declaration, size: { public: 20 } });
  const draft = editPlan(
    emptyDraft("0.5"),
    { kind: "add", id: "q", request: { statistic: "quantiles", column: "pay", granularity: 1, quantiles: [0.5] } },
    small,
  );
  const [row] = draft.rows;
  expect(row?.isComplete).toBe(true);
  expect(row && fitnessOf(row, draft, small)?.grade).toBe("useless");
});

test("a population no larger than its sample, or δ of one over n, is refused and changes nothing", () => {
  const draft = play(emptyDraft("0.1", "1e-6"), mean("a"));
  for (const population of [1000, 999])
    expect(refusal(() => play(draft, { kind: "sample", sample: { size: 1000, population } }))).toMatch(
      /must be more than the 1000 in the sample/,
    );
  for (const delta of ["0.001", "0.5"])
    expect(refusal(() => play(draft, { kind: "total", epsilon: "0.1", delta }))).toMatch(/below 1\/n = 0\.001/);
  expect(play(draft, { kind: "total", epsilon: "0.1", delta: "0.00099" }).delta).toBe("0.00099");
});

test("a file of another version, an edited ε, or no reason above ε = 1 is refused; a plan by hand claims nothing", () => {
  const saved = savedPlan(play(emptyDraft(2), mean("a")), declaration);
  expect(saved).toMatchObject({ format: "dosimeter-plan/1", madeBy: VERSION });
  expect(refusal(() => boundPlan({ ...saved, format: "dosimeter-plan/2" } as never, declaration))).toMatch(
    /saved by another version/,
  );
  const cheaper = {
    ...saved,
    statistics: (saved.statistics as readonly object[]).map((row) => ({ ...row, epsilon: "0.001" })),
  };
  for (const take of [
    () => boundPlan(cheaper as never, declaration),
    () => openPlan(cheaper, emptyDraft(1), declaration),
  ])
    expect(refusal(take)).toMatch(/changed after it was saved/);
  // Someone who can compute the hash gains nothing: shares come from weights again, and a charge is what its rows cost.
  expect(
    openPlan({ ...cheaper, hash: planHash(cheaper) }, emptyDraft(1), declaration).rows.map(({ epsilon }) => epsilon),
  ).toEqual(["2"]);
  expect(refusal(() => checkReason(saved))).toMatch(/budget\.reason/);
  const because = play(emptyDraft(2), mean("a"), { kind: "reason", reason: "A census year." });
  expect(() => checkReason(savedPlan(because, declaration))).not.toThrow();
  expect(() => checkReason({ statistics: [{ statistic: "count", epsilon: 3 }] })).not.toThrow();
});

test("the budget shrinks meanwhile: free rows make room, held ones stay and the plan says by how much it is over", () => {
  const headroom = (spent: string): Headroom => ({
    rule: "addition",
    activeRule: "addition",
    policy: "ask",
    adjacency: "replace",
    path: [
      {
        name: "mine",
        epsilon: { cap: "2", spent },
        delta: { cap: "0.000001", spent: "0" },
        mu2: { cap: "0", left: null },
      },
    ],
  });
  const free = play({ ...emptyDraft(1), headroom: headroom("0") }, mean("a"), mean("b"));
  expect(sharesOf(free)).toEqual(["0.5", "0.5"]);
  const shrunk = play(free, { kind: "headroom", headroom: headroom("1.4") });
  expect(sharesOf(shrunk)).toEqual(["0.3", "0.3"]);
  const held = play(free, { kind: "mode", id: "a", mode: "share" }, { kind: "mode", id: "b", mode: "share" });
  const stuck = play(held, { kind: "headroom", headroom: headroom("1.4") });
  expect(sharesOf(stuck)).toEqual(["0.5", "0.5"]);
  expect(Number(stuck.over)).toBeGreaterThan(0);
});

test("bins by shorthand: a range of whole numbers, steps, and what is neither stays as typed", () => {
  const bins = (column: string, text: string) =>
    requestOfTexts({ statistic: "histogram", column, bins: text }, declaration).bins;
  expect(bins("age", "2:5")).toEqual([2, 3, 4, 5, 5]);
  expect(bins("age", "0:100:25")).toEqual([0, 25, 50, 75, 100]);
  expect(bins("pay", "0:0.3:0.1")).toEqual([0, 0.1, 0.2, 0.3]);
  for (const text of ["5:2", "1:2:0", "a:b", "0:1000000"]) expect(bins("age", text)).toBe(text);
  const cells = boundPlan(
    { statistics: [{ statistic: "histogram", column: "age", bins: [2, 3, 4, 5, 5], epsilon: 1 }] },
    declaration,
  )
    .statistics.flatMap(binsOf)
    .map(({ label }) => label);
  expect(cells).toEqual(["2", "3", "4", "5"]);
  const twice = { statistics: [{ statistic: "histogram", column: "age", bins: [2, 2, 3], epsilon: 1 }] } as const;
  expect(refusal(() => boundPlan(twice, declaration))).toMatch(/> the edge before it/);
});

test("an incomplete row keeps its share for later: nothing moves until another edit, and completing the row brings it back", () => {
  const even = play(emptyDraft(1), mean("a"), mean("b"), { kind: "add", id: "c", request: { statistic: "count" } });
  const broken: Edit = { kind: "change", id: "a", request: { statistic: "mean", column: "age", lower: 200 } };
  const parked = play(even, broken);
  expect(parked.rows.map(({ isComplete }) => isComplete)).toEqual([false, true, true]);
  expect(sharesOf(parked)).toEqual(sharesOf(even));
  expect(sharesOf(play(parked, { kind: "total", epsilon: "0.8" }))).toEqual([sharesOf(even)[0], "0.4", "0.4"]);
  const mended = play(parked, { kind: "change", id: "a", request: { statistic: "mean", column: "age", lower: 20 } });
  expect(
    sharesOf(mended)
      .map(Number)
      .reduce((a, b) => a + b),
  ).toBeCloseTo(1, 11);
  for (const share of sharesOf(mended)) expect(Number(share)).toBeCloseTo(1 / 3, 10);
});

test("a saved plan keeps the hash that the first version gave it, derived columns named by numbers included", () => {
  const content = {
    format: "dosimeter-plan/1",
    let: { "10": "age >= 10", "2": "age >= 2", b: "age", a: "age" },
    rows: [],
  };
  expect(planHash(content)).toBe("cb0782334e4abf0af15c305fee3f33d6bc00acb0a812ba86be278c77288f0d1a");
});

test("an ε that no ledger takes is refused where it is given: total, row and file", () => {
  const draft = play(emptyDraft("0.3"), mean("a"));
  const most = /is "1000000000", must be at most 1000000/;
  expect(refusal(() => play(draft, { kind: "total", epsilon: "1000000000" }))).toMatch(most);
  expect(refusal(() => play(draft, { kind: "epsilon", id: "a", epsilon: "1000000000" }))).toMatch(most);
  const file = { statistics: [{ statistic: "mean", column: "age", epsilon: "1000000000" }] };
  expect(refusal(() => openPlan(file, draft, declaration))).toMatch(most);
  expect(play(draft, { kind: "total", epsilon: "1000000" }).epsilon).toBe("1000000");
});
