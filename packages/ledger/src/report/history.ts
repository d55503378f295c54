import {
  activeRuleRow,
  countedTwice,
  type DpEvent,
  type FilterNode,
  type FilterTerms,
  type Mu2Amount,
  type Mu2Quote,
} from "@dosimeter/core";
import { promisesLearning, toAccount } from "../accounts/account.ts";
import { pathOf } from "../accounts/balance.ts";
import { unitWhenOpened } from "../catalog/unit.ts";
import type { Context } from "../context.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { admissionTermsOf, nodeOf, quotaOf } from "../ledger/node.ts";
import { toQuote } from "../ledger/plan-quote.ts";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, LedgerId } from "../values/id.ts";
import { blocksOfTerms, type Quota } from "../values/terms.ts";
import { openTrails, type Trail } from "./trail.ts";

/** The charges between one point in time and the next. */
interface HistoryStop {
  readonly charges: number;
  readonly at: string;
  /** The distinct charges since the previous stop, with counts. */
  readonly added: readonly (readonly [kind: number, count: number])[];
  /** r of the ledger after it; null for an account, and once μ² could not pay. */
  readonly mu2: Mu2Amount | null;
}

/** All charges of a ledger, or of an account and all below it, from which reports are made. */
export interface SpendHistory {
  readonly node: LedgerId | AccountId;
  readonly isLedger: boolean;
  /** The newest line of the ledger that is in it. */
  readonly head: { readonly number: number; readonly hash: string };
  readonly quota: Quota;
  readonly admissionTerms: FilterTerms;
  /** The ledger first, the node last. */
  readonly path: readonly FilterNode[];
  /** The distinct lists of events, as one unit of a block loses by them. [M168] */
  readonly kinds: readonly (readonly DpEvent[])[];
  /** Whether the events of charges from before there were blocks are doubled. */
  readonly isTwice: boolean;
  readonly charges: number;
  readonly stops: readonly HistoryStop[];
  /** The kind of every charge, in order: an account is replayed from it. */
  readonly sequence: Uint32Array;
  /** Plan prices of an account's charges under tight, by position; a ledger keeps its r itself. */
  readonly plans: ReadonlyMap<number, readonly Mu2Quote[]>;
}

/** The most stops times distinct charges; above it there are fewer stops, but at least these. */
const MAX_WORK = 50_000;
const MIN_POINTS = 6;

/** A node's charges with about `points` stops on the way; the rows of a ledger are read once and kept. */
export async function spendHistory(
  { store, kept }: Context,
  { node, points }: { node: LedgerId | AccountId; points: number },
): Promise<SpendHistory> {
  const { ledger, nodes, isLedger, below, isTwice } = await store.snapshot(async (db) => {
    const account = await rowWith(db, "account", { id: node });
    if (account === undefined) {
      const row = await ledgerRow({ db }, node);
      return {
        ...{ ledger: row, nodes: [row], isLedger: true, below: undefined },
        isTwice: await losesTwice({ db }, row),
      };
    }
    const path = await pathOf({ db }, account.id);
    return {
      ...path,
      isLedger: false,
      isTwice: !promisesLearning(toAccount(account)) && (await losesTwice({ db }, path.ledger)),
      below: await accountsBelow(account.id, account.ledger_id, db),
    };
  });
  const trail = await kept(openTrails)(ledger.id); // has at least the lines of the snapshot; later ones are left out
  const last = Number(ledger.entries);
  const mine = chargesOf(trail, last, below);
  const stops = stopsOf(trail, mine, Math.min(points, Math.max(MIN_POINTS, Math.floor(MAX_WORK / trail.kinds.length))));
  const remaining = isLedger ? await remainingAfter(store, ledger.id, stops) : new Map<number, Mu2Amount | null>();
  return {
    node,
    isLedger,
    head: { number: last, hash: ledger.head_hash },
    quota: quotaOf(nodes.at(-1) ?? ledger),
    admissionTerms: admissionTermsOf(ledger),
    path: nodes.map(nodeOf),
    kinds: trail.kinds.map(({ events, namesBlocks }) => (isTwice && !namesBlocks ? countedTwice(events) : events)),
    isTwice,
    charges: mine.length,
    stops: stops.map(({ number, ...stop }) => ({
      ...stop,
      mu2: remaining.get(number) ?? null,
    })),
    sequence: mine.map((i) => trail.kindOf[i] ?? 0),
    plans:
      isLedger || isTwice || !activeRuleRow(ledger.active_rule).isFold
        ? new Map()
        : await plansOf(store, ledger.id, { trail, mine }),
  };
}

/** Whether what was charged before there were blocks bounds twice its loss of one person in one block, where blocks are closed too. [M168] */
async function losesTwice(tx: Pick<Tx, "db">, { id, terms }: Tables["ledger"]): Promise<boolean> {
  const earlier = blocksOfTerms(terms)?.earlier;
  return earlier !== undefined && (earlier.times === 2 || (await unitWhenOpened(tx, id)) !== "row");
}

/** Positions in the trail up to a line, of some accounts or of all. */
function chargesOf(trail: Trail, last: number, below: ReadonlySet<string> | undefined): Uint32Array {
  const isMine = trail.accounts.map((account) => below === undefined || below.has(account));
  const mine = new Uint32Array(trail.kindOf.length);
  let count = 0;
  for (let i = 0; i < mine.length && (trail.numberOf[i] ?? 0) <= last; i++)
    if (isMine[trail.accountOf[i] ?? -1]) mine[count++] = i;
  return mine.slice(0, count);
}

/** The plan prices of a ledger; few charges have one. */
async function plansOf(
  { read }: Context["store"],
  ledger: LedgerId,
  { trail, mine }: { trail: Trail; mine: Uint32Array },
): Promise<ReadonlyMap<number, readonly Mu2Quote[]>> {
  const rows = await read
    .selectFrom("plan_quote")
    .innerJoin("entry", "entry.seq", "plan_quote.entry_seq")
    .selectAll("plan_quote")
    .select("entry.number")
    .where("entry.ledger_id", "=", ledger)
    .execute();
  if (rows.length === 0) return new Map();
  const byNumber = Map.groupBy(rows, ({ number }) => Number(number));
  return new Map(
    [...mine].flatMap((i, position) => {
      const quotes = byNumber.get(trail.numberOf[i] ?? 0);
      return quotes === undefined ? [] : [[position, quotes.map(toQuote)] as const];
    }),
  );
}

async function remainingAfter(
  { read }: Context["store"],
  ledger: LedgerId,
  stops: readonly { readonly number: number }[],
): Promise<ReadonlyMap<number, Mu2Amount | null>> {
  if (stops.length === 0) return new Map();
  const rows = await read
    .selectFrom("entry")
    .select(["number", "remaining_mu2_after"])
    .where("ledger_id", "=", ledger)
    .where(
      "number",
      "in",
      stops.map(({ number }) => BigInt(number)),
    )
    .execute();
  return new Map(rows.map(({ number, remaining_mu2_after }) => [Number(number), remaining_mu2_after]));
}

export async function accountsBelow(
  node: AccountId,
  ledger: LedgerId,
  db: Context["store"]["read"],
): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom("account").select(["id", "parent_id"]).where("ledger_id", "=", ledger).execute();
  const children = Map.groupBy(rows, ({ parent_id }) => parent_id);
  const found = new Set([node]);
  for (const id of found) for (const child of children.get(id) ?? []) found.add(child.id);
  return found;
}

/** Evenly spread over the charges, the last one always among them. */
function stopsOf(trail: Trail, mine: Uint32Array, points: number) {
  const steps = Math.min(points, mine.length);
  let done = 0;
  return Array.from({ length: steps }, (_, step) => {
    const end = Math.round(((step + 1) * mine.length) / steps);
    const counts = new Uint32Array(trail.kinds.length);
    for (; done < end; done++) {
      const kind = trail.kindOf[mine[done] ?? 0] ?? 0;
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    const last = mine[end - 1] ?? 0;
    return {
      charges: end,
      at: new Date(trail.timeOf[last] ?? 0).toISOString(),
      number: trail.numberOf[last] ?? 0,
      added: [...counts].flatMap((count, kind) => (count === 0 ? [] : [[kind, count] as const])),
    };
  });
}
