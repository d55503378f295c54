import {
  type Admission,
  type EpsilonAmount,
  type FilterNode,
  formatDelta,
  formatEpsilon,
  formatMu2,
  largestEpsilon,
  PrivacyError,
} from "@dosimeter/core";
import { least } from "@dosimeter/core/internal";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, LedgerId } from "../values/id.ts";
import { admissionTermsOf, type NodeRow, nodeOf } from "./node.ts";

/** One reason why a charge does not fit. Amounts are exact decimals (`mu2` in μ²); null where there is no number. */
export interface Refusal {
  readonly node: LedgerId | AccountId;
  /** `query`: the account lets one charge take less than this one would; `least`: the ledger, only more. */
  readonly dimension: "epsilon" | "delta" | "mu2" | "unpriced" | "query" | "least";
  readonly available: string | null;
  readonly requested: string | null;
}

type Refused = Extract<Admission, { admitted: false }>;

export function refusals(nodes: readonly NodeRow[], { refusals: reasons }: Refused): readonly Refusal[] {
  return reasons.map(({ index, dimension, available, requested }) => ({
    node: (nodes[index]?.id ?? "") as LedgerId | AccountId,
    dimension,
    available: format(dimension, available),
    requested: format(dimension, requested),
  }));
}

function format(dimension: Refused["refusals"][number]["dimension"], units: bigint | null): string | null {
  if (units === null) return null;
  if (dimension === "delta") return formatDelta(units);
  return dimension === "epsilon" ? formatEpsilon(units) : formatMu2(units);
}

/** The largest pure ε that the ledger and every account on the path could still pay. */
export function largestFor(
  ledger: Tables["ledger"],
  path: readonly FilterNode[],
  accounts: readonly Pick<Tables["account"], "query_epsilon">[] = [],
): EpsilonAmount {
  const fits = largestEpsilon(admissionTermsOf(ledger), path);
  return accounts.reduce((most, { query_epsilon: limit }) => (limit === null ? most : least(most, limit)), fits);
}

/** UNSUPPORTED_EVENT when no rule in force can price it, BUDGET_EXHAUSTED when the ledger has no room, else QUOTA_EXHAUSTED. */
export function refusalOf(ledger: Tables["ledger"], nodes: readonly NodeRow[], refused: Refused): PrivacyError {
  const reasons = refusals(nodes, refused);
  const largest = largestFor(ledger, nodes.map(nodeOf));
  const first = reasons[0];
  const details = {
    refusals: reasons,
    largestEpsilon: formatEpsilon(largest),
    ...(first === undefined
      ? {}
      : { account: first.node, dimension: first.dimension, available: first.available, requested: first.requested }),
  };
  const last = nodes.length === 1 ? "the ledger" : `account ${reasons.at(-1)?.node ?? ""}`;
  if (reasons.some(({ dimension }) => dimension === "unpriced")) {
    return new PrivacyError("UNSUPPORTED_EVENT", details, "the rule in force cannot price an event of this charge");
  }
  const exhausted = reasons.some(({ node }) => node === ledger.id);
  if (reasons.every(({ dimension }) => dimension === "delta")) {
    const { node, available, requested } = reasons[0] ?? {};
    const holder = node === ledger.id ? "the ledger" : `account ${node ?? ""}`;
    const code = reasons.some((reason) => reason.node === ledger.id) ? "BUDGET_EXHAUSTED" : "QUOTA_EXHAUSTED";
    return new PrivacyError(code, details, `${holder} has δ = ${available} left, this charge needs ${requested}`);
  }
  const room = `the largest ε that still fits is ${formatEpsilon(largest)}`;
  return exhausted
    ? new PrivacyError("BUDGET_EXHAUSTED", details, `the ledger has no room for this charge; ${room}`)
    : new PrivacyError("QUOTA_EXHAUSTED", details, `${last} has no room for this charge; ${room}`);
}
