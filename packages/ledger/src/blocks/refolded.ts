import {
  type Adjacency,
  type BlockStates,
  type Caps,
  type FilterState,
  leastRoom,
  replayBlocks,
} from "@dosimeter/core";
import { type PastCharge, stateAfter } from "../ledger/replay.ts";
import { type Named, windowed } from "./runs.ts";

/**
 * What a node has counted after a history under these caps; the same bits on every run of a build. `named` says which blocks its charges are about,
 * null where the ledger has none. With blocks, `runs` is what each has counted and `state` the most that any has: there is room where all have some.
 */
export function refolded(
  caps: Caps,
  history: readonly PastCharge[],
  { adjacency, named }: { readonly adjacency: Adjacency; readonly named: Named | null },
): { readonly state: FilterState; readonly runs: BlockStates | null } {
  if (named === null) return { state: stateAfter(caps, history, adjacency), runs: null };
  const runs = replayBlocks(caps, windowed(named, history));
  return { state: leastRoom({ caps, states: runs }), runs };
}
