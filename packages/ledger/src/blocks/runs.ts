import {
  type BlockPiece,
  type BlockRange,
  type BlockStates,
  type BlockStep,
  countedTwice,
  FIRST_DAY,
  type FilterState,
  periodOfDay,
  sameStates,
} from "@dosimeter/core";
import type { PastCharge } from "../ledger/replay.ts";
import { rowsOf, rowsWith } from "../stores/row.ts";
import type { Tx, Value } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { LedgerId } from "../values/id.ts";
import { blocksOfTerms, type LedgerBlocks } from "../values/terms.ts";

const RUNS = "SELECT * FROM block_run WHERE node_id = ? ORDER BY block_from";
const DROP = "DELETE FROM block_run WHERE node_id = ? AND block_from = ?";
const PUT = `INSERT INTO block_run (node_id, block_from, block_to, state_epsilon, state_delta, state_remaining_mu2)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (node_id, block_from) DO UPDATE SET block_to = excluded.block_to,
  state_epsilon = excluded.state_epsilon, state_delta = excluded.state_delta, state_remaining_mu2 = excluded.state_remaining_mu2`;
const PUT_PIECES = `INSERT INTO charge_block (entry_seq, block_from, block_to, remaining_mu2_before, remaining_mu2_after)
  VALUES (?, ?, ?, ?, ?)`;

export async function blockStates({ db }: Pick<Tx, "db">, node: string): Promise<BlockStates> {
  const rows = await rowsOf<Tables["block_run"]>(db, RUNS, [node]);
  return rows.map(({ block_from, block_to, state_epsilon: epsilon, state_delta: delta, state_remaining_mu2: mu2 }) => ({
    from: Number(block_from),
    to: Number(block_to),
    value: { epsilon, delta, mu2 },
  }));
}

/** The same of several nodes. One after another: a snapshot is one connection. */
export async function runsOf(
  tx: Pick<Tx, "db">,
  nodes: readonly { readonly id: string }[],
): Promise<readonly BlockStates[]> {
  const runs: BlockStates[] = [];
  for (const { id } of nodes) runs.push(await blockStates(tx, id));
  return runs;
}

const runValues = (node: string, { from, to, value }: BlockStates[number]): readonly Value[] => [
  node,
  BigInt(from),
  BigInt(to),
  value.epsilon,
  value.delta,
  value.mu2,
];

/** Writes the runs that changed: where few blocks did, few rows. */
export async function writeBlockStates(
  tx: Pick<Tx, "many">,
  node: string,
  { before, after }: { readonly before: BlockStates; readonly after: BlockStates },
): Promise<void> {
  const known = new Map(before.map((run) => [run.from, run]));
  const kept = new Set(after.map(({ from }) => from));
  const gone = before.filter(({ from }) => !kept.has(from));
  const changed = after.filter((run) => {
    const old = known.get(run.from);
    return old === undefined || !sameStates([run], [old]);
  });
  if (gone.length > 0)
    await tx.many(
      DROP,
      gone.map(({ from }) => [node, BigInt(from)]),
    );
  await tx.many(
    PUT,
    changed.map((run) => runValues(node, run)),
  );
}

/** Writes which blocks a charge named, and what it took of the ledger there. */
export const putPieces = (tx: Pick<Tx, "many">, entry: bigint, pieces: readonly BlockPiece[]): Promise<void> =>
  tx.many(
    PUT_PIECES,
    pieces.map(({ from, to, before: [before], after: [after] }) => [
      entry,
      BigInt(from),
      BigInt(to),
      before?.mu2 ?? null,
      after?.mu2 ?? null,
    ]),
  );

export interface StoredPiece extends BlockRange {
  readonly before: FilterState["mu2"];
  readonly after: FilterState["mu2"];
}

export type Pieces = ReadonlyMap<bigint, readonly StoredPiece[]>;

export async function blocksOfEntry({ db }: Pick<Tx, "db">, entry: bigint): Promise<readonly BlockRange[]> {
  const pieces = await rowsWith(db, "charge_block", { entry_seq: entry }, "block_from");
  return pieces.map(({ block_from, block_to }) => ({ from: Number(block_from), to: Number(block_to) }));
}

/** The stored pieces of a ledger, in the order of their charges. */
export const chargeBlocks = (db: Tx["db"], ledger: LedgerId) =>
  db
    .selectFrom("charge_block")
    .innerJoin("entry", "entry.seq", "charge_block.entry_seq")
    .selectAll("charge_block")
    .where("entry.ledger_id", "=", ledger)
    .orderBy("charge_block.entry_seq")
    .orderBy("charge_block.block_from");

const piecesOf = async ({ db }: Pick<Tx, "db">, ledger: LedgerId): Promise<Pieces> =>
  byEntries(await chargeBlocks(db, ledger).execute());

/** Which blocks the charges of a ledger are about; null where it has none. */
export async function namedOn(
  tx: Pick<Tx, "db">,
  { id, terms }: Pick<Tables["ledger"], "id" | "terms">,
): Promise<Named | null> {
  const blocks = blocksOfTerms(terms);
  return blocks === null ? null : { pieces: await piecesOf(tx, id), blocks };
}

/** Those of all ledgers. */
export const allPieces = async ({ db }: Pick<Tx, "db">): Promise<Pieces> =>
  byEntries(await db.selectFrom("charge_block").selectAll().orderBy("entry_seq").orderBy("block_from").execute());

function byEntries(rows: readonly Tables["charge_block"][]): Pieces {
  const byEntry = Map.groupBy(rows, ({ entry_seq }) => entry_seq);
  return new Map(
    [...byEntry].map(([entry, pieces]) => [
      entry,
      pieces.map((piece) => ({
        from: Number(piece.block_from),
        to: Number(piece.block_to),
        before: piece.remaining_mu2_before,
        after: piece.remaining_mu2_after,
      })),
    ]),
  );
}

/** Which blocks the charges of a ledger are about: as stored, and for those from before it had blocks, as its terms say. */
export interface Named {
  readonly pieces: Pieces;
  readonly blocks: LedgerBlocks;
}

/** The blocks that what was charged before there were any is about: every one of which rows may have been measured. [M168] */
export const earlierBlocks = ({ every, earlier }: LedgerBlocks): readonly BlockRange[] =>
  earlier === undefined ? [] : [{ from: periodOfDay(FIRST_DAY, every), to: earlier.through }];

export function windowed({ pieces, blocks }: Named, history: readonly PastCharge[]): readonly BlockStep[] {
  const earlier = earlierBlocks(blocks);
  return history.map((charge) => ({
    ...charge,
    window: pieces.get(charge.entry) ?? (charge.events.length === 0 ? [] : earlier),
  }));
}

/** The history of the ledger itself, which may count twice what was charged before it had blocks; its accounts do not. [M168] */
export const countedByLedger = ({ pieces, blocks }: Named, history: readonly PastCharge[]): readonly PastCharge[] =>
  blocks.earlier?.times === 2
    ? history.map((charge) => (pieces.has(charge.entry) ? charge : asTwice(charge)))
    : history;

const asTwice = (charge: PastCharge): PastCharge => ({ ...charge, events: countedTwice(charge.events), quotes: [] });
