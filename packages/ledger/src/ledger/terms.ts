import {
  type DeltaAmount,
  deltaFromUnits,
  type EpsilonAmount,
  epsilonFromUnits,
  mu2FromUnits,
  type Terms,
} from "@dosimeter/core";

/** Permission to spend: ε in 1e-12, δ in 1e-18. */
export interface Quota {
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
}

/** The stored form: amounts as decimal strings of units, keys in this order. */
export function termsText(terms: Terms, ceiling: Quota): string {
  const { rule, adjacency, epsilon, delta, deltaFilter, deltaSelection, residue } = terms;
  return JSON.stringify({
    rule,
    adjacency,
    epsilon: String(epsilon),
    delta: String(delta),
    deltaFilter: String(deltaFilter),
    deltaSelection: String(deltaSelection),
    residue: String(residue),
    ceiling: { epsilon: String(ceiling.epsilon), delta: String(ceiling.delta) },
  });
}

/** The ceiling up to which raised caps stay unconditional; declared at opening. */
export function parseCeiling(text: string): Quota {
  const { ceiling, epsilon, delta } = JSON.parse(text) as { ceiling?: Stored; epsilon: string; delta: string };
  return {
    epsilon: epsilonFromUnits(ceiling?.epsilon ?? epsilon),
    delta: deltaFromUnits(ceiling?.delta ?? delta),
  };
}

/** Terms and ceiling as an export carries them. */
export const copiedTerms = (text: string): { readonly terms: Terms; readonly ceiling: Quota } => ({
  terms: parseTerms(text),
  ceiling: parseCeiling(text),
});

interface Stored {
  readonly epsilon: string;
  readonly delta: string;
}

export function parseTerms(text: string): Terms {
  const stored = JSON.parse(text) as Readonly<Record<keyof Terms, string>> & Pick<Terms, "rule" | "adjacency">;
  return {
    rule: stored.rule,
    adjacency: stored.adjacency,
    epsilon: epsilonFromUnits(stored.epsilon),
    delta: deltaFromUnits(stored.delta),
    deltaFilter: deltaFromUnits(stored.deltaFilter),
    deltaSelection: deltaFromUnits(stored.deltaSelection),
    residue: mu2FromUnits(stored.residue),
  };
}
