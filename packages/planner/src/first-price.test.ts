import { admit, epsilonAmount, formatEpsilon } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { eventsOf } from "../../query/src/quote/quote.ts";
import { type Edit, emptyDraft, isCounted, type PlanDraft, planOf, shareOf } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { firstPrice, roomFor } from "./first-price.ts";
import { fitnessOf } from "./grade.ts";
import { filterPath } from "./headroom.ts";
import { headroomOf, peopleWith } from "./planner.kit.ts";
import { readableRoom, readableUnits } from "./price.ts";
import { openPlan, savedPlan } from "./saved-plan.ts";
import { linear } from "./shares.ts";
import { availableFor, waysOut } from "./ways-out.ts";

const declaration = peopleWith(
  {
    age: { type: "integer", lower: 0, upper: 100 },
    income: { type: "number", lower: 0, upper: 200_000 },
    married: { type: "boolean" },
  },
  { assumed: 20_000 },
);

const requests = [
  { statistic: "count" },
  { statistic: "mean", column: "age" },
  { statistic: "mean", column: "income", noise: "gaussian" },
  { statistic: "median", column: "age" },
  { statistic: "histogram", column: "married" },
  { statistic: "mean" },
] as const;
const activeRules = ["addition", "tight"] as const;

const opened = (activeRule: "addition" | "tight", epsilon: string): PlanDraft => ({
  ...emptyDraft("0"),
  headroom: headroomOf(activeRule, epsilon),
  follows: true,
});
const play = (draft: PlanDraft, edits: readonly Edit[]): PlanDraft =>
  edits.reduce((current, edit) => editPlan(current, edit, declaration), draft);
const adding = fc
  .array(fc.constantFrom(...requests.filter((request) => !("noise" in request))), { minLength: 1, maxLength: 6 })
  .map((rows): Edit[] => rows.map((request, index) => ({ kind: "add", id: `s${index + 1}`, request })));
const amount = fc.integer({ min: 1, max: 20_000 }).map((x) => (x / 1000).toFixed(3));

test("a first price is the least that is good for a tenth of what is left, or fair, or not useless, in three digits; 0 where nothing left is of use", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...activeRules),
      amount,
      fc.constantFrom(...requests),
      (activeRule, epsilon, request) => {
        const { headroom, ...rest } = opened(activeRule, epsilon);
        if (headroom === null) throw new Error("opened with a headroom");
        const draft = { ...rest, headroom };
        const row = { id: "a", request, mode: "free", epsilon: "0", isComplete: true, base: "1" } as const;
        if (request.statistic === "mean" && !("column" in request)) return;
        const isGaussian = "noise" in request;
        const price = firstPrice(row, [], draft, declaration);
        const room = roomFor(row, [], draft);
        expect(price).toBeLessThanOrEqual(room);
        const at = (units: bigint) =>
          fitnessOf(
            {
              ...row,
              ...(isGaussian ? { rho: formatEpsilon(units as never) } : { epsilon: formatEpsilon(units as never) }),
            },
            draft,
            declaration,
          );
        if (price === 0n) {
          expect(at(readableRoom(room))?.grade ?? "useless").toBe("useless");
          return;
        }
        expect(at(price)?.grade).not.toBe("useless");
        const digits = readableUnits(price + 1n) - price;
        expect(String(price).replace(/0+$/, "").length).toBeLessThanOrEqual(3);
        // The price is below fair by more than a division rounds, so an error of whole rows may be fair one step before.
        const ratio = (units: bigint): number => at(units)?.ratio ?? Number.POSITIVE_INFINITY;
        const wish = ratio(price) <= 0.1 ? 0.1 : ratio(price) <= 0.35 ? 0.35 : 1;
        expect(ratio(price - digits)).toBeGreaterThanOrEqual(wish);
        if (wish === 0.1) expect(price).toBeLessThanOrEqual(room / 10n);
        else expect(ratio(readableRoom(room / 10n))).toBeGreaterThanOrEqual(0.1);
        if (wish === 1) expect(ratio(readableRoom(room))).toBeGreaterThanOrEqual(0.35);
      },
    ),
  );
});

test("until ε is typed it is the sum of the rows; a new row moves no other, and the account admits the plan", () => {
  fc.assert(
    fc.property(fc.constantFrom(...activeRules), amount, adding, (activeRule, epsilon, edits) => {
      let draft = opened(activeRule, epsilon);
      for (const edit of edits) {
        const before = new Map(draft.rows.map((row) => [row.id, row.epsilon]));
        draft = editPlan(draft, edit, declaration);
        expect(draft.pending).toBeNull();
        for (const [id, share] of before) expect(draft.rows.find((row) => row.id === id)?.epsilon).toBe(share);
      }
      const sum = draft.rows.filter(isCounted).reduce((total, row) => total + linear(shareOf(row)), 0n);
      expect(epsilonAmount(draft.epsilon, "down")).toBe(sum);
      const { headroom } = draft;
      if (sum === 0n || headroom === null) return;
      const events = eventsOf(boundPlan(planOf(draft), declaration));
      expect(admit(headroom, filterPath(headroom), events).admitted).toBe(true);
      if (activeRule === "addition") {
        const again = openPlan(savedPlan(draft, declaration), opened(activeRule, epsilon), declaration);
        expect(savedPlan(again, declaration)).toEqual(savedPlan(draft, declaration));
        // Twice the ε, typed: every row has twice its share.
        if (sum * 2n > epsilonAmount(epsilon, "down")) return;
        const doubled = editPlan(draft, { kind: "total", epsilon: formatEpsilon((sum * 2n) as never) }, declaration);
        for (const row of doubled.rows.filter(isCounted))
          expect(shareOf(row).units).toBe(2n * shareOf(draft.rows.find(({ id }) => id === row.id) ?? row).units);
      }
    }),
  );
});

test("a typed price or error makes ε follow; what the account lacks waits with what is left", () => {
  const draft = play(opened("addition", "1"), [
    { kind: "add", id: "a", request: { statistic: "mean", column: "age" } },
    { kind: "add", id: "b", request: { statistic: "count" } },
    { kind: "epsilon", id: "a", epsilon: "0.4" },
  ]);
  expect(Number(draft.epsilon)).toBeCloseTo(0.4 + Number(draft.rows[1]?.epsilon), 12);
  const over = editPlan(draft, { kind: "epsilon", id: "a", epsilon: "1.2" }, declaration);
  expect(over.pending).toMatchObject({ needs: "1.2" });
  expect(Number(over.pending?.available)).toBeGreaterThan(0.9);
  expect(over.epsilon).toBe(draft.epsilon);
  const removed = editPlan(draft, { kind: "remove", id: "a" }, declaration);
  expect(removed.epsilon).toBe(draft.rows[1]?.epsilon);
});

test("what is available for an edit that waits is what the way out takes, in digits that a page shows", () => {
  const draft = play(opened("addition", "1"), [
    { kind: "add", id: "a", request: { statistic: "mean", column: "age" } },
    { kind: "add", id: "b", request: { statistic: "mean", column: "income", groupBy: ["married"] } },
    { kind: "epsilon", id: "a", epsilon: "1.2" },
  ]);
  const ways = waysOut(draft, declaration);
  const available = availableFor(draft, ways);
  // The other rows keep what they have: with them at their least there would be more.
  expect(available).toBe(ways.find(({ kind }) => kind === "best")?.value);
  expect(Number(available)).toBe(Number(Number(available).toPrecision(3)));
  expect(Number(available)).toBeLessThan(Number(draft.pending?.available));
  const [row] = editPlan(draft, { kind: "epsilon", id: "a", epsilon: available }, declaration).rows;
  expect(row?.epsilon).toBe(available);
  expect(availableFor(draft, [])).toBe(draft.pending?.available);
});
