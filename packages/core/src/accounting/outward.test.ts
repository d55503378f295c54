import { expect, test } from "vitest";
import { boundedRange } from "../../../tradeoff/src/bounded-range.ts";
import { selfCompose } from "../../../tradeoff/src/compose.ts";
import { epsdelta } from "../../../tradeoff/src/epsdelta.ts";
import { lap } from "../../../tradeoff/src/lap.ts";
import { leastDelta, leastEpsilon } from "../../../tradeoff/src/least.ts";
import { lossPair, lossPairAbove } from "../../../tradeoff/src/loss-distributions.ts";
import { exactDelta } from "./exact-atoms.kit.ts";
import { fixedPoint } from "./fixed-point.kit.ts";
import { revealed } from "./revealed.ts";

const { one, times, over, of, exp } = fixedPoint(400);
const PARAMETERS = [0.013, 0.1, 0.3, 0.7, 1, 2.3, 5];
const DELTAS = [1e-9, 1e-4, 0.003, 0.01, 0.07, 0.1, 0.2];

const square = (x: bigint): bigint => times(x, x);
/** δ(x) of each family at x ≤ its parameter, in fixed point. */
const families = [
  ["lap", lap, (of: bigint, x: bigint) => one - exp((x - of) / 2n)],
  ["boundedRange", boundedRange, (of: bigint, x: bigint) => over(square(one - exp((x - of) / 2n)), one - exp(-of))],
  [
    "epsdelta",
    (parameter: number) => epsdelta(parameter),
    (of: bigint, x: bigint) => over(one - exp(x - of), one + exp(-of)),
  ],
] as const;

test.each(families)(
  "ε and δ of %s in closed form are never below the truth in their last digits",
  (_, curve, exact) => {
    for (const parameter of PARAMETERS)
      for (const delta of DELTAS) {
        const epsilon = leastEpsilon(curve(parameter), delta);
        if (epsilon > 0) expect(exact(of(parameter), of(epsilon)) <= of(delta), `${parameter}, δ ${delta}`).toBe(true);
        const x = parameter * (1 - 3.7 * delta);
        if (x > 0)
          expect(of(leastDelta(curve(parameter), x)) >= exact(of(parameter), of(x)), `${parameter} at ${x}`).toBe(true);
      }
  },
);

/** β at α of `count` pure spends: on the chord between the exact corners. */
function exactBeta(epsilon: number, count: number, alpha: bigint): bigint {
  const low = over(one, one + exp(of(epsilon)));
  const powers = (base: bigint): bigint[] =>
    Array.from({ length: count + 1 }).reduce<bigint[]>((all) => [...all, times(all.at(-1) ?? one, base)], [one]);
  const [lows, highs] = [powers(low), powers(one - low)];
  let [ways, width, height, left, top] = [1n, 0n, 0n, 0n, one];
  for (let i = 0; i <= count && left + width <= alpha; i++) {
    [left, top] = [left + width, top - height];
    width = ways * times(lows[count - i] as bigint, highs[i] as bigint);
    height = ways * times(highs[count - i] as bigint, lows[i] as bigint);
    ways = (ways * BigInt(count - i)) / BigInt(i + 1);
  }
  return top - times(height, over(alpha - left, width));
}

test("β of an exact composition is never above the truth in its last digits", () => {
  for (const [epsilon, count] of [
    [0.1, 40],
    [0.7, 9],
    [0.01, 300],
  ] as const) {
    const curve = selfCompose(count, epsdelta(epsilon));
    for (let k = 1; k < 60; k++) {
      const alpha = (k * k) / 4001;
      expect(of(curve.beta(alpha)) <= exactBeta(epsilon, count, of(alpha)), `${count} × ${epsilon} at ${alpha}`).toBe(
        true,
      );
      expect(curve.beta(alpha) * (1 + 1e-11) >= Number(exactBeta(epsilon, count, of(alpha))) / 2 ** 400).toBe(true);
    }
  }
});

test("pieces go into a composition with all that their masses and losses may err by, on either side", () => {
  for (const [epsilon, count] of [
    [0.01, 400],
    [0.3, 60],
  ] as const) {
    const curve = selfCompose(count, epsdelta(epsilon));
    const exact = exactDelta([{ kind: "repeated", count, event: { kind: "pure", epsilon } }]) ?? (() => Number.NaN);
    const [below, above] = [lossPair(curve, 9), lossPairAbove(curve, 9)];
    for (const share of [0, 0.3, 0.9, 0.99, 1 - 1e-9, 1 - 1e-13, 1 - 2e-15]) {
      const at = share * count * epsilon;
      expect(below.there.distribution.profile(at).upper, `${share}`).toBeGreaterThanOrEqual(exact(at));
      expect(below.back.distribution.profile(at).upper, `${share}`).toBeGreaterThanOrEqual(exact(at));
      expect(above.there.distribution.profile(at).lower, `${share}`).toBeLessThanOrEqual(exact(at));
    }
  }
});

test("what a sample of a sample reveals is that of the one sample that it is", () => {
  const sampled = {
    kind: "poissonSampled",
    rate: 0.5,
    event: { kind: "approximate", epsilon: 1, delta: 0.1 },
  } as const;
  const twice = { kind: "poissonSampled", rate: 1, event: sampled } as const;
  expect(revealed(twice, "add")).toEqual(revealed(sampled, "add"));
  expect(revealed(twice, "remove")).toEqual({ numerator: 1n, denominator: 20n });
  expect(revealed(twice, "add")?.numerator).toBe(0n);
});
