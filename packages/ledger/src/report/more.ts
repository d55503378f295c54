import {
  admit,
  admitBlocks,
  type BlockFilter,
  type DpEvent,
  type FilterNode,
  type FilterTerms,
  type Refusal,
} from "@dosimeter/core";
import { pathOf } from "../accounts/balance.ts";
import { blocksOfEntry, runsOf } from "../blocks/runs.ts";
import type { Context } from "../context.ts";
import { admissionTermsOf, nodeOf } from "../ledger/node.ts";
import type { Tx } from "../stores/store.ts";
import type { AccountId } from "../values/id.ts";
import { blocksOfTerms } from "../values/terms.ts";
import type { SpendHistory } from "./history.ts";

/** How many more charges like the last ones would be admitted, in turn, by the ledger and every account on the path. */
export interface MoreLike {
  readonly count: number;
  /** Counting stopped at `count`, so there may be more. */
  readonly isAtLeast: boolean;
  /** The next one would be refused for δ alone: a smaller ε would not make room. */
  readonly isDelta: boolean;
  /** How many of the newest charges were taken as the pattern. */
  readonly like: number;
}

const PATTERN = 5;
const MAX_COUNT = 2_000;

/** Counts with the filter itself; null where nothing was charged yet. Where quota is overbooked, others may spend it first. */
export function moreLikeLast(
  { admissionTerms, path, sequence }: SpendHistory,
  kinds: readonly (readonly DpEvent[])[],
): MoreLike | null {
  const pattern = [...sequence.slice(-PATTERN)].map((kind) => kinds[kind] ?? []);
  return pattern.length === 0
    ? null
    : repeated(filterOf({ admissionTerms, path, pattern }), { most: MAX_COUNT, like: pattern.length });
}

/** The most events that are paid for in the count of one account: it is made wherever the account is shown. */
const MAX_EVENTS = 200;
const MAX_SHOWN = 100;

/**
 * How many more like its last charge an account has room for, with blocks: over the blocks that it named. null before its first, and after one of
 * very many events or from before there were blocks: the next one may be about any of them. Reads one line of the ledger.
 */
export async function roomForMore({ store }: Context, { account }: { account: AccountId }): Promise<MoreLike | null> {
  const { ledger, nodes, last, window, runs } = await store.snapshot(async (db) => {
    const newest = db
      .selectFrom("entry")
      .select(["seq", "events"])
      .where("account_id", "=", account)
      .where("kind", "=", "charge")
      .orderBy("number", "desc");
    const path = await pathOf({ db }, account);
    const last = await newest.limit(1).executeTakeFirst();
    const hasBlocks = last !== undefined && blocksOfTerms(path.ledger.terms) !== null;
    return { ...path, last, ...(hasBlocks ? await blocksNamed({ db }, last.seq, path.nodes) : NO_BLOCKS) };
  });
  const events = last === undefined ? [] : (JSON.parse(last.events) as readonly DpEvent[]);
  const namedNone = window.length === 0 && blocksOfTerms(ledger.terms) !== null;
  if (events.length === 0 || events.length > MAX_EVENTS || namedNone) return null;
  const most = Math.min(MAX_SHOWN, Math.floor(MAX_EVENTS / events.length));
  const path = nodes.map(nodeOf);
  if (window.length === 0)
    return repeated(filterOf({ admissionTerms: admissionTermsOf(ledger), path, pattern: [events] }), { most, like: 1 });
  let filters: readonly BlockFilter[] = path.map(({ caps }, index) => ({ caps, states: runs[index] ?? [] }));
  const charge: Charging = () => {
    const decided = admitBlocks(ledger.active_rule, filters, window, { events });
    if (!decided.admitted) return decided.refusals;
    filters = filters.map(({ caps }, index) => ({ caps, states: decided.states[index] ?? [] }));
    return null;
  };
  return repeated(charge, { most, like: 1 });
}

const NO_BLOCKS = { window: [], runs: [] } as const;

/** The blocks that an entry named, and what each node has counted in its blocks. */
async function blocksNamed(tx: Pick<Tx, "db">, entry: bigint, nodes: readonly { readonly id: string }[]) {
  return { window: await blocksOfEntry(tx, entry), runs: await runsOf(tx, nodes) };
}

/** Makes the next charge: what refuses it, or null. */
type Charging = (count: number) => readonly Pick<Refusal, "dimension">[] | null;

/** Charges by the pattern, in turn, on one state for each filter. */
function filterOf({
  admissionTerms,
  path,
  pattern,
}: {
  readonly admissionTerms: FilterTerms;
  readonly path: readonly FilterNode[];
  readonly pattern: readonly (readonly DpEvent[])[];
}): Charging {
  let nodes = path;
  let { activeRule } = admissionTerms;
  return (count) => {
    const decided = admit({ ...admissionTerms, activeRule }, nodes, pattern[count % pattern.length] ?? []);
    if (!decided.admitted) return decided.refusals;
    activeRule = decided.activeRule;
    nodes = nodes.map(({ caps, state }, index) => ({ caps, state: decided.states[index] ?? state }));
    return null;
  };
}

/** Charges again and again, until one is refused. */
function repeated(charge: Charging, { most, like }: { readonly most: number; readonly like: number }): MoreLike {
  for (let count = 0; count < most; count++) {
    const refusals = charge(count);
    if (refusals !== null)
      return { count, isAtLeast: false, isDelta: refusals.every(({ dimension }) => dimension === "delta"), like };
  }
  return { count: most, isAtLeast: true, isDelta: false, like };
}
