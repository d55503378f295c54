import type {
  ActiveRule,
  Caps,
  DeltaAmount,
  EpsilonAmount,
  FilterNode,
  FilterState,
  Mu2Amount,
  Rule,
  Standing,
} from "@dosimeter/core";
import type { Tables } from "../stores/tables.ts";
import { parseTerms } from "./terms.ts";

/** The columns that a ledger and an account share: both are filters under the rule in force. */
export type NodeRow = Tables["ledger"] | Tables["account"];

export const capsOf = (row: NodeRow): Caps => ({
  epsilon: row.cap_epsilon as EpsilonAmount,
  delta: row.cap_delta as DeltaAmount,
  residue: row.cap_residue as Mu2Amount,
});

export const stateOf = (row: NodeRow): FilterState => ({
  epsilon: row.state_epsilon as EpsilonAmount | null,
  delta: row.state_delta as DeltaAmount,
  residue: row.state_residue as Mu2Amount | null,
});

export const nodeOf = (row: NodeRow): FilterNode => ({
  caps: capsOf(row),
  state: stateOf(row),
});

/** What decides beside the caps; the adjacency is the ledger's, fixed in its terms. */
export const standingOf = (
  { rule, lane, policy, terms }: Tables["ledger"],
  adjacency = parseTerms(terms).adjacency,
): Standing => ({
  rule: rule as Rule,
  lane: lane as ActiveRule,
  policy,
  adjacency,
});

export const capsColumns = ({ epsilon, delta, residue }: Caps) => ({
  cap_epsilon: epsilon as bigint,
  cap_delta: delta as bigint,
  cap_residue: residue as bigint,
});

export const stateColumns = ({ epsilon, delta, residue }: FilterState) => ({
  state_epsilon: epsilon as bigint | null,
  state_delta: delta as bigint,
  state_residue: residue as bigint | null,
});

export const quotaOf = (row: NodeRow) => ({
  epsilon: row.quota_epsilon as EpsilonAmount,
  delta: row.quota_delta as DeltaAmount,
});

export const allocatedOf = (row: NodeRow) => ({
  epsilon: row.allocated_epsilon as EpsilonAmount,
  delta: row.allocated_delta as DeltaAmount,
});
