import { keepsPromise } from "./remaining-mu2.ts";
import type { Report } from "./report.ts";
import { isKnownRule, ruleOf } from "./rules.ts";

/** The lifetime promise of one version, in units: ε and μ² in 10⁻¹², δ in 10⁻¹⁸. */
export interface Terms {
  readonly rule: string;
  readonly adjacency: string;
  readonly epsilon: bigint;
  readonly delta: bigint;
  readonly deltaFilter: bigint;
  readonly deltaSelection: bigint;
  readonly mu2: bigint;
}

/** An amount is never below 0. */
export function units(text: string | null | undefined): bigint | null {
  if (text === null || text === undefined) return null;
  if (!/^\d+$/.test(text)) throw new SyntaxError(`${JSON.stringify(text)} is no amount`);
  return BigInt(text);
}

export function termsOf(text: string): Terms {
  const stored = JSON.parse(text) as Record<string, string>;
  const amount = (name: string): bigint => units(stored[name]) ?? 0n;
  return {
    rule: stored.rule ?? "",
    adjacency: stored.adjacency ?? "",
    epsilon: amount("epsilon"),
    delta: amount("delta"),
    deltaFilter: amount("deltaFilter"),
    deltaSelection: amount("deltaSelection"),
    mu2: amount("mu2"),
  };
}

/** δ is split in two, and the remaining μ² a ledger opens with keeps its part of the promise. */
export function checkTerms({ rule, epsilon, delta, deltaFilter, deltaSelection, mu2 }: Terms, report: Report): void {
  if (deltaFilter + deltaSelection > delta) report("terms", "promise more δ in parts than in all");
  if (!isKnownRule(rule)) report("terms", `have the rule ${rule}, which this check does not know`);
  if (!ruleOf(rule).promisesMu2) return;
  const kept = keepsPromise(mu2, epsilon, deltaFilter);
  if (kept === null) report("terms", "have an ε too large for this check");
  else if (!kept) report("terms", "open with more μ² than (ε, δ) allows");
}

const rising = ["epsilon", "deltaFilter", "deltaSelection", "mu2"] as const;

export const hasFallen = (before: Terms, after: Terms): boolean => rising.some((name) => after[name] < before[name]);

export const sameTerms = (before: Terms, after: Terms): boolean =>
  (Object.keys(before) as (keyof Terms)[]).every((name) => before[name] === after[name]);
