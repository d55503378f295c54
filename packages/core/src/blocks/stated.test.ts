import fc from "fast-check";
import { expect, test } from "vitest";
import { certified } from "../accounting/certified.ts";
import { groupPrivacy } from "../accounting/group.ts";
import { privacyLossDistribution } from "../accounting/pld.ts";
import { deltaAmount } from "../amounts/amount.ts";
import type { DpEvent } from "../event.ts";
import { priceEvents } from "../filter/price.ts";
import { countedFor, MAX_STATED } from "./stated.ts";

const gaussian: DpEvent = { kind: "gaussian", noiseMultiplier: 2 };
const codeOf = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

test("events are counted as stated where ledger and program have one relation [M390]", () => {
  expect(countedFor([gaussian], "add-or-remove-one", "addRemove")).toEqual([gaussian]);
  expect(countedFor([gaussian], "replace-one", "replace")).toEqual([gaussian]);
});

test("an add-or-remove guarantee is that of a group of two on a replace-one ledger: 2ε, (2ε, (1 + e^ε)δ), 4μ² [M390]", () => {
  const counted = (event: DpEvent) => countedFor([event], "add-or-remove-one", "replace")[0];
  expect(counted({ kind: "pure", epsilon: "0.3" })).toEqual({ kind: "pure", epsilon: "3/5" });
  expect(counted({ kind: "gdp", mu: 1 })).toEqual({ kind: "gdp", mu: "2" });
  expect(
    counted({
      kind: "bandedMatrix",
      noiseMultiplier: 3,
      coefficients: [1],
      steps: 4,
      participations: 1,
      separation: 4,
    }),
  ).toMatchObject({ noiseMultiplier: "3/2" });
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 10, noNaN: true }),
      fc.double({ min: 1e-12, max: 1e-3, noNaN: true }),
      (epsilon, delta) => {
        const event = counted({ kind: "approximate", epsilon, delta });
        const two = groupPrivacy({ epsilon, delta }, 2);
        expect(event?.kind === "approximate" && Number(event.delta)).toBeGreaterThanOrEqual(two.delta * (1 - 1e-9));
      },
    ),
  );
  const [before, after] = [
    priceEvents([gaussian], "replace"),
    priceEvents(countedFor([gaussian], "add-or-remove-one", "replace"), "replace"),
  ];
  expect(before.mu2).toEqual([{ kind: "subtract", cost: 250_000_000_000n }]);
  expect(after.mu2).toEqual([{ kind: "subtract", cost: 10n ** 12n }]);
});

test("what bounds a whole person counts twice more where only the rows of one period come or go [M390]", () => {
  const pure = { kind: "pure", epsilon: "0.3" } as const;
  expect(countedFor([pure], "add-or-remove-one", "addRemove", 2)).toEqual([{ kind: "pure", epsilon: "3/5" }]);
  expect(countedFor([pure], "replace-one", "replace", 2)).toEqual([{ kind: "pure", epsilon: "3/5" }]);
  expect(countedFor([pure], "add-or-remove-one", "replace", 2)).toEqual([{ kind: "pure", epsilon: "6/5" }]);
  expect(codeOf(() => countedFor([{ kind: "zcdp", rho: 1 }], "add-or-remove-one", "addRemove", 2))).toBe(
    "UNSUPPORTED_EVENT",
  );
});

test("a replace-one guarantee is refused on an add/remove ledger, whatever it is: the number of records is free under it [M390]", () => {
  expect(codeOf(() => countedFor([{ kind: "pure", epsilon: 0 }], "replace-one", "addRemove"))).toBe(
    "ADJACENCY_MISMATCH",
  );
  for (const relation of ["replace-one", "add-or-remove-one"] as const)
    expect(codeOf(() => countedFor([gaussian], relation, "replaceSpecial"))).toBe("ADJACENCY_MISMATCH");
});

test("an event of one relation is refused under the other, and a kind without a group's price by its name", () => {
  const sampled: DpEvent = {
    kind: "repeated",
    count: 10,
    event: { kind: "poissonSampled", rate: 0.1, event: gaussian },
  };
  expect(codeOf(() => countedFor([sampled], "replace-one", "replace"))).toBe("ADJACENCY_MISMATCH");
  for (const event of [
    { kind: "zcdp", rho: 0.1 },
    { kind: "composed", events: [{ kind: "randomAllocation", noiseMultiplier: 2, steps: 3 }] },
  ] as DpEvent[])
    expect(codeOf(() => countedFor([event], "add-or-remove-one", "replace"))).toBe("UNSUPPORTED_EVENT");
});

test("a long list is refused as too much work, also where it is nested", () => {
  const many = Array.from({ length: MAX_STATED + 1 }, (_, i): DpEvent => ({ kind: "pure", epsilon: `1/${i + 1}` }));
  expect(codeOf(() => countedFor(many, "add-or-remove-one", "addRemove"))).toBe("TOO_MUCH_WORK");
  expect(
    codeOf(() => countedFor([{ kind: "composed", events: many.slice(2) }], "add-or-remove-one", "addRemove")),
  ).toEqual([{ kind: "composed", events: many.slice(2) }]);
  expect(codeOf(() => countedFor([{ kind: "composed", events: many }], "add-or-remove-one", "addRemove"))).toBe(
    "TOO_MUCH_WORK",
  );
});

test("a list without an ε of its own is counted by addition as its certified ε at a δ, never below it [M389]", () => {
  const run: DpEvent = {
    kind: "repeated",
    count: 1000,
    event: { kind: "poissonSampled", rate: 0.01, event: { kind: "gaussian", noiseMultiplier: 1.1 } },
  };
  const event = certified([run], deltaAmount("1e-6", "down"), "addRemove");
  const { upper, lower } = privacyLossDistribution([run]).epsilon(1e-6);
  const epsilon = event.kind === "approximate" ? Number(event.epsilon) : 0;
  expect(event).toMatchObject({ kind: "approximate", delta: "0.000001" });
  expect(epsilon).toBeGreaterThanOrEqual(lower);
  expect(epsilon).toBeLessThanOrEqual(upper + 1e-9);
  expect(codeOf(() => certified([gaussian], deltaAmount(0, "down"), "addRemove"))).toBe("UNSUPPORTED_EVENT");
});

test("a billion steps are counted in bounded time, and are never free", () => {
  const steps: DpEvent = {
    kind: "repeated",
    count: 1e9,
    event: { kind: "poissonSampled", rate: 1e-6, event: { kind: "gaussian", noiseMultiplier: 1.1 } },
  };
  expect(certified([steps], deltaAmount("1e-6", "down"), "addRemove")).toMatchObject({ kind: "approximate" });
  const pure: DpEvent = { kind: "repeated", count: 1e9, event: { kind: "pure", epsilon: "1e-9" } };
  expect(priceEvents([pure], "addRemove").epsilon).toBe(10n ** 12n);
});
