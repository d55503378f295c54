import fc from "fast-check";
import { expect, test } from "vitest";
import { meaningful } from "./meaningful.ts";

test("an answer has the digits that its interval tells, stays inside, and is meaningful the same again", () => {
  const value = fc.oneof(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true }));
  fc.assert(
    fc.property(value, fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (center, half) => {
      const [from, to] = [center - half, center + half];
      const shown = meaningful({ value: center, interval: [from, to] });
      expect(shown.interval[0]).toBeLessThanOrEqual(from);
      expect(shown.interval[1]).toBeGreaterThanOrEqual(to);
      expect(shown.interval[0] <= shown.value && shown.value <= shown.interval[1]).toBe(true);
      expect(Math.abs(shown.value - center)).toBeLessThanOrEqual(Math.max(half / 10, Math.abs(center) * 5e-4));
      expect(meaningful(shown).value).toBeCloseTo(shown.value, 9);
    }),
  );
  const mean = { value: 13_972.4838201, interval: [12_459.482, 15_485.486] } as const;
  expect(meaningful(mean)).toEqual({ value: 13_972, interval: [12_459, 15_486] });
  expect(meaningful({ value: 18_990.5512, interval: [-10_000, 250_000], rank: 659 }).value).toBe(18_990.6);
});
