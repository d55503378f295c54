import {
  type BlockState,
  type BlockStates,
  type Blocks,
  isWithin,
  openStates,
  type Paying,
  rangeOf,
} from "./blocks.ts";
import { type Charged, type Counted, dearest, mostLeft, planPrice, type Say, sum } from "./charge.ts";
import type { Row } from "./export.ts";
import { excess } from "./rules.ts";
import { type Terms, units } from "./terms.ts";
import type { Follower } from "./whole.ts";

export interface OpenedBlocks {
  readonly blocks: Blocks;
  readonly terms: Terms;
  readonly activeRule: string;
  readonly cuts: readonly number[];
  /** Charges from before the ledger had blocks, as these count them. [M168] */
  readonly earlier: readonly Charged[];
  readonly say: Say;
}

/** A ledger in which each block has the lifetime for itself. [M160] */
export function followBlocks({ blocks, cuts, earlier, activeRule, say, ...opened }: OpenedBlocks): Follower {
  let { terms } = opened;
  const past = [...earlier];
  const { isClosed = false, through = Number.NEGATIVE_INFINITY } = blocks.earlier ?? {};
  const replayed = (speak: Say): BlockStates => {
    const again = openStates(cuts, opening(terms.mu2));
    for (const { counted, ranges } of past) again.pay(ranges, repaid(counted));
    for (const state of again.all()) if (state.isNamed) checkState(state, { terms, activeRule, say: speak });
    return again;
  };
  let states = replayed(told(say));
  return {
    charge: (entry, charged, { pieces, say: speak }) => {
      const once = told(speak);
      if (entry.remaining_mu2_before !== null || entry.remaining_mu2_after !== null)
        once("has one remaining μ² for all blocks");
      // Nothing was written off, or an answer from before there were blocks was used again.
      const mayNameNone = entry.kind === "writeOff" || blocks.earlier !== undefined;
      if (pieces.length === 0 && !(mayNameNone && charged.events.length === 0)) once("names no block");
      for (const piece of pieces) {
        const range = rangeOf(piece, once);
        if (range === null) continue;
        if (entry.kind === "charge" && isClosed && range.from <= through) once("names a block that was closed");
        const plan = planPrice(piece, charged.counted, { terms, say: once });
        states.pay([range], paying({ piece, plan, counted: charged.counted }, { terms, activeRule, say: once }));
      }
      past.push(charged);
    },
    raise: (entry, raised, speak) => {
      if (entry.remaining_mu2_before !== null || entry.remaining_mu2_after !== null)
        speak("has one remaining μ² for all blocks");
      terms = raised;
      states = replayed(told(speak));
    },
    close: (runs, speak) => states.compare(runs, opening(terms.mu2), told(speak)),
  };
}

/** A block that nothing was charged to. */
export const opening = (mu2: bigint): BlockState => ({
  isNamed: false,
  epsilon: 0n,
  delta: 0n,
  slack: 0n,
  mu2,
  isMost: false,
});

/** A charge where what it left is not stored. */
export function repaid(counted: Counted): Paying {
  const { epsilon, delta, slack, quotes } = counted;
  return (before) => ({
    isNamed: true,
    epsilon: sum(before.epsilon, epsilon),
    delta: before.delta + delta,
    slack: before.slack + slack + dearest(quotes),
    mu2: before.mu2 === null ? null : mostLeft(counted, before.mu2),
    isMost: true,
  });
}

interface Room {
  readonly terms: Terms;
  readonly activeRule: string;
  readonly say: Say;
}

interface Paid {
  readonly piece: Row;
  readonly plan: Row | undefined;
  readonly counted: Counted;
}

/** The stored step of some blocks: it may leave less than ours, never more. */
function paying({ piece, plan, counted }: Paid, { terms, activeRule, say }: Room): Paying {
  const [before, after] = [units(piece.remaining_mu2_before), units(piece.remaining_mu2_after)];
  const left = before === null || counted.pay === null ? null : counted.pay(before);
  if (after !== null && plan === undefined && (left === null || after > left))
    say("leaves more μ² than its events allow");
  return (state, block) => {
    if (!isWithin(before, state)) say(`starts from another μ² than remained in block ${block}`);
    const next: BlockState = {
      isNamed: true,
      epsilon: sum(state.epsilon, counted.epsilon),
      delta: state.delta + counted.delta + (units(plan?.slack) ?? 0n),
      slack: state.slack,
      mu2: after,
      isMost: false,
    };
    checkState(next, { terms, activeRule, say });
    return next;
  };
}

function checkState(state: BlockState, { terms, activeRule, say }: Room): void {
  if (state.delta > terms.deltaSelection) say("goes beyond the room for Σδ of a block");
  const over = excess(activeRule, state, terms.epsilon);
  if (over === "epsilon") say("goes beyond the lifetime ε of a block");
  if (over === "mu2") say("could not be paid by the remaining μ² of a block");
}

/** Says each thing once. */
export function told(say: Say): Say {
  const known = new Set<string>();
  return (problem) => {
    if (!known.has(problem)) say(problem);
    known.add(problem);
  };
}
