import {
  type BlockStates,
  type Caps,
  type DpEvent,
  type FilterState,
  leastRoom,
  payBlocks,
  priceEvents,
  type StoredBlockStep,
  sameStates,
  verifyBlocks,
} from "@dosimeter/core";
import { readBlockStates, type StoredPiece } from "../ledger/block-runs.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { VerifyingLedger } from "./verify-ledger.ts";

/** Checks the charges of a ledger with blocks, one after another, and then what it has stored of them. */
export class BlockVerifier {
  private states: BlockStates = [];
  private readonly steps: StoredBlockStep[] = [];

  constructor(
    private readonly verifying: VerifyingLedger,
    private readonly caps: Caps,
  ) {}

  charge(entry: Tables["entry"], pieces: readonly StoredPiece[]): void {
    const { ledger, report } = this.verifying;
    const id = `${ledger.id}/${entry.number}`;
    const events = JSON.parse(entry.events) as DpEvent[];
    const price = priceEvents(events, "addRemove");
    if (entry.price_epsilon !== price.epsilon || entry.price_delta !== price.delta)
      report("entry", id, "has another price");
    if (entry.residue_before !== null || entry.residue_after !== null)
      report("entry", id, "has one remaining μ² for all blocks");
    if (pieces.length === 0) report("charge_block", id, "names no block");
    const found = pieces.flatMap((piece) => {
      const step = { events, activeRule: entry.lane, window: [piece] };
      const paid = payBlocks({ caps: this.caps, states: this.states }, step);
      this.states = paid.states;
      if (paid.pieces.some(({ before, after }) => before.residue !== piece.before || after.residue !== piece.after))
        report("charge_block", `${id} ${piece.from}`, "has another remaining μ²");
      return paid.pieces;
    });
    this.steps.push({ events, activeRule: entry.lane, pieces: found });
  }

  /** The states to compare the ledger with. */
  close(): { readonly states: BlockStates; readonly most: FilterState } {
    const { ledger, report } = this.verifying;
    for (const { index, block, problem } of verifyBlocks({ caps: this.caps, rule: ledger.lane }, this.steps))
      report("entry", ledger.id, `charge ${index + 1} in block ${block}: ${problem}`);
    return { states: this.states, most: leastRoom({ caps: this.caps, states: this.states }) };
  }
}

/** Whether the stored runs of a node are these. */
export async function verifyRuns(
  db: Tx["db"],
  { report, nodes }: Pick<VerifyingLedger, "report"> & { readonly nodes: Set<string> },
  { id, states }: { readonly id: Tables["block_run"]["node_id"]; readonly states: BlockStates },
): Promise<void> {
  nodes.delete(id);
  if (!sameStates(await readBlockStates({ db }, id), states))
    report("block_run", id, "has other states in its blocks than its charges");
}
