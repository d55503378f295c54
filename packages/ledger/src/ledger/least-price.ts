import { type Admission, activeRuleRow, formatEpsilon, formatMu2, PrivacyError } from "@dosimeter/core";
import { minus } from "@dosimeter/core/internal";
import type { Tables } from "../stores/tables.ts";
import type { Refusal } from "./refusal.ts";

type Admitted = Extract<Admission, { admitted: true }>;

/**
 * Whether an admitted charge takes less than one part in `mostCharges` of the ledger's lifetime, in what the rule in force counts. No
 * more answers than that are ever drawn from one ledger, so what a duration may still reveal cannot be averaged without end. A rule
 * for new charges only: a replay does not ask it.
 */
export function belowLeast(
  ledger: Pick<Tables["ledger"], "id" | "cap_epsilon" | "cap_mu2" | "state_remaining_mu2">,
  { activeRule, price, states }: Admitted,
  mostCharges: bigint,
): readonly Refusal[] {
  const refusal = { node: ledger.id, dimension: "least" as const };
  const leastOf = (lifetime: bigint): bigint => (lifetime + mostCharges - 1n) / mostCharges;
  if (activeRuleRow(activeRule).counts === "epsilon") {
    const least = leastOf(ledger.cap_epsilon) as typeof ledger.cap_epsilon;
    const { epsilon } = price;
    if (epsilon === null || epsilon >= least) return [];
    return [{ ...refusal, available: formatEpsilon(least), requested: formatEpsilon(epsilon) }];
  }
  const after = states[0]?.mu2 ?? null;
  const { cap_mu2: lifetime, state_remaining_mu2: before } = ledger;
  if (lifetime === null || before === null || after === null) return [];
  const least = leastOf(lifetime) as typeof lifetime;
  const taken = minus(before, after);
  return taken >= least ? [] : [{ ...refusal, available: formatMu2(least), requested: formatMu2(taken) }];
}

export function belowLeastError(refusals: readonly Refusal[]): PrivacyError {
  const [first] = refusals;
  return new PrivacyError(
    "PRICE_TOO_SMALL",
    { refusals, available: first?.available, requested: first?.requested },
    `a release takes at least ${first?.available} here, this one takes ${first?.requested}`,
  );
}
