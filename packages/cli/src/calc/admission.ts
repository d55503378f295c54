import {
  admit,
  deltaDecimal,
  epsilonDecimal,
  type FilterState,
  ledgerCaps,
  mu2Decimal,
  openingRule,
  openState,
  openTerms,
  ruleNames,
} from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { type CalcFunction, calcFunction, optional, required } from "./function.ts";
import { decimal, events, oneOf } from "./readers.ts";

/** `filter.admit`: the ledger's own filter over a list of events, each offered in turn as one charge. */
export const admissionFunctions: readonly CalcFunction[] = [
  calcFunction(
    "filter.admit",
    "how many of the events, offered in order, the rule admits; a refusal changes nothing and the next one is tried",
    {
      epsilon: required(decimal, "lifetime epsilon"),
      delta: required(decimal, "lifetime delta"),
      rule: required(oneOf(ruleNames), "which sum admits"),
      events: required(events, "each is one charge"),
      deltaSelection: optional(decimal, "part of delta for the events' own deltas; a tenth when absent, 0 for none"),
      policy: optional(
        oneOf(["auto", "ask"]),
        "auto, when absent: the first charge that fits only the tight rule switches; ask: there is no switch",
      ),
      adjacency: optional(oneOf(["addRemove", "replace"]), "addRemove when absent"),
    },
    ({ events: offered, policy = "auto", deltaSelection, adjacency, ...opening }) => {
      const terms = openTerms({ ...opening, ...present({ deltaSelection, adjacency }) });
      const caps = ledgerCaps(terms);
      let state = openState(caps);
      let activeRule = openingRule(terms.rule);
      let admitted = 0;
      let firstRefused: number | null = null;
      for (const [index, event] of offered.entries()) {
        const admissionTerms = { rule: terms.rule, activeRule, policy, adjacency: terms.adjacency };
        const decided = admit(admissionTerms, [{ caps, state }], [event]);
        if (decided.admitted) {
          admitted += 1;
          activeRule = decided.activeRule;
          state = decided.states[0] ?? state;
        } else firstRefused ??= index;
      }
      return { admitted, firstRefused, state: { activeRule, ...numbersOf(state) } };
    },
  ),
];

/** Sum of ε, sum of δ, remaining μ²; null where a sum is no longer defined. */
export function numbersOf({ epsilon, delta, mu2 }: FilterState) {
  return {
    epsilon: epsilon === null ? null : epsilonDecimal(epsilon, "up"),
    delta: deltaDecimal(delta, "up"),
    mu2: mu2 === null ? null : mu2Decimal(mu2, "down"),
  };
}
