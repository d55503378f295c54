import { expect, test } from "vitest";
import { below, belowBig, secureRandom } from "./random.ts";
import { seededRandom } from "./seeded-random.ts";

test.each([1, 2, 3, 7, 1000, 2 ** 21, 2 ** 21 + 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1])(
  "below(%d) stays in range and reaches both halves",
  (bound) => {
    const random = seededRandom(1);
    const draws = Array.from({ length: 200 }, () => below(bound, random));
    expect(draws.every((x) => Number.isInteger(x) && x >= 0 && x < bound)).toBe(true);
    if (bound > 1) {
      expect(Math.min(...draws)).toBeLessThan(bound / 2);
      expect(Math.max(...draws)).toBeGreaterThanOrEqual(Math.floor(bound / 2));
    }
  },
);

test("below(3) has no bias from words: the one word that would tip it is rejected", () => {
  const words = [0, 2 ** 31];
  const random = { uint32: () => words.shift() ?? 0 };
  expect(below(3, random)).toBe(1); // 2³² mod 3 = 1: the word 0 is drawn again
  expect(words).toHaveLength(0);
});

test("belowBig is uniform over a range of more than 64 bits", () => {
  const random = seededRandom(2);
  const bound = 3n * 10n ** 30n;
  const draws = Array.from({ length: 3000 }, () => belowBig(bound, random));
  expect(draws.every((x) => x >= 0n && x < bound)).toBe(true);
  const thirds = [0, 0, 0];
  for (const x of draws) thirds[Number((x * 3n) / bound)]! += 1;
  for (const count of thirds) expect(Math.abs(count - 1000)).toBeLessThan(150); // 5.8 standard deviations: 2e-8 for three
});

test("a buffered word is handed out once and zeroed", () => {
  let buffer: Uint32Array | undefined;
  const random = secureRandom((words) => {
    buffer = words;
    words.forEach((_, i) => {
      words[i] = i + 1;
    });
  });
  expect([random.uint32(), random.uint32()]).toEqual([1, 2]);
  expect([...(buffer ?? []).slice(0, 3)]).toEqual([0, 0, 3]);
});

test("a failing generator fails the draw", () => {
  const random = secureRandom(() => {
    throw new Error("no entropy");
  });
  expect(() => random.uint32()).toThrow("no entropy");
  expect(() => random.uint32()).toThrow("no entropy");
});

test("the seeded generator repeats itself and differs between seeds", () => {
  const words = (seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 5 }, () => random.uint32());
  };
  expect(words(3)).toEqual(words(3));
  expect(words(3)).not.toEqual(words(4));
});
