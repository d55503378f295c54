import { expect, test } from "vitest";
import { deltaFromUnits, mu2FromUnits } from "../amounts/amount.ts";
import type { DpEvent } from "../event.ts";
import { admit, type FilterNode } from "../filter/filter.ts";
import { replay, verifyHistory } from "../filter/replay.ts";
import { ledgerCaps, openState, openTerms } from "../filter/terms.ts";
import { isPaidBy, planQuote, planQuotes } from "./plan-quote.ts";

const training: readonly DpEvent[] = [
  {
    kind: "repeated",
    count: 1000,
    event: { kind: "poissonSampled", rate: 0.01, event: { kind: "gaussian", noiseMultiplier: 1 } },
  },
];
const caps = ledgerCaps(openTerms({ epsilon: 6, delta: 1e-5, rule: "tight" }));
const node: FilterNode = { caps, state: openState(caps) };
const filterTerms = { rule: "tight", lane: "tight", adjacency: "addRemove" } as const;

test("a training run that folding cannot pay is paid by its profile, certified, in whole units", () => {
  expect(admit(filterTerms, [node], training).admitted).toBe(false);
  const quote = planQuote(node, training, "addRemove");
  if (quote === null) throw new Error("no quote");
  expect(Number(quote.before - quote.after) / 1e12).toBeCloseTo(0.184, 2);
  expect(quote.slack).toBe(caps.delta / 100n);
  expect(isPaidBy(training, quote)).toBe(true);
  expect(planQuote(node, training, "addRemove")).toEqual(quote);
  // A tenth less is not certified, and neither is the same step at a smaller r.
  const cheaper = mu2FromUnits(quote.after + (quote.before - quote.after) / 10n);
  expect(isPaidBy(training, { ...quote, after: cheaper }, "verify")).toBe(false);
  expect(isPaidBy(training, { ...quote, slack: deltaFromUnits(quote.slack / 1000n) }, "verify")).toBe(false);
});

test("a charge by a plan price is what a replay and the verifier say of it", () => {
  const history: { events: readonly DpEvent[]; lane: "tight"; quotes: ReturnType<typeof planQuotes> }[] = [];
  let state = node.state;
  for (const events of [training, [{ kind: "gaussian", noiseMultiplier: 5 }] as const, training]) {
    const quotes = planQuotes([{ caps, state }], events, "addRemove");
    const decided = admit(filterTerms, [{ caps, state }], events, quotes);
    if (!decided.admitted) throw new Error("refused");
    state = decided.states[0] ?? state;
    history.push({ events, lane: "tight", quotes });
  }
  expect(state.delta).toBe(2n * (caps.delta / 100n));
  const states = replay(caps, history, "addRemove");
  expect(states.at(-1)).toEqual(state);
  const steps = history.map((step, i) => ({
    ...step,
    before: states[i] ?? node.state,
    after: states[i + 1] ?? node.state,
  }));
  expect(verifyHistory({ caps, rule: "tight", adjacency: "addRemove" }, steps)).toEqual([]);
});

test("nothing is quoted where it would not help or would not be true", () => {
  const none = (events: readonly DpEvent[], adjacency: "addRemove" | "replace" = "addRemove", at = node) =>
    expect(planQuote(at, events, adjacency)).toBeNull();
  none([{ kind: "pure", epsilon: 0.1 }]);
  none([
    { kind: "gaussian", noiseMultiplier: 3 },
    { kind: "gaussian", noiseMultiplier: 4 },
  ]);
  none(training, "replace"); // Poisson sampling is for add/remove
  none([...training, { kind: "zcdp", rho: 0.1 }]); // no dominating pair
  none(training, "addRemove", { caps, state: { ...node.state, residue: null } });
  none(training, "addRemove", { caps, state: { ...node.state, delta: caps.delta } }); // no room for η
  none([{ kind: "repeated", count: 100_000, event: training[0] as DpEvent }]); // cannot be paid at all
});
