import { type ActiveRule, type FilterState, ledgerCaps, openingRule, type Terms } from "@dosimeter/core";
import { GENESIS } from "../audit/chain.ts";
import type { Context } from "../context.ts";
import type { Tables } from "../stores/tables.ts";
import type { LedgerId, PopulationId, PrincipalId } from "../values/id.ts";
import { type LedgerBlocks, type Quota, termsText } from "../values/terms.ts";
import { NOTHING } from "./amounts.ts";
import { type NewEntry, plainLine, sealed } from "./entry.ts";
import { capsColumns, stateColumns } from "./node.ts";

/** The stored promise, and what else opening a ledger needs. */
export interface Opening {
  readonly id: LedgerId;
  readonly population: PopulationId;
  readonly terms: Terms;
  readonly ceiling: Quota;
  /** null: the lifetime is that of the whole population. */
  readonly blocks: LedgerBlocks | null;
  readonly by: PrincipalId;
  readonly at: string;
}

/** A ledger's first line, whose request is its terms. */
export function openingEntry(context: Context, opening: Opening, seq: bigint): Tables["entry"] {
  const { id, terms, ceiling, blocks, by, at } = opening;
  const line: NewEntry = {
    ...plainLine,
    seq,
    ledger_id: id,
    number: 1n,
    kind: "open",
    principal_id: by,
    active_rule: openingRule(terms.rule),
    events: "[]",
    price_epsilon: NOTHING.epsilon,
    price_delta: NOTHING.delta,
    remaining_mu2_before: null,
    remaining_mu2_after: null,
    request_hash: context.store.sha256(termsText(terms, ceiling, blocks)),
    at,
    prev_hash: GENESIS,
  };
  return sealed(context, line);
}

/** The state of a new ledger after its first `entries` lines. */
export interface OpeningState extends Pick<Tables["ledger"], "policy" | "mode"> {
  readonly entries: number;
  readonly head: string;
  readonly activeRule: ActiveRule;
  readonly state: FilterState;
}

export const newLedgerRow = (
  { id, population, terms, ceiling, blocks, by, at }: Opening,
  { activeRule, policy, mode, state, entries, head }: OpeningState,
): Tables["ledger"] => ({
  id,
  population_id: population,
  rule: terms.rule,
  active_rule: activeRule,
  policy,
  mode,
  status: "open",
  terms: termsText(terms, ceiling, blocks),
  version: 1n,
  quota_epsilon: terms.epsilon,
  quota_delta: terms.delta,
  allocated_epsilon: NOTHING.epsilon,
  allocated_delta: NOTHING.delta,
  ...capsColumns(ledgerCaps(terms)),
  ...stateColumns(state),
  entries: BigInt(entries),
  head_hash: head,
  opened_at: at,
  opened_by: by,
});

export const firstGuarantee = (
  { id, terms, ceiling, blocks, by, at }: Opening,
  { sentence, reason }: { readonly sentence: string; readonly reason: string },
): Tables["guarantee_version"] => ({
  ledger_id: id,
  version: 1n,
  terms: termsText(terms, ceiling, blocks),
  sentence,
  reason,
  decided_by: by,
  seconded_by: null,
  at,
});
