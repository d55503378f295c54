import { epsilonAmount } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { quotePlan } from "../../query/src/quote/quote.ts";
import { type Edit, emptyDraft, type PlanDraft, planOf } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { peopleWith, player } from "./planner.kit.ts";
import { mostFor } from "./settle.ts";
import { apportion } from "./shares.ts";

const declaration = peopleWith({ age: { type: "integer", lower: 0, upper: 100 }, married: { type: "boolean" } });
const units = (text: string): bigint => epsilonAmount(text, "down");
const play = player(declaration);

const count: Edit = { kind: "add", id: "n", request: { statistic: "count" } };
const mean: Edit = { kind: "add", id: "age", request: { statistic: "mean", column: "age" } };
const married: Edit = { kind: "add", id: "married", request: { statistic: "histogram", column: "married" } };

test("three rows share a budget of 1 to the last unit", () => {
  const draft = play(emptyDraft(1), count, mean, married);
  expect(draft.rows.map((row) => row.epsilon)).toEqual(["0.333333333333", "0.333333333334", "0.333333333333"]);
  expect(quotePlan(boundPlan(planOf(draft), declaration)).map(({ cost }) => cost)).toEqual(
    draft.rows.map(({ epsilon }) => ({ epsilon })),
  );
});

test("an edited row keeps what was typed, a held row keeps its share, the others keep their ratio", () => {
  const draft = play(
    emptyDraft(1),
    count,
    mean,
    married,
    { kind: "epsilon", id: "n", epsilon: "0.1" },
    { kind: "mode", id: "n", mode: "share" },
    { kind: "epsilon", id: "age", epsilon: "0.6" },
  );
  expect(draft.rows.map((row) => row.epsilon)).toEqual(["0.1", "0.6", "0.3"]);
  expect(play(draft, { kind: "total", epsilon: 2 }).rows.map((row) => row.epsilon)).toEqual(["0.1", "0.6", "1.3"]);
});

test("an error typed in buys the least epsilon of three digits that reaches it, or the least of all where only that fits", () => {
  const draft = play(emptyDraft(1), mean, married, { kind: "accuracy", id: "age", accuracy: 0.5 });
  const quoted = quotePlan(boundPlan(planOf(draft), declaration))[0];
  expect(quoted?.accuracy.halfWidth).toBeLessThanOrEqual(0.5);
  expect(draft.rows[0]?.epsilon).toBe("0.6");
  // 0.5995 has room for the least price, 0.599146, and not for 0.6.
  const narrow = play(emptyDraft("0.5995"), mean, { kind: "accuracy", id: "age", accuracy: 0.5 });
  expect(narrow.pending).toBeNull();
  expect(Number(narrow.rows[0]?.epsilon)).toBeLessThan(0.5995);
  expect(Number(narrow.rows[0]?.epsilon)).toBeCloseTo(0.599146, 3);
  const tooMuch = play(emptyDraft("0.5"), mean, { kind: "accuracy", id: "age", accuracy: 0.5 });
  expect(Number(tooMuch.pending?.needs)).toBeCloseTo(0.599146, 3);
});

test("an edit over budget leaves the plan as it was and keeps what was typed, with what it needs and what there is", () => {
  const before = play(emptyDraft(1), count, mean);
  const typed: Edit = { kind: "epsilon", id: "n", epsilon: "1.25" };
  const draft = play(before, typed);
  expect(draft.rows).toEqual(before.rows);
  expect(draft.pending).toEqual({ edit: typed, needs: "1.25", available: "0.999" });
  expect(draft.over).toBe("0.251");
});

test("an incomplete row costs nothing in the plan and blocks nothing", () => {
  const draft = play(emptyDraft(1), { kind: "add", id: "x", request: {} }, count);
  expect(planOf(draft).statistics.map(({ id }) => id)).toEqual(["n"]);
});

const edits = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("add" as const),
      id: fc.constantFrom("a", "b", "c", "d"),
      request: fc.constant({ statistic: "count" as const }),
    }),
    fc.record({ kind: fc.constant("remove" as const), id: fc.constantFrom("a", "b", "c", "d") }),
    fc.record({
      kind: fc.constant("epsilon" as const),
      id: fc.constantFrom("a", "b"),
      epsilon: fc.integer({ min: 0, max: 10 ** 6 }).map((x) => x / 999_983),
    }),
    fc.record({
      kind: fc.constant("mode" as const),
      id: fc.constantFrom("a", "b"),
      mode: fc.constantFrom("free" as const, "share" as const),
    }),
    fc.record({ kind: fc.constant("allocate" as const), allocate: fc.constantFrom("ratio" as const, "even" as const) }),
    fc.record({
      kind: fc.constant("total" as const),
      epsilon: fc.integer({ min: 1, max: 10 ** 6 }).map((x) => x / 99_991),
    }),
  ),
  { maxLength: 12 },
);

test("shares never add up to more than the budget unless the draft says by exactly how much; held rows never move", () => {
  fc.assert(
    fc.property(edits, (list) => {
      let draft = emptyDraft("1.7");
      for (const edit of list) {
        const ids = draft.rows.map((row) => row.id);
        if ("id" in edit && ids.includes(edit.id) === (edit.kind === "add")) continue;
        const next = editPlan(draft, edit, declaration);
        expect(editPlan(draft, edit, declaration)).toEqual(next);
        for (const row of draft.rows)
          if (row.mode === "share" && !("id" in edit && edit.id === row.id)) expect(next.rows).toContainEqual(row);
        const sum = next.rows.reduce((a, row) => a + units(row.epsilon), 0n);
        expect(sum <= units(next.epsilon) + units(next.over)).toBe(true);
        draft = next;
      }
    }),
  );
});

test("apportioning spends every unit and is within one unit of each exact share", () => {
  fc.assert(
    fc.property(
      fc.bigInt(0n, 10n ** 20n),
      fc.array(fc.bigInt(0n, 10n ** 15n), { minLength: 1, maxLength: 20 }),
      (amount, bases) => {
        const sum = bases.reduce((a, b) => a + b, 0n);
        fc.pre(sum > 0n);
        const parts = apportion(amount, bases);
        expect(parts.reduce((a, b) => a + b, 0n)).toBe(amount);
        parts.forEach((part, index) => {
          const error = part * sum - amount * (bases[index] ?? 0n);
          expect(error < sum && -error < sum).toBe(true);
        });
      },
    ),
  );
});

test("an unfinished row can get nothing, and asking what it could get ends", () => {
  const draft = play(emptyDraft(1), count, { kind: "add", id: "x", request: {} });
  const unfinished = draft.rows.find(({ id }) => id === "x");
  expect(unfinished?.isComplete).toBe(false);
  if (unfinished !== undefined) expect(mostFor(draft, unfinished)).toBe(0n);
});

test("an unfinished row takes a share that the budget has, and the others keep theirs until it is finished", () => {
  const draft = play(emptyDraft(1), count, mean, { kind: "add", id: "x", request: {} });
  const shares = ({ rows }: PlanDraft) => rows.map(({ id, epsilon }) => `${id} ${epsilon}`);
  const asked = play(draft, { kind: "epsilon", id: "x", epsilon: "0.4" });
  expect(shares(asked)).toEqual(["n 0.5", "age 0.5", "x 0.4"]);
  const tooMuch: Edit = { kind: "epsilon", id: "x", epsilon: "5" };
  const waits = play(asked, tooMuch);
  expect(shares(waits)).toEqual(shares(asked));
  expect(waits).toMatchObject({ pending: { edit: tooMuch, needs: "5", available: "1" }, over: "4" });
  const finished = play(asked, { kind: "change", id: "x", request: { statistic: "count" } });
  expect(shares(finished)).toEqual(["n 0.3", "age 0.3", "x 0.4"]);
});
