import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { epsdelta } from "./epsdelta.ts";
import { estEpsdelta, estGdp, gdpToEpsdelta } from "./estimate.ts";
import { gaussianEpsilon, gaussianMu, gdp } from "./gdp.ts";
import { lap } from "./lap.ts";
import { fromPoints, lowerHull } from "./points.ts";

/** The defects of the R package `fdp` 1.0.0, one test each; D11, D14 and D15 are about plots and are tested there. */
describe("defects that are not repeated", () => {
  test("D1: ε of 710 and more is not perfect privacy", () => {
    for (const epsilon of [709.7, 710, 745, 800, 1500, 1e6]) {
      expect(epsdelta(epsilon).beta(0)).toBe(1);
      expect(epsdelta(epsilon).beta(1e-300)).toBeLessThan(1e-300);
      expect(epsdelta(epsilon).beta(0.5)).toBeLessThan(1e-300);
      expect(epsdelta(epsilon).power(1e-300)).toBe(1);
    }
    expect(epsdelta(800, 0.1).beta(0.5)).toBe(0);
    expect(epsdelta(800, 0.1).beta(0)).toBe(0.9);
    expect(epsdelta(700).power(1e-305)).toBeCloseTo(1e-305 * Math.exp(700), 12);
  });

  test("D2: estimates hold between the points of a grid", () => {
    expect(estGdp(lap(9)).mu).toBeGreaterThanOrEqual(5.0785025);
    expect(estGdp(lap(12)).mu).toBeGreaterThanOrEqual(6.0518464);
    expect(estEpsdelta(gdp(2), { delta: 1e-5 }).epsilon).toBeGreaterThanOrEqual(9.9972561464343);
    expect(estEpsdelta(gdp(0.5), { epsilon: 2 }).delta).toBe(0.01);
  });

  test("D3: estimates are tight and idempotent, and perfect privacy is 0", () => {
    expect(estGdp(estGdp(lap(1.5)).curve).mu).toBe(estGdp(lap(1.5)).mu);
    expect(estEpsdelta(epsdelta(1), { delta: 1e-5 }).epsilon).toBe(1);
    expect(estGdp(gdp(0)).mu).toBe(0);
  });

  test("D4: 101 numbers are a curve, wherever they come from", () => {
    const numbers = Array.from({ length: 101 }, (_, i) => (1 - i / 100) ** 2);
    expect(fromPoints(numbers).beta(0.5)).toBe(0.25);
    expect(estGdp(numbers).mu).toBe(1.4);
    expect(() => fromPoints([0.5, 0.25])).toThrow("101 type II errors");
    expect(fromPoints({ alpha: [0, 0.5], beta: [1, 0.2] }).beta(0.25)).toBeCloseTo(0.6, 15);
  });

  test("D5: what is needed is declared, and nothing newer is used", () => {
    const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
    const root = read("../../../package.json");
    const least = /^>=(\d+)\.(\d+)$/.exec(root.engines.node);
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    expect(least).not.toBeNull();
    expect(major * 1000 + minor).toBeGreaterThanOrEqual(Number(least?.[1]) * 1000 + Number(least?.[2]));
    // Node 22.18, which libraries declare, knows ES2024; no library is needed at run time, so none can be too old.
    const { target, lib } = read("../../../tsconfig.base.json").compilerOptions;
    expect([target, lib]).toEqual(["ES2024", ["ES2024"]]);
    const core = read("../../core/package.json");
    expect([core.dependencies, core.peerDependencies]).toEqual([undefined, undefined]);
    expect(Object.keys(read("../package.json").dependencies)).toEqual(["@dosimeter/core"]);
  });

  test("D6: columns go by name", () => {
    const alpha = [0, 0.25, 1];
    const beta = [1, 0.3, 0];
    const rows = alpha.map((a, i) => ({ id: i, beta: beta[i]!, alpha: a }));
    expect(fromPoints(rows).vertices()).toEqual(fromPoints({ beta, alpha }).vertices());
    expect(fromPoints({ beta, alpha }).beta(0.25)).toBe(0.3);
  });

  test("D7: the tail of G_μ keeps its digits, and infinite μ is an answer", () => {
    expect(gdp(10).beta(1e-20)).toBeCloseTo(0.2304, 4);
    expect(gdp(10).beta(1e-17)).toBeCloseTo(0.066, 4);
    for (const curve of [
      gdp(Number.POSITIVE_INFINITY),
      lap(Number.POSITIVE_INFINITY),
      epsdelta(Number.POSITIVE_INFINITY),
    ]) {
      expect(curve.beta(0)).toBe(0);
      expect(curve.beta(0.3)).toBe(0);
    }
    expect(lap(800).beta(0)).toBe(1);
    expect(lap(800).beta(0.25)).toBeLessThan(1e-300);
  });

  test("D8: the corner of (ε, δ) lies on the diagonal", () => {
    for (const [epsilon, delta] of [
      [1, 0],
      [30, 0],
      [36.6, 0],
      [36.96, 0.1],
      [50, 1e-9],
    ] as const) {
      const corner = epsdelta(epsilon, delta).vertices()[1]!;
      expect(corner.alpha).toBe(corner.beta);
      expect(corner.alpha / ((1 - delta) / (1 + Math.exp(epsilon)))).toBeCloseTo(1, 14);
      if (epsilon < 10) expect(epsdelta(epsilon, delta).beta(corner.alpha) / corner.beta).toBeCloseTo(1, 13);
    }
  });

  test("D9: μ = 0, huge ε and infinite ε convert, and both inverses exist", () => {
    expect(gdpToEpsdelta(0, 0).delta).toBe(0);
    expect(gdpToEpsdelta(1, 800).delta).toBe(0);
    expect(gdpToEpsdelta(1, Number.POSITIVE_INFINITY).delta).toBe(0);
    expect(gdpToEpsdelta(1, 1, { digits: 6 }).delta).toBe(0.126937);
    expect(gaussianEpsilon(1, gdpToEpsdelta(1, 1).delta)).toBeCloseTo(1, 13);
    expect(gaussianMu(1, gdpToEpsdelta(1, 1).delta)).toBeCloseTo(1, 13);
  });

  test("D10: negative β, α outside [0, 1] and rising lines are refused", () => {
    expect(() => fromPoints([[0.5, -0.1]])).toThrow("points[0].beta is -0.1");
    expect(() => fromPoints([[1.2, 0]])).toThrow("points[0].alpha is 1.2");
    expect(() =>
      fromPoints(
        [
          [0, 0.2],
          [0.5, 0.4],
        ],
        { as: "curve" },
      ),
    ).toThrow("it rises by 0.200");
    expect(() => epsdelta(1).beta(1.1)).toThrow("alpha is 1.1");
    expect(() => epsdelta(1).beta(Number.NaN)).toThrow("alpha is NaN");
  });

  test("D12: both ε and δ is an error, any whole number of digits is fine, and no dust is returned", () => {
    const both = { epsilon: 1, delta: 0.9 } as unknown as { readonly epsilon: number };
    expect(() => estEpsdelta(gdp(1), both)).toThrow("exactly one of the two");
    expect(estGdp(gdp(1), { digits: 0 }).mu).toBe(1);
    expect(String(estEpsdelta(epsdelta(2.01), { delta: 0 }).epsilon)).toBe("2.01");
    const points = [
      [0.1, 0.85],
      [0.25, 0.7],
    ] as const;
    expect(String(estGdp(points, { digits: 6 }).mu)).toMatch(/^\d\.\d{1,6}$/);
    expect(estGdp(lap(1), { digits: 11 }).mu).toBe(1.03006399763);
  });

  test("D13: hulls of many points are quick", () => {
    const points = Array.from({ length: 20_001 }, (_, i) => ({ alpha: i / 20_000, beta: (1 - i / 20_000) ** 2 }));
    expect(lowerHull(points)).toHaveLength(20_001);
  });

  test("D16: every curve reaches from α = 0 to α = 1", () => {
    const ends = fromPoints([
      [0.001, 0.5],
      [0.1, 0.05],
    ]).vertices();
    expect(ends[0]).toEqual({ alpha: 0, beta: 1 });
    expect(ends.at(-1)).toEqual({ alpha: 1, beta: 0 });
    expect(epsdelta(1, 0.1).vertices().at(-1)).toEqual({ alpha: 1, beta: 0 });
  });
});
