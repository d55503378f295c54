import {
  type Adjacency,
  type BlockStates,
  type Caps,
  type FilterState,
  leastRoom,
  replayBlocks,
} from "@dosimeter/core";
import { type Pieces, windowed } from "./block-runs.ts";
import { type PastCharge, stateAfter } from "./replay.ts";

/**
 * What a node has counted after a history under these caps; the same bits on every run of a build. `pieces` says which blocks its charges named,
 * null where the ledger has none. With blocks, `runs` is what each has counted and `state` the most that any has: there is room where all have some.
 */
export function refolded(
  caps: Caps,
  history: readonly PastCharge[],
  { adjacency, pieces }: { readonly adjacency: Adjacency; readonly pieces: Pieces | null },
): { readonly state: FilterState; readonly runs: BlockStates | null } {
  if (pieces === null) return { state: stateAfter(caps, history, adjacency), runs: null };
  const runs = replayBlocks(caps, windowed(pieces, history));
  return { state: leastRoom({ caps, states: runs }), runs };
}
