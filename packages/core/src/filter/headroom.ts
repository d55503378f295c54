import { type DeltaAmount, type EpsilonAmount, NO_DELTA, NO_EPSILON } from "../amounts/amount.ts";
import { least, minus } from "../amounts/arithmetic.ts";
import { leastWhole } from "../numeric/root.ts";
import type { FilterNode, FilterTerms } from "./filter.ts";
import type { Caps, FilterState } from "./filter-state.ts";
import { leastMu2, type Mu2Step, payMu2 } from "./remaining-mu2.ts";
import { type ActiveRule, activeRuleRow, nextRule } from "./rules.ts";
import { capCaps, shareCaps, type Terms } from "./terms.ts";

/** The largest pure ε that would be admitted now by every filter on the path, switching where the policy would. */
export function largestEpsilon(
  { rule, activeRule, policy = "ask" }: Omit<FilterTerms, "adjacency">,
  path: readonly FilterNode[],
): EpsilonAmount {
  const under = (active: ActiveRule): EpsilonAmount =>
    leastOf(path.map(({ caps, state }) => activeRuleRow(active).largestPure(caps, state)));
  const now = under(activeRule);
  const next = policy === "auto" ? nextRule(rule, activeRule) : null;
  if (next === null) return now;
  const then = under(next);
  return then > now ? then : now;
}

const leastOf = ([first = NO_EPSILON, ...rest]: readonly EpsilonAmount[]): EpsilonAmount => rest.reduce(least, first);

/** An account's quota with its δ spelled out. */
export interface FullQuota {
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
}

export interface QuotaUse {
  readonly quota: FullQuota;
  /** `share` (default) or `cap`: how the quota becomes a cap on μ². */
  readonly kind?: "share" | "cap";
  readonly state: FilterState;
  /**
   * The steps of every charge that counts against this account, in ledger order; used when the rule in force counts μ².
   */
  readonly history: readonly (readonly Mu2Step[])[];
  /** The quotas of the accounts directly below. */
  readonly children: readonly FullQuota[];
}

export const quotaCaps = (terms: Terms, quota: FullQuota, kind: "share" | "cap" = "share"): Caps =>
  kind === "share" ? shareCaps(terms, quota) : capCaps(terms, quota);

/**
 * The largest (ε, δ) whose withdrawal still lets the account's charges and its children's quotas replay under what
 * remains, under the rule in force: ε first, then δ at that ε. [M20]
 */
export function freeQuota(
  terms: Terms,
  activeRule: ActiveRule,
  { quota, kind = "share", state, history, children }: QuotaUse,
): FullQuota {
  const steps = history.flat();
  const active = activeRuleRow(activeRule);
  const need = active.isFold ? leastMu2(steps) : 0n;
  const promised = {
    epsilon: children.reduce((sum, child) => sum + child.epsilon, 0n),
    delta: children.reduce((sum, child) => sum + child.delta, 0n),
  };
  const covers = (remaining: FullQuota): boolean => {
    const caps = quotaCaps(terms, remaining, kind);
    if (remaining.epsilon < promised.epsilon || remaining.delta < promised.delta || state.delta > caps.delta)
      return false;
    return active.isFold || active.admits(caps, state);
  };
  const fits = (remaining: FullQuota): boolean =>
    covers(remaining) && (!active.isFold || (need !== null && quotaCaps(terms, remaining, kind).mu2 >= need));
  const replays = (remaining: FullQuota): boolean =>
    !active.isFold || payMu2(quotaCaps(terms, remaining, kind).mu2, steps) !== null;
  if (!covers(quota) || !replays(quota)) return { epsilon: NO_EPSILON, delta: NO_DELTA };
  const guess = leastWhole((value) => fits({ ...quota, epsilon: value as EpsilonAmount }), -1n, quota.epsilon);
  const epsilon = active.isFold
    ? smallestNear(guess, quota.epsilon, (value) => {
        return value >= promised.epsilon && replays({ ...quota, epsilon: value as EpsilonAmount });
      })
    : guess;
  const kept = { epsilon: epsilon as EpsilonAmount, delta: quota.delta };
  const atDelta = (value: bigint): FullQuota => ({ ...kept, delta: value as DeltaAmount });
  const delta =
    kind === "share"
      ? leastWhole((value) => covers(atDelta(value)), -1n, quota.delta)
      : smallestNear(
          leastWhole((value) => fits(atDelta(value)), -1n, quota.delta),
          quota.delta,
          (value) => covers(atDelta(value)) && replays(atDelta(value)),
        );
  return { epsilon: minus(quota.epsilon, kept.epsilon), delta: minus(quota.delta, delta as DeltaAmount) };
}

/** The least value for which a rising condition holds, a few units from a guess; it holds at `most`. */
function smallestNear(guess: bigint, most: bigint, holds: (value: bigint) => boolean): bigint {
  let [low, high] = [guess - 1n, guess];
  if (holds(guess)) {
    for (let step = 1n; low >= 0n && holds(low); step *= 2n) [low, high] = [low - step, low];
  } else {
    for (let step = 1n; !holds(high); step *= 2n) [low, high] = [high, high + step < most ? high + step : most];
  }
  return leastWhole(holds, low < -1n ? -1n : low, high);
}
