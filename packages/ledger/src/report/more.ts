import { admit, type DpEvent, type FilterNode, type FilterTerms } from "@dosimeter/core";
import type { Context } from "../context.ts";
import { pathOf } from "../ledger/balance.ts";
import { admissionTermsOf, nodeOf } from "../ledger/node.ts";
import type { AccountId } from "../values/id.ts";
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
  return pattern.length === 0 ? null : repeated({ admissionTerms, path, pattern, most: MAX_COUNT });
}

/** The most events that are paid for in the count of one account: it is made wherever the account is shown. */
const MAX_EVENTS = 200;
const MAX_SHOWN = 100;

/** How many more like its last charge an account has room for; null before its first, and after one of very many events. Reads one line of the ledger. */
export async function roomForMore({ store }: Context, { account }: { account: AccountId }): Promise<MoreLike | null> {
  const { ledger, nodes, last } = await store.snapshot(async (db) => {
    const newest = db
      .selectFrom("entry")
      .select("events")
      .where("account_id", "=", account)
      .where("kind", "=", "charge")
      .orderBy("number", "desc");
    return { ...(await pathOf({ db }, account)), last: await newest.limit(1).executeTakeFirst() };
  });
  const events = last === undefined ? [] : (JSON.parse(last.events) as readonly DpEvent[]);
  if (events.length === 0 || events.length > MAX_EVENTS) return null;
  const most = Math.min(MAX_SHOWN, Math.floor(MAX_EVENTS / events.length));
  return repeated({ admissionTerms: admissionTermsOf(ledger), path: nodes.map(nodeOf), pattern: [events], most });
}

/** Charges by the pattern, again and again, until one is refused. */
function repeated({
  admissionTerms,
  path,
  pattern,
  most,
}: {
  readonly admissionTerms: FilterTerms;
  readonly path: readonly FilterNode[];
  readonly pattern: readonly (readonly DpEvent[])[];
  readonly most: number;
}): MoreLike {
  let nodes = path;
  let { activeRule } = admissionTerms;
  for (let count = 0; count < most; count++) {
    const decided = admit({ ...admissionTerms, activeRule }, nodes, pattern[count % pattern.length] ?? []);
    if (!decided.admitted) {
      const isDelta = decided.refusals.every(({ dimension }) => dimension === "delta");
      return { count, isAtLeast: false, isDelta, like: pattern.length };
    }
    activeRule = decided.activeRule;
    nodes = nodes.map(({ caps, state }, index) => ({ caps, state: decided.states[index] ?? state }));
  }
  return { count: most, isAtLeast: true, isDelta: false, like: pattern.length };
}
