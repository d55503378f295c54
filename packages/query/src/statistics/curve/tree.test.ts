import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nodesOf, type TreeShape } from "../../plan/task.ts";
import { factorOf } from "./factor.ts";
import { isotonic, leafWeights, prefixSums, prefixVariances, treeCounts, treeOver } from "./tree.ts";

/** Least squares by normal equations: the answer that the two passes must reach. */
function solved(shape: TreeShape, noisy: readonly number[]): readonly number[] {
  const leaves = shape.sizes.at(-1) ?? 0;
  const rows: { from: number; to: number }[] = [];
  shape.sizes.forEach((size, level) => {
    const width = shape.fanOut ** (shape.sizes.length - 1 - level);
    for (let node = 0; node < size; node++) rows.push({ from: node * width, to: Math.min(leaves, (node + 1) * width) });
  });
  const matrix = Array.from({ length: leaves }, () => new Float64Array(leaves + 1));
  rows.forEach(({ from, to }, index) => {
    for (let i = from; i < to; i++) {
      const line = matrix[i] as Float64Array;
      for (let j = from; j < to; j++) line[j] = (line[j] ?? 0) + 1;
      line[leaves] = (line[leaves] ?? 0) + (noisy[index] ?? 0);
    }
  });
  for (let i = 0; i < leaves; i++) {
    const pivot = matrix[i] as Float64Array;
    for (let k = 0; k < leaves; k++) {
      const line = matrix[k] as Float64Array;
      const factor = k === i ? 0 : (line[i] ?? 0) / (pivot[i] ?? 1);
      if (factor !== 0) for (let j = i; j <= leaves; j++) line[j] = (line[j] ?? 0) - factor * (pivot[j] ?? 0);
    }
  }
  let sum = 0;
  return matrix.map((line, i) => {
    sum += (line[leaves] ?? 0) / (line[i] ?? 1);
    return sum;
  });
}

const mixing = (leaves: number): TreeShape => ({
  ...{ fanOut: leaves, sizes: [leaves], factor: factorOf("gaussian", leaves) },
});

describe("trees of counts [M111]", () => {
  test("every leaf is in one node of each level", () => {
    expect(treeOver(1, 16).sizes).toEqual([1]);
    expect(treeOver(16, 16).sizes).toEqual([16]);
    expect(treeOver(17, 16).sizes).toEqual([2, 17]);
    expect(treeOver(17, 3).sizes).toEqual([2, 6, 17]);
    expect(treeOver(65_536, 16).sizes).toEqual([16, 256, 4096, 65_536]);
    expect(nodesOf(treeOver(65_536, 16))).toBe(69_904);
    const shape = treeOver(300, 16);
    for (const leaf of [0, 15, 16, 255, 256, 299]) {
      const counts = treeCounts(
        shape,
        Array.from({ length: 300 }, (_, i) => (i === leaf ? 1n : 0n)),
      );
      expect(counts.reduce((a, b) => a + b, 0n)).toBe(3n);
      expect(counts[2 + Math.floor(leaf / 16)]).toBe(1n);
    }
  });

  test("the two passes are the least squares, full tree or not", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(2, 3, 5, 16),
        fc.infiniteStream(fc.integer({ min: -50, max: 50 })),
        (leaves, fanOut, stream) => {
          const shape = treeOver(leaves, fanOut);
          const noisy = Array.from({ length: nodesOf(shape) }, () => stream.next().value as number);
          const found = prefixSums(shape, noisy);
          solved(shape, noisy).forEach((value, index) => {
            expect(found[index]).toBeCloseTo(value, 6);
          });
        },
      ),
    );
  });

  test("without noise nothing changes", () => {
    const leaves = Array.from({ length: 700 }, (_, i) => BigInt((i * i) % 11));
    for (const shape of [treeOver(700, 16), treeOver(700, 3), mixing(700)]) {
      const found = prefixSums(shape, treeCounts(shape, leaves).map(Number));
      let sum = 0;
      leaves.forEach((count, index) => {
        sum += Number(count);
        expect(found[index]).toBeCloseTo(sum, 6);
      });
    }
  });

  test.each([treeOver(40, 16), treeOver(256, 16), treeOver(300, 16), treeOver(100, 3), treeOver(70, 5), mixing(60)])(
    "the variance of each prefix is that of its weights, over $sizes by $fanOut",
    (shape) => {
      const leaves = shape.sizes.at(-1) ?? 0;
      const nodes = nodesOf(shape);
      let largest = 0;
      for (const less of shape.factor === undefined ? [0, 0.3, 1] : [0]) {
        const expected = new Float64Array(leaves);
        for (let node = 0; node < nodes; node++) {
          const unit = new Array<number>(nodes).fill(0);
          unit[node] = 1;
          const sums = prefixSums(shape, unit);
          sums.forEach((weight, leaf) => {
            const left = weight - less * (sums.at(-1) ?? 0);
            largest = Math.max(largest, Math.abs(left));
            expected[leaf] = (expected[leaf] ?? 0) + left * left;
          });
        }
        prefixVariances(shape, less).forEach((variance, leaf) => {
          expect(variance - (expected[leaf] ?? 0)).toBeCloseTo(0, 8);
        });
      }
      expect(largest).toBeLessThanOrEqual(1 + 1e-9);
      const some = [0, 3, 4, leaves - 1];
      const weights = leafWeights(shape, some);
      for (let node = 0; node < nodes; node++) {
        const sums = prefixSums(
          shape,
          Array.from({ length: nodes }, (_, at) => Number(at === node)),
        );
        const rows = some.reduce((sum, leaf) => sum + (sums[leaf] ?? 0) - (sums[leaf - 1] ?? 0), 0);
        expect(weights[node]).toBeCloseTo(rows, 9);
      }
    },
  );

  test("pooled curves rise, are nearest, and are no further from any rising curve", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat(9)), { maxLength: 12 }), (pairs) => {
        const values = pairs.map(([value]) => value);
        let sum = -20;
        const rising = pairs.map(([, step]) => {
          sum += step;
          return sum;
        });
        const curve = [...isotonic(values)];
        expect(curve).toHaveLength(values.length);
        expect(curve.every((value, i) => i === 0 || value >= (curve[i - 1] ?? 0))).toBe(true);
        const apart = (a: readonly number[]): number =>
          Math.max(0, ...a.map((value, i) => Math.abs(value - (rising[i] ?? 0))));
        const square = (a: readonly number[]): number => a.reduce((s, x, i) => s + (x - (values[i] ?? 0)) ** 2, 0);
        expect(apart(curve)).toBeLessThanOrEqual(apart(values) + 1e-9);
        expect(square(curve)).toBeLessThanOrEqual(square(rising) + 1e-9);
      }),
    );
  });
});
