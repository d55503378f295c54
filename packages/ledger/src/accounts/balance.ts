import {
  type ActiveRule,
  amountShare,
  type BlockRange,
  type Caps,
  type DpEvent,
  type EpsilonAmount,
  type FilterState,
  fullerOf,
  PrivacyError,
  parseEvent,
  spentShare,
} from "@dosimeter/core";
import { checkWindow, judgeBlocks, type OverBlocks, withState } from "../blocks/charge.ts";
import { blockStates, runsOf } from "../blocks/runs.ts";
import type { Context } from "../context.ts";
import { belowLeast } from "../ledger/least-price.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { admissionTermsOf, allocatedOf, capsOf, type NodeRow, nodeOf, quotaOf, stateOf } from "../ledger/node.ts";
import { needsQuotes } from "../ledger/plan-quote.ts";
import { overLimit } from "../ledger/query-limit.ts";
import { largestFor, type Refusal, refusals } from "../ledger/refusal.ts";
import { isMember } from "../people/payer.ts";
import { principalRow } from "../people/principal.ts";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import type { AccountId, LedgerId, PrincipalId } from "../values/id.ts";
import { blocksOfTerms, type Quota } from "../values/terms.ts";
import { checkRanges } from "../values/window-ranges.ts";
import { accountsTo } from "./account.ts";
import { admitWithCaps, otherCaps } from "./cap-reading.ts";
import { openChildren } from "./open-children.ts";
import { whyNoSpender } from "./spender.ts";

/** The quota of one node and its use, under the rule in force. */
export interface Balance {
  readonly node: LedgerId | AccountId;
  readonly activeRule: ActiveRule;
  readonly quota: Quota;
  readonly allocated: Quota;
  readonly caps: Caps;
  readonly state: FilterState;
  /** Σε/ε_q under addition, 1 − r/r₀ under tight; in [0, 1], for display. 1 when nothing more can be spent. */
  readonly used: number;
  /** Σδ/δ_m in [0, 1], for display; 0 when there is no δ to spend. */
  readonly usedDelta: number;
}

/** What a charge does to a node. */
export interface Step {
  readonly before: FilterState;
  readonly after: FilterState;
}

/** The effect of a charge, decided from the same public state as the charge itself. */
export type Quote =
  | {
      readonly admitted: true;
      /** By addition; null where Gaussian noise has no such price. */
      readonly price: EpsilonAmount | null;
      readonly activeRule: ActiveRule;
      /** This charge would move the ledger from addition to tight. */
      readonly switches: boolean;
      /** The ledger first, then the accounts from the root to the payer. */
      readonly before: readonly Balance[];
      readonly after: readonly Balance[];
      /** What the account that pays would count, in each of the blocks where there are any. */
      readonly steps: readonly Step[];
    }
  | {
      readonly admitted: false;
      readonly activeRule: ActiveRule;
      readonly before: readonly Balance[];
      readonly refusals: readonly Refusal[];
      /** The largest pure ε that still fits everywhere on the path. */
      readonly largestEpsilon: EpsilonAmount;
      /** Where the ledger has blocks: the first without room, and those of the window that have it. */
      readonly blocks?: { readonly first: string; readonly fits: readonly string[] };
    };

export function balanceOf(row: NodeRow, activeRule: ActiveRule): Balance {
  const [caps, state] = [capsOf(row), stateOf(row)];
  return {
    node: row.id,
    activeRule,
    quota: quotaOf(row),
    allocated: allocatedOf(row),
    caps,
    state,
    used: spentShare(caps, state, activeRule),
    usedDelta: amountShare(state.delta, caps.delta),
  };
}

/** The ledger of an account, and the nodes from it down to the account. */
export async function pathOf(
  tx: Pick<Tx, "db">,
  account: AccountId,
): Promise<{
  ledger: Tables["ledger"];
  /** Root first. */
  accounts: readonly Tables["account"][];
  /** The ledger before them. */
  nodes: readonly NodeRow[];
}> {
  const accounts = await accountsTo(tx, account);
  const ledger = await ledgerRow(tx, found(accounts[0], "account", account).ledger_id);
  return { ledger, accounts, nodes: [ledger, ...accounts] };
}

export function balance({ store }: Context, node: LedgerId | AccountId): Promise<Balance> {
  return store.snapshot(async (db) => {
    const account = await rowWith(db, "account", { id: node });
    if (account === undefined) {
      const row = await ledgerRow({ db }, node);
      return balanceOf(row, row.active_rule);
    }
    return balanceOf(account, (await ledgerRow({ db }, account.ledger_id)).active_rule);
  });
}

/** Blocks that follow each other and have spent the same, with the balance of each. A block in none of them has spent nothing. */
export interface BlockBalance extends BlockRange {
  readonly balance: Balance;
}

/** What a node has spent in its blocks, in rising order; none where its ledger has no blocks. */
export function blockBalances({ store }: Context, node: LedgerId | AccountId): Promise<readonly BlockBalance[]> {
  return store.snapshot(async (db) => {
    const account = await rowWith(db, "account", { id: node });
    const ledger = await ledgerRow({ db }, account === undefined ? node : account.ledger_id);
    const row = account ?? ledger;
    const runs = await blockStates({ db }, row.id);
    return runs.map(({ from, to, value }) => ({
      from,
      to,
      balance: balanceOf(withState(row, value), ledger.active_rule),
    }));
  });
}

interface QuoteOptions {
  readonly account: AccountId;
  readonly events: readonly DpEvent[];
  /** The blocks that the events are about, where the ledger has blocks. */
  readonly window?: readonly BlockRange[] | undefined;
  readonly reusesOnly?: boolean;
  /** The reader of the answers, whose other caps need room as well. */
  readonly reader?: PrincipalId;
}

/** Reads one committed state and decides as a charge would; writes nothing. */
export async function quote(
  { store, quotes, mostCharges }: Context,
  { account, events, window, reusesOnly, reader }: QuoteOptions,
): Promise<Quote> {
  if (events.length === 0 && reusesOnly !== true) throw new PrivacyError("EMPTY_PLAN");
  const parsed = events.map((event, index) => parseEvent(event, `events[${index}]`));
  const { ledger, accounts, others, runs } = await store.snapshot(async (db) => {
    const found = await pathOf({ db }, account);
    const hasBlocks = blocksOfTerms(found.ledger.terms) !== null;
    return {
      ...found,
      runs: hasBlocks ? await runsOf({ db }, found.nodes) : [],
      others: reader === undefined ? [] : await otherCaps({ db }, { reader, path: found.accounts }),
    };
  });
  const nodes = [ledger, ...accounts];
  const blocks = checkWindow(ledger, { window, events }, store.now());
  if (blocks !== null && window !== undefined) {
    const over = { ledger, path: accounts, runs, blocks, window: checkRanges(window), mostCharges };
    return quoteBlocks(over, parsed);
  }
  const path = [...nodes, ...others].map(nodeOf);
  const admissionTerms = admissionTermsOf(ledger);
  const before = nodes.map((row) => balanceOf(row, ledger.active_rule));
  const prices = needsQuotes(admissionTerms, path, parsed) ? await quotes(path, parsed, admissionTerms.adjacency) : [];
  const decision = admitWithCaps(admissionTerms, path, nodes.length, parsed, prices);
  const { activeRule } = decision;
  if (!decision.admitted) {
    return {
      admitted: false,
      activeRule,
      before,
      refusals: refusals([...nodes, ...others], decision),
      largestEpsilon: largestFor(ledger, path, accounts),
    };
  }
  const wrongSize = [
    ...overLimit(accounts, decision),
    ...(events.length === 0 ? [] : belowLeast(ledger, decision, mostCharges)),
  ];
  if (wrongSize.length > 0) {
    const largestEpsilon = largestFor(ledger, path, accounts);
    return { admitted: false, activeRule, before, refusals: wrongSize, largestEpsilon };
  }
  const after = nodes.map((row, index) => balanceOf(withState(row, decision.states[index]), activeRule));
  const { epsilon: price } = decision.price;
  const steps = stepsOf(before, after);
  return { admitted: true, price, activeRule, switches: decision.switched, before, after, steps };
}

/** The balances before and after are those of the window's fullest blocks; of a refused charge, of the first block without room. */
function quoteBlocks(over: OverBlocks, events: readonly DpEvent[]): Quote {
  const { ledger, path } = over;
  const { active_rule: activeRule } = ledger;
  const judged = judgeBlocks(over, { events });
  const balances = (states: readonly FilterState[]): readonly Balance[] =>
    [ledger, ...path].map((row, index) => balanceOf(withState(row, states[index]), activeRule));
  if ("error" in judged) {
    const { refusals: reasons, largestEpsilon, block: first, fits } = judged;
    const before = balances(judged.before);
    return { admitted: false, activeRule, before, refusals: reasons, largestEpsilon, blocks: { first, fits } };
  }
  const { pieces } = judged;
  const before = balances(fullest(pieces.map((piece) => piece.before)));
  const after = balances(fullest(pieces.map((piece) => piece.after)));
  const steps = pieces.flatMap((piece) => stepsOf(balances(piece.before), balances(piece.after)));
  return { admitted: true, price: judged.price.epsilon, activeRule, switches: false, before, after, steps };
}

/** Of the last node, which pays. */
function stepsOf(before: readonly Balance[], after: readonly Balance[]): readonly Step[] {
  const [from, to] = [before.at(-1)?.state, after.at(-1)?.state];
  return from === undefined || to === undefined ? [] : [{ before: from, after: to }];
}

/** Of each node the most that any of these blocks has counted. */
const fullest = ([first = [], ...others]: readonly (readonly FilterState[])[]): readonly FilterState[] =>
  first.map((state, index) => others.reduce((most, each) => fullerOf(most, each[index] ?? most), state));

/** Why this person may not spend from this account, by the rule of the charge itself; null where they may. Unknown accounts are NOT_FOUND. */
export function whyNotSpend(
  { store }: Context,
  { account, principal }: { account: AccountId; principal: PrincipalId },
): Promise<PrivacyError | null> {
  return store.snapshot(async (db) => {
    const refused = await whyNoSpender(
      await accountsTo({ db }, account),
      { principal },
      {
        enabled: async (id) => (await principalRow({ db }, id)).disabled_at === null,
        member: (team, person) => isMember({ db }, person, team),
        hasOpenChildren: async (id) => (await openChildren({ db }, id)).length > 0,
        scheduleOf: async (id) => {
          const row = await rowWith(db, "schedule", { account_id: id });
          return row === undefined || row.status === "ended" ? null : row.id;
        },
      },
    );
    return refused;
  });
}

export const maySpend = async (context: Context, spending: Parameters<typeof whyNotSpend>[1]): Promise<boolean> =>
  (await whyNotSpend(context, spending)) === null;
