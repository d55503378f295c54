import { firstPeriod, periodAt } from "./calendar.ts";
import type { Row } from "./export.ts";
import { units } from "./terms.ts";

/** Blocks `from` to `to`, both among them. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** What the terms of a version say of blocks: periods or cohorts that each have the whole lifetime for themselves. */
export interface Blocks {
  readonly every: string;
  readonly zone: string;
  /** "person": blocks are cohorts of people [M170]; absent: periods. */
  readonly protects?: string;
  /** Of a ledger that had none at first. */
  readonly earlier?: {
    readonly version: number;
    readonly through: number;
    readonly times: number;
    readonly isClosed: boolean;
  };
}

/** Null where the lifetime is that of the whole population. */
export const blocksOf = (terms: string): Blocks | null => (JSON.parse(terms) as { blocks?: Blocks }).blocks ?? null;

/** The blocks of which rows may have been measured before there were any. */
export const earlierRange = ({ every, earlier }: Blocks): readonly Range[] =>
  earlier === undefined ? [] : [{ from: firstPeriod(every), to: earlier.through }];

export const sameBlocks = (a: Blocks | null, b: Blocks | null): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Where a ledger gets blocks: what it counts of the time before, and how often. [M168] */
export function checkMigration(
  { every, zone, protects, earlier }: Blocks,
  { entry, version, unit }: { readonly entry: Row; readonly version: number; readonly unit: string | null },
  say: (problem: string) => void,
): void {
  if (protects !== undefined) say("has cohorts, which do not say what was measured before of whom");
  if (entry.remaining_mu2_before !== null || entry.remaining_mu2_after !== null)
    say("has one remaining μ² for all blocks");
  if (earlier === undefined || earlier.version !== version) {
    say("does not count what was spent before");
    return;
  }
  // A row comes and goes as a whole; a person's rows of one block leave the others behind.
  const mayCountOnce = earlier.isClosed || unit === "row";
  if (earlier.times !== 2 && !(earlier.times === 1 && mayCountOnce)) say("counts less of what was spent before");
  if (!(earlier.through >= periodAt(every, zone, entry.at ?? "")))
    say("counts what was spent before in fewer blocks than had begun");
}

/** The range of a row. Null, and reported, where it is none. */
export function rangeOf(row: Row, say: (problem: string) => void): Range | null {
  const [from, to] = [Number(row.block_from ?? Number.NaN), Number(row.block_to ?? Number.NaN)];
  if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from <= to) return { from, to };
  say("has blocks that are no range");
  return null;
}

/** The same blocks as the fewest ranges. Reported where they do not rise without overlap. */
export function windowOf(pieces: readonly Range[], say: (problem: string) => void): readonly Range[] {
  const ranges: Range[] = [];
  for (const { from, to } of pieces) {
    const last = ranges.at(-1);
    if (last !== undefined && from <= last.to) say("names a block twice");
    if (last?.to === from - 1) ranges[ranges.length - 1] = { from: last.from, to };
    else ranges.push({ from, to });
  }
  return ranges;
}

export interface BlockState {
  readonly isNamed: boolean;
  readonly epsilon: bigint | null;
  readonly delta: bigint;
  /** How much more δ the ledger may have counted, as it rounds up. */
  readonly slack: bigint;
  readonly mu2: bigint | null;
  /** Whether `mu2` is not stored anywhere, but the most that may remain: after a raise, and of accounts. */
  readonly isMost: boolean;
}

/** One charge in the blocks of some ranges. */
export type Paying = (before: BlockState, block: number) => BlockState;

/** The states of all blocks. Blocks between two ends that the export names are alike, so there is one state for them. */
export interface BlockStates {
  pay(ranges: readonly Range[], paying: Paying): void;
  all(): readonly BlockState[];
  /** The stored runs of a node say just this: then the fullest of them, each amount by itself. */
  compare(runs: readonly Row[], opening: BlockState, report: (problem: string) => void): Fullest;
}

interface Fullest {
  readonly epsilon: bigint | null;
  readonly delta: bigint;
  readonly mu2: bigint | null;
}

/** The first blocks of the stretches that no stored range cuts, rising. */
export function cutsOf(ranges: Iterable<Range>): readonly number[] {
  const cuts = new Set<number>();
  for (const { from, to } of ranges) cuts.add(from).add(to + 1);
  return [...cuts].sort((a, b) => a - b);
}

/** Every block begins with `opening`. */
export function openStates(cuts: readonly number[], opening: BlockState): BlockStates {
  const states = cuts.map(() => opening);
  const place = (block: number): number => {
    let [low, high] = [0, cuts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cuts[middle] ?? Number.POSITIVE_INFINITY) < block) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const stretches = function* ({ from, to }: Range): Generator<readonly [number, BlockState]> {
    for (let at = place(from); at < place(to + 1); at++) {
      const state = states[at];
      if (state !== undefined) yield [at, state];
    }
  };
  return {
    pay: (ranges, paying) => {
      for (const range of ranges)
        for (const [at, state] of stretches(range)) states[at] = paying(state, cuts[at] ?? range.from);
    },
    all: () => states,
    compare: (runs, start, report) => {
      const seen = new Set<number>();
      let last = Number.NEGATIVE_INFINITY;
      let most: Fullest = start;
      for (const run of runs) {
        const range = rangeOf(run, report);
        if (range === null) continue;
        if (range.from <= last) report("has a block twice");
        last = range.to;
        const stored = {
          epsilon: units(run.state_epsilon),
          delta: units(run.state_delta) ?? 0n,
          mu2: units(run.state_remaining_mu2),
        };
        most = fuller(most, stored);
        for (const [at, state] of stretches(range)) {
          seen.add(at);
          if (!agrees(stored, state)) report(`has another sum in block ${cuts[at]} than its charges`);
        }
      }
      if (states.some(({ isNamed }, at) => isNamed && !seen.has(at))) report("lacks a block that a charge named");
      return most;
    },
  };
}

const fuller = (a: Fullest, b: Fullest): Fullest => ({
  epsilon: a.epsilon === null || b.epsilon === null ? null : a.epsilon > b.epsilon ? a.epsilon : b.epsilon,
  delta: a.delta > b.delta ? a.delta : b.delta,
  mu2: a.mu2 === null || b.mu2 === null ? null : a.mu2 < b.mu2 ? a.mu2 : b.mu2,
});

const agrees = (stored: Fullest, { isNamed, epsilon, delta, slack, mu2, isMost }: BlockState): boolean =>
  isNamed &&
  stored.epsilon === epsilon &&
  stored.delta >= delta &&
  stored.delta <= delta + slack &&
  isWithin(stored.mu2, { mu2, isMost });

/** Whether a stored r is the one that is known, or no more than the most that may remain. */
export const isWithin = (stored: bigint | null, { mu2, isMost }: Pick<BlockState, "mu2" | "isMost">): boolean =>
  stored === mu2 || (isMost && (stored === null || (mu2 !== null && stored < mu2)));
