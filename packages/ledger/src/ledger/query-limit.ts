import {
  type Admission,
  activeRuleRow,
  formatEpsilon,
  formatMu2,
  type Price,
  PrivacyError,
  payPure,
  pureEpsilon,
} from "@dosimeter/core";
import { minus } from "@dosimeter/core/internal";
import type { Tables } from "../stores/tables.ts";
import type { Refusal } from "./refusal.ts";

type Admitted = Pick<Extract<Admission, { admitted: true }>, "activeRule" | "states"> & {
  readonly price: Pick<Price, "epsilon">;
};

/**
 * The accounts of a path (root first, without the ledger) whose limit for one charge an admitted one exceeds. Under
 * addition its ε counts; under tight it may take no more μ² than one answer of that pure ε would at the same r.
 */
export function overLimit(
  path: readonly Pick<Tables["account"], "id" | "query_epsilon" | "state_remaining_mu2">[],
  { activeRule, price, states }: Admitted,
): readonly Refusal[] {
  return path.flatMap((account, index): readonly Refusal[] => {
    const limit = account.query_epsilon;
    if (limit === null) return [];
    const refusal = { node: account.id, dimension: "query" as const };
    if (activeRuleRow(activeRule).counts === "epsilon") {
      const { epsilon } = price;
      if (epsilon === null || epsilon <= limit) return [];
      return [{ ...refusal, available: formatEpsilon(limit), requested: formatEpsilon(epsilon) }];
    }
    const before = account.state_remaining_mu2;
    const after = states[index + 1]?.mu2 ?? null;
    if (before === null || after === null) return [];
    const allowed = payPure(before, pureEpsilon(limit));
    if (allowed === null || after >= allowed) return []; // one such answer would take all there is
    return [
      {
        ...refusal,
        available: formatMu2(minus(before, allowed)),
        requested: formatMu2(minus(before, after)),
      },
    ];
  });
}

export function overLimitError(refusals: readonly Refusal[]): PrivacyError {
  const [first] = refusals;
  return new PrivacyError(
    "QUOTA_EXHAUSTED",
    {
      refusals,
      account: first?.node,
      dimension: "query",
      available: first?.available,
      requested: first?.requested,
      largestEpsilon: first?.available,
    },
    `budget ${first?.node} lets one charge take at most ${first?.available}, this one takes ${first?.requested}`,
  );
}
