import { admit, type DpEvent, type FilterNode } from "@dosimeter/core";
import type { SpendHistory } from "./history.ts";

/** How many more charges like the last ones would be admitted, in turn, by the ledger and every account on the path. */
export interface MoreLike {
  readonly count: number;
  /** Counting stopped at `count`, so there may be more. */
  readonly isAtLeast: boolean;
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
  if (pattern.length === 0) return null;
  let nodes: readonly FilterNode[] = path;
  let { lane: activeRule } = admissionTerms;
  for (let count = 0; count < MAX_COUNT; count++) {
    const decided = admit({ ...admissionTerms, lane: activeRule }, nodes, pattern[count % pattern.length] ?? []);
    if (!decided.admitted) return { count, isAtLeast: false, like: pattern.length };
    activeRule = decided.lane;
    nodes = nodes.map(({ caps, state }, index) => ({ caps, state: decided.states[index] ?? state }));
  }
  return { count: MAX_COUNT, isAtLeast: true, like: pattern.length };
}
