import { expect, test } from "vitest";
import { study } from "./study.ts";

const ask = (list: string) => study({ list, delta: 1e-5, epsilon: 3, threshold: 1 });

test("a list gets every accountant, the winner, the curves and what a ledger would admit", () => {
  const found = ask("epsilon,delta,count\n0.05,0,50\n");
  expect(found.spends).toBe(50);
  expect(found.rows.filter(({ isBest }) => isBest)).toHaveLength(1);
  expect(found.curves.find(({ label }) => label.startsWith("Basic"))?.points).toHaveLength(13);
  const report = found.rows.find(({ method }) => method === "optimal");
  const filter = found.filters.find(({ rule }) => rule === "additionThenTight");
  expect(filter?.admitted).toBe(1);
  expect(report?.more).toBeGreaterThan(filter?.more as number);
  expect(filter?.more).toBeGreaterThan(found.filters.find(({ rule }) => rule === "addition")?.more as number);
  expect(found.agent?.label).toBe("as AGENT reports it");
});

test("events without (ε, δ) and ρ have no AGENT report and it says why, bad lists say where", () => {
  expect(ask('[{"kind":"gaussian","noiseMultiplier":4}]').agent?.method).toBe("zcdp");
  const { agent, agentOmission } = ask('[{"kind":"rdp","order":2,"epsilon":0.1}]');
  expect(agent).toBeNull();
  expect(agentOmission).toMatch(/one line has neither, first 1 \(rdp\)/);
  expect(() => ask("epsilon\nx\n")).toThrow(/spends\[0\]\.epsilon/);
  expect(ask("").lines).toBe(0);
});
