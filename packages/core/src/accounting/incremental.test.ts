import { expect, test } from "vitest";
import type { DpEvent } from "../event.ts";
import { runningTotal } from "./incremental.ts";
import { totalLoss } from "./report.ts";

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
