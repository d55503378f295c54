import { expect, test } from "vitest";
import { commonSpacing, latticeDistribution } from "./lattice.ts";
import { latticeSum } from "./lattice-sum.ts";
import { gaussianLosses, laplaceLosses, poissonLosses, pureLosses } from "./loss-distribution.ts";

const distributions = [
  ["pure", pureLosses(0.37)],
  ["Laplace", laplaceLosses(0.41)],
  ["Gaussian", gaussianLosses(0.3)],
  ["sampled Gaussian", poissonLosses(gaussianLosses(1.2), 0.05, "remove")],
  ["sampled Gaussian, back", poissonLosses(gaussianLosses(1.2), 0.05, "add")],
] as const;

test.each(distributions)("%s: the points keep P- and Q-mass and dominate everywhere", (_name, distribution) => {
  const step = 0.01;
  const lattice = latticeDistribution(distribution, { step, offset: 0, negligible: 1e-25 });
  let [p, q] = [lattice.infinite, 0];
  lattice.mass.forEach((mass, i) => {
    expect(mass).toBeGreaterThanOrEqual(0);
    p += mass;
    q += mass * Math.exp(-(lattice.from + i) * step);
  });
  expect(p).toBeCloseTo(1, 12);
  expect(q).toBeCloseTo(1, 12);
  for (let x = -1; x < 2; x += 0.0137) {
    const own = [...lattice.mass].reduce(
      (sum, mass, i) => sum + mass * Math.max(0, -Math.expm1(x - (lattice.from + i) * step)),
      lattice.infinite,
    );
    const truth = distribution.profile(x);
    expect(own).toBeGreaterThanOrEqual(truth.lower * (1 - 1e-12));
    expect(own - truth.upper).toBeLessThan(2 * step * step);
  }
});

test("points commensurate with the atoms split nothing", () => {
  const lattice = latticeDistribution(pureLosses(0.3), { step: 0.6, offset: 0.3, negligible: 1e-25 });
  expect(lattice.isSplit).toBe(false);
  const { upper, margin } = latticeSum([{ distribution: lattice, count: 1, offset: 0.3 }], {
    theta: 2,
    step: 0.6,
    size: 64,
  }).delta(0.1);
  const truth = -Math.expm1(-0.2) / (1 + Math.exp(-0.3));
  expect(upper).toBeGreaterThanOrEqual(truth);
  expect(upper - truth).toBeLessThanOrEqual(margin + 1e-15);
});

test("common spacings", () => {
  expect(commonSpacing([0.2, 0.3, 0.5], 1e-6)).toBeCloseTo(0.1, 12);
  expect(commonSpacing([0.1, 0.1 + 1e-17], 1e-6)).toBeCloseTo(0.1, 12);
  expect(commonSpacing([Math.SQRT2, Math.PI], 1e-3)).toBeUndefined();
  expect(commonSpacing([], 1e-3)).toBeUndefined();
});
