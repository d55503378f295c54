import { expect, test } from "vitest";
import { brokenInvariants, DELTAS, listOf } from "./broken-invariants.kit.ts";
import { exactNoiseDelta } from "./exact-noise.kit.ts";
import { randomNoise } from "./random-events.kit.ts";
import { totalLoss } from "./report.ts";

/** Lists of one run; ten thousand are `npm run bench:night`. */
const LISTS = 120;
const FIRST = 45_000;

test.each(Array.from({ length: LISTS }, (_, i) => FIRST + i))(
  "what is said of random list %i can all be true",
  (seed) => {
    expect(brokenInvariants(seed, "some"), JSON.stringify(listOf(seed))).toEqual([]);
  },
);

test.each(Array.from({ length: 30 }, (_, seed) => seed))(
  "list %i of Gaussians and one other noise: an engine of 60 digits finds δ between the bounds, from .9 to 10⁻³⁰⁰",
  (seed) => {
    const list = randomNoise(seed);
    const exact = exactNoiseDelta(list) ?? (() => Number.NaN);
    for (const delta of DELTAS) {
      const { epsilon, lower = 0 } = totalLoss(list, { delta }, "pld");
      // Both are divided by δ.
      const [most, least] = [epsilon, lower].map((at) => (at > 0 ? exact(at, -Math.log(delta)) : 1));
      expect(most, `${JSON.stringify(list)}: δ ${delta}, ε ${epsilon}`).toBeLessThanOrEqual(1);
      expect(least, `${JSON.stringify(list)}: δ ${delta}, ε at least ${lower}`).toBeGreaterThanOrEqual(1);
      expect(lower).toBeGreaterThanOrEqual(epsilon * (1 - 1e-6) - 1e-12);
    }
  },
);
