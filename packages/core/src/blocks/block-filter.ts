import type { EpsilonAmount } from "../amounts/amount.ts";
import { invalid } from "../error.ts";
import type { DpEvent } from "../event.ts";
import {
  type FilterNode,
  type FilterTerms,
  type Mu2Quote,
  openingRule,
  pay,
  type Refusal,
  refusals,
} from "../filter/filter.ts";
import { type Caps, fullerOf, sameCaps, sameState } from "../filter/filter-state.ts";
import { largestEpsilon } from "../filter/headroom.ts";
import { type Price, priceEvents } from "../filter/price.ts";
import { type ActiveRule, nextRule, type Rule, ruleRow } from "../filter/rules.ts";
import { openState, type Terms } from "../filter/terms.ts";
import { added, type BlockRange, merged, type Runs, replaced, together } from "./run.ts";

/** The filters that decide a charge, by block. */
export interface BlockPath {
  /** The rule in force in each block that has been opened, for all accounts. */
  readonly rules: Runs<ActiveRule>;
  /** The population's filters first, then those of the accounts from the root to the payer. */
  readonly nodes: readonly Runs<FilterNode>[];
}

/** Neighbours add or remove one unit of one block: a replaced one could come back in another block, and both would pay [M160]. */
export type BlockTerms = Pick<FilterTerms, "rule" | "policy">;

/** INVALID_PARAMETER for terms of a ledger that blocks cannot have: neighbours add or remove a unit of one block, and all blocks have one rule. [M160] */
export function checkBlockTerms({ adjacency, rule }: Pick<Terms, "adjacency" | "rule">): void {
  if (adjacency !== "addRemove")
    invalid("adjacency", adjacency, "addRemove: in a replaced unit's place another one may come to another block");
  if (ruleRow(rule).switchesTo !== null) invalid("rule", rule, "addition or tight: blocks switch to no other rule");
}

export type BlockAdmission =
  | {
      readonly admitted: true;
      readonly path: BlockPath;
      /** The blocks that this charge switched to the next rule. */
      readonly switched: readonly BlockRange[];
    }
  | {
      readonly admitted: false;
      /** The first block of the window without room, and what it lacks. */
      readonly block: number;
      readonly refusals: readonly Refusal[];
      readonly price: Price;
      /** The blocks of the window that have room: the largest window, in the one that was asked for, that this charge fits. */
      readonly fits: readonly BlockRange[];
      /** The largest ε of one pure charge that would fit the whole window. */
      readonly largestEpsilon: EpsilonAmount;
    };

const sameRule = (a: ActiveRule, b: ActiveRule): boolean => a === b;

const sameNode = (a: FilterNode, b: FilterNode): boolean => sameCaps(a.caps, b.caps) && sameState(a.state, b.state);

/** Blocks that begin with these caps, one for each filter of the path. INVALID_PARAMETER for a block that is open: nothing is refilled. */
export function openBlocks(
  { rules, nodes }: BlockPath,
  { from, to }: BlockRange,
  { rule, caps }: { readonly rule: Rule; readonly caps: readonly Caps[] },
): BlockPath {
  // A filter without caps would be left out of every block, those of before included.
  if (nodes.length > 0 && nodes.length !== caps.length)
    throw new RangeError(`${caps.length} caps for a path of ${nodes.length} filters`);
  return {
    rules: added(rules, { from, to, value: openingRule(rule) }, sameRule),
    nodes: caps.map((each, index) =>
      added(nodes[index] ?? [], { from, to, value: { caps: each, state: openState(each) } }, sameNode),
    ),
  };
}

/**
 * Decides one charge over a window: every block decides as a ledger without blocks would, and all of them admit it or nothing
 * changes. Blocks with equal states are decided once. Pure: the caller stores the new path. [M161]
 */
export function admitWindow(
  terms: BlockTerms,
  path: BlockPath,
  window: readonly BlockRange[],
  { events, quotes = [] }: { readonly events: readonly DpEvent[]; readonly quotes?: readonly Mu2Quote[] },
): BlockAdmission {
  checkWindow(path, window);
  const price = priceEvents(events, "addRemove");
  const decided = together([path.rules], window).flatMap(
    ({ value: [activeRule = openingRule(terms.rule)], ...range }) =>
      together(path.nodes, [range]).map(({ from, to, value: nodes }): Decided => {
        const active = { ...terms, activeRule };
        return { from, to, nodes, active, paid: pay(active, nodes, price, quotes) };
      }),
  );
  const first = decided.find(({ paid }) => paid === null);
  if (first === undefined) {
    const changes = decided.flatMap(({ paid, ...piece }) => (paid === null ? [] : [{ ...piece, paid }]));
    const rules = changes.map(({ from, to, paid }) => ({ from, to, value: paid.activeRule }));
    const nodes = path.nodes.map((runs, index) =>
      replaced(
        runs,
        changes.flatMap((change) => afterwards(change, index)),
        sameNode,
      ),
    );
    return {
      admitted: true,
      path: { rules: replaced(path.rules, rules, sameRule), nodes },
      switched: rangesWhere(changes, ({ paid }) => paid.switched),
    };
  }
  return {
    admitted: false,
    block: first.from,
    refusals: refusals(first.active.activeRule, first.nodes, price, quotes),
    price,
    fits: rangesWhere(decided, ({ paid }) => paid !== null),
    largestEpsilon: largestOf(decided),
  };
}

/**
 * The least of what fits each piece. Where no rule can switch, what fits on the fullest state of each filter fits on the others, as more room
 * pays for no less, so one search serves however many pieces there are.
 */
function largestOf(decided: readonly Decided[]): EpsilonAmount {
  const mayPay = new Map<string, { active: Decided["active"]; node: FilterNode }>();
  const alone: EpsilonAmount[] = [];
  for (const { active, nodes } of decided) {
    const next = active.policy === "auto" ? nextRule(active.rule, active.activeRule) : null;
    if (next !== null) alone.push(largestEpsilon(active, nodes));
    else
      for (const node of nodes) {
        const { epsilon, delta, mu2 } = node.caps;
        const key = `${active.activeRule} ${epsilon} ${delta} ${mu2}`;
        const state = fullerOf(mayPay.get(key)?.node.state ?? node.state, node.state);
        mayPay.set(key, { active, node: { caps: node.caps, state } });
      }
  }
  const fullest = [...mayPay.values()].map(({ active, node }) => largestEpsilon(active, [node]));
  return [...alone, ...fullest].reduce((least, each) => (each < least ? each : least));
}

/** A window without blocks, or a path without filters, would be free; a block that came twice would be charged once. */
function checkWindow({ nodes }: BlockPath, window: readonly BlockRange[]): void {
  if (nodes.length === 0 || window.length === 0) throw new RangeError("a charge needs a window and a filter");
  let before = Number.NEGATIVE_INFINITY;
  for (const { from, to } of window) {
    if (!(from > before && to >= from)) throw new RangeError("the ranges of a window must rise without overlap");
    before = to;
  }
}

interface Decided extends BlockRange {
  readonly nodes: readonly FilterNode[];
  readonly active: Omit<FilterTerms, "adjacency">;
  /** null: no room. */
  readonly paid: ReturnType<typeof pay>;
}

function afterwards(
  { from, to, nodes, paid }: Decided & { readonly paid: NonNullable<Decided["paid"]> },
  index: number,
): Runs<FilterNode> {
  const [node, state] = [nodes[index], paid.states[index]];
  return node === undefined || state === undefined ? [] : [{ from, to, value: { caps: node.caps, state } }];
}

function rangesWhere<T extends BlockRange>(pieces: readonly T[], holds: (piece: T) => boolean): readonly BlockRange[] {
  const runs = pieces.filter(holds).map(({ from, to }) => ({ from, to, value: null }));
  return merged(runs, () => true).map(({ from, to }) => ({ from, to }));
}
