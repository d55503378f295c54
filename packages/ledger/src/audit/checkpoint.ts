import {
  type ActiveRule,
  deltaFromUnits,
  epsilonFromUnits,
  type Mu2Amount,
  mu2FromUnits,
  nextRule,
} from "@dosimeter/core";
import type { Context } from "../context.ts";
import { atLeastZero, minus, NOTHING as NO_QUOTA } from "../ledger/amounts.ts";
import { freezeRow, type Missing, missingOf } from "../ledger/restore-gap.ts";
import { systemPrincipal } from "../people/principal.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { LedgerId } from "../values/id.ts";
import { change } from "./change.ts";

/** Sums of one ledger, with what is known to be missing from them, in units as decimal strings. */
interface KeptSums {
  readonly lane: ActiveRule;
  readonly epsilon: string | null;
  readonly delta: string;
  readonly residue: string | null;
}

/** What is kept outside the database, so that a database restored from a backup, which lacks charges, is noticed. */
export interface Checkpoint {
  /** Hash of the first audit line, which identifies the database. The field keeps its name in existing files. */
  readonly books: string;
  /** The newest audit line. */
  readonly seq: string;
  readonly hash: string;
  readonly ledgers: Readonly<Record<string, KeptSums>>;
}

/** The checkpoint now; null while the audit is empty, or has no line after the one with the hash `known`. */
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
 * Freezes every ledger when this database ends before the checkpoint or continues otherwise, and returns their ids. The audit
 * line says what is missing at least; `reopenLedger` takes no less. The checkpoint of another database changes nothing.
 */
export function compareCheckpoint(context: Context, kept: Checkpoint): Promise<readonly LedgerId[]> {
  const by = systemPrincipal;
  return change(context, async (tx, chain) => {
    const first = await lineAt(tx.db, 1n);
    if (first?.hash !== kept.books) return [];
    if ((await lineAt(tx.db, BigInt(kept.seq)))?.hash === kept.hash) return [];
    const frozen: LedgerId[] = [];
    for (const row of await tx.db.selectFrom("ledger").selectAll().execute()) {
      const missing = missingFrom(row, kept.ledgers[row.id]);
      await freezeRow({ tx, chain }, row, { by, reason: RESTORED, missing });
      frozen.push(row.id);
    }
    for (const id of Object.keys(kept.ledgers).filter((id) => !(frozen as readonly string[]).includes(id)))
      chain.append({ actor: by, action: "ledger.gone", subject: id, detail: { reason: RESTORED } });
    return frozen;
  });
}

const RESTORED = "the ledger database was restored from a backup: charges made after it are missing";

const lineAt = (db: Tx["db"], seq: bigint) =>
  db.selectFrom("audit").select("hash").where("seq", "=", seq).executeTakeFirst();

/** The known spending: state and unpaid restore gap together. */
async function sumsOf(db: Tx["db"]): Promise<ReadonlyMap<string, KeptSums>> {
  const rows = await db.selectFrom("ledger").selectAll().execute();
  const sums = rows.map(async ({ id, lane, status, state_epsilon, state_delta, state_residue }) => {
    // An open ledger has paid its restore gap, so the audit need not be searched every second.
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

const NOTHING: Missing = { ...NO_QUOTA, residue: 0n as Mu2Amount, lane: null };

/** A sum that has become null adds nothing: the remaining μ² then holds the whole loss, and its rule is kept. */
function missingFrom(now: Tables["ledger"], then: KeptSums | undefined): Missing {
  if (then === undefined) return NOTHING;
  const above = <A extends bigint>(a: A, b: A): A => atLeastZero(minus(a, b));
  return {
    epsilon:
      then.epsilon === null || now.state_epsilon === null
        ? epsilonFromUnits(then.epsilon ?? "0")
        : above(epsilonFromUnits(then.epsilon), now.state_epsilon),
    delta: above(deltaFromUnits(then.delta), now.state_delta),
    residue: now.state_residue === null ? NOTHING.residue : above(now.state_residue, mu2FromUnits(then.residue ?? "0")),
    lane: then.lane === nextRule(now.rule, now.lane) ? then.lane : null,
  };
}
