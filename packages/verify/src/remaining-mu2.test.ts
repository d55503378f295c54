import { expect, test } from "vitest";
import { reals } from "./real.ts";
import { keepsPromise, mayRemain, remainder } from "./remaining-mu2.ts";

const real = reals(320);
const digits = (value: bigint, places: number): string =>
  ((value * 10n ** BigInt(places)) / real.one).toString().padStart(places + 1, "0");

test("exp, √ and the normal distribution agree with mpmath at 60 digits", () => {
  expect(digits(real.exp(real.one), 50)).toBe("271828182845904523536028747135266249775724709369995");
  expect(digits(real.sqrt(2n * real.one), 50)).toBe("141421356237309504880168872420969807856967187537694");
  expect(digits(real.normal(-real.one), 50)).toBe("015865525393145705141476745436796207752208703327339");
});

test.each([
  [1_200_000_000_000n, 100_000_000_000n],
  [300_000_000_000_000n, 100_000_000_000n],
  [50_000_000_000n, 5_000_000_000n],
  [1_200_000_000_000n, 1n],
])("from r = %s, a pure ε of %s leaves the largest r that the inequality allows", (before, epsilon) => {
  const after = remainder(before, epsilon);
  expect(after).not.toBeNull();
  expect(mayRemain(before, epsilon, after as bigint)).toBe(true);
  expect(mayRemain(before, epsilon, (after as bigint) + 2n)).toBe(false);
});

test("an ε that r cannot pay leaves nothing, and one too large is not judged", () => {
  expect(remainder(1_000_000n, 10n ** 12n)).toBeNull();
  expect(mayRemain(10n ** 12n, 300n * 10n ** 12n, 1n)).toBeNull();
});

test("δ_Gauss(1; 1) = 0.126936737507…: the promise is kept just above it and broken just below", () => {
  expect(keepsPromise(10n ** 12n, 10n ** 12n, 126_936_737_508_000_000n)).toBe(true);
  expect(keepsPromise(10n ** 12n, 10n ** 12n, 126_936_737_506_000_000n)).toBe(false);
});
