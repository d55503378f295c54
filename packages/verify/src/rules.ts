/** A sum that a rule limits, with null where the history has no value, and its room. */
interface Counted {
  readonly epsilon: bigint | null;
  readonly mu2: bigint | null;
}

/** What each rule in force counts. */
const counted = { addition: "epsilon", tight: "mu2" } as const;
type Active = keyof typeof counted;

interface AdmissionRule {
  /** The rule in force when a ledger opens, and the one it may switch to once. */
  readonly opens: Active;
  readonly switchesTo: Active | null;
  /** Whether the μ² it opens with must keep a part of the promise. */
  readonly promisesMu2: boolean;
}

/** Written from the published claims [M10]–[M13], not from the code that charges. */
export const rules: Readonly<Record<string, AdmissionRule>> = {
  addition: { opens: "addition", switchesTo: null, promisesMu2: false },
  tight: { opens: "tight", switchesTo: null, promisesMu2: true },
  additionThenTight: { opens: "addition", switchesTo: "tight", promisesMu2: true },
};

/** A rule that is not in the table is read as the strictest of them, and reported. */
const STRICTEST: AdmissionRule = { opens: "addition", switchesTo: null, promisesMu2: true };

export const isKnownRule = (rule: string): boolean => Object.hasOwn(rules, rule);

export const ruleOf = (rule: string): AdmissionRule => (isKnownRule(rule) ? rules[rule] : undefined) ?? STRICTEST;

export function mayFollow(rule: string, before: string, after: string | null | undefined): boolean {
  const { opens, switchesTo } = ruleOf(rule);
  return after === before || (before === opens && switchesTo !== null && after === switchesTo);
}

/** What a rule in force counts; null for one that is not in the table. */
export const counts = (active: string): "epsilon" | "mu2" | null =>
  Object.hasOwn(counted, active) ? counted[active as Active] : null;

/** What is wrong with a state under the rule in force; null when it keeps its room. */
export function excess(active: string, { epsilon, mu2 }: Counted, room: bigint): "epsilon" | "mu2" | null {
  if (counts(active) === "epsilon") return epsilon === null || epsilon > room ? "epsilon" : null;
  return mu2 === null ? "mu2" : null;
}
