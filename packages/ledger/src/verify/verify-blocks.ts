import {
  type BlockStates,
  type BlockStep,
  type Caps,
  type DpEvent,
  type FilterState,
  leastRoom,
  type Mu2Quote,
  payBlocks,
  priceEvents,
  type StoredBlockStep,
  sameStates,
  verifyBlocks,
} from "@dosimeter/core";
import { blockStates, type StoredPiece } from "../blocks/runs.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { blocksOfTerms } from "../values/terms.ts";
import type { VerifyingLedger } from "./verify-steps.ts";

/** Checks the charges of a ledger with blocks, one after another, and then what it has stored of them. */
export interface BlockVerifier {
  charge(entry: Tables["entry"], stored: StoredCharge): void;
  /** From here on other caps hold in every block: what was charged until then is checked, and replayed under them. [M166] */
  amend(caps: Caps): void;
  /** The states to compare the ledger with. */
  close(): { readonly states: BlockStates; readonly most: FilterState };
}

/** What is stored with an entry: its blocks, and the plan prices of a charge that was copied from before there were any. */
interface StoredCharge {
  readonly pieces: readonly StoredPiece[];
  readonly quotes: readonly Mu2Quote[];
}

/** `earlier`: what was charged before the ledger had blocks, as these count it. [M168] */
export function blockVerifier(
  { ledger, report, vouched }: VerifyingLedger,
  opening: Caps,
  earlier: readonly BlockStep[] = [],
): BlockVerifier {
  let caps = opening;
  let states: BlockStates = [];
  let steps: StoredBlockStep[];
  const hadNone = blocksOfTerms(ledger.terms)?.earlier !== undefined;
  const check = (): void => {
    for (const { index, block, problem } of verifyBlocks({ caps, rule: ledger.active_rule }, steps))
      report("entry", ledger.id, `charge ${index + 1} in block ${block}: ${problem}`);
  };
  const replayed = (history: readonly BlockStep[]): StoredBlockStep[] => {
    states = [];
    return history.map((step) => {
      const paid = payBlocks({ caps, states }, step);
      states = paid.states;
      return { ...step, pieces: paid.pieces };
    });
  };
  steps = replayed(earlier);
  return {
    charge: (entry, { pieces: named, quotes }) => {
      const id = `${ledger.id}/${entry.number}`;
      const events = JSON.parse(entry.events) as DpEvent[];
      const price = priceEvents(events, "addRemove");
      if (entry.price_epsilon !== price.epsilon || entry.price_delta !== price.delta)
        report("entry", id, "has another price");
      if (entry.remaining_mu2_before !== null || entry.remaining_mu2_after !== null)
        report("entry", id, "has one remaining μ² for all blocks");
      // Nothing was written off, or an answer from before there were blocks was used again.
      const mayNameNone = entry.kind === "writeOff" || hadNone;
      if (named.length === 0 && !(mayNameNone && entry.events === "[]")) report("charge_block", id, "names no block");
      // Of a charge the request has the hash of its blocks.
      if (entry.kind === "writeOff" && windowText(named) !== JSON.stringify(vouched.windows.get(entry.hash) ?? []))
        report("charge_block", id, "names other blocks than its audit line");
      const pieces = named.flatMap((piece) => {
        const paid = payBlocks({ caps, states }, { events, activeRule: entry.active_rule, quotes, window: [piece] });
        states = paid.states;
        if (paid.pieces.some(({ before, after }) => before.mu2 !== piece.before || after.mu2 !== piece.after))
          report("charge_block", `${id} ${piece.from}`, "has another remaining μ²");
        return paid.pieces;
      });
      steps.push({ events, activeRule: entry.active_rule, quotes, pieces });
    },
    amend: (raised) => {
      check();
      caps = raised;
      steps = replayed(steps.map((step) => ({ ...step, window: step.pieces })));
    },
    close: () => {
      check();
      return { states, most: leastRoom({ caps, states }) };
    },
  };
}

/** The blocks as audit lines write them: neighbouring pieces as one range. */
function windowText(pieces: readonly StoredPiece[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const { from, to } of pieces) {
    const last = ranges.at(-1);
    if (last?.[1] === from - 1) last[1] = to;
    else ranges.push([from, to]);
  }
  return JSON.stringify(ranges);
}

/** Whether the stored runs of a node are these. */
export async function verifyRuns(
  db: Tx["db"],
  { report, nodes }: Pick<VerifyingLedger, "report" | "nodes">,
  { id, states }: { readonly id: Tables["block_run"]["node_id"]; readonly states: BlockStates },
): Promise<void> {
  nodes.delete(id);
  if (!sameStates(await blockStates({ db }, id), states))
    report("block_run", id, "has other states in its blocks than its charges");
}
