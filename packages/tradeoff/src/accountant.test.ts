import { expect, test } from "vitest";
import { totalLoss } from "../../core/src/accounting/index.ts";
import type { DpEvent } from "../../core/src/event.ts";
import { compose, selfCompose } from "./compose.ts";
import { symmetrise } from "./extremes.ts";
import { gdp } from "./gdp.ts";
import { lap } from "./lap.ts";
import { leastEpsilon } from "./least.ts";
import { mechanismCurve } from "./mechanism.ts";

/**
 * Composed curves come from the accountant's privacy loss distribution; lists of few atoms are multiplied out instead.
 */
const lists: readonly (readonly [string, readonly DpEvent[]])[] = [
  ["10 Laplace", [{ kind: "repeated", count: 10, event: { kind: "laplace", noiseMultiplier: 2 } }]],
  [
    "a Gaussian and a Laplace",
    [
      { kind: "gaussian", noiseMultiplier: 2 },
      { kind: "laplace", noiseMultiplier: 1 },
    ],
  ],
  [
    "randomised response and (ε, δ)",
    [
      { kind: "randomizedResponse", epsilon: 0.7, categories: 4 },
      { kind: "approximate", epsilon: 0.3, delta: 1e-7 },
      { kind: "pure", epsilon: 0.45 },
    ],
  ],
  [
    "discrete Laplace, sensitivity 3",
    [{ kind: "repeated", count: 5, event: { kind: "discreteLaplace", scale: 4, sensitivity: 3 } }],
  ],
  [
    "100 subsampled Gaussians",
    [
      {
        kind: "repeated",
        count: 100,
        event: { kind: "poissonSampled", rate: 0.02, event: { kind: "gaussian", noiseMultiplier: 1 } },
      },
    ],
  ],
];

test.each(lists)("%s: the curve's ε is the accountant's", (_, events) => {
  const curve = mechanismCurve({ kind: "composed", events });
  for (const delta of [1e-3, 1e-6, 1e-9]) {
    const { epsilon } = totalLoss(events, { delta }, "pld");
    const own = leastEpsilon(curve, delta);
    if (epsilon === Number.POSITIVE_INFINITY) expect(own).toBe(epsilon);
    else expect(Math.abs(own - epsilon) / epsilon, `δ = ${delta}: ${own} and ${epsilon}`).toBeLessThan(1e-6);
  }
});

test("a thousand different mechanisms: a bracket as narrow as the accountant's", () => {
  const scales = Array.from({ length: 500 }, (_, i) => 0.02 + i / 10_000);
  const curve = compose([...scales.map((mu) => lap(mu)), ...scales.map((mu) => gdp(mu))]);
  const events: DpEvent[] = scales.flatMap((mu) => [
    { kind: "laplace", noiseMultiplier: 1 / mu },
    { kind: "gaussian", noiseMultiplier: 1 / mu },
  ]);
  const { epsilon } = totalLoss(events, { delta: 1e-6 }, "pld");
  const [above, below] = [leastEpsilon(curve, 1e-6), curve.upper === null ? 0 : leastEpsilon(curve.upper, 1e-6)];
  expect(Math.abs(above / epsilon - 1)).toBeLessThan(1e-9);
  expect(below).toBeLessThanOrEqual(above);
  expect(below).toBeGreaterThan(above * (1 - 1e-9));
  for (const alpha of [1e-20, 1e-6, 0.01, 0.3, 0.9]) {
    const [low, high] = [curve.beta(alpha), curve.upper?.beta(alpha) ?? 1];
    expect(high).toBeGreaterThanOrEqual(low);
    expect(high - low).toBeLessThan(1e-5 * Math.min(high, 1 - low));
  }
});

test("what was composed before is composed again from its parts", () => {
  const nested = compose([selfCompose(3, lap(0.4)), selfCompose(2, lap(0.4)), gdp(0.3)]);
  const flat = compose([selfCompose(5, lap(0.4)), gdp(0.3)]);
  for (const alpha of [1e-9, 0.01, 0.5]) expect(nested.beta(alpha)).toBe(flat.beta(alpha));
});

test("TPR at a false positive rate of 10⁻⁶ for DP-SGD lies in the certified bracket of another library", () => {
  const step: DpEvent = { kind: "poissonSampled", rate: 0.01, event: { kind: "gaussian", noiseMultiplier: 1 } };
  const curve = mechanismCurve({ kind: "repeated", count: 1000, event: step });
  // Two libraries report 8.0e-14 there, below the false positive rate itself.
  expect(curve.power(1e-6)).toBeGreaterThan(9.326e-6);
  expect(curve.power(1e-6)).toBeLessThan(9.38e-6);
  for (const alpha of [1e-8, 1e-6, 1e-3, 0.1]) expect(curve.power(alpha)).toBeGreaterThan(alpha);
});

test("directions are composed apart and joined at the end", () => {
  const step: DpEvent = { kind: "poissonSampled", rate: 0.1, event: { kind: "gaussian", noiseMultiplier: 2 } };
  const joined = mechanismCurve({ kind: "repeated", count: 20, event: step });
  const early = selfCompose(20, symmetrise(mechanismCurve(step)));
  for (const alpha of [0.01, 0.1, 0.5]) expect(joined.beta(alpha)).toBeGreaterThan(early.beta(alpha) - 1e-9);
});
