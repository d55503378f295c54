import type { Context } from "../context.ts";
import { freezeRow, type Missing, missingOf } from "../ledger/restore-gap.ts";
import { systemPrincipal } from "../people/principal.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { LedgerId } from "../values/id.ts";
import { change } from "./change.ts";

/** Sums of one ledger, with what is known to be missing from them, in units as decimal strings. */
export interface KeptSums {
  readonly lane: string;
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

/** Null while nothing has happened, or nothing since the line with the hash `known`. */
export async function checkpoint({ store }: Context, known?: string): Promise<Checkpoint | null> {
  const newest = await store.read.selectFrom("audit").select("hash").orderBy("seq", "desc").limit(1).executeTakeFirst();
  if (newest?.hash === known) return null;
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
 * Freezes every ledger when these books end before the checkpoint or continue otherwise; answers which. The audit line says
 * what is missing at least: `reopen` takes no less. Other books than the checkpoint's are left alone.
 */
export function compareCheckpoint(context: Context, kept: Checkpoint): Promise<readonly LedgerId[]> {
  const by = systemPrincipal;
  return change(context, async (tx, chain) => {
    const first = await lineAt(tx.db, 1n);
    if (first?.hash !== kept.books) return [];
    if ((await lineAt(tx.db, BigInt(kept.seq)))?.hash === kept.hash) return [];
    const frozen: LedgerId[] = [];
    for (const row of await tx.db.selectFrom("ledger").selectAll().execute()) {
      const missing = gap(row, kept.ledgers[row.id]);
      await freezeRow({ tx, chain }, row, { by, reason: RESTORED, missing });
      frozen.push(row.id as LedgerId);
    }
    for (const id of Object.keys(kept.ledgers).filter((id) => !frozen.includes(id as LedgerId)))
      chain.append({ actor: by, action: "ledger.gone", subject: id, detail: { reason: RESTORED } });
    return frozen;
  });
}

const RESTORED = "the books were restored from a backup: what came after it is missing";

const lineAt = (db: Tx["db"], seq: bigint) =>
  db.selectFrom("audit").select("hash").where("seq", "=", seq).executeTakeFirst();

/** State and unpaid gap together: what is known to have been spent. */
async function sumsOf(db: Tx["db"]): Promise<ReadonlyMap<string, KeptSums>> {
  const rows = await db.selectFrom("ledger").selectAll().execute();
  const sums = rows.map(async ({ id, lane, status, state_epsilon, state_delta, state_residue }) => {
    // An open ledger has paid its gap: the audit, long and asked every second, need not be searched for it.
    const unpaid = status === "frozen" ? await missingOf({ db }, id) : NOTHING;
    const left = state_residue === null ? null : state_residue - unpaid.residue;
    return [
      id,
      {
        lane: unpaid.lane ?? lane,
        epsilon: text(state_epsilon === null ? null : state_epsilon + unpaid.epsilon),
        delta: String(state_delta + unpaid.delta),
        residue: text(left),
      },
    ] as const;
  });
  return new Map(await Promise.all(sums));
}

const text = (units: bigint | null): string | null => (units === null ? null : String(units));

const NOTHING: Missing = { epsilon: 0n, delta: 0n, residue: 0n, lane: null };

/** A sum that was lost since counts as nothing of its own: the residue then holds the whole loss, and its rule is kept. */
function gap(now: Tables["ledger"], then: KeptSums | undefined): Missing {
  if (then === undefined) return NOTHING;
  const above = (a: bigint, b: bigint): bigint => (a > b ? a - b : 0n);
  return {
    epsilon: then.epsilon === null ? 0n : above(BigInt(then.epsilon), now.state_epsilon ?? 0n),
    delta: above(BigInt(then.delta), now.state_delta),
    residue: now.state_residue === null ? 0n : above(now.state_residue, BigInt(then.residue ?? 0)),
    lane: then.lane === "tight" && now.lane === "addition" ? "tight" : null,
  };
}
