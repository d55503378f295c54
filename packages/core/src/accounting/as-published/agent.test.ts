import { expect, test } from "vitest";
import { zcdpEpsilonSimple } from "../zcdp.ts";
import { agentLift, agentReport } from "./agent.ts";

test.each([
  {
    name: "10 × (0.1, 0)",
    spends: [{ epsilon: 0.1, delta: 0, count: 10 }],
    delta: 1e-6,
    advanced: 1.767429,
    epsilon: 1,
  },
  {
    name: "1000 × (0.01, 0)",
    spends: [{ epsilon: 0.01, delta: 0, count: 1000 }],
    delta: 1e-5,
    advanced: 1.617929,
    epsilon: 1.617929,
  },
  {
    name: "1000 × (0.01, 1e-8), exact δ",
    spends: [{ epsilon: 0.01, delta: 1e-8, count: 1000 }],
    delta: 1e-5,
    advanced: 2.45129,
    epsilon: 2.45129,
  },
  { name: "4 × 0.5", spends: [{ epsilon: 0.5, delta: 0, count: 4 }], delta: 1e-6, advanced: 6.553964, epsilon: 2 },
  {
    name: "200 × (0.05, 0)",
    spends: [{ epsilon: 0.05, delta: 0, count: 200 }],
    delta: 1e-5,
    advanced: 3.905781,
    epsilon: 3.905781,
  },
  {
    name: "200 × (0.05, 0) and one (0.05, 1e-5)",
    spends: [
      { epsilon: 0.05, delta: 0, count: 200 },
      { epsilon: 0.05, delta: 1e-5 },
    ],
    delta: 1e-5,
    advanced: 5.784921,
    epsilon: 5.784921,
  },
])("$name: AGENT's number to its printed digits", ({ spends, delta, advanced, epsilon }) => {
  const report = agentReport(spends, { epsilon: 1, delta });
  expect(report.advanced.epsilon).toBeCloseTo(advanced, 6);
  expect(report.epsilon).toBeCloseTo(epsilon, 6);
});

test("a used-up δ is topped up by the floor, and the overshoot is flagged", () => {
  const report = agentReport([{ epsilon: 0.05, delta: 1e-8, count: 100 }], { epsilon: 1, delta: 1e-6 });
  expect(report).toMatchObject({ slack: 1e-12, isFloored: true, delta: 0.000001000001, overshoot: 1e-12 });
  expect(report.remarks[0]).toMatch(/1e-12 above the budget of 0.000001/);
  const ten = agentReport([{ epsilon: 0.1, delta: 1e-7, count: 10 }], { epsilon: 1, delta: 1e-6 });
  expect(ten.advanced).toEqual({ epsilon: expect.closeTo(2.455959, 6), delta: 0.000001000001 });
});

test("the lift as published, and why it is wrong", () => {
  expect(agentLift(1, 1e-6)).toBeCloseTo(5.756522, 6);
  expect(zcdpEpsilonSimple(agentLift(1, 1e-6), 1e-6)).toBeCloseTo(23.592361, 6);
  expect(agentLift(0.1, 1e-6)).toBeCloseTo(0.530652, 6);
  expect(zcdpEpsilonSimple(agentLift(0.1, 1e-6), 1e-6)).toBeCloseTo(5.945901, 5);
  expect(agentLift(0, 1e-6)).toBe(0);
  const report = agentReport([{ epsilon: 1, delta: 1e-6, gaussian: true }], { epsilon: 1, delta: 2e-6 });
  expect(report.zcdp).toMatchObject({
    rho: expect.closeTo(5.756522, 6),
    epsilon: expect.closeTo(23.592361, 6),
    lifted: true,
  });
  expect(report.remarks.join(" ")).toMatch(/not a theorem.*23\.5924 where 1 is true/);
});

test("Gaussian noise with a recorded ρ is not lifted", () => {
  const report = agentReport([{ epsilon: 1, delta: 1e-6, rho: 0.0178 }], { epsilon: 1, delta: 2e-6 });
  expect(report.zcdp).toMatchObject({ rho: 0.0178, lifted: false });
  expect(report.method).toBe("basic");
});

test("spends known by ρ alone are added by zCDP, and the report says so", () => {
  const report = agentReport([{ rho: 0.001, count: 100 }], { epsilon: 5, delta: 1e-5 });
  expect(report).toMatchObject({ method: "zcdp", epsilon: expect.closeTo(2.245966, 6), delta: 1e-5 });
  expect(report.basic.epsilon).toBe(Number.POSITIVE_INFINITY);
  expect(report.remarks[0]).toMatch(/^100 of the spends are known by rho alone/);
  const mixed = agentReport([{ rho: 0.001 }, { epsilon: 0.1, delta: 1e-7 }], { epsilon: 5, delta: 1e-5 });
  expect(mixed.zcdp?.rho).toBeCloseTo(0.001 + agentLift(0.1, 1e-7), 12);
});

test("above the threshold basic is used, and the threshold can be set", () => {
  const spends = [
    { epsilon: 1.5, delta: 0 },
    { epsilon: 0.01, delta: 0, count: 500 },
  ];
  expect(agentReport(spends, { epsilon: 10, delta: 1e-6 })).toMatchObject({ method: "basic", epsilon: 6.5 });
  const small = [{ epsilon: 0.05, delta: 0, count: 400 }];
  expect(agentReport(small, { epsilon: 10, delta: 1e-6 }).method).toBe("advanced");
  expect(agentReport(small, { epsilon: 10, delta: 1e-6 }, 0.01).method).toBe("basic");
});

test("the curve climbs as δ is used, and ends at the floor", () => {
  const { curve } = agentReport([{ epsilon: 0.05, delta: 0, count: 200 }], { epsilon: 1, delta: 1e-5 });
  for (let i = 1; i < curve.length; i++)
    expect(curve[i]?.epsilon).toBeGreaterThanOrEqual(curve[i - 1]?.epsilon as number);
  expect(curve[0]).toMatchObject({ deltaLeft: 1e-5, epsilon: expect.closeTo(3.905781, 6) });
  expect(curve.at(-1)).toMatchObject({ deltaLeft: 0, epsilon: expect.closeTo(5.769, 3) });
});

test("the report is above what is true of the list, and says by how much", () => {
  const report = agentReport([{ epsilon: 0.01, delta: 1e-8, count: 1000 }], { epsilon: 3, delta: 1e-5 });
  expect(report.tightest).toBeLessThan(report.epsilon);
  expect(report.adaptive).toBeGreaterThan(report.tightest);
  expect(report.remarks.some((remark) => remark.includes("higher than it need be"))).toBe(true);
});

test("nothing spent, and bad input", () => {
  expect(agentReport([], { epsilon: 1, delta: 1e-6 })).toMatchObject({
    epsilon: 0,
    delta: 0,
    method: "basic",
    tightest: 0,
  });
  expect(() => agentReport([{ epsilon: -1, delta: 0 }], { epsilon: 1, delta: 1e-6 }, -1)).toThrow(/threshold/);
  expect(() => agentReport([{ epsilon: "x", delta: 0 }], { epsilon: 1, delta: 1e-6 })).toThrow();
});

test("pure ε and spends known by ρ alone: the total is finite, no less than what is true, and says what it adds [M50]", () => {
  const spends = [
    { epsilon: 0.05, count: 20 },
    { rho: 0.001, count: 100 },
  ];
  const report = agentReport(spends, { epsilon: 3, delta: 1e-5 });
  const rho = 0.1 + 20 * 0.05 * Math.tanh(0.025);
  expect(report.zcdp).toMatchObject({ lifted: false, rho: expect.closeTo(rho, 12) });
  expect(report.zcdp?.rho).toBeGreaterThanOrEqual(rho);
  expect(report).toMatchObject({
    method: "zcdp",
    epsilon: expect.closeTo(rho + Math.sqrt(-4 * rho * Math.log(1e-5)), 9),
  });
  expect(report.tightest).toBeLessThanOrEqual(report.epsilon);
  expect(report.tightest).toBeCloseTo(2.15773, 4);
  expect(report.remarks.join(" ")).not.toMatch(/infinite|delta > 0|Basic composition also holds/);
  // Without a spend known by ρ alone everything is as published: the lift of a pure ε is infinite, and that is said.
  const published = agentReport([{ epsilon: 0.05, count: 20, gaussian: true }], { epsilon: 3, delta: 1e-5 });
  expect(published).toMatchObject({ method: "basic", zcdp: { epsilon: Number.POSITIVE_INFINITY, lifted: true } });
  expect(published.remarks.join(" ")).toMatch(/infinite at delta 0/);
});
