import { expect, test } from "vitest";
import type { DpEvent } from "../event.ts";
import { odometerEpsilon } from "./odometer.ts";
import { odometerGrid } from "./orders.ts";
import { readSpends } from "./spends.ts";
import { zcdpEpsilonSimple } from "./zcdp.ts";

const pure = (count: number, epsilon: number): DpEvent => ({
  kind: "repeated",
  count,
  event: { kind: "pure", epsilon },
});
const at = (events: readonly DpEvent[], delta = 1e-6): number => odometerEpsilon(readSpends(events), delta);

test("never above the plain sum, close to ρ + 2√(ρ ln(1/δ)) where that is less", () => {
  expect(at([pure(3, 0.1)])).toBe(0.3);
  const rho = 1000 * 0.05 * Math.tanh(0.025);
  expect(at([pure(1000, 0.05)])).toBeLessThan(1.2 * zcdpEpsilonSimple(rho, 1e-6 / odometerGrid.length));
  expect(at([])).toBe(0);
});

test("δ spent is δ that the odometer no longer has", () => {
  const events: readonly DpEvent[] = [
    { kind: "repeated", count: 100, event: { kind: "approximate", epsilon: 0.1, delta: 1e-8 } },
  ];
  expect(at(events, 9e-7)).toBe(Number.POSITIVE_INFINITY);
  expect(at(events, 1e-6)).toBe(10);
  expect(at(events, 2e-6)).toBeLessThan(10);
});

/**
 * An adversary that doubles its stakes after every answer in its favour and stops after a bad one, over randomised
 * response: every reachable history is enumerated, and the loss may exceed the odometer with probability δ at most.
 */
test("an adaptive adversary exceeds it with probability at most δ", () => {
  const delta = 0.02;
  const menu = [0.1, 0.3, 0.6];
  const exceed = (spent: readonly number[], loss: number, left: number): number => {
    const list = spent.map((epsilon): DpEvent => ({ kind: "pure", epsilon }));
    if (loss > odometerEpsilon(readSpends(list), delta) + 1e-12) return 1;
    if (left === 0) return 0;
    return menu.reduce((worst, epsilon) => {
      const p = 1 / (1 + Math.exp(-epsilon));
      const next = [...spent, epsilon];
      return Math.max(
        worst,
        p * exceed(next, loss + epsilon, left - 1) + (1 - p) * exceed(next, loss - epsilon, left - 1),
      );
    }, 0);
  };
  expect(exceed([], 0, 5)).toBeLessThanOrEqual(delta);
});
