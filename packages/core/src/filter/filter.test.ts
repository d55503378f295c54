import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deltaAmount, epsilonAmount, formatEpsilon, type Mu2Amount, mu2Amount } from "../amounts/amount.ts";
import type { DpEvent } from "../event.ts";
import { type Admission, admit, canSwitch, type FilterNode, type FilterTerms, openingRule } from "./filter.ts";
import { largestEpsilon } from "./headroom.ts";
import { priceEvents } from "./price.ts";
import { payMu2 } from "./remaining-mu2.ts";
import { replay, type StoredStep, verifyHistory } from "./replay.ts";
import type { Rule } from "./rules.ts";
import { ledgerCaps, type Opening, openState, openTerms, shareCaps } from "./terms.ts";

const adjacency = "addRemove";
const pure = (epsilon: number | string): DpEvent => ({ kind: "pure", epsilon });
const gaussian = (noiseMultiplier: number | string): DpEvent => ({ kind: "gaussian", noiseMultiplier });

/** Charges a lone ledger until the first refusal; returns the stored history. */
function spend(opening: Opening, charges: Iterable<readonly DpEvent[]>, policy: "auto" | "ask" = "auto") {
  const caps = ledgerCaps(openTerms(opening));
  let filterTerms: FilterTerms = { rule: opening.rule, activeRule: openingRule(opening.rule), policy, adjacency };
  let state = openState(caps);
  const history: StoredStep[] = [];
  let refusal: Admission | undefined;
  for (const events of charges) {
    const decision = admit(filterTerms, [{ caps, state }], events);
    if (!decision.admitted) {
      refusal = decision;
      break;
    }
    const [after = state] = decision.states;
    history.push({ events, activeRule: decision.activeRule, before: state, after });
    state = after;
    filterTerms = { ...filterTerms, activeRule: decision.activeRule };
  }
  return { caps, filterTerms, state, history, refusal };
}

function* forever(event: DpEvent): Generator<readonly DpEvent[]> {
  for (;;) yield [event];
}

const admitted = (epsilon: number, event: DpEvent, rule: Rule): number =>
  spend({ epsilon, delta: 1e-6, rule, deltaSelection: rule === "addition" ? 1e-6 : 0 }, forever(event)).history.length;

describe("how many equal charges fit", () => {
  /** From the accountant's reference values: (ε of one, budget ε) at δ = 1e-6, all of δ to the filter. */
  test.each([
    [0.01, 1, 100, 558],
    [0.05, 1, 20, 21],
    [0.1, 3, 30, 40],
    [0.2, 5, 25, 25],
    [0.5, 10, 20, 12],
  ])("ε = %d in (%d, 1e-6): addition %d, tight %d", (epsilon, budget, addition, tight) => {
    expect(admitted(budget, pure(epsilon), "addition")).toBe(addition);
    expect(admitted(budget, pure(epsilon), "tight")).toBe(tight);
    expect(admitted(budget, pure(epsilon), "additionThenTight")).toBe(Math.max(addition, tight));
  });

  test("Gaussian noise of μ = 0.01 fits 560 times", () => {
    expect(admitted(1, gaussian(100), "tight")).toBe(560);
    expect(admitted(1, { kind: "gdp", mu: 0.01 }, "tight")).toBe(560);
  });
});

describe("addition", () => {
  test("0.1 + 0.2 spends exactly 0.3 and leaves nothing of a budget of 0.3", () => {
    const { history, state, caps } = spend({ epsilon: 0.3, delta: 0, rule: "addition" }, [
      [pure(0.1)],
      [pure(0.2)],
      [pure(1e-12)],
    ]);
    expect(history).toHaveLength(2);
    expect(state.epsilon).toBe(caps.epsilon);
  });

  test("a budget of 1 split in three and spent leaves exactly what is left", () => {
    const terms = openTerms({ epsilon: 1, delta: 1e-6, rule: "additionThenTight" });
    const share = shareCaps(terms, { epsilon: epsilonAmount("1/3", "down") });
    expect(formatEpsilon(share.epsilon)).toBe("0.333333333333");
    expect(terms.epsilon - 3n * share.epsilon).toBe(1n);
    const path: FilterNode[] = [
      { caps: ledgerCaps(terms), state: openState(ledgerCaps(terms)) },
      { caps: share, state: openState(share) },
    ];
    const filterTerms: FilterTerms = { rule: terms.rule, activeRule: "addition", adjacency };
    expect(admit(filterTerms, path, [pure("1/3")]).admitted).toBe(false); // the cost rounds up
    expect(admit(filterTerms, path, [pure("0.333333333333")]).admitted).toBe(true);
    expect(largestEpsilon(filterTerms, path)).toBe(share.epsilon);
  });

  test("Gaussian noise and declared zCDP cannot be priced and are refused, changing nothing", () => {
    for (const event of [
      gaussian(10),
      { kind: "zcdp", rho: 0.01 } as const,
      { kind: "discreteGaussian", sigma: 4, sensitivity: 1 } as const,
    ]) {
      const { refusal } = spend({ epsilon: 1, delta: 1e-6, rule: "addition" }, [[event]]);
      expect(refusal).toMatchObject({ admitted: false, refusals: [{ index: 0, dimension: "unpriced" }] });
    }
  });
});

describe("tight", () => {
  test("zcdp, rdp and the discrete Gaussian have no remaining μ² cost", () => {
    for (const event of [
      { kind: "zcdp", rho: 0.001 },
      { kind: "rdp", order: 2, epsilon: 0.001 },
      { kind: "discreteGaussian", sigma: 100, sensitivity: 1 },
      { kind: "composed", events: [pure(0.01), { kind: "zcdp", rho: 0.001 }] },
    ] as const) {
      const { refusal } = spend({ epsilon: 1, delta: 1e-6, rule: "tight" }, [[event]]);
      expect(refusal).toMatchObject({ refusals: [{ dimension: "unpriced" }] });
    }
  });

  test("the events' own δ is paid from the selection part of δ", () => {
    const opening = { epsilon: 1, delta: 1e-6, rule: "tight" } as const;
    const event: DpEvent = { kind: "approximate", epsilon: 0.01, delta: 4e-8 };
    const { history, refusal } = spend(opening, forever(event));
    expect(history).toHaveLength(2);
    expect(refusal).toMatchObject({
      refusals: [{ dimension: "delta", available: 2n * 10n ** 10n, requested: 4n * 10n ** 10n }],
    });
  });

  test("a refusal names what is left and the least that could pay; a smaller charge still fits", () => {
    const { refusal, caps, state, filterTerms } = spend({ epsilon: 1, delta: 1e-6, rule: "tight" }, [[pure(0.5)]]);
    expect(refusal?.admitted).toBe(false);
    if (refusal?.admitted === false) {
      const [first] = refusal.refusals;
      expect(first?.dimension).toBe("mu2");
      expect(first?.available).toBe(caps.mu2);
      const requested = first?.requested as Mu2Amount;
      expect(requested).toBeGreaterThan(caps.mu2);
      const { mu2: steps } = priceEvents([pure(0.5)], "addRemove");
      expect(payMu2(requested, steps ?? [])).not.toBeNull();
      expect(payMu2((requested - 10n) as Mu2Amount, steps ?? [])).toBeNull();
    }
    const largest = largestEpsilon(filterTerms, [{ caps, state }]);
    expect(admit(filterTerms, [{ caps, state }], [pure(formatEpsilon(largest))]).admitted).toBe(true);
    expect(admit(filterTerms, [{ caps, state }], [pure(`${largest + 1n}e-12`)]).admitted).toBe(false);
  });
});

describe("addition, then tight", () => {
  const opening = { epsilon: 1, delta: 1e-6, rule: "additionThenTight", deltaSelection: 0 } as const;

  test("switches once, by itself under auto, and never back", () => {
    const { history } = spend(opening, forever(pure(0.01)));
    expect(history.map((step) => step.activeRule).filter((activeRule) => activeRule === "addition")).toHaveLength(100);
    expect(history.slice(100).every((step) => step.activeRule === "tight")).toBe(true);
  });

  test("asks before it switches under the policy ask", () => {
    const { history, state, filterTerms } = spend(opening, forever(pure(0.01)), "ask");
    expect(history).toHaveLength(100);
    expect(canSwitch(filterTerms, state)).toBe(true);
  });

  test("does not switch when the remaining μ² could not have paid for what was charged", () => {
    const { history, state, filterTerms, refusal } = spend(opening, [[pure(0.9)], [pure(0.1)], [pure(1e-6)]]);
    expect(history).toHaveLength(2);
    expect(state.mu2).toBeNull();
    expect(canSwitch(filterTerms, state)).toBe(false);
    expect(refusal).toMatchObject({ activeRule: "addition", refusals: [{ dimension: "epsilon", available: 0n }] });
  });

  test("a first charge of Gaussian noise switches, and later pure charges are counted in both sums", () => {
    const { history, state } = spend(opening, [[gaussian(100)], [pure(0.01)]]);
    expect(history.map((step) => step.activeRule)).toEqual(["tight", "tight"]);
    expect(state.epsilon).toBeNull();
  });
});

const events: fc.Arbitrary<DpEvent> = fc.letrec<{ event: DpEvent; leaf: DpEvent }>((tie) => ({
  leaf: fc.oneof(
    fc.integer({ min: 1, max: 200 }).map((n): DpEvent => ({ kind: "pure", epsilon: n / 1000 })),
    fc.integer({ min: 1, max: 50 }).map((n): DpEvent => ({ kind: "approximate", epsilon: n / 1000, delta: n * 1e-10 })),
    fc
      .integer({ min: 20, max: 500 })
      .map((n): DpEvent => ({ kind: "discreteLaplace", scale: n, sensitivity: 1 + (n % 3) })),
    fc.integer({ min: 20, max: 500 }).map((n): DpEvent => ({ kind: "gaussian", noiseMultiplier: n })),
    fc.integer({ min: 1, max: 50 }).map((n): DpEvent => ({ kind: "gdp", mu: n / 1000 })),
    fc.integer({ min: 20, max: 500 }).map((n): DpEvent => ({ kind: "laplace", noiseMultiplier: n })),
  ),
  event: fc.oneof(
    { weight: 4, arbitrary: tie("leaf") },
    {
      weight: 1,
      arbitrary: fc.array(tie("leaf"), { maxLength: 3 }).map((list): DpEvent => ({ kind: "composed", events: list })),
    },
    {
      weight: 1,
      arbitrary: fc.array(tie("leaf"), { maxLength: 3 }).map((list): DpEvent => ({ kind: "parallel", events: list })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.integer({ min: 0, max: 4 }), tie("leaf"))
        .map(([count, event]): DpEvent => ({ kind: "repeated", count, event })),
    },
  ),
})).event;

const openings = fc.record({
  epsilon: fc.integer({ min: 1, max: 30 }).map((n) => n / 10),
  delta: fc.constantFrom(1e-9, 1e-6, 1e-3),
  rule: fc.constantFrom<Rule>("addition", "tight", "additionThenTight"),
});

describe("properties", () => {
  test("no history exceeds its caps, a replay is the same bit for bit, and the verifier agrees", () => {
    fc.assert(
      fc.property(
        openings,
        fc.array(fc.array(events, { minLength: 1, maxLength: 3 }), { maxLength: 40 }),
        (opening, charges) => {
          const { caps, history, state } = spend(opening, charges);
          const states = replay(caps, history, adjacency);
          expect(states.at(-1)).toEqual(state);
          expect(history.map((step) => step.after)).toEqual(states.slice(1));
          expect(verifyHistory({ caps, rule: opening.rule, adjacency }, history)).toEqual([]);
          expect(state.delta).toBeLessThanOrEqual(caps.delta);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("the verifier finds a step that pays one part in a million less than it must", () => {
    const { caps, history } = spend({ epsilon: 1, delta: 1e-6, rule: "tight" }, [
      [pure(0.01)],
      [pure(0.02)],
      [pure(0.01)],
    ]);
    const cheat = (at: number, change: (step: StoredStep) => StoredStep) =>
      verifyHistory(
        { caps, rule: "tight", adjacency },
        history.map((step, index) => (index === at ? change(step) : step)),
      );
    const mu2 = history[2]?.after.mu2 ?? 0n;
    expect(cheat(2, (step) => ({ ...step, after: { ...step.after, mu2: (mu2 + 100n) as Mu2Amount } }))).toEqual([
      { index: 2, problem: "mu2" },
    ]);
    expect(cheat(2, (step) => ({ ...step, activeRule: "addition" }))).toContainEqual({
      index: 2,
      problem: "activeRuleMovedBack",
    });
    expect(cheat(1, (step) => ({ ...step, after: step.before })).map((found) => found.problem)).toContain("epsilon");
    expect(cheat(0, (step) => ({ ...step, before: { ...step.before, mu2: mu2Amount(1, "up") } }))).toContainEqual({
      index: 0,
      problem: "notTheOpeningState",
    });
  });

  test("Σε, Σδ and Gaussian μ² do not depend on the order", () => {
    const only = fc.array(
      fc.oneof(
        fc
          .integer({ min: 1, max: 10 })
          .map((n): DpEvent => ({ kind: "approximate", epsilon: `${n}/7000`, delta: 1e-12 * n })),
        fc.integer({ min: 300, max: 900 }).map((n): DpEvent => ({ kind: "gaussian", noiseMultiplier: n })),
      ),
      { minLength: 2, maxLength: 12 },
    );
    fc.assert(
      fc.property(
        only.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([a, b]) => {
          const sum = (list: readonly DpEvent[]) => {
            const pures = priceEvents(
              list.filter((event) => event.kind !== "gaussian"),
              "addRemove",
            );
            const { mu2 } = priceEvents(
              list.filter((event) => event.kind === "gaussian"),
              "addRemove",
            );
            return [pures.epsilon, pures.delta, payMu2(mu2Amount(1, "down"), mu2 ?? [])];
          };
          expect(sum(a)).toEqual(sum(b));
        },
      ),
    );
  });

  test("splitting a charge into its events never costs less", () => {
    fc.assert(
      fc.property(fc.array(events, { minLength: 1, maxLength: 4 }), (list) => {
        const whole = priceEvents(list, "addRemove");
        const parts = list.map((event) => priceEvents([event], "addRemove"));
        expect(parts.reduce((sum, part) => sum + part.delta, 0n)).toBe(whole.delta);
        if (whole.epsilon !== null)
          expect(parts.reduce((sum, part) => sum + (part.epsilon ?? 0n), 0n)).toBe(whole.epsilon);
        const start = mu2Amount(2, "down");
        const stepwise = parts.reduce<Mu2Amount | null>(
          (left, part) => (left === null ? null : payMu2(left, part.mu2 ?? [])),
          start,
        );
        expect(stepwise).toBe(payMu2(start, whole.mu2 ?? []));
      }),
    );
  });
});

test("parallel parts cost their largest under add/remove and have no price under replace", () => {
  const parts: readonly DpEvent[] = [{ kind: "parallel", events: [pure(0.1), pure(0.3), gaussian(100)] }];
  expect(priceEvents(parts, "addRemove").epsilon).toBeNull();
  expect(priceEvents([{ kind: "parallel", events: [pure(0.1), pure(0.3)] }], "addRemove").epsilon).toBe(
    epsilonAmount(0.3, "up"),
  );
  for (const adjacency of ["replace", "replaceSpecial"] as const) {
    expect(priceEvents(parts, adjacency)).toMatchObject({ epsilon: null, mu2: null });
  }
});

test("a sampled event is priced as if it had not been sampled", () => {
  const sampled: DpEvent = { kind: "poissonSampled", rate: 0.01, event: pure(0.5) };
  expect(priceEvents([sampled], "addRemove")).toEqual(priceEvents([pure(0.5)], "addRemove"));
});

test("shuffled reports are priced where their number stays: a missing one shows", () => {
  const shuffled: DpEvent = { kind: "shuffled", epsilon: 0.5, people: 1000 };
  expect(priceEvents([shuffled], "addRemove")).toMatchObject({ epsilon: null, mu2: null });
  expect(priceEvents([{ kind: "poissonSampled", rate: 0.1, event: shuffled }], "addRemove").epsilon).toBeNull();
  expect(priceEvents([shuffled], "replace")).toEqual(priceEvents([pure(0.5)], "replace"));
});

test("a sample of fixed size has no price under add/remove: there one row more is one row replaced [M19]", () => {
  // Rows ±1, their sum released with Laplace noise of scale 1: 1-DP under add/remove. Nine rows −1 and perhaps one row +1, nine
  // of them sampled: all −1 without it; with it the sum is −7 in nine of ten samples. At the answer x ≥ −7:
  const loss = Math.log((Math.exp(0) * 9 + Math.exp(-2)) / 10) - -2;
  expect(loss).toBeGreaterThan(1.9);
  const sampled: DpEvent = { kind: "sampledWithoutReplacement", size: 9, population: 10, event: pure(1) };
  expect(priceEvents([sampled], "addRemove")).toMatchObject({ epsilon: null, mu2: null });
  expect(priceEvents([{ kind: "repeated", count: 2, event: sampled }], "addRemove").mu2).toBeNull();
  expect(priceEvents([sampled], "replace")).toEqual(priceEvents([pure(1)], "replace"));
});

describe("certified plan prices", () => {
  const terms = openTerms({ epsilon: 1, delta: 1e-6, rule: "tight" });
  const caps = ledgerCaps(terms);
  const node = { caps, state: openState(caps) };
  const event: DpEvent = { kind: "zcdp", rho: 0.001 };

  test("a quote for this very r prices what has no price of its own, and its slack counts as δ", () => {
    const after = (caps.mu2 - 10n ** 9n) as Mu2Amount;
    const quote = { before: caps.mu2, after, slack: deltaAmount(1e-9, "up") };
    const decision = admit({ rule: "tight", activeRule: "tight", adjacency }, [node], [event], [quote]);
    expect(decision).toMatchObject({ admitted: true, states: [{ mu2: after, delta: quote.slack }] });
    const stale = { ...quote, before: (caps.mu2 + 1n) as Mu2Amount };
    expect(admit({ rule: "tight", activeRule: "tight", adjacency }, [node], [event], [stale]).admitted).toBe(false);
  });
});

test.each([
  [{ epsilon: 0, delta: 0, rule: "addition" }, "epsilon"],
  [{ epsilon: -1, delta: 0, rule: "addition" }, "epsilon"],
  [{ epsilon: Number.NaN, delta: 0, rule: "addition" }, "epsilon"],
  [{ epsilon: "1e-400", delta: 0, rule: "addition" }, "epsilon"],
  [{ epsilon: 1e7, delta: 0, rule: "addition" }, "epsilon"],
  [{ epsilon: Number.POSITIVE_INFINITY, delta: 0, rule: "addition" }, "epsilon"],
  [{ epsilon: 1, delta: 1, rule: "addition" }, "delta"],
  [{ epsilon: 1, delta: 0, rule: "tight" }, "delta"],
  [{ epsilon: 1, delta: 1e-6, rule: "tight", deltaSelection: 1e-5 }, "deltaSelection"],
] as const)("a ledger cannot open on %j", (opening, name) => {
  expect(() => openTerms(opening)).toThrow(name);
});

test("extreme ledgers open: ε = 1e-12 and ε = 800", () => {
  expect(openTerms({ epsilon: 1e-12, delta: 0, rule: "additionThenTight" }).mu2).toBe(0n);
  const large = openTerms({ epsilon: 800, delta: 1e-6, rule: "tight" });
  expect(large.mu2).toBeGreaterThan(10n ** 15n);
  const caps = ledgerCaps(large);
  expect(
    admit({ rule: "tight", activeRule: "tight", adjacency }, [{ caps, state: openState(caps) }], [pure(1)]).admitted,
  ).toBe(true);
  expect(
    admit({ rule: "tight", activeRule: "tight", adjacency }, [{ caps, state: openState(caps) }], [pure(800)]).admitted,
  ).toBe(false);
});

test("a repeated event of 2⁵³ − 1 is decided at once", () => {
  const caps = ledgerCaps(openTerms({ epsilon: 1, delta: 1e-6, rule: "tight" }));
  const event: DpEvent = { kind: "repeated", count: Number.MAX_SAFE_INTEGER, event: pure(1e-12) };
  expect(
    admit({ rule: "tight", activeRule: "tight", adjacency }, [{ caps, state: openState(caps) }], [event]).admitted,
  ).toBe(false);
});
