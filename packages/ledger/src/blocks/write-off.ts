import {
  type ActiveRuleRow,
  activeRuleRow,
  admitBlocks,
  type BlockPiece,
  type BlockRange,
  type BlockStates,
  blockAt,
  type DeltaAmount,
  type DpEvent,
  type EpsilonAmount,
  FIRST_DAY,
  type FilterState,
  formatDelta,
  formatEpsilon,
  leastRoom,
  type Mu2Amount,
  PrivacyError,
  periodOfDay,
  priceEvents,
} from "@dosimeter/core";
import { NO_EPSILON } from "@dosimeter/core/internal";
import type { Writing } from "../audit/chain.ts";
import type { Context } from "../context.ts";
import { appendEntry } from "../ledger/entry.ts";
import { capsOf, stateColumns } from "../ledger/node.ts";
import type { Tables } from "../stores/tables.ts";
import type { PrincipalId } from "../values/id.ts";
import type { LedgerBlocks, Quota } from "../values/terms.ts";
import { blockStates, putPieces, writeBlockStates } from "./runs.ts";

export interface BlockWriteOff extends Quota {
  readonly blocks: LedgerBlocks;
  /** Whether a checkpoint says what the fullest block had spent, and of no other block how much: then each is brought up to it. */
  readonly isLevelled: boolean;
  /** What the fullest block is known to have lost, of ε, which the written-off ε includes, and of remaining μ²; the newest block that a lost charge may have named. */
  readonly missing: { readonly epsilon: bigint; readonly mu2: bigint; readonly through: number | null };
  readonly by: PrincipalId;
}

/**
 * Writes off, in every block that has begun, what charges may have spent that this database lacks: an entry and an audit line for each run of equal
 * blocks. BUDGET_EXHAUSTED where one has no room. [M169] [M308]
 */
export async function writeOffBlocks(
  context: Context,
  { tx, chain }: Writing,
  row: Tables["ledger"],
  writeOff: BlockWriteOff,
): Promise<Tables["ledger"]> {
  const { by } = writeOff;
  const caps = capsOf(row);
  const before = await blockStates(tx, row.id);
  let states: BlockStates = before;
  let after = row;
  const now = await latestTime(context, tx);
  const eventsOf = writeOff.isLevelled ? levelling(row, writeOff) : () => approximate(writeOff.epsilon, writeOff.delta);
  for (const piece of piecesThere({ row, states, writeOff, now })) {
    const [state] = piece.before;
    const events = state === undefined ? [] : eventsOf(state);
    if (events.length === 0) continue;
    const decided = admitBlocks(row.active_rule, [{ caps, states }], [piece], { events });
    if (!decided.admitted) throw noRoom();
    states = decided.states[0] ?? states;
    const line = { kind: "writeOff", principal_id: by, active_rule: row.active_rule, events } as const;
    const entry = await appendEntry(context, tx, after, {
      ...{ ...line, price: priceEvents(events, "addRemove"), remaining_mu2_before: null, remaining_mu2_after: null },
    });
    await putPieces(tx, entry.seq, decided.pieces);
    after = { ...after, entries: entry.number, head_hash: entry.hash };
    const detail = { entry: Number(entry.number), entryHash: entry.hash, from: piece.from, to: piece.to };
    chain.append({ actor: by, action: "ledger.writeOff", subject: row.id, ledger: row.id, detail });
  }
  await writeBlockStates(tx, row.id, { before, after: states });
  return { ...after, ...stateColumns(leastRoom({ caps, states })) };
}

/**
 * In seconds of UTC: what the clock says, or the latest time of the audit where that is later. The clock of a restored machine can be behind, and
 * has dated the newest lines already.
 */
async function latestTime({ store }: Context, { db }: Writing["tx"]): Promise<number> {
  const { at } = await db
    .selectFrom("audit")
    .select(({ fn }) => fn.max("at").as("at"))
    .executeTakeFirstOrThrow();
  return Math.max(Date.parse(store.now()), Date.parse(at)) / 1000;
}

/** Every block that has begun, has a state or had one at the checkpoint, as runs of equal ones: a lost charge may have named any of them. */
function piecesThere({
  row,
  states,
  writeOff: {
    blocks,
    missing: { through },
  },
  now,
}: {
  readonly row: Tables["ledger"];
  readonly states: BlockStates;
  readonly writeOff: BlockWriteOff;
  readonly now: number;
}): readonly BlockPiece[] {
  const { every } = blocks;
  const begun = blockAt(blocks, now);
  const range: BlockRange = {
    from: periodOfDay(FIRST_DAY, every),
    to: Math.max(begun, states.at(-1)?.to ?? begun, through ?? begun),
  };
  const found = admitBlocks(row.active_rule, [{ caps: capsOf(row), states }], [range], { events: [] });
  return found.admitted ? found.pieces : [];
}

/** A unit of μ², 10⁻¹². */
const UNIT: DpEvent = { kind: "gdp", mu: "1/1000000" };

/** Brings a block up to the fullest one that the checkpoint knew, and to what was stated on top. */
function levelling(
  row: Tables["ledger"],
  { epsilon, delta, missing }: BlockWriteOff,
): (state: FilterState) => readonly DpEvent[] {
  const moreDelta = (state: FilterState) => (row.state_delta + delta - state.delta) as DeltaAmount;
  const levellings = {
    epsilon: () => (state) =>
      approximate(((row.state_epsilon ?? 0n) + epsilon - (state.epsilon ?? 0n)) as EpsilonAmount, moreDelta(state)),
    mu2: () => {
      const least = leastAfter(row, approximate((epsilon - missing.epsilon) as EpsilonAmount, delta), missing.mu2);
      return (state) => {
        const lost = state.mu2 === null ? 0n : state.mu2 - least;
        const inMu2: readonly DpEvent[] = lost > 0n ? [{ kind: "repeated", count: Number(lost), event: UNIT }] : [];
        return [...approximate(NO_EPSILON, moreDelta(state)), ...inMu2];
      };
    },
  } as const satisfies Record<ActiveRuleRow["counts"], () => (state: FilterState) => readonly DpEvent[]>;
  return levellings[activeRuleRow(row.active_rule).counts]();
}

/** Left of μ² in the fullest block after the known loss, and then after the stated one. */
function leastAfter(row: Tables["ledger"], more: readonly DpEvent[], missing: bigint): bigint {
  const known = (row.state_remaining_mu2 ?? 0n) - missing;
  if (known < 0n) throw noRoom();
  const state: FilterState = { epsilon: null, delta: row.state_delta, mu2: known as Mu2Amount };
  const range = { from: 0, to: 0 };
  const decided = admitBlocks(row.active_rule, [{ caps: capsOf(row), states: [{ ...range, value: state }] }], [range], {
    events: more,
  });
  const left = decided.admitted ? decided.states[0]?.[0]?.value.mu2 : null;
  if (left === null || left === undefined) throw noRoom();
  return left;
}

const noRoom = (): PrivacyError =>
  new PrivacyError("BUDGET_EXHAUSTED", {}, "a block has no room for this write-off; the ledger stays frozen");

export const approximate = (epsilon: EpsilonAmount, delta: DeltaAmount): readonly DpEvent[] =>
  epsilon === 0n && delta === 0n
    ? []
    : [{ kind: "approximate", epsilon: formatEpsilon(epsilon), delta: formatDelta(delta) }];
