import { readFileSync } from "node:fs";
import { deltaAmount, epsilonAmount, largestMu2 } from "@dosimeter/core";
import { functioningLoss } from "@dosimeter/core/accounting";
import { expect, test } from "vitest";
import { type Budget, largestRho, optimalBudget, zcdpBudget } from "./budget.ts";
import { type Edit, emptyDraft, type PlanDraft } from "./draft.ts";
import { leastTotal, totalsOf } from "./least.ts";
import { peopleWith, player } from "./planner.kit.ts";
import { errorAt } from "./price.ts";
import { psiShares } from "./psi.ts";
import { redistribute } from "./redistribute.ts";
import type { Share } from "./shares.ts";

const golden = JSON.parse(readFileSync(new URL("../../../test/golden/planning.json", import.meta.url), "utf8"));
const units = (value: number): bigint => epsilonAmount(value, "down");
const limit = ({ epsilon, delta }: { epsilon: number; delta: number }) => ({
  epsilon: epsilonAmount(epsilon, "down"),
  delta: deltaAmount(delta, "down"),
});

/** (√(ln 1/δ + ε) − √ln 1/δ)², from which the golden shares of zCDP were made. */
function closedRho({ epsilon, delta }: { epsilon: number; delta: number }): bigint {
  const bits = -Math.log(delta);
  const root = epsilon / (Math.sqrt(bits + epsilon) + Math.sqrt(bits));
  return BigInt(Math.floor(root * root * 1e12));
}

interface PsiCase {
  readonly name: string;
  readonly in: (number | null)[] | string;
  readonly protected: number[];
  readonly epsilon?: number;
  readonly out?: number[] | null;
  readonly every?: number;
  readonly factor?: number;
}

test.each(golden.psi as PsiCase[])("as the Privacy Budgeting Interface did: $name", (given) => {
  const epsilons: (number | null)[] = Array.isArray(given.in)
    ? given.in
    : Array.from({ length: 20 }, (_, i) => (i + 1) / 210);
  const run = () =>
    psiShares({ epsilons, protectedRows: given.protected ?? [], epsilon: given.epsilon ?? 1, delta: 1e-6 });
  if (given.out === null) return expect(run).toThrow(/epsilon is/);
  const expected: number[] =
    given.out ??
    epsilons.map((each) => (given.every === undefined ? (each ?? 0) * Number(given.factor) : Number(given.every)));
  run().forEach((share, index) => {
    expect(Math.abs(share - (expected[index] ?? Number.NaN))).toBeLessThan(1e-4);
  });
});

/** Shares after one redistribution, in input order. */
function shared(rows: readonly Share[], held: readonly number[], budget: Budget): number[] {
  const found = redistribute(
    rows.map((share, index) => ({ id: `r${index}`, isFree: !held.includes(index), share })),
    [budget],
  );
  return rows.map((row, index) => Number(found.get(`r${index}`) ?? row.units) / 1e12);
}

test.each(golden.optimal as { in: number[]; held: number[]; epsilon: number; delta: number }[])(
  "optimal composition shares $in with $held held",
  (given: { in: number[]; held: number[]; epsilon: number; delta: number; out?: number[]; every?: number }) => {
    const rows = given.in.map((epsilon) => ({ noise: "laplace", units: units(epsilon) }) as const);
    const found = shared(rows, given.held, optimalBudget(limit(given)));
    found.forEach((share, index) => {
      const expected = given.out?.[index] ?? (given.held.includes(index) ? given.in[index] : given.every);
      expect(Math.abs(share - (expected ?? Number.NaN))).toBeLessThan(2e-9);
    });
  },
);

test("beyond the Interface's grid: (1 … 20)/210 with its half of δ grow by the exact factor, less what our grid rounds up", () => {
  const rows = Array.from({ length: 20 }, (_, i) => ({ noise: "laplace", units: units((i + 1) / 210) }) as const);
  const factor = (delta: number): number =>
    (shared(rows, [], optimalBudget(limit({ epsilon: 1, delta })))[19] ?? 0) / (20 / 210);
  const { exactFactor, factor: published } = golden.psi.at(-1);
  expect(factor(5e-7)).toBeGreaterThan(published);
  expect(Math.abs(factor(5e-7) / exactFactor - 1)).toBeLessThan(2e-3);
  // The planner gives all of δ to composition: the rows have none of their own.
  expect(factor(1e-6)).toBeGreaterThan(factor(5e-7));
});

test.each(golden.optimalTotal as { in: number[]; times?: number; delta: number; epsilon: number }[])(
  "the optimal total of $in at δ = $delta is $epsilon",
  ({ in: epsilons, times = 1, delta, epsilon }) => {
    const shares = Array.from({ length: times }, () => epsilons)
      .flat()
      .map((each) => ({ noise: "laplace", units: units(each) }) as const);
    expect(Math.abs((totalsOf(shares, delta).optimal ?? 0) - epsilon)).toBeLessThan(2e-10);
  },
);

test.each(golden.zcdp as { held: number[]; out: number[] }[])(
  "zCDP scales all free errors alike, $held held",
  (given) => {
    const rows: readonly Share[] = [
      { noise: "laplace", units: units(0.1) },
      { noise: "laplace", units: units(0.05) },
      { noise: "gaussian", units: units(0.004) },
      { noise: "gaussian", units: units(0.002) },
    ];
    const found = shared(rows, given.held, zcdpBudget(closedRho({ epsilon: 1, delta: 1e-6 })));
    found.forEach((share, index) => {
      expect(Math.abs(share - (given.out[index] ?? Number.NaN))).toBeLessThan(2e-9);
    });
  },
);

test.each(golden.rho as { epsilon: number; delta: number; closed: number; tight: number; gaussian: number }[])(
  "ρ for ($epsilon, $delta)",
  (given) => {
    const of = (rho: bigint): number => Number(rho) / 1e12;
    expect(of(closedRho(given)) / given.closed).toBeCloseTo(1, 5);
    expect(of(largestRho(limit(given))) / given.tight).toBeCloseTo(1, 5);
    const { epsilon, delta } = limit(given);
    expect(Math.abs(of(largestMu2(epsilon, delta)) / 2 - given.gaussian)).toBeLessThan(6e-7);
  },
);

test.each(
  golden.sample as {
    epsilon: number;
    delta: number;
    size: number;
    population: number;
    functioning: number;
    functioningDelta?: number;
  }[],
)("secrecy of the sample: ε $epsilon from $size of $population", (given) => {
  const loss = functioningLoss(given, given);
  expect(Math.abs(loss.epsilon - given.functioning)).toBeLessThan(5e-5);
  if (given.functioningDelta !== undefined) expect(loss.delta / given.functioningDelta).toBeCloseTo(1, 2);
});

/** The session of the specification: means of a public number of rows, counts per bin under replace-one. */
const pums = peopleWith(
  {
    age: { type: "integer", lower: 0, upper: 100, required: true },
    income: { type: "integer", lower: 0, upper: 200_000, required: true },
    race: { type: "category", categories: [1, 2, 3, 4, 5, 6], required: true },
    married: { type: "boolean", required: true },
  },
  { public: 1000 },
);
const play = player(pums);
const five: readonly Edit[] = [
  { kind: "add", id: "age", request: { statistic: "mean", column: "age" } },
  { kind: "add", id: "income", request: { statistic: "mean", column: "income" } },
  { kind: "add", id: "cdf", request: { statistic: "histogram", column: "race" } },
  { kind: "add", id: "race", request: { statistic: "histogram", column: "race" } },
  { kind: "add", id: "married", request: { statistic: "histogram", column: "married" } },
];
const expectShares = (draft: PlanDraft, expected: Readonly<Record<string, number>>): void => {
  expect(draft.rows.map(({ id }) => id)).toEqual(Object.keys(expected));
  // Errors are of whole noise, so that a price differs from the continuous one in the third digit for counts only. The
  // price of a typed error is rounded up to three digits, and the other rows share what that leaves.
  for (const { id, epsilon } of draft.rows)
    expect(Math.abs(Number(epsilon) - (expected[id] ?? 0)), id).toBeLessThan(1.3e-3);
};

test("the session: even, an error typed, a hold, a second error typed, a row deleted", () => {
  const { session } = golden;
  const even = play(emptyDraft(1), ...five);
  expectShares(even, { age: 0.2, income: 0.2, cdf: 0.2, race: 0.2, married: 0.2 });
  for (const [id, error] of Object.entries(session.even.errors as Record<string, number>)) {
    const row = even.rows.find((each) => each.id === id);
    const stated = row === undefined ? null : errorAt(row, even, pums);
    // A count is off by whole people; a mean is computed on 1,024 ticks or more.
    expect(Math.abs((stated ?? 0) / error - 1), id).toBeLessThan(id === "age" || id === "income" ? 1e-3 : 0.02);
  }
  const aged = play(even, { kind: "accuracy", id: "age", accuracy: 0.5 });
  expectShares(aged, session["ageTo0.5"]);
  expect(aged.rows[0]?.mode).toBe("soft");
  const rich = play(
    aged,
    { kind: "mode", id: "race", mode: "share" },
    { kind: "accuracy", id: "income", accuracy: 2000 },
  );
  expectShares(rich, session.incomeTo2000);
  expect(rich.notices.map(({ kind, id }) => [kind, id])).toEqual([["released", "age"]]);
  const single = play(rich, { kind: "mode", id: "income", mode: "free" }, { kind: "remove", id: "married" });
  expectShares(single, session.withoutMarried);
});

test("the least ε for all targets, and by how much they are missed at ε = 1", () => {
  const draft = play(
    emptyDraft(1),
    ...five.filter((edit) => edit.kind === "add" && edit.id !== "cdf"),
    { kind: "target", id: "age", target: 0.5 },
    { kind: "target", id: "income", target: 2000 },
    { kind: "target", id: "race", target: 20 },
    { kind: "target", id: "married", target: 20 },
  );
  const least = leastTotal(draft, pums);
  for (const { id, units: need } of least?.needs ?? [])
    expect(Math.abs(Number(need) / golden.session.needs[id] - 1), id).toBeLessThan(0.03);
  const total = least?.totals.addition ?? 0;
  expect(total).toBeCloseTo(golden.session.least - golden.session.needs.cdf, 1);
  expect(least?.missedBy).toBeCloseTo(total, 6);
  const split = play(draft, { kind: "allocate", allocate: "targets" });
  for (const row of split.rows) expect((errorAt(row, split, pums) ?? 0) / (row.target ?? 1)).toBeCloseTo(total, 0);
});
