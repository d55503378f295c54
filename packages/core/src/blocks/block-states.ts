import type { DpEvent } from "../event.ts";
import { type Mu2Quote, nextState } from "../filter/filter.ts";
import { type Caps, type FilterState, fullerOf, sameState } from "../filter/filter-state.ts";
import { priceEvents } from "../filter/price.ts";
import { type ChargedStep, type Discrepancy, type StoredStep, verifyHistory } from "../filter/replay.ts";
import type { ActiveRule } from "../filter/rules.ts";
import { openState } from "../filter/terms.ts";
import { admitWindow, type BlockAdmission, type BlockTerms } from "./block-filter.ts";
import { type BlockRange, filled, type Runs, replaced, together } from "./run.ts";

/** What one filter has counted in each block. A block in no run has counted nothing: it has the state that every block opens with. */
export type BlockStates = Runs<FilterState>;

export interface BlockFilter {
  readonly caps: Caps;
  readonly states: BlockStates;
}

/** Blocks of a charge in which each filter of the path had one state before it. */
export interface BlockPiece extends BlockRange {
  /** Of each filter, in the order of the path. */
  readonly before: readonly FilterState[];
  readonly after: readonly FilterState[];
}

export type BlocksAdmission =
  | {
      readonly admitted: true;
      /** What each filter has counted after the charge, in the order of the path. */
      readonly states: readonly BlockStates[];
      /** The blocks of the window, by what the charge found there. */
      readonly pieces: readonly BlockPiece[];
    }
  | (Extract<BlockAdmission, { admitted: false }> & {
      /** What the filters had counted in the first block without room. */
      readonly before: readonly FilterState[];
    });

const over = ({ caps, states }: BlockFilter, window: readonly BlockRange[]): BlockStates =>
  filled(states, window, { value: openState(caps), same: sameState });

/**
 * Decides a charge on every block of the window under one rule, which no charge switches: `terms.rule` and its rule in force are
 * `activeRule`. All blocks pay or none does. [M161]
 */
export function admitBlocks(
  activeRule: ActiveRule,
  filters: readonly BlockFilter[],
  window: readonly BlockRange[],
  charge: { readonly events: readonly DpEvent[]; readonly quotes?: readonly Mu2Quote[] },
): BlocksAdmission {
  const terms: BlockTerms = { rule: activeRule, policy: "ask" };
  const before = filters.map((filter) => over(filter, window));
  const nodes = filters.map(({ caps }, index) =>
    (before[index] ?? []).map(({ value, ...range }) => ({ ...range, value: { caps, state: value } })),
  );
  const rules = window.map(({ from, to }) => ({ from, to, value: activeRule }));
  const decided = admitWindow(terms, { rules, nodes }, window, charge);
  if (!decided.admitted) {
    const { block } = decided;
    const [found] = together(before, [{ from: block, to: block }]);
    return { ...decided, before: found?.value ?? [] };
  }
  const after = decided.path.nodes.map((runs) => runs.map(({ value, ...range }) => ({ ...range, value: value.state })));
  const pieces = together([...before, ...after], window).map(({ from, to, value }) => ({
    from,
    to,
    before: value.slice(0, filters.length),
    after: value.slice(filters.length),
  }));
  const states = filters.map(({ states: known }, index) => replaced(known, after[index] ?? [], sameState));
  return { admitted: true, states, pieces };
}

export interface BlockStep extends ChargedStep {
  readonly window: readonly BlockRange[];
}

/** One step of a history: what the filter has counted after it, and what it found and left in the blocks of its window. */
export function payBlocks(
  { caps, states }: BlockFilter,
  { events, activeRule, quotes = [], window }: BlockStep,
): { readonly states: BlockStates; readonly pieces: readonly (BlockRange & Pick<StoredStep, "before" | "after">)[] } {
  const price = priceEvents(events, "addRemove");
  const pieces = over({ caps, states }, window).map(({ from, to, value: state }) => ({
    from,
    to,
    before: state,
    after: nextState({ caps, state }, price, { activeRule, quotes }),
  }));
  const after = pieces.map(({ from, to, after: value }) => ({ from, to, value }));
  return { states: replaced(states, after, sameState), pieces };
}

/** What a filter with these caps has counted after a history; the same bits on every run of a build. [M21] */
export const replayBlocks = (caps: Caps, history: readonly BlockStep[]): BlockStates =>
  history.reduce<BlockStates>((states, step) => payBlocks({ caps, states }, step).states, []);

/** The histories of all blocks, each once, as places in the whole: blocks that the same charges named have one. */
export function blockHistories(windows: readonly (readonly BlockRange[])[]): readonly (readonly number[])[] {
  const cuts = new Set(windows.flatMap((ranges) => ranges.map(({ from }) => from)));
  for (const ranges of windows) for (const { to } of ranges) cuts.add(to + 1);
  const named = [...cuts].map((block) =>
    windows.flatMap((ranges, index) => (ranges.some(({ from, to }) => from <= block && block <= to) ? [index] : [])),
  );
  return [...new Map(named.map((history) => [history.join(), history])).values()];
}

/** The most that any block has counted, in each amount by itself: what is left in every block. The opening state where none has. */
export const leastRoom = ({ caps, states }: BlockFilter): FilterState =>
  states.reduce((most, { value }) => fullerOf(most, value), openState(caps));

export const sameStates = (a: BlockStates, b: BlockStates): boolean =>
  a.length === b.length &&
  a.every(({ from, to, value }, index) => {
    const other = b[index];
    return other !== undefined && other.from === from && other.to === to && sameState(other.value, value);
  });

/** A stored charge with what it found in its blocks, and left there. */
export interface StoredBlockStep extends ChargedStep {
  readonly pieces: readonly (BlockRange & Pick<StoredStep, "before" | "after">)[];
}

/** Checks the history of each block by itself, as `verifyHistory` does for a ledger without blocks. `index` is the place in the whole. [M161] */
export function verifyBlocks(
  { caps, rule }: { readonly caps: Caps; readonly rule: ActiveRule },
  history: readonly StoredBlockStep[],
): readonly (Discrepancy & { readonly block: number })[] {
  const cuts = new Set(history.flatMap(({ pieces }) => pieces.flatMap(({ from, to }) => [from, to + 1])));
  return [...cuts]
    .sort((a, b) => a - b)
    .flatMap((block) => {
      const named = history.flatMap(({ pieces, ...step }, index) => {
        const piece = pieces.find(({ from, to }) => from <= block && block <= to);
        return piece === undefined ? [] : [{ index, step: { ...step, before: piece.before, after: piece.after } }];
      });
      return verifyHistory(
        { caps, rule, adjacency: "addRemove" },
        named.map(({ step }) => step),
      ).map(({ index, problem }) => ({ index: named[index]?.index ?? index, problem, block }));
    });
}
