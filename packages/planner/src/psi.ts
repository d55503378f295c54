import { PrivacyError } from "@dosimeter/core";
import { knapsackDelta, optimalDelta } from "./optimal-grid.ts";

export interface PsiTable {
  /** ε of each row; null for a new one. */
  readonly epsilons: readonly (number | null)[];
  /** Rows that keep their ε: held, or just edited. */
  readonly protectedRows: readonly number[];
  readonly epsilon: number;
  readonly delta: number;
}

/**
 * The shares that the Privacy Budgeting Interface gives, as published: half of δ goes to the k rows, half to
 * composition; one factor, by bisection to 10⁻⁴ below ε ÷ the largest ε; the rest up to Σε = ε is added in equal parts.
 * Used only to reproduce its tables;
 * `editPlan` does not have its four defects. BUDGET_EXHAUSTED where the protected rows alone do not compose.
 */
export function psiShares({ epsilons, protectedRows, epsilon, delta }: PsiTable): readonly number[] {
  const count = epsilons.length;
  if (count === 1) return [epsilon];
  const isKept = (index: number): boolean => protectedRows.includes(index);
  const limit = { epsilon, slack: -Math.expm1(Math.log1p(-delta) / 2) };
  const known = epsilons.map((each) => (each === null || each === 0 ? null : each));
  if (known.every((each) => each === null)) {
    return scaledUp(
      known.map(() => epsilon),
      () => false,
      limit,
    );
  }
  const kept = known.filter((_, index) => isKept(index)).map((each) => each ?? 0);
  if (kept.length > 0 && !composes(kept, limit))
    throw new PrivacyError("BUDGET_EXHAUSTED", { name: "epsilon", got: epsilon, want: "more than the held rows need" });
  if (known.every((each) => each !== null)) return scaledUp(known, isKept, limit);
  const old = known.filter((each, index): each is number => each !== null && !isKept(index));
  const average = old.reduce((a, b) => a + b, 0) / Math.max(1, old.length);
  const even = scaledUp(
    known.map((each, index) => (isKept(index) ? (each ?? 0) : average || epsilon)),
    isKept,
    limit,
  );
  if (old.every((each) => each === old[0])) return even;
  return scaledUp(
    known.map((each, index) => each ?? even[index] ?? 0),
    (index) => isKept(index) || known[index] === null,
    limit,
  );
}

interface PsiLimit {
  readonly epsilon: number;
  readonly slack: number;
}

const WIDTH = 1e-4;

function scaledUp(epsilons: readonly number[], isKept: (index: number) => boolean, limit: PsiLimit): readonly number[] {
  const free = epsilons.filter((_, index) => !isKept(index)).length;
  const at = (factor: number): readonly number[] =>
    epsilons.map((each, index) => (isKept(index) ? each : each * factor));
  let [low, high] = [0, limit.epsilon / Math.max(...epsilons)];
  while (high - low > WIDTH) {
    const middle = (low + high) / 2;
    if (composes(at(middle), limit)) low = middle;
    else high = middle;
  }
  const found = at(low);
  const missing = limit.epsilon - found.reduce((a, b) => a + b, 0);
  return missing <= 0 ? found : found.map((each, index) => (isKept(index) ? each : each + missing / free));
}

const APPROXIMATION = 0.01;

/** Equal rows exactly; others by Kairouz–Oh–Viswanath 3.5, else by Murtagh–Vadhan with each ε rounded up to a grid. */
function composes(epsilons: readonly number[], { epsilon, slack }: PsiLimit): boolean {
  const sum = epsilons.reduce((a, b) => a + b, 0);
  if (sum <= epsilon) return true;
  if (epsilons.every((each) => each === epsilons[0])) return optimalDelta(epsilon)(epsilons) <= slack;
  const drift = epsilons.reduce((total, each) => total + each * Math.tanh(each / 2), 0);
  const squares = epsilons.reduce((total, each) => total + each * each, 0);
  const bits = Math.min(Math.log(1 / slack), Math.log(Math.E + Math.sqrt(squares) / slack));
  if (drift + Math.sqrt(2 * bits * squares) <= epsilon) return true;
  const grid = APPROXIMATION / (epsilons.length + sum + 1);
  const steps = epsilons.map((each) => Math.ceil(each * (1 / grid + 1)));
  return knapsackDelta(steps, Math.log1p(grid), epsilon) <= slack;
}
