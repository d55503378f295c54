import { type DeltaAmount, type EpsilonAmount, epsilonNumber, largestMu2 } from "@dosimeter/core";
import { gdpDelta, zcdpEpsilon } from "@dosimeter/core/accounting";
import { largestWhole } from "@dosimeter/core/internal";
import { type Headroom, ledgerMargin, type Margins } from "./headroom.ts";
import { aboutDelta, optimalDelta } from "./optimal-grid.ts";
import { type Share, UNITS } from "./shares.ts";

/** A limit on a list of shares. */
export interface Budget extends Margins {
  readonly name: AccountantName | "ledger";
}

export interface Limit {
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
}

const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n);
const only = (noise: Share["noise"], shares: readonly Share[]): boolean =>
  shares.every((share) => share.noise === noise || share.units === 0n);

/** Σε ≤ ε, of Laplace rows. */
export const additionBudget = ({ epsilon }: Limit): Budget => ({
  name: "addition",
  margin: (shares) => (only("laplace", shares) ? Number(epsilon - sum(shares.map(({ units }) => units))) : Number.NaN),
});

/** The least δ at which these ε's compose to ε is at most δ; no row uses δ itself. [M47, M97] */
export function optimalBudget({ epsilon, delta }: Limit): Budget {
  const total = epsilonNumber(epsilon, "down");
  const slack = (Number(delta) / 1e18) * (1 - 2 ** -52);
  const deltaOf = optimalDelta(total);
  const within =
    (loss: (epsilons: readonly number[]) => number) =>
    (shares: readonly Share[]): number => {
      if (!only("laplace", shares)) return Number.NaN;
      const units = shares.map((share) => share.units).filter((each) => each > 0n);
      if (sum(units) <= epsilon) return Number(epsilon - sum(units));
      if (!(slack > 0)) return -1;
      return Math.log(slack) - Math.log(loss(units.map(toDouble)));
    };
  return {
    name: "optimal",
    margin: within(deltaOf),
    rough: [
      { digits: 4n, margin: within((epsilons) => Math.max(1e-300, gdpDelta(sumOfSquares(epsilons), total))) },
      { digits: 12n, margin: within((epsilons) => aboutDelta(epsilons, total)) },
    ],
  };
}

const sumOfSquares = (values: readonly number[]): number => values.reduce((sum, value) => sum + value * value, 0);

/**
 * A double at or above the amount: the division is off by at most half a unit in the last place, and a whole one is
 * added.
 */
const toDouble = (units: bigint): number =>
  units <= SAFE ? (Number(units) / 1e12) * (1 + 2 ** -52) : epsilonNumber(units, "up");

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Σρ ≤ ρ_T, a Laplace row costing ε²/2. `rho` in units of 10⁻¹². [M34] */
export const zcdpBudget = (rho: bigint): Budget => ({
  name: "zcdp",
  margin: (shares) =>
    Number(
      2n * rho * UNITS -
        sum(shares.map(({ noise, units }) => (noise === "laplace" ? units * units : 2n * units * UNITS))),
    ),
});

/** Σμ² ≤ μ_T², exact where every row is Gaussian. [M10, M37] */
function gaussianBudget({ epsilon, delta }: Limit): Budget {
  const mu2 = largestMu2(epsilon, delta);
  return {
    name: "gaussian",
    margin: (shares) =>
      only("gaussian", shares) ? Number(mu2 - sum(shares.map(({ units }) => 2n * units))) : Number.NaN,
  };
}

/** The ledger's rule over the whole path, with the part `reserve` (in 10⁻¹²) of the payer's amounts left untouched. */
export const ledgerBudget = (headroom: Headroom, reserve: bigint): Budget => ({
  name: "ledger",
  ...ledgerMargin(headroom, reserve),
});

/** Both limits at once. */
export const bothBudgets = (first: Budget, second: Budget): Budget => ({
  name: second.name,
  margin: (shares) => {
    const one = first.margin(shares);
    if (!(one >= 0)) return one;
    const two = second.margin(shares);
    return two < 0 ? two : one;
  },
});

/** The largest ρ that (ε, δ) pays for, in units of 10⁻¹². [M36] */
export function largestRho({ epsilon, delta }: Limit): bigint {
  const total = epsilonNumber(epsilon, "down");
  const slack = (Number(delta) / 1e18) * (1 - 2 ** -52);
  if (!(slack > 0) || epsilon <= 0n) return 0n;
  const pays = (units: bigint): boolean => zcdpEpsilon(Number(units) / 1e12, slack) <= total;
  return largestWhole(pays);
}

/** The accountants of a plan that stands alone. `auto` tries them in this order. */
export const accountants = {
  addition: { label: "Addition", budget: additionBudget },
  optimal: { label: "Optimal composition", budget: optimalBudget },
  zcdp: { label: "zCDP", budget: (limit: Limit) => zcdpBudget(largestRho(limit)) },
  gaussian: { label: "Exact Gaussian", budget: gaussianBudget },
} as const satisfies Record<string, { readonly label: string; readonly budget: (limit: Limit) => Budget }>;

export type AccountantName = keyof typeof accountants;
export type AccountantChoice = AccountantName | "auto";
export const accountantNames = Object.keys(accountants) as readonly AccountantName[];
export const accountantChoices: readonly AccountantChoice[] = [...accountantNames, "auto"];
