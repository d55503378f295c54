import { expect, test } from "vitest";
import { priceOf } from "./price.ts";

const pure = { kind: "pure", epsilon: "0.01" };
const noise = { kind: "gaussian", noiseMultiplier: "1e5" };
const repeated = (count: number, event: object) => ({ kind: "repeated", count, event });
const R = 4n * 10n ** 12n;

test("noise a trillion times over is priced at once, as if one after another", () => {
  const each = { kind: "composed", events: [noise, noise] };
  expect(priceOf([repeated(1000, each)], "addRemove").pay?.(R)).toBe(R - 200_000n);
  expect(priceOf(Array(1000).fill(each), "addRemove").pay?.(R)).toBe(R - 200_000n);
  expect(priceOf([repeated(1e12, noise)], "addRemove").pay?.(R)).toBeNull();
  expect(priceOf([repeated(1e12, noise)], "addRemove").pay?.(100n * 10n ** 12n)).toBe(0n);
  const apart = { kind: "parallel", events: [noise, repeated(3, noise), pure] };
  const [whole, parts] = [repeated(1e9, { ...apart, events: apart.events.slice(0, 2) }), repeated(3e9, noise)];
  expect(priceOf([whole], "addRemove").pay?.(R)).toBe(priceOf([parts], "addRemove").pay?.(R));
  expect(priceOf([repeated(2, apart)], "addRemove").steps).toBe(2n);
});

test("how often r would be solved for is known before it is", () => {
  const deep = repeated(1e6, { kind: "composed", events: [pure, noise, repeated(1e6, pure)] });
  expect(priceOf([deep, pure], "addRemove").steps).toBe(10n ** 12n + 10n ** 6n + 1n);
  expect(priceOf([repeated(0, pure)], "addRemove")).toMatchObject({ steps: 0n, epsilon: 0n });
});

test.each([-1, 0.5, "3", null, 2 ** 53])("an event is not repeated %s times", (count) => {
  expect(() => priceOf([{ kind: "repeated", count, event: pure }], "addRemove")).toThrow(SyntaxError);
});
