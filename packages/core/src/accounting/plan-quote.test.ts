import { expect, test } from "vitest";
import { deltaFromUnits, mu2FromUnits } from "../amounts/amount.ts";
import type { DpEvent } from "../event.ts";
import { admit, type FilterNode, type Mu2Quote } from "../filter/filter.ts";
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
const adjacency = "addRemove";
const filterTerms = { rule: "tight", activeRule: "tight", adjacency: "addRemove" } as const;

test("a training run that folding cannot pay is paid by its profile, certified, in whole units", () => {
  expect(admit(filterTerms, [node], training).admitted).toBe(false);
  const quote = planQuote(node, training, "addRemove");
  if (quote === null) throw new Error("no quote");
  expect(Number(quote.before - quote.after) / 1e12).toBeCloseTo(0.184, 2);
  expect(quote.slack).toBe(caps.delta / 100n);
  expect(isPaidBy(training, quote, { adjacency })).toBe(true);
  expect(planQuote(node, training, "addRemove")).toEqual(quote);
  // A tenth less is not certified, and neither is the same step at a smaller r.
  const cheaper = mu2FromUnits(quote.after + (quote.before - quote.after) / 10n);
  expect(isPaidBy(training, { ...quote, after: cheaper }, { adjacency, margin: "verify" })).toBe(false);
  expect(
    isPaidBy(training, { ...quote, slack: deltaFromUnits(quote.slack / 1000n) }, { adjacency, margin: "verify" }),
  ).toBe(false);
});

test("a charge by a plan price is what a replay and the verifier say of it", () => {
  const history: { events: readonly DpEvent[]; activeRule: "tight"; quotes: ReturnType<typeof planQuotes> }[] = [];
  let state = node.state;
  for (const events of [training, [{ kind: "gaussian", noiseMultiplier: 5 }] as const, training]) {
    const quotes = planQuotes([{ caps, state }], events, "addRemove");
    const decided = admit(filterTerms, [{ caps, state }], events, quotes);
    if (!decided.admitted) throw new Error("refused");
    state = decided.states[0] ?? state;
    history.push({ events, activeRule: "tight", quotes });
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
  none(training, "addRemove", { caps, state: { ...node.state, mu2: null } });
  none(training, "addRemove", { caps, state: { ...node.state, delta: caps.delta } }); // no room for η
  none([{ kind: "repeated", count: 100_000, event: training[0] as DpEvent }]); // cannot be paid at all
});

test("a past charge costs no more at a larger r, though a fresh search may: it carries the step that it took", () => {
  const at = (mu2: bigint): FilterNode => ({ caps, state: { ...node.state, mu2: mu2FromUnits(mu2) } });
  const cost = (quote: Mu2Quote | null): bigint => {
    if (quote === null) throw new Error("no quote");
    return quote.before - quote.after;
  };
  const paid = planQuote(at(849_774_281_965n), training, adjacency);
  if (paid === null) throw new Error("no quote");
  for (const mu2 of [849_775_131_739n, 850_624_056_246n, 1_699_548_563_930n]) {
    const carried = planQuote(at(mu2), training, adjacency, paid);
    expect(cost(carried)).toBeLessThanOrEqual(cost(paid));
    expect(carried?.slack).toBe(paid.slack);
  }
  expect(cost(planQuote(at(850_624_056_246n), training, adjacency))).toBeGreaterThan(cost(paid));
  // At a smaller r nothing is carried: the price there is a price of its own.
  expect(cost(planQuote(at(500_000_000_000n), training, adjacency, paid))).toBeGreaterThan(cost(paid));
});

test("randomised response among four answers has its own pair under replace-one alone", () => {
  const answers: readonly DpEvent[] = [
    { kind: "repeated", count: 10, event: { kind: "randomizedResponse", epsilon: 0.5, categories: 4 } },
  ];
  // Folding ten pure ε leaves as much as their exact composition to half a percent, so nothing is quoted for them.
  expect(planQuote(node, answers, "addRemove")).toBeNull();
  expect(planQuote(node, answers, "replaceSpecial")).toBeNull();
  const quote = planQuote(node, answers, "replace");
  expect(Number(quote?.after) / 1e12).toBeCloseTo(0.2863, 4);
  if (quote !== null) expect(isPaidBy(answers, quote, { adjacency, margin: "verify" })).toBe(false);
});
