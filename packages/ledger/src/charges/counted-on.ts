import {
  activeRuleRow,
  type BlockRange,
  countedFor,
  type DeltaAmount,
  deltaAmount,
  priceEvents,
} from "@dosimeter/core";
import { unitWhenOpened } from "../catalog/unit.ts";
import type { Context } from "../context.ts";
import type { ChargeRequest } from "../release/charge.ts";
import type { Tables } from "../stores/tables.ts";
import { type Declared, timesIn } from "../values/declared.ts";
import { blocksOfTerms, parseTerms } from "../values/terms.ts";

/** A part of the room for δ, where no δ is given for a certified ε. */
const DELTA_PARTS = 100n;

/** The events as a ledger counts them under its relation and the rule in force. `room`: for the δ of the node that pays. [M389] [M390] */
export async function countedOn(
  { certified, store }: Pick<Context, "certified" | "store">,
  { events, relation, delta }: Declared,
  {
    ledger,
    room,
    window = [],
  }: { readonly ledger: Tables["ledger"]; readonly room: bigint; readonly window?: readonly BlockRange[] | undefined },
): Promise<Pick<ChargeRequest, "events" | "adjacency">> {
  const { adjacency } = parseTerms(ledger.terms);
  const unit = await unitWhenOpened({ db: store.read }, ledger.id);
  const counted = countedFor(events, relation, adjacency, timesIn(blocksOfTerms(ledger.terms), { unit, window }));
  const { counts } = activeRuleRow(ledger.active_rule);
  if (counts !== "epsilon" || priceEvents(counted, adjacency).epsilon !== null) return { events: counted, adjacency };
  const at = delta === undefined ? ((room / DELTA_PARTS) as DeltaAmount) : deltaAmount(delta, "down", "delta");
  return { events: [await certified(counted, at, adjacency)], adjacency };
}
