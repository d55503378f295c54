import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deltaAmount, epsilonAmount, formatEpsilon, type Mu2Amount } from "../amounts/amount.ts";
import type { DpEvent } from "../event.ts";
import { admit } from "./filter.ts";
import { freeQuota, largestEpsilon } from "./headroom.ts";
import { priceEvents } from "./price.ts";
import { payMu2 } from "./remaining-mu2.ts";
import { capCaps, ledgerCaps, openState, openTerms, shareCaps } from "./terms.ts";

const adjacency = "addRemove";
const pure = (epsilon: number): DpEvent => ({ kind: "pure", epsilon });

describe("accounts", () => {
  const terms = openTerms({ epsilon: 5, delta: 1e-6, rule: "additionThenTight" });

  test("shares of all quotas sum to at most the ledger's caps in every dimension", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 8 }), (weights) => {
        const total = weights.reduce((a, b) => a + b, 0);
        const caps = weights.map((w) => shareCaps(terms, { epsilon: epsilonAmount(`${5 * w}/${total}`, "down") }));
        const sum = (of: (each: (typeof caps)[number]) => bigint): bigint => caps.reduce((a, each) => a + of(each), 0n);
        expect(sum((each) => each.epsilon)).toBeLessThanOrEqual(terms.epsilon);
        expect(sum((each) => each.delta)).toBeLessThanOrEqual(terms.deltaSelection);
        expect(sum((each) => each.mu2)).toBeLessThanOrEqual(terms.mu2);
      }),
    );
  });

  test("what the children pay under tight, the parent can pay: to 16 units a charge", () => {
    const charges = fc.array(fc.record({ child: fc.nat(2), thousandths: fc.integer({ min: 1, max: 400 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(charges, (list) => {
        const third = shareCaps(terms, { epsilon: (terms.epsilon / 3n) as typeof terms.epsilon }).mu2;
        const children = [third, third, third];
        let parent: Mu2Amount | null = terms.mu2;
        let paid = 0n;
        for (const { child, thousandths } of list) {
          const { mu2: steps } = priceEvents([pure(thousandths / 1000)], adjacency);
          const left = payMu2(children[child]!, steps ?? []);
          if (left === null) continue;
          children[child] = left;
          paid += 1n;
          parent = parent === null ? null : payMu2(parent, steps ?? []);
          expect(parent).not.toBeNull();
          expect(parent! + 16n * paid).toBeGreaterThanOrEqual(children.reduce((sum, each) => sum + each, 0n));
        }
      }),
    );
  });

  test("a cap has at most the remaining μ² of a share: it must hold by itself", () => {
    const quota = { epsilon: epsilonAmount(2, "down"), delta: deltaAmount(4e-7, "down") };
    expect(capCaps(terms, quota).mu2).toBeLessThan(shareCaps(terms, quota).mu2);
    expect(capCaps(terms, { epsilon: terms.epsilon, delta: terms.delta }).mu2).toBe(terms.mu2);
  });

  test("the largest ε is the least over the path", () => {
    const caps = [
      ledgerCaps(terms),
      shareCaps(terms, { epsilon: epsilonAmount(2, "down") }),
      shareCaps(terms, { epsilon: epsilonAmount("0.5", "down") }),
    ];
    const path = caps.map((each) => ({ caps: each, state: openState(each) }));
    expect(formatEpsilon(largestEpsilon({ rule: terms.rule, activeRule: "addition" }, path))).toBe("0.5");
    const tight = largestEpsilon({ rule: terms.rule, activeRule: "tight" }, path);
    const auto = largestEpsilon({ rule: terms.rule, activeRule: "addition", policy: "auto" }, path);
    expect(auto).toBe(tight > path[2]!.caps.epsilon ? tight : path[2]!.caps.epsilon);
  });

  test("one refusal for each node and dimension without room", () => {
    const child = shareCaps(terms, { epsilon: epsilonAmount("0.01", "down") });
    const path = [ledgerCaps(terms), child].map((each) => ({ caps: each, state: openState(each) }));
    const decision = admit({ rule: terms.rule, activeRule: "addition", adjacency }, path, [
      { kind: "approximate", epsilon: 0.02, delta: 1e-8 },
    ]);
    expect(decision).toMatchObject({
      admitted: false,
      refusals: [
        { index: 1, dimension: "epsilon" },
        { index: 1, dimension: "delta" },
      ],
    });
  });
});

describe("free quota", () => {
  const terms = openTerms({ epsilon: 5, delta: 1e-6, rule: "additionThenTight" });
  const quota = { epsilon: epsilonAmount(2, "down"), delta: deltaAmount(4e-7, "down") };
  const cheap: readonly DpEvent[] = [{ kind: "approximate", epsilon: 0.01, delta: 1e-9 }];

  test.each(["share", "cap"] as const)("what remains replays, one unit less would not (%s, tight)", (kind) => {
    const capsOf = kind === "share" ? shareCaps : capCaps;
    const caps = capsOf(terms, quota);
    const history = Array.from({ length: 30 }, () => priceEvents(cheap, "addRemove").mu2 ?? []);
    const mu2 = payMu2(caps.mu2, history.flat());
    const state = { epsilon: epsilonAmount("0.3", "up"), delta: deltaAmount(3e-8, "up"), mu2 };
    const free = freeQuota(terms, "tight", { quota, kind, state, history, children: [] });
    expect(free.epsilon).toBeGreaterThan(0n);
    expect(free.delta).toBeGreaterThan(0n);
    const kept = {
      epsilon: (quota.epsilon - free.epsilon) as typeof quota.epsilon,
      delta: (quota.delta - free.delta) as typeof quota.delta,
    };
    const room = capsOf(terms, kept);
    expect(payMu2(room.mu2, history.flat())).not.toBeNull();
    expect(room.delta).toBeGreaterThanOrEqual(state.delta);
    const less = capsOf(terms, { ...kept, epsilon: (kept.epsilon - 1000n) as typeof kept.epsilon });
    expect(payMu2(less.mu2, history.flat())).toBeNull();
    const short = capsOf(terms, { ...kept, delta: (kept.delta - 10n ** 6n) as typeof kept.delta });
    expect(short.delta < state.delta || payMu2(short.mu2, history.flat()) === null).toBe(true);
  });

  test("under addition it is the quota less what was spent and promised", () => {
    const state = { epsilon: epsilonAmount("0.3", "up"), delta: deltaAmount(0, "up"), mu2: null };
    const use = { quota, state, history: [], children: [] };
    expect(formatEpsilon(freeQuota(terms, "addition", use).epsilon)).toBe("1.7");
    const child = { epsilon: epsilonAmount("1.5", "down"), delta: deltaAmount(4e-7, "down") };
    const parent = freeQuota(terms, "addition", { ...use, children: [child] });
    expect(formatEpsilon(parent.epsilon)).toBe("0.5");
    expect(parent.delta).toBe(0n);
  });
});
