import type { EpsilonAmount } from "../amounts/amount.ts";
import type { DpEvent } from "../event.ts";
import { admit, type FilterNode, type FilterTerms, type Mu2Quote, type Refusal } from "../filter/filter.ts";
import type { Caps } from "../filter/filter-state.ts";
import { largestEpsilon } from "../filter/headroom.ts";
import type { Price } from "../filter/price.ts";
import { openState } from "../filter/terms.ts";
import type { ActiveRule } from "../rules.ts";
import { added, type BlockRange, merged, type Run, type Runs, replaced, together } from "./run.ts";

/** One filter for each block: the population's or an account's share of it, and the rule that is in force there. */
export interface BlockNode extends FilterNode {
  readonly activeRule: ActiveRule;
}

/** The filters on the path of a charge, the population's first. Every list has the same rule in force at one block. */
export type BlockPath = readonly Runs<BlockNode>[];

export type BlockTerms = Omit<FilterTerms, "activeRule">;

export type BlockAdmission =
  | {
      readonly admitted: true;
      /** The path after the charge. */
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

const sameNode = (a: BlockNode, b: BlockNode): boolean =>
  a.activeRule === b.activeRule &&
  a.state.epsilon === b.state.epsilon &&
  a.state.delta === b.state.delta &&
  a.state.residue === b.state.residue &&
  a.caps.epsilon === b.caps.epsilon &&
  a.caps.delta === b.caps.delta &&
  a.caps.residue === b.caps.residue;

/** Blocks that begin with these caps. INVALID_PARAMETER for a block that was opened before: nothing is refilled. */
export const openBlocks = (
  runs: Runs<BlockNode>,
  { from, to }: BlockRange,
  { caps, activeRule }: { readonly caps: Caps; readonly activeRule: ActiveRule },
): Runs<BlockNode> => added(runs, { from, to, value: { caps, state: openState(caps), activeRule } }, sameNode);

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
  const decided = together(path, window).map(({ from, to, value: nodes }) => {
    const active = { ...terms, activeRule: ruleAt(nodes) };
    return { from, to, nodes, active, admission: admit(active, nodes, events, quotes) };
  });
  const first = decided.find(({ admission }) => !admission.admitted);
  if (first === undefined || first.admission.admitted) {
    const changes = decided.flatMap(({ admission, ...piece }) => (admission.admitted ? [{ ...piece, admission }] : []));
    return {
      admitted: true,
      path: path.map((runs, index) => replaced(runs, changes.flatMap((change) => afterwards(change, index)), sameNode)),
      switched: rangesWhere(changes, ({ admission }) => admission.switched),
    };
  }
  return {
    admitted: false,
    block: first.from,
    refusals: first.admission.refusals,
    price: first.admission.price,
    fits: rangesWhere(decided, ({ admission }) => admission.admitted),
    largestEpsilon: decided
      .map(({ active, nodes }) => largestEpsilon(active, nodes))
      .reduce((least, each) => (each < least ? each : least)),
  };
}

const ruleAt = (nodes: readonly BlockNode[]): ActiveRule => {
  const [first, ...others] = nodes;
  if (first === undefined || others.some((node) => node.activeRule !== first.activeRule))
    throw new RangeError("the filters of a block are under different rules");
  return first.activeRule;
};

function afterwards(
  { from, to, nodes, admission }: BlockRange & {
    readonly nodes: readonly BlockNode[];
    readonly admission: Extract<ReturnType<typeof admit>, { admitted: true }>;
  },
  index: number,
): readonly Run<BlockNode>[] {
  const [node, state] = [nodes[index], admission.states[index]];
  return node === undefined || state === undefined
    ? []
    : [{ from, to, value: { caps: node.caps, state, activeRule: admission.activeRule } }];
}

function rangesWhere<T extends BlockRange>(pieces: readonly T[], holds: (piece: T) => boolean): readonly BlockRange[] {
  const runs = pieces.filter(holds).map(({ from, to }) => ({ from, to, value: null }));
  return merged(runs, () => true).map(({ from, to }) => ({ from, to }));
}
