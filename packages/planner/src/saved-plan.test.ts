import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { REQUEST_KEYS } from "../../query/src/bind/bound-row.ts";
import { sha256 } from "../../query/src/plan/plan-file.ts";
import { eventsOf } from "../../query/src/quote/quote.ts";
import { comparePlans } from "./diff.ts";
import { emptyDraft, planOf } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { peopleWith, player } from "./planner.kit.ts";
import { errorAt } from "./price.ts";
import { openPlan, savedPlan } from "./saved-plan.ts";
import { requestOfTexts, settings, textsOfRequest } from "./settings.ts";

const declaration = peopleWith(
  {
    age: { type: "integer", lower: 0, upper: 100, required: true },
    income: { type: "number", lower: 0, upper: 200_000, required: true },
    race: { type: "category", categories: [1, 2, 3], required: true },
  },
  { public: 1000 },
);
const play = player(declaration);
const made = play(
  { ...emptyDraft("1", "1e-6"), accountant: "auto" },
  { kind: "add", id: "age", request: { statistic: "mean", column: "age" }, target: 0.5 },
  {
    kind: "add",
    id: "income",
    request: { statistic: "quantiles", column: "income", quantiles: [0.1, 0.9] },
    weight: 2,
  },
  { kind: "add", id: "race", request: { statistic: "histogram", column: "race", where: "age >= 18" } },
  { kind: "add", id: "later", request: { statistic: "mean" } },
  { kind: "accuracy", id: "age", accuracy: 2 },
  { kind: "mode", id: "race", mode: "error" },
  { kind: "reserve", reserve: "0.1" },
);

test("the digest is SHA-256", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
    }),
  );
});

test("a saved plan opens as the plan it was, with the same hash, and the engine takes it as a plan", () => {
  const file = savedPlan(made, declaration);
  const text = JSON.stringify(file, null, 2);
  const opened = openPlan(JSON.parse(text), emptyDraft(5), declaration);
  expect(opened.rows.map(({ typedAt: _, ...row }) => row)).toEqual(
    made.rows.filter(({ isComplete }) => isComplete).map(({ typedAt: _, ...row }) => row),
  );
  expect(savedPlan(opened, declaration)).toEqual(file);
  expect(eventsOf(boundPlan(JSON.parse(text), declaration))).toEqual(eventsOf(boundPlan(planOf(made), declaration)));
});

test.each([
  ["another version", (file: Record<string, unknown>) => ({ ...file, format: "dosimeter-plan/2" }), /another version/],
  [
    "an edited ε",
    ({ statistics, ...file }: Record<string, unknown>) => ({
      ...file,
      statistics: (statistics as object[]).map((row) => ({ ...row, epsilon: "0.9" })),
    }),
    /changed after it was saved/,
  ],
  ["an edited target", (file: Record<string, unknown>) => ({ ...file, rows: [] }), /changed after it was saved/],
  ["an unknown field", (file: Record<string, unknown>) => ({ ...file, extra: 1 }), /absent/],
  ["other neighbours", () => ({ statistics: [], adjacency: "addRemove" }), /must be "replace"/],
  ["no plan", () => [1], /must be an object/],
])("a plan file with %s is refused", (_, change, message) => {
  const file = change({ ...savedPlan(made, declaration) });
  expect(() => openPlan(file, emptyDraft(1), declaration)).toThrow(message);
});

test("the planner divides the budget again even for a file with a matching hash: it never trusts the file's ε's", () => {
  const draft = play(emptyDraft(1), { kind: "add", id: "a", request: { statistic: "count" } });
  const forged = savedPlan({ ...draft, rows: draft.rows.map((row) => ({ ...row, epsilon: "7" })) }, declaration);
  expect(openPlan(forged, emptyDraft(1), declaration).rows[0]?.epsilon).toBe("1");
});

test("what an import changes is listed row by row", () => {
  const after = play(
    made,
    { kind: "remove", id: "age" },
    { kind: "change", id: "race", request: { statistic: "histogram", column: "race" } },
    { kind: "add", id: "n", request: { statistic: "count" } },
  );
  const changes = comparePlans(made, after, declaration);
  expect(changes.map(({ id, kind }) => [id, kind])).toEqual([
    ["age", "removed"],
    ["income", "changed"],
    ["race", "changed"],
    ["later", "same"],
    ["n", "added"],
  ]);
  expect(changes[2]?.fields).toEqual(["where"]);
});

test("every field of a request can be set on a page, and what is typed is what is asked", () => {
  const typed = ["statistic", "column", ...new Set(settings.map(({ key }) => key))];
  expect(REQUEST_KEYS.filter((key) => !["id", "epsilon", "rho"].includes(key)).toSorted()).toEqual(typed.toSorted());
  for (const row of made.rows.slice(0, 3))
    expect(requestOfTexts(textsOfRequest(row.request), declaration)).toEqual(row.request);
  expect(requestOfTexts({ statistic: "mean", column: "age", lower: "1,000", upper: "soon" }, declaration)).toEqual({
    statistic: "mean",
    column: "age",
    lower: 1000,
    upper: "soon",
  });
  expect(requestOfTexts({ statistic: "quantiles", column: "age", quantiles: "10% 0.5" }, declaration)).toMatchObject({
    quantiles: [0.1, 0.5],
  });
});

test("δ at 1/n is refused where n is known; a target beyond reach, a row count below the granularity and 200 rows are not", () => {
  expect(() => play(emptyDraft(1), { kind: "total", epsilon: 1, delta: "0.001" })).toThrow(/below 1\/n/);
  const wide = play(
    emptyDraft(1),
    { kind: "add", id: "q", request: { statistic: "quantiles", column: "income" } },
    { kind: "people", people: 3 },
  );
  expect(wide.rows[0]?.epsilon).toBe("1");
  expect(() => play(wide, { kind: "accuracy", id: "q", accuracy: 1e-12 })).toThrow(/some epsilon up to/);
});

test("derived columns are kept in a draft and in a saved plan, and change which rows are complete", () => {
  const formulas = { twice: "age * 2" };
  const start = editPlan(emptyDraft(1), { kind: "people", people: 1000 }, declaration);
  const request = { statistic: "mean", column: "twice" } as const;
  const early = editPlan(start, { kind: "add", id: "m", request }, declaration);
  expect(early.rows[0]?.isComplete).toBe(false);
  const ready = editPlan(early, { kind: "let", let: formulas }, declaration);
  expect(ready.rows[0]?.isComplete).toBe(true);
  expect(errorAt({ ...ready.rows[0]!, epsilon: "1" }, ready, declaration)).toBeGreaterThan(0);
  const priced = editPlan(ready, { kind: "epsilon", id: "m", epsilon: "0.5" }, declaration);
  const file = savedPlan(priced, declaration);
  expect(file).toMatchObject({ let: formulas, statistics: [{ column: "twice", epsilon: "0.5" }] });
  const opened = openPlan(JSON.parse(JSON.stringify(file)), emptyDraft(1), declaration);
  expect(opened.let).toEqual(formulas);
  expect(opened.rows[0]?.isComplete).toBe(true);
  expect(savedPlan(opened, declaration)).toEqual(file);
  const gone = editPlan(priced, { kind: "let", let: {} }, declaration);
  expect(gone.let).toBeUndefined();
  expect(gone.rows[0]?.isComplete).toBe(false);
  expect(() => editPlan(priced, { kind: "let", let: { twice: "age ^ 2" } }, declaration)).toThrow("let.twice");
});
