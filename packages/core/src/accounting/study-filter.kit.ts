import { gaussianDelta } from "../numeric/gaussian-profile.ts";
import { renyiEpsilon, rhoOfPure, zcdpEpsilon } from "./zcdp.ts";

/**
 * A stopping rule over a list of pure ε, for comparison with the product's filters: it never admits a charge. An
 * adaptive analyst can exceed the budget of a rule that is marked invalid. [M24]
 */
export interface StudyFilter {
  readonly label: string;
  /** Whether a theorem covers the rule when each ε may depend on earlier answers. */
  readonly valid: boolean;
  /** Whether the sums of the asked ε, the candidate included, are still within the budget. */
  readonly within: (asked: readonly number[], budget: StudyBudget) => boolean;
}

export interface StudyBudget {
  readonly epsilon: number;
  readonly delta: number;
  /** The order of the Rényi rule, > 1, chosen before the first query. */
  readonly order?: number;
}

const sum = (values: readonly number[], of: (value: number) => number): number =>
  values.reduce((total, value) => total + of(value), 0);

/** Rényi divergence of randomised response at order 1 + t, the worst ε-DP mechanism. */
const renyiOfPure = (epsilon: number, t: number): number => (logCosh((t + 0.5) * epsilon) - logCosh(epsilon / 2)) / t;

const logCosh = (x: number): number => x + Math.log1p(Math.exp(-2 * x)) - Math.LN2;

export const studyFilters = {
  basic: {
    label: "Addition",
    valid: true,
    within: (asked, { epsilon }) => sum(asked, (e) => e) <= epsilon * (1 + 1e-12),
  },
  whitehouse: {
    label: "Whitehouse, Ramdas, Rogers and Wu 2023",
    valid: true,
    within: (asked, { epsilon, delta }) => {
      const squares = sum(asked, (e) => e * e);
      return Math.sqrt(-2 * Math.log(delta) * squares) + squares / 2 <= epsilon;
    },
  },
  zcdp: {
    label: "zCDP, tight conversion",
    valid: true,
    within: (asked, { epsilon, delta }) => zcdpEpsilon(sum(asked, rhoOfPure), delta) <= epsilon,
  },
  renyi: {
    label: "Rényi at one order fixed in advance",
    valid: true,
    within: (asked, { epsilon, delta, order = 1 + 2 * Math.max(1, -Math.log(delta) / epsilon) }) =>
      renyiEpsilon(
        order - 1,
        sum(asked, (e) => renyiOfPure(e, order - 1)),
        delta,
      ) <= epsilon,
  },
  anyOrder: {
    label: "Rényi at whichever order fits",
    valid: false,
    within: (asked, { epsilon, delta }) =>
      ORDERS.some(
        (t) =>
          renyiEpsilon(
            t,
            sum(asked, (e) => renyiOfPure(e, t)),
            delta,
          ) <= epsilon,
      ),
  },
  centralLimit: {
    label: "Gaussian limit of the sum",
    valid: false,
    within: (asked, { epsilon, delta }) =>
      gaussianDelta(
        epsilon,
        sum(asked, (e) => e * e),
      ) <= delta,
  },
} as const satisfies Record<string, StudyFilter>;

const ORDERS = Array.from({ length: 60 }, (_, index) => 0.5 * 1.15 ** index);

/** How many of the listed ε, in order, a rule admits before it first refuses. */
export function studyCount(filter: StudyFilter, epsilons: readonly number[], budget: StudyBudget): number {
  let count = 0;
  while (count < epsilons.length && filter.within(epsilons.slice(0, count + 1), budget)) count += 1;
  return count;
}
