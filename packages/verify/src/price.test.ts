import { expect, test } from "vitest";
import { priceOf, repeatLimit } from "./price.ts";

const pure = { kind: "pure", epsilon: "0.01" };
const noise = { kind: "gaussian", noiseMultiplier: "1e5" };
const repeated = (count: number, event: object) => ({ kind: "repeated", count, event });
const mayRepeat = () => true;
const R = 4n * 10n ** 12n;

test("noise a trillion times over is priced at once, as if one after another", () => {
  const each = { kind: "composed", events: [noise, noise] };
  expect(priceOf([repeated(1000, each)], "addRemove", { mayRepeat }).pay?.(R)).toBe(R - 200_000n);
  expect(priceOf(Array(1000).fill(each), "addRemove", { mayRepeat }).pay?.(R)).toBe(R - 200_000n);
  expect(priceOf([repeated(1e12, noise)], "addRemove", { mayRepeat }).pay?.(R)).toBeNull();
  expect(priceOf([repeated(1e12, noise)], "addRemove", { mayRepeat }).pay?.(100n * 10n ** 12n)).toBe(0n);
  const apart = { kind: "parallel", events: [noise, repeated(3, noise), pure] };
  const [whole, parts] = [repeated(1e9, { ...apart, events: apart.events.slice(0, 2) }), repeated(3e9, noise)];
  expect(priceOf([whole], "addRemove", { mayRepeat }).pay?.(R)).toBe(
    priceOf([parts], "addRemove", { mayRepeat }).pay?.(R),
  );
  expect(priceOf([repeated(2, apart)], "addRemove", { mayRepeat }).steps).toBe(2n);
});

test("how often r would be solved for is known before it is", () => {
  const deep = repeated(1e6, { kind: "composed", events: [pure, noise, repeated(1e6, pure)] });
  expect(priceOf([deep, pure], "addRemove", { mayRepeat }).steps).toBe(10n ** 12n + 10n ** 6n + 1n);
  expect(priceOf([repeated(0, pure)], "addRemove", { mayRepeat })).toMatchObject({ steps: 0n, epsilon: 0n });
});

test("steps that are only repeated are followed up to a limit, for all charges of a check together", () => {
  const said: string[] = [];
  const limit = repeatLimit((problem) => said.push(problem));
  const paid = (count: number) => priceOf([pure, repeated(count, pure)], "addRemove", { mayRepeat: limit }).pay?.(R);
  expect(paid(3)).toBe(priceOf(Array(4).fill(pure), "addRemove", { mayRepeat: () => false }).pay?.(R));
  expect([paid(1e15), paid(2), paid(1e4)]).toEqual([null, null, null]);
  expect(said).toEqual(["repeats more steps than the 10000 that this check follows"]);
});

test.each([-1, 0.5, "3", null, 2 ** 53])("an event is not repeated %s times", (count) => {
  expect(() => priceOf([{ kind: "repeated", count, event: pure }], "addRemove", { mayRepeat })).toThrow(SyntaxError);
});
