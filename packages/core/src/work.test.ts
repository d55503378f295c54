import { expect, test } from "vitest";
import { leastEpsilon } from "../../tradeoff/src/least.ts";
import { readCurve } from "../../tradeoff/src/read-curve.ts";
import { runningTotal } from "./accounting/incremental.ts";
import { planQuotes } from "./accounting/plan-quote.ts";
import { randomEvents } from "./accounting/random-events.kit.ts";
import { tightestLoss, totalLoss } from "./accounting/report.ts";
import type { DpEvent } from "./event.ts";
import { ledgerCaps, openState, openTerms } from "./filter/terms.ts";
import { QUESTION_WORK, workBudget } from "./work.ts";

/** A work that only counts. */
function counted() {
  let units = 0;
  const spend = (more: number): void => {
    units += more;
  };
  return { work: { spend }, units: () => units };
}

const sampled: DpEvent = { kind: "poissonSampled", rate: 0.03, event: { kind: "gaussian", noiseMultiplier: 0.8 } };
const list: readonly DpEvent[] = [
  { kind: "repeated", count: 40, event: sampled },
  { kind: "pure", epsilon: 0.3 },
];

test("a question is refused where it would take more work than it may", () => {
  const refused = {
    code: "TOO_MUCH_WORK",
    message: expect.stringContaining('work is "more than 1000 points", must be'),
  };
  expect(() => totalLoss(list, { delta: 1e-6 }, "pld", { work: workBudget(1000) })).toThrow(
    expect.objectContaining(refused),
  );
  expect(() =>
    readCurve({ mechanism: { kind: "composed", events: list } }, "curve", workBudget(1000)).beta(0.1),
  ).toThrow(expect.objectContaining({ code: "TOO_MUCH_WORK" }));
});

test("the best total of a list that takes too much work is that of another method, and says so", () => {
  const [best, free] = [
    tightestLoss(list, { delta: 1e-6 }, { work: workBudget(200_000) }),
    tightestLoss(list, { delta: 1e-6 }),
  ];
  expect(free.method).toBe("pld");
  expect(best.method).not.toBe("pld");
  expect(best.epsilon).toBeGreaterThan(free.epsilon);
  expect(best.all.at(-1)).toMatchObject({ method: "pld", unavailable: expect.stringContaining("more than 200000") });
});

test("work is counted by the question, not by the clock", () => {
  const once = (): number => {
    const { work, units } = counted();
    totalLoss(list, { delta: 1e-6 }, "pld", { work });
    return units();
  };
  expect(once()).toBe(once());
  expect(once()).toBeGreaterThan(0);
});

test("a curve goes on counting on what it was read with", () => {
  const { work, units } = counted();
  const curve = readCurve({ mechanism: { kind: "composed", events: list } }, "curve", work);
  leastEpsilon(curve, 1e-6);
  const before = units();
  leastEpsilon(curve, 1e-9);
  expect(units()).toBeGreaterThan(before);
});

/** Lists without replacement that took 12, 9 and 6 seconds while the points of a sample were counted by the slope without sampling. */
test.each([71, 10062, 10032])("the points of random list %i are no more than they need to be", (seed) => {
  const { work, units } = counted();
  for (const question of [{ delta: 1e-100 }, { delta: 1e-12 }, { epsilon: 1 }])
    totalLoss(randomEvents(seed), question, "pld", { work });
  expect(units()).toBeLessThan(QUESTION_WORK / 2);
});

test("a running total refuses an event of too many points, and a plan of one is folded", () => {
  const event = { kind: "discreteGaussian", sigma: 50_000, sensitivity: 1 } as const;
  const running = runningTotal({ epsilon: 1, delta: 1e-6 });
  expect(() => running.add(event)).toThrow(expect.objectContaining({ code: "TOO_MUCH_WORK" }));
  expect(running.spends()).toBe(0);
  const caps = ledgerCaps(openTerms({ epsilon: 6, delta: 1e-5, rule: "tight" }));
  expect(
    planQuotes([{ caps, state: openState(caps) }], [{ kind: "repeated", count: 3, event }, event], "addRemove"),
  ).toEqual([]);
});

test("kinds with little noise, or of many steps, count what they take", () => {
  const events: readonly DpEvent[] = [
    { kind: "gaussianMixture", noiseMultiplier: 1e-3, sensitivities: [0, 1], probabilities: [0.5, 0.5] },
    { kind: "poissonReplaced", rate: 0.5, noiseMultiplier: 1e-3 },
    { kind: "truncatedPoisson", rate: 0.5, noiseMultiplier: 1e-3, batch: 10, population: 100 },
  ];
  for (const event of events)
    expect(() => totalLoss([event], { delta: 1e-6 }, "pld", { work: workBudget(QUESTION_WORK) }), event.kind).toThrow(
      expect.objectContaining({ code: "TOO_MUCH_WORK" }),
    );
});
