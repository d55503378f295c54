import { type ActiveRule, type FilterState, ledgerCaps, openingRule, type Rule, type Terms } from "@dosimeter/core";
import { GENESIS } from "../audit/chain.ts";
import type { Context } from "../context.ts";
import type { Tables } from "../stores/tables.ts";
import type { PopulationId, PrincipalId } from "../values/id.ts";
import { type NewEntry, sealed } from "./entry.ts";
import { capsColumns, stateColumns } from "./node.ts";
import { type Quota, termsText } from "./terms.ts";

/** What every line of a ledger says that no charge made. */
export const plainLine = {
  charge_id: null,
  account_id: null,
  dataset_id: null,
  key: null,
  request: null,
} as const;

/** The promise as it is stored, with what opening it needs beside. */
export interface Opening {
  readonly id: string;
  readonly population: PopulationId;
  readonly terms: Terms;
  readonly ceiling: Quota;
  readonly by: PrincipalId;
  readonly at: string;
}

/** A ledger's first line, whose request is its terms. */
export function openingEntry(context: Context, opening: Opening, seq: bigint): Tables["entry"] {
  const { id, terms, ceiling, by, at } = opening;
  const line: NewEntry = {
    ...plainLine,
    seq,
    ledger_id: id,
    number: 1n,
    kind: "open",
    principal_id: by,
    lane: openingRule(terms.rule as Rule),
    events: "[]",
    price_epsilon: 0n,
    price_delta: 0n,
    residue_before: null,
    residue_after: null,
    request_hash: context.store.sha256(termsText(terms, ceiling)),
    at,
    prev_hash: GENESIS,
  };
  return sealed(context, line);
}

/** Where a new ledger stands behind its `entries` first lines. */
export interface OpeningState extends Pick<Tables["ledger"], "policy" | "mode"> {
  readonly entries: number;
  readonly head: string;
  readonly lane: ActiveRule;
  readonly state: FilterState;
}

export const newLedgerRow = (
  { id, population, terms, ceiling, by, at }: Opening,
  { lane, policy, mode, state, entries, head }: OpeningState,
): Tables["ledger"] => ({
  id,
  population_id: population,
  rule: terms.rule,
  lane,
  policy,
  mode,
  status: "open",
  terms: termsText(terms, ceiling),
  version: 1n,
  quota_epsilon: terms.epsilon,
  quota_delta: terms.delta,
  allocated_epsilon: 0n,
  allocated_delta: 0n,
  ...capsColumns(ledgerCaps(terms)),
  ...stateColumns(state),
  entries: BigInt(entries),
  head_hash: head,
  opened_at: at,
  opened_by: by,
});

export const firstGuarantee = (
  { id, terms, ceiling, by, at }: Opening,
  { sentence, reason }: { readonly sentence: string; readonly reason: string },
): Tables["guarantee_version"] => ({
  ledger_id: id,
  version: 1n,
  terms: termsText(terms, ceiling),
  sentence,
  reason,
  decided_by: by,
  seconded_by: null,
  at,
});
