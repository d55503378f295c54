import { deltaFromUnits, epsilonFromUnits, type Rule, residueFromUnits, type Terms } from "@dosimeter/core";
import type { Adjacency } from "../catalog/population.ts";

/** As stored: amounts as decimal strings of units, keys in this order. */
export function termsText({ rule, adjacency, epsilon, delta, deltaFilter, deltaSelection, residue }: Terms): string {
  return JSON.stringify({
    rule,
    adjacency,
    epsilon: String(epsilon),
    delta: String(delta),
    deltaFilter: String(deltaFilter),
    deltaSelection: String(deltaSelection),
    residue: String(residue),
  });
}

export function parseTerms(text: string): Terms {
  const stored = JSON.parse(text) as Readonly<Record<keyof Terms, string>>;
  return {
    rule: stored.rule as Rule,
    adjacency: stored.adjacency as Adjacency,
    epsilon: epsilonFromUnits(stored.epsilon),
    delta: deltaFromUnits(stored.delta),
    deltaFilter: deltaFromUnits(stored.deltaFilter),
    deltaSelection: deltaFromUnits(stored.deltaSelection),
    residue: residueFromUnits(stored.residue),
  };
}
