import { expect, test } from "vitest";
import type { DpEvent } from "../event.ts";
import { spendClasses } from "./classes.ts";
import { lossFacts } from "./facts.ts";
import { runningLine, runningTotal } from "./incremental.ts";
import { odometerEpsilon } from "./odometer.ts";
import { accountants, lossOf, totalLoss } from "./report.ts";
import { readSpends, spendsOverTime } from "./spends.ts";

const laplace = (epsilon: number): DpEvent => ({ kind: "laplace", noiseMultiplier: 1 / epsilon });
const sampled: DpEvent = { kind: "poissonSampled", rate: 0.01, event: { kind: "gaussian", noiseMultiplier: 1 } };

test("grows with the ledger and stays an upper bound, close near its target", () => {
  const running = runningTotal({ epsilon: 3, delta: 1e-6 });
  const list: DpEvent[] = [];
  const kinds: readonly DpEvent[] = [
    laplace(0.2),
    { kind: "gaussian", noiseMultiplier: 12 },
    { kind: "approximate", epsilon: 0.1, delta: 1e-9 },
    sampled,
  ];
  let before = 0;
  for (let i = 0; i < 120; i++) {
    const event = kinds[i % kinds.length] as DpEvent;
    running.add(event);
    list.push(event);
    if (i % 40 !== 39) continue;
    const total = running.epsilon(1e-6);
    const truth = totalLoss(list, { delta: 1e-6 }, "pld");
    expect(total).toBeGreaterThanOrEqual(truth.lower as number);
    expect(total / truth.epsilon - 1).toBeLessThan(2e-3);
    expect(total).toBeGreaterThan(before);
    before = total;
  }
  expect(running.delta(3)).toBeGreaterThanOrEqual(totalLoss(list, { epsilon: 3 }, "pld").lower as number);
  expect(running.spends()).toBe(120);
});

test("counts are powers, a million of them at once", () => {
  const running = runningTotal({ epsilon: 4, delta: 1e-6 });
  running.add({ kind: "repeated", count: 500_000, event: { kind: "pure", epsilon: 0.001 } });
  running.add({ kind: "gaussian", noiseMultiplier: 2000 }, 500_000);
  const { epsilon } = totalLoss(
    [
      { kind: "repeated", count: 500_000, event: { kind: "pure", epsilon: 0.001 } },
      { kind: "repeated", count: 500_000, event: { kind: "gaussian", noiseMultiplier: 2000 } },
    ],
    { delta: 1e-6 },
    "pld",
  );
  expect(running.epsilon(1e-6) / epsilon - 1).toBeLessThan(1e-3);
  expect(running.epsilon(1e-6)).toBeGreaterThanOrEqual(epsilon * (1 - 1e-9));
});

test("a refused event changes nothing", () => {
  const running = runningTotal({ epsilon: 1, delta: 1e-6 });
  running.add(sampled);
  const before = running.epsilon(1e-6);
  expect(() => running.add({ kind: "zcdp", rho: 0.1 })).toThrow(/zcdp/);
  expect(() => running.add({ kind: "sampledWithoutReplacement", size: 1, population: 2, event: laplace(1) })).toThrow(
    /must be addRemove/,
  );
  expect(running.epsilon(1e-6)).toBe(before);
  expect(running.spends()).toBe(1);
});

test("nothing spent, and δ below what was given up", () => {
  const running = runningTotal({ epsilon: 1, delta: 1e-6 });
  expect([running.epsilon(1e-6), running.delta(0)]).toEqual([0, 0]);
  running.add({ kind: "approximate", epsilon: 0.1, delta: 1e-3 });
  expect(running.epsilon(1e-4)).toBe(Number.POSITIVE_INFINITY);
});

test("a history known beforehand is totalled as one that grows, at every step", () => {
  const events: readonly DpEvent[] = [
    laplace(0.2),
    { kind: "gaussian", noiseMultiplier: 12 },
    { kind: "discreteLaplace", scale: 30, sensitivity: 4 },
    { kind: "approximate", epsilon: "0.1", delta: 1e-9 },
    sampled,
  ];
  const counts = [
    [3, 0, 2, 0, 0],
    [0, 4, 0, 0, 1],
    [5, 1, 1, 2, 7],
  ];
  const rows = spendClasses(events).map((one, i) => ({
    spend: { ...one, facts: lossFacts(one.event) },
    upTo: counts.map((_, step) => counts.slice(0, step + 1).reduce((sum, row) => sum + (row[i] ?? 0), 0)),
  }));
  const running = runningTotal({ epsilon: 3, delta: 1e-6 });
  const line = runningLine(rows, counts.length, { epsilon: 3, delta: 1e-6 });
  const plainRows = rows.filter(({ spend }) => spend.event !== sampled); // a sampled Gaussian takes seconds at large orders
  const totals = spendsOverTime(plainRows, counts.length, "addRemove");
  counts.forEach((row, step) => {
    row.forEach((count, i) => {
      if (count > 0) running.add(events[i] as DpEvent, count);
    });
    expect((line[step] as number) / running.epsilon(1e-6)).toBeCloseTo(1, 12);
    const plain = readSpends(
      plainRows.map(({ spend, upTo }) => ({ kind: "repeated", count: upTo[step] ?? 0, event: spend.event })),
    );
    const total = totals[step] as typeof plain;
    expect(total.count).toBe(plain.count);
    expect(odometerEpsilon(total, 1e-6)).toBe(odometerEpsilon(plain, 1e-6));
    for (const method of ["basic", "zcdp", "rdp"]) {
      const accountant = accountants.find((one) => one.method === method) as (typeof accountants)[number];
      expect(lossOf(total, { delta: 1e-6 }, accountant)).toEqual(lossOf(plain, { delta: 1e-6 }, accountant));
    }
  });
});
