import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { boundPlan } from "../bind/bound-plan.ts";
import type { Plan } from "../statistics/request.ts";
import { addNoise } from "./add-noise.ts";
import { coverageKit, declaration } from "./answer.kit.ts";

// Two hundred: answer.long.test.ts.
coverageKit({ spreads: 50 });

const plan: Plan = {
  statistics: [
    { id: "pay", statistic: "mean", column: "pay", groupBy: ["married"], epsilon: "0.5" },
    { statistic: "histogram", column: "age", bins: [0, 50, 100], epsilon: "0.25" },
  ],
};

test("an answer is plain JSON with groups, bins, released integers and what it cost", () => {
  const bounded = boundPlan(plan, declaration);
  const answers = addNoise(
    bounded,
    new Exact([
      [600n, 1200n, 60_000n, 60_000n],
      [10n, 0n],
    ]),
    seededRandom(7),
  );
  expect(JSON.parse(JSON.stringify(answers))).toEqual(answers);
  expect(answers.map(({ id, label, cost, noise, tick }) => ({ id, label, cost, noise, tick }))).toEqual([
    {
      id: "pay",
      label: "mean of pay by married",
      cost: { epsilon: "0.5" },
      noise: { kind: "laplace", spread: "2400" },
      tick: "1",
    },
    {
      id: "s2",
      label: "histogram of age",
      cost: { epsilon: "0.25" },
      noise: { kind: "laplace", spread: "4" },
      tick: null,
    },
  ]);
  expect(answers[0]?.cells.map(({ group, noisy }) => [group, noisy.length])).toEqual([
    [{ married: false }, 2],
    [{ married: true }, 2],
  ]);
  expect(answers[1]?.cells.map(({ bin }) => bin)).toEqual([
    { label: "0–49", lower: 0, upper: 49 },
    { label: "50–100", lower: 50, upper: 100 },
  ]);
});

test("case 29: a mean of no one is the middle of its range, marked unreliable, never NaN", () => {
  const bounded = boundPlan({ statistics: [{ statistic: "mean", column: "age", epsilon: 1 }] }, declaration);
  const seen = new Set<boolean>();
  for (let seed = 0; seed < 50; seed++) {
    const cell = addNoise(bounded, new Exact([[0n, 0n]]), seededRandom(seed))[0]?.cells[0];
    if (cell === undefined) throw new Error("one cell");
    expect(cell.value).toBeGreaterThanOrEqual(0);
    expect(cell.value).toBeLessThanOrEqual(100);
    if (Number(cell.noisy[0]) + Number(cell.noisy[1]) <= 0) expect(cell).toMatchObject({ value: 50, unreliable: true });
    seen.add(cell.unreliable === true);
  }
  expect(seen).toContain(true);
});

test("case 41: every call draws afresh", () => {
  const bounded = boundPlan(plan, declaration);
  const exact = new Exact([
    [600n, 1200n, 60_000n, 60_000n],
    [10n, 0n],
  ]);
  const random = seededRandom(1);
  expect(addNoise(bounded, exact, random)).not.toEqual(addNoise(bounded, exact, random));
});

test("the released integers are the exact ones plus noise: bare noise has mean zero and the stated spread", () => {
  // Chance that correct noise fails: mean of 4,000 draws beyond 5.5 standard errors, 4e-8; variance band of ±25 %, below 1e-7.
  const bounded = boundPlan({ statistics: [{ statistic: "count", epsilon: 0.1 }] }, declaration);
  const random = seededRandom(99);
  const draws = Array.from(
    { length: 4000 },
    () => Number(addNoise(bounded, new Exact([[100n]]), random)[0]?.cells[0]?.noisy[0]) - 100,
  );
  const average = draws.reduce((a, b) => a + b, 0) / draws.length;
  const variance = draws.reduce((a, b) => a + b * b, 0) / draws.length;
  expect(Math.abs(average)).toBeLessThan((5.5 * Math.sqrt(200)) / Math.sqrt(4000));
  expect(variance / 200).toBeGreaterThan(0.75);
  expect(variance / 200).toBeLessThan(1.25);
});
