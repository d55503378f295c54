import { expect, test } from "vitest";
import { characteristicOf } from "./characteristic.ts";
import { gaussianLosses, poissonLosses } from "./loss-distribution.ts";
import type { Direction } from "./profile.ts";

const cases = (["remove", "add"] as const).flatMap((direction: Direction) =>
  [
    [1, 0.01],
    [0.5, 0.3],
    [4, 0.1],
    [0.05, 0.5],
  ].flatMap(([mu = 1, rate = 0.1]) => [0.5, 8, 40].map((theta) => [mu, rate, theta, direction] as const)),
);

test.each(cases)(
  "μ = %d sampled at %d, tilted by %d (%s): no transform is above its bound",
  (mu, rate, theta, direction) => {
    const known = characteristicOf(poissonLosses(gaussianLosses(mu), rate, direction), 1, direction);
    const bound = known.envelope(theta);
    for (const step of [0.3, 3, 40]) {
      const size = 48;
      const spectrum = {
        step,
        log: new Float64Array(size),
        arg: new Float64Array(size),
        error: new Float64Array(size),
      };
      known.accumulate(theta, spectrum);
      for (let k = 1; k < size; k++) {
        const log = spectrum.log[k] as number;
        if (log > -30) expect(log - (spectrum.error[k] as number)).toBeLessThanOrEqual(bound(k * step) + 1e-12);
      }
    }
    expect(bound(1e9)).toBeLessThan(-1);
    for (let y = 1; y < 1e6; y *= 1.3) expect(bound(y * 1.3)).toBeLessThanOrEqual(bound(y) + 1e-12);
  },
);

test("a distribution whose decay is not proved claims none", () => {
  expect(characteristicOf(poissonLosses(gaussianLosses(20), 0.1, "remove"), 1, "remove").envelope(1)(1e6)).toBe(0);
});
