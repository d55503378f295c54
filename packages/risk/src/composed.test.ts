import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { composedFacts, composedLaplaceEpsilon, composedLoss, composedShortfall } from "./composed.ts";
import { laplaceLoss } from "./truth.ts";

const golden = JSON.parse(readFileSync(new URL("../../../test/golden/risk.json", import.meta.url), "utf8"));

test("one release: the grid's δ is an upper bound within the square of its step", () => {
  for (const epsilon0 of [0.1, 1, 5]) {
    const loss = composedLoss({ epsilon0, count: 1 });
    for (const part of [0, 0.25, 0.5, 0.9]) {
      const exact = laplaceLoss({ epsilon0, epsilon: part * epsilon0 }).delta;
      const got = composedFacts(loss, part * epsilon0).delta;
      expect(got).toBeGreaterThanOrEqual(exact - 1e-15);
      expect(got - exact).toBeLessThanOrEqual((epsilon0 / 1000) ** 2);
    }
  }
});

test("ε at δ = 1e-5 of n releases agrees with the extrapolated reference", () => {
  for (const [level, lines] of Object.entries<Record<string, Record<string, number>>>(golden.composition.by_eps0)) {
    for (const [n, want] of Object.entries(lines.exact_laplace ?? {})) {
      const got = composedLaplaceEpsilon({ epsilon0: Number(level), count: Number(n), delta: 1e-5 });
      expect(Math.abs(got - want), `${level} × ${n}`).toBeLessThanOrEqual(4e-6 + 2e-6 * want);
    }
  }
});

test("δ agrees with 8 million simulated runs within four standard errors", () => {
  for (const row of golden.monte_carlo.composition) {
    const got = composedFacts(composedLoss({ epsilon0: row.eps0, count: row.n }), row.eps).delta;
    expect(Math.abs(got - row.delta_mc)).toBeLessThanOrEqual(4 * row.se);
  }
});

test("value-at-risk and expected shortfall of composed Laplace releases", () => {
  for (const row of golden.var_es_composed_laplace.rows) {
    const loss = composedLoss({ epsilon0: row.eps0, count: row.n });
    const tolerance = 3 * loss.step * Math.sqrt(row.n) + 1e-4;
    for (const level of [0.5, 0.9, 0.95, 0.99, 0.999]) {
      const got = composedShortfall(loss, level);
      expect(Math.abs(got.valueAtRisk - row[`VaR_${level}`])).toBeLessThanOrEqual(tolerance);
      expect(Math.abs(got.expectedShortfall - row[`ES_${level}`])).toBeLessThanOrEqual(tolerance);
    }
  }
});
