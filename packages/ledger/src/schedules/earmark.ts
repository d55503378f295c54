import {
  activeRuleRow,
  admitBlocks,
  type BlockRange,
  type BlockStates,
  type CalendarUnit,
  type DpEvent,
  formatDate,
  invalid,
  PrivacyError,
  priceEvents,
  quotaCaps,
  type Terms,
} from "@dosimeter/core";
import { decideBlocks, type OverBlocks } from "../blocks/charge.ts";
import { runsOf } from "../blocks/runs.ts";
import type { NodeRow } from "../ledger/node.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { Quota } from "../values/terms.ts";

/** The most blocks that one report covers: each of them pays that often, and all of it is computed when the schedule is made. */
export const MAX_LATEST = 60;
/** The most reports that are computed ahead: those of the blocks that are over, and of the windows that still reach back to them. */
const MAX_AHEAD = 180;
/** Halvings that find what a fold needs: to a millionth of the lifetime, rounded up. */
const HALVINGS = 20;

/** The blocks of the report that is due when `block` is over. */
export const windowOfReport = (block: number, latest: number): BlockRange => ({ from: block - latest + 1, to: block });

/**
 * The least quota with which an account pays for these events in `reports` charges on one block. Exact where ε adds up; where μ² is counted,
 * within a millionth of the lifetime, rounded up, as a pure answer takes more μ² the less is left [M23]. QUOTA_UNAVAILABLE where no quota does.
 */
export function earmarkOf(
  { activeRule, terms }: { readonly activeRule: Tables["ledger"]["active_rule"]; readonly terms: Terms },
  events: readonly DpEvent[],
  reports: number,
): Quota {
  const price = priceEvents(events, terms.adjacency);
  // An account's room for δ is its part of what the ledger sets aside for it, rounded down.
  const needed = price.delta * BigInt(reports) * terms.delta;
  const delta = terms.deltaSelection === 0n ? 0n : (needed + terms.deltaSelection - 1n) / terms.deltaSelection;
  const quota = (epsilon: bigint): Quota => ({ epsilon, delta }) as Quota;
  const isEnough = (epsilon: bigint): boolean => {
    const caps = quotaCaps(terms, quota(epsilon), "share");
    let states: BlockStates = [];
    for (let report = 0; report < reports; report++) {
      const decided = admitBlocks(activeRule, [{ caps, states }], [{ from: 0, to: 0 }], { events });
      if (!decided.admitted) return false;
      states = decided.states[0] ?? [];
    }
    return true;
  };
  const added = price.epsilon === null ? null : price.epsilon * BigInt(reports);
  if (activeRuleRow(activeRule).counts === "epsilon" && added !== null && isEnough(added)) return quota(added);
  if (!isEnough(terms.epsilon))
    throw new PrivacyError("QUOTA_UNAVAILABLE", {
      name: "schedule",
      got: `${reports} reports`,
      want: "reports that the lifetime of one block can pay for",
    });
  let [low, high] = [0n, terms.epsilon as bigint];
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2n;
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return quota(high);
}

interface Ahead {
  readonly first: number;
  readonly latest: number;
  readonly events: readonly DpEvent[];
}

/**
 * Refuses reports for which a block that is there has no room, in the ledger or in an account above: each block pays for all windows that
 * cover it. Nothing is written; the error names the block and the report.
 */
export async function refuseFullBlocks(
  tx: Pick<Tx, "db">,
  over: Pick<OverBlocks, "ledger" | "path" | "blocks" | "mostCharges">,
  { first, latest, events }: Ahead,
): Promise<void> {
  const nodes: readonly NodeRow[] = [over.ledger, ...over.path];
  let runs = await runsOf(tx, nodes);
  const through = Math.max(first, ...runs.map((states) => states.at(-1)?.to ?? first));
  const last = through + latest - 1;
  const { every } = over.blocks;
  if (last - first >= MAX_AHEAD)
    invalid(
      "from",
      formatDate(first, every),
      `at most ${MAX_AHEAD - latest} ${every}s before the newest that was asked about`,
    );
  // Only the blocks that these windows cover: a decision copies all the runs that it is given.
  runs = runs.map((states) => states.filter(({ to }) => to > first - latest));
  for (let block = first; block <= last; block++) {
    try {
      runs = decideBlocks({ ...over, runs, window: [windowOfReport(block, latest)] }, { events }).runs;
    } catch (error) {
      throw explained(error, every, block);
    }
  }
}

function explained(error: unknown, every: CalendarUnit, block: number): unknown {
  if (!(error instanceof PrivacyError)) return error;
  const report = formatDate(block, every);
  return new PrivacyError(
    error.code,
    { ...error.details, report },
    `the reports need more of a ${every} than is left there, from the one of ${report} on: ${error.message}`,
  );
}
