import type { Caps, FilterNode, FilterState, FilterTerms } from "@dosimeter/core";
import type { Tables } from "../stores/tables.ts";
import { blocksOfTerms, parseTerms } from "../values/terms.ts";

/** The columns that a ledger and an account share: both are filters under the rule in force. */
export type NodeRow = Tables["ledger"] | Tables["account"];

export const capsOf = (row: NodeRow): Caps => ({
  epsilon: row.cap_epsilon,
  delta: row.cap_delta,
  mu2: row.cap_mu2,
});

export const stateOf = (row: NodeRow): FilterState => ({
  epsilon: row.state_epsilon,
  delta: row.state_delta,
  mu2: row.state_remaining_mu2,
});

export const nodeOf = (row: NodeRow): FilterNode => ({
  caps: capsOf(row),
  state: stateOf(row),
});

/** The ledger's part of an admission decision; its terms fix the adjacency. Blocks never switch their rule. */
export const admissionTermsOf = (
  { rule, active_rule: activeRule, policy, terms }: Tables["ledger"],
  adjacency = parseTerms(terms).adjacency,
): FilterTerms => ({
  rule: blocksOfTerms(terms) === null ? rule : activeRule,
  activeRule,
  policy,
  adjacency,
});

export const capsColumns = ({ epsilon, delta, mu2 }: Caps) => ({
  cap_epsilon: epsilon,
  cap_delta: delta,
  cap_mu2: mu2,
});

export const stateColumns = ({ epsilon, delta, mu2 }: FilterState) => ({
  state_epsilon: epsilon,
  state_delta: delta,
  state_remaining_mu2: mu2,
});

export const quotaOf = (row: NodeRow) => ({
  epsilon: row.quota_epsilon,
  delta: row.quota_delta,
});

export const allocatedOf = (row: NodeRow) => ({
  epsilon: row.allocated_epsilon,
  delta: row.allocated_delta,
});
