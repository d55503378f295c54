import fc from "fast-check";
import { expect, test } from "vitest";
import type { Design } from "../../plan/task.ts";
import { designOf, formOf, integersOf, powersOf, rowOf, widthOf } from "./design.ts";

const columns = (count: number): { column: string; lower: number; upper: number }[] =>
  Array.from({ length: count }, (_, i) => ({ column: `c${i}`, lower: 0, upper: 1 }));

const design = fc
  .record({
    count: fc.integer({ min: 2, max: 5 }),
    family: fc.constantFrom("laplace" as const, "gaussian" as const),
    own: fc.array(fc.constantFrom(1n, 2n, 17n, 100n, 1_000_000n), { minLength: 5, maxLength: 5 }),
  })
  .map(({ count, family, own }) => designOf(columns(count), own, family));

const withRows = design.chain((given) =>
  fc.tuple(
    fc.constant(given),
    fc.array(fc.tuple(...given.axes.map(({ steps }) => fc.oneof(fc.constantFrom(0n, steps), fc.bigInt(0n, steps)))), {
      minLength: 1,
      maxLength: 12,
    }),
  ),
);

const sumsOf = (given: Design, rows: readonly (readonly bigint[])[]): readonly bigint[] =>
  powersOf(given).map((powers) =>
    rows.reduce((sum, row) => sum + row.reduce((product, t, at) => product * t ** BigInt(powers[at] ?? 0), 1n), 0n),
  );

const norms = (vector: readonly bigint[]): [bigint, bigint, bigint] => {
  const sizes = vector.map((value) => (value < 0n ? -value : value));
  return [
    sizes.reduce((a, b) => a + b, 0n),
    sizes.reduce((a, b) => a + b * b, 0n),
    sizes.reduce((a, b) => (a > b ? a : b), 0n),
  ];
};

test("one row is never larger than declared, and rows at the bounds are exactly as large [M120]", () => {
  fc.assert(
    fc.property(withRows, ([given, rows]) => {
      const { l1, l2Squared, linf, signed } = rowOf(given);
      for (const row of rows) {
        const vector = integersOf(given, sumsOf(given, [row]));
        expect(vector.length).toBe(widthOf(given));
        const [a, b, c] = norms(vector);
        expect(a <= l1 && b <= l2Squared && c <= linf).toBe(true);
        if (!signed) expect(vector.every((value) => value >= 0n) && a === l1).toBe(true);
      }
      const corner = given.axes.map(({ steps }) => steps);
      expect(norms(integersOf(given, sumsOf(given, [corner])))).toEqual([l1, l2Squared, linf]);
    }),
  );
});

test("the forms give back every moment up to products of two", () => {
  fc.assert(
    fc.property(withRows, fc.nat(), fc.nat(), ([given, rows], a, b) => {
      const exponents = given.axes.map(() => 0);
      for (const at of [a % (given.axes.length + 1), b % (given.axes.length + 1)])
        if (at > 0) exponents[at - 1] = (exponents[at - 1] ?? 0) + 1;
      const form = formOf(given, exponents);
      const released = integersOf(given, sumsOf(given, rows)).reduce(
        (sum, value, i) => sum + Number(value) * (form[i] ?? 0),
        0,
      );
      const truth = rows.reduce(
        (sum, row) =>
          sum +
          row.reduce(
            (product, t, at) =>
              product * ((2 * Number(t)) / Number(given.axes[at]?.steps ?? 1n) - 1) ** (exponents[at] ?? 0),
            1,
          ),
        0,
      );
      expect(released).toBeCloseTo(truth, 8);
    }),
  );
});

test("grids: products fit 63 bits, and a row fits one whole number", () => {
  fc.assert(
    fc.property(design, (given) => {
      const bits = given.axes.map(({ steps }) => steps).reduce((a, b) => a * (b + 1n), 1n);
      expect(bits < 2n ** 63n).toBe(true);
      const product = given.axes.reduce((a, { steps }) => a * steps * steps, 1n);
      if (given.kind === "tensor") expect(product < 2n ** 63n).toBe(true);
    }),
  );
});
