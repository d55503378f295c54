import type { Context } from "../context.ts";
import type { LedgerId } from "../id.ts";
import { freezeRows } from "../ledger/gap.ts";
import type { Tx } from "../store.ts";
import { change } from "./chain.ts";

/** Sums of one ledger, in units as decimal strings. */
export interface KeptSums {
  readonly epsilon: string | null;
  readonly delta: string;
  readonly residue: string | null;
}

/** What is kept outside the database, so that books restored from a backup are noticed: they have forgotten charges. */
export interface Checkpoint {
  /** Hash of the first audit line: which books these are. */
  readonly books: string;
  /** The newest audit line. */
  readonly seq: string;
  readonly hash: string;
  readonly ledgers: Readonly<Record<string, KeptSums>>;
}

/** Null while nothing has happened. */
export function checkpoint({ store }: Context): Promise<Checkpoint | null> {
  return store.snapshot(async (db) => {
    const first = await lineAt(db, 1n);
    const last = await db
      .selectFrom("audit")
      .select(["seq", "hash"])
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst();
    if (first === undefined || last === undefined) return null;
    const sums = await sumsOf(db);
    return { books: first.hash, seq: String(last.seq), hash: last.hash, ledgers: Object.fromEntries(sums) };
  });
}

/**
 * Freezes every open ledger when these books end before the checkpoint or continue otherwise; answers which. The audit line
 * says what is missing at least: `reopen` takes no less. Other books than the checkpoint's are left alone.
 */
export function confront(context: Context, kept: Checkpoint, by: string): Promise<readonly LedgerId[]> {
  return change(context, async (tx, chain) => {
    const first = await lineAt(tx.db, 1n);
    if (first?.hash !== kept.books) return [];
    if ((await lineAt(tx.db, BigInt(kept.seq)))?.hash === kept.hash) return [];
    const sums = await sumsOf(tx.db);
    return freezeRows(
      { tx, chain },
      {
        by,
        reason: "the books were restored from a backup: charges made after it are missing",
        missing: (id) => gap(sums.get(id), kept.ledgers[id]),
      },
    );
  });
}

const lineAt = (db: Tx["db"], seq: bigint) =>
  db.selectFrom("audit").select("hash").where("seq", "=", seq).executeTakeFirst();

async function sumsOf(db: Tx["db"]): Promise<ReadonlyMap<string, KeptSums>> {
  const rows = await db.selectFrom("ledger").select(["id", "state_epsilon", "state_delta", "state_residue"]).execute();
  return new Map(
    rows.map(({ id, state_epsilon, state_delta, state_residue }) => [
      id,
      { epsilon: text(state_epsilon), delta: String(state_delta), residue: text(state_residue) },
    ]),
  );
}

const text = (units: bigint | null): string | null => (units === null ? null : String(units));

/** What the checkpoint had counted and these books have not. */
export interface Missing {
  readonly epsilon: bigint;
  readonly delta: bigint;
  /** Of r. */
  readonly residue: bigint;
}

function gap(now: KeptSums | undefined, then: KeptSums | undefined): Missing {
  const more = (a: string | null | undefined, b: string | null | undefined): bigint => {
    const difference = BigInt(a ?? 0) - BigInt(b ?? 0);
    return difference > 0n ? difference : 0n;
  };
  return {
    epsilon: more(then?.epsilon, now?.epsilon),
    delta: more(then?.delta, now?.delta),
    residue: then === undefined ? 0n : more(now?.residue, then.residue),
  };
}
