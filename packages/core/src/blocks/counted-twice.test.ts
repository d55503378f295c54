import fc from "fast-check";
import { expect, test } from "vitest";
import { groupPrivacy } from "../accounting/group.ts";
import type { DpEvent } from "../event.ts";
import { priceEvents } from "../filter/price.ts";
import { countedTwice } from "./counted-twice.ts";

const price = (events: readonly DpEvent[]) => priceEvents(events, "addRemove");

test("a pure ε counts as 2ε and μ as 2μ, exactly [M168]", () => {
  const twice = (event: DpEvent) => countedTwice([event])[0];
  expect(twice({ kind: "pure", epsilon: "0.1" })).toEqual({ kind: "pure", epsilon: "1/5" });
  expect(twice({ kind: "gaussian", noiseMultiplier: 10 })).toEqual({ kind: "gaussian", noiseMultiplier: "5" });
  expect(twice({ kind: "gdp", mu: "0.3" })).toEqual({ kind: "gdp", mu: "3/5" });
  expect(twice({ kind: "laplace", noiseMultiplier: "10/3" })).toEqual({ kind: "laplace", noiseMultiplier: "5/3" });
  expect(price(countedTwice([{ kind: "discreteLaplace", scale: 30, sensitivity: 3 }])).epsilon).toBe(200_000_000_000n);
  const sampled = { kind: "poissonSampled", rate: 0.1, event: { kind: "pure", epsilon: 1 } } as const;
  expect(price(countedTwice([sampled])).epsilon).toBe(2n * 10n ** 12n);
});

test("(ε, δ) counts as a group of two, and the δ is never less [M49]", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 20, noNaN: true }),
      fc.double({ min: 1e-18, max: 1, noNaN: true }),
      (epsilon, delta) => {
        const [event] = countedTwice([{ kind: "approximate", epsilon, delta }]);
        if (event?.kind !== "approximate") throw new RangeError("another kind");
        const group = groupPrivacy({ epsilon, delta }, 2);
        expect(Number(event.delta)).toBeGreaterThanOrEqual(Math.min(1, (1 + Math.exp(epsilon)) * delta));
        expect(Number(event.delta) / group.delta).toBeCloseTo(1, 9);
      },
    ),
  );
  expect(countedTwice([{ kind: "approximate", epsilon: 1000, delta: 0 }])).toEqual([
    { kind: "approximate", epsilon: "2000", delta: 0 },
  ]);
  expect(countedTwice([{ kind: "approximate", epsilon: 1000, delta: 1e-9 }])).toEqual([
    { kind: "approximate", epsilon: "2000", delta: 1 },
  ]);
});

test("parts are added up, as a unit may be in another part with the rows that stay", () => {
  const parts: DpEvent = {
    kind: "parallel",
    events: [
      { kind: "pure", epsilon: 0.1 },
      { kind: "pure", epsilon: 0.3 },
    ],
  };
  expect(price([parts]).epsilon).toBe(300_000_000_000n);
  expect(price(countedTwice([parts])).epsilon).toBe(800_000_000_000n);
  const repeated: DpEvent = { kind: "repeated", count: 3, event: { kind: "gaussian", noiseMultiplier: 2 } };
  expect(price(countedTwice([repeated])).mu2).toEqual([{ kind: "subtract", cost: 3n * 10n ** 12n }]);
  expect(countedTwice([])).toEqual([]);
});

/** Keeps the first `bound` rows of the person in a public order and counts them by group: a history's exact answer. */
function counts(rows: readonly { readonly group: 0 | 1; readonly block: number }[], bound: number): readonly number[] {
  const kept = rows.slice(0, bound);
  return [0, 1].map((group) => kept.filter((row) => row.group === group).length);
}

test("taking one block of a person's rows away can move an answer by twice what the person can: once is too little", () => {
  const rows = [
    { group: 0, block: 1 },
    { group: 0, block: 1 },
    { group: 1, block: 2 },
    { group: 1, block: 2 },
  ] as const;
  const [bound, all] = [2, counts(rows, 2)];
  const rest = counts(
    rows.filter(({ block }) => block !== 1),
    bound,
  );
  const moved = all.reduce((sum, value, index) => sum + Math.abs(value - (rest[index] ?? 0)), 0);
  expect(moved).toBe(2 * bound);
  fc.assert(
    fc.property(
      fc.array(fc.record({ group: fc.constantFrom(0 as const, 1 as const), block: fc.nat(3) }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      (person, most) => {
        const before = counts(person, most);
        const after = counts(
          person.filter(({ block }) => block !== 1),
          most,
        );
        expect(
          before.reduce((sum, value, index) => sum + Math.abs(value - (after[index] ?? 0)), 0),
        ).toBeLessThanOrEqual(2 * most);
      },
    ),
  );
});
