import fc from "fast-check";
import { expect, test } from "vitest";
import { groupPrivacy } from "../accounting/group.ts";
import { deltaAmount, epsilonAmount } from "../amounts/amount.ts";
import { lossAcrossBlocks } from "./across-blocks.ts";

const loss = (epsilon: number, delta: number) => ({
  epsilon: epsilonAmount(epsilon, "up"),
  delta: deltaAmount(delta, "up"),
});

test.each([
  [0.1, 1e-6, 1],
  [0.1, 1e-6, 24],
  [1, 1e-9, 12],
  [0, 1e-6, 10],
  [3, 0, 500],
  [2, 1e-6, 400],
])("equal blocks (%s, %s), %s of them: the closed form, and never less", (epsilon, delta, blocks) => {
  const summed = lossAcrossBlocks(Array.from({ length: blocks }, () => loss(epsilon, delta)));
  const closed = groupPrivacy({ epsilon, delta }, blocks);
  expect(summed.epsilon).toBe(epsilonAmount(epsilon, "up") * BigInt(blocks));
  // Both are rounded up: by at most a few units in the last place for each block.
  expect(summed.delta).toBeGreaterThanOrEqual(closed.delta * (1 - 1e-14));
  expect(summed.delta).toBeLessThanOrEqual(closed.delta * (1 + 1e-11));
});

test("of unequal blocks the least of all orders", () => {
  const orders = <T>(items: readonly T[]): readonly (readonly T[])[] =>
    items.length < 2
      ? [items]
      : items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
  const losses = fc.array(
    fc
      .tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 50 }))
      .map(([e, d]) => [e / 10, d / 1e6] as const),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(losses, (pairs) => {
      const least = Math.min(
        ...orders(pairs).map((order) =>
          order.reduceRight((sum, [epsilon, delta]) => delta + Math.exp(epsilon) * sum, 0),
        ),
      );
      const { delta } = lossAcrossBlocks(pairs.map(([epsilon, d]) => loss(epsilon, d)));
      expect(delta).toBeGreaterThanOrEqual(Math.min(1, least * (1 - 1e-13)));
      expect(delta).toBeLessThanOrEqual(Math.min(1, least * (1 + 1e-12)));
    }),
  );
});

test("a person in no block loses nothing, and δ is at most 1", () => {
  expect(lossAcrossBlocks([])).toEqual({ epsilon: 0n, delta: 0 });
  expect(lossAcrossBlocks(Array.from({ length: 1000 }, () => loss(5, 1e-6))).delta).toBe(1);
});

test("one block is itself, rounded up by less than 10⁻¹⁴", () => {
  const { delta } = lossAcrossBlocks([loss(0.3, 1e-5)]);
  expect(delta).toBeGreaterThanOrEqual(1e-5);
  expect(delta).toBeLessThanOrEqual(1e-5 * (1 + 1e-14));
});
