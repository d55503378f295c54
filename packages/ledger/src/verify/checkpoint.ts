import {
  type ActiveRule,
  deltaFromUnits,
  epsilonFromUnits,
  type Mu2Amount,
  mu2FromUnits,
  nextRule,
  PrivacyError,
} from "@dosimeter/core";
import { atLeastZero, minus } from "@dosimeter/core/internal";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { NOTHING as NO_QUOTA } from "../ledger/amounts.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { systemPrincipal } from "../people/principal.ts";
import { giveUp } from "../release/lease.ts";
import { LOST } from "../release/lost.ts";
import {
  firstWriteOff,
  freezeRow,
  isUnproven,
  type Missing,
  missingOf,
  type Proof,
  unprovenSince,
} from "../restore/restore-gap.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { ChargeId, LedgerId } from "../values/id.ts";
import { blocksOfTerms } from "../values/terms.ts";

/** Sums of one ledger, with what is known to be missing from them, in units as decimal strings. */
interface KeptSums {
  readonly activeRule: ActiveRule;
  readonly epsilon: string | null;
  readonly delta: string;
  readonly mu2: string | null;
  /** Only where it has blocks. */
  readonly hasBlocks?: true;
  /** Of the guarantee. */
  readonly version: string;
  /** The newest block that a charge had named, where one had: the clock of a restored machine may be behind it. [M169] */
  readonly through?: number;
}

/** What is kept outside the database, so that a database restored from a backup, which lacks charges or answers, is noticed. */
export interface Checkpoint {
  /** Hash of the first audit line, which identifies the database. */
  readonly database: string;
  /** The newest audit line. */
  readonly seq: string;
  readonly hash: string;
  readonly ledgers: Readonly<Record<string, KeptSums>>;
  /** The newest entry of all ledgers, and the charges that were not answered. */
  readonly entry: string;
  readonly pending: readonly ChargeId[];
  /** Charges may be missing of which nothing here knows, so that this is the newest state of no one else: a witness does not get it. */
  readonly isUnproven?: true;
}

/** What a witness keeps, and who signed it when the server asked: the name that it was signed for and the fingerprint of the key. */
export interface Witnessed {
  readonly kept: Checkpoint;
  readonly signedBy: string;
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
    const entry = await db.selectFrom("entry").select("seq").orderBy("seq", "desc").limit(1).executeTakeFirst();
    return {
      database: first.hash,
      seq: String(last.seq),
      hash: last.hash,
      ledgers: Object.fromEntries(sums),
      entry: String(entry?.seq ?? 0n),
      pending: (await pendingIn(db).select("id").execute()).map(({ id }) => id),
      ...((await mayLackCharges(db)) ? { isUnproven: true as const } : {}),
    };
  });
}

/** Whether the database has the newest line of this checkpoint at its place. */
export const continues = ({ store }: Context, kept: Checkpoint): Promise<boolean> => hasLine(store.read, kept);

const hasLine = async (db: Tx["db"], { seq, hash }: Checkpoint): Promise<boolean> =>
  (await lineAt(db, BigInt(seq)))?.hash === hash;

async function mayLackCharges(db: Tx["db"]): Promise<boolean> {
  const frozen = await db.selectFrom("ledger").select("id").where("status", "=", "frozen").execute();
  for (const { id } of frozen) if (isUnproven(await missingOf({ db }, id))) return true;
  return false;
}

/**
 * Names the witness of this database by who signs for it, while nothing is missing: a copy from before can then not bring along a witness of its own.
 * The first stays for good: else one person would name a witness of their own first, and restore a copy afterwards.
 */
export async function nameWitness(context: Context, signer: string): Promise<void> {
  const isKnown = async (db: Tx["db"]) => (await namedWitness(db)) !== null || (await mayLackCharges(db));
  if (await isKnown(context.store.read)) return;
  await change(context, async (tx, chain) => {
    if (await isKnown(tx.db)) return; // another server was first
    chain.append({ actor: by, action: NAMED, subject: signer });
  });
}

const NAMED = "witness.name";

const namedWitness = async (db: Tx["db"]): Promise<string | null> =>
  (
    await db
      .selectFrom("audit")
      .select("subject")
      .where("action", "=", NAMED)
      .orderBy("seq")
      .limit(1)
      .executeTakeFirst()
  )?.subject ?? null;

export const isItsWitness = async ({ store: { read } }: Context, signer: string): Promise<boolean> =>
  (await namedWitness(read)) === signer;

/** What the newest line of its own witness proves of a ledger; null where it is no witness of this database, or does not know the ledger. */
export async function provenBy(
  { db }: Pick<Tx, "db">,
  ledger: LedgerId,
  { kept, signedBy }: Witnessed,
): Promise<Proof | null> {
  const first = await lineAt(db, 1n);
  const sums = kept.ledgers[ledger];
  if (first?.hash !== kept.database || sums === undefined || (await namedWitness(db)) !== signedBy) return null;
  const { seq, hash } = kept;
  const hasNewest = await hasLine(db, kept);
  // An operator with the server's secret can have a line of this copy signed, and raise it as the line says, but not with less than was spent.
  const since = await unprovenSince({ db }, ledger);
  if (since !== null && ((hasNewest && BigInt(seq) >= since) || (await isRaisedSince(db, ledger, since)))) return null;
  const missing = missingFrom(await ledgerRow({ db }, ledger), sums);
  return { seq, hash, missing: hasNewest && isNothing(missing) ? null : missing };
}

async function isRaisedSince(db: Tx["db"], ledger: LedgerId, seq: bigint): Promise<boolean> {
  const raise = db
    .selectFrom("audit")
    .select("seq")
    .where("ledger_id", "=", ledger)
    .where("action", "=", "ledger.amend");
  return (await raise.where("seq", ">", seq).limit(1).executeTakeFirst()) !== undefined;
}

/** What a restored database was found to be. */
interface Restored {
  readonly frozen: readonly LedgerId[];
  /** Charges that were pending in it. */
  readonly lost: readonly ChargeId[];
}

/** The copy of the database, where that is known, and whether the checkpoint was taken from it: a restored one may have the same lines. */
interface Copy {
  readonly copy: string | null;
  readonly isSame: boolean;
  /** The copy that the checkpoint was taken from, where that is known. */
  readonly from?: string | null;
}

/**
 * Null when the database goes on from the checkpoint. Else every ledger is frozen, and no charge that is pending in it is ever
 * measured: its answer may have been given. The audit lines say what is missing at least; `reopenLedger` takes no less.
 * Null too for a server that was away when others compared this copy, where what it knows to be missing was written off then.
 * CONFLICT for the checkpoint of another database: nothing is changed.
 */
export async function compareCheckpoint(
  context: Context,
  kept: Checkpoint,
  { copy, isSame, from = null }: Copy = { copy: null, isSame: true },
): Promise<Restored | null> {
  const { read } = context.store;
  const first = await lineAt(read, 1n);
  if (first?.hash !== kept.database) throw otherDatabase(kept);
  const goesOn = async (db: Tx["db"]): Promise<boolean> => {
    if (!isSame && (await noticedAt(db, copy)) === null) return false;
    if ((await hasLine(db, kept)) && (await isAnsweredAsKept(db, kept))) return true;
    return !isSame && (await isWrittenOff(db, kept, from));
  };
  if (await goesOn(read)) return null;
  return change(
    context,
    async (tx, chain) => {
      if (await goesOn(tx.db)) return null; // another server was first
      const lost = await pendingIn(tx.db).selectAll().execute();
      await giveUp({ tx, chain }, lost, by);
      const frozen: LedgerId[] = [];
      for (const row of await tx.db.selectFrom("ledger").selectAll().execute()) {
        const missing = missingFrom(row, kept.ledgers[row.id]);
        await freezeRow({ tx, chain }, row, { by, reason: RESTORED, missing, lost: ofLedger(lost, row.id) });
        frozen.push(row.id);
      }
      for (const id of Object.keys(kept.ledgers).filter((id) => !(frozen as readonly string[]).includes(id)))
        chain.append({ actor: by, action: "ledger.gone", subject: id, detail: { reason: RESTORED } });
      chain.append({ actor: by, action: NOTICED, subject: "database", detail: { copy } });
      return { frozen, lost: lost.map(({ id }) => id) };
    },
    copy,
  );
}

const by = systemPrincipal;
const RESTORED = "the ledger database was restored from a backup: charges made after it are missing";

/**
 * Freezes every ledger of a database that came without a checkpoint, such as one that was restored on a new machine: no one knows
 * whether it is the newest. Returns the ids.
 */
export function freezeUnvouched(context: Context): Promise<readonly LedgerId[]> {
  return change(
    context,
    async (tx, chain) => {
      const head = await tx.db
        .selectFrom("audit")
        .select("hash")
        .orderBy("seq", "desc")
        .limit(1)
        .executeTakeFirstOrThrow();
      const lost = await pendingIn(tx.db).selectAll().execute();
      await giveUp({ tx, chain }, lost, by);
      const rows = await tx.db.selectFrom("ledger").selectAll().execute();
      for (const row of rows) {
        const freezing = { by, reason: UNVOUCHED, lost: ofLedger(lost, row.id), unvouched: head.hash };
        await freezeRow({ tx, chain }, row, freezing);
      }
      return rows.map(({ id }) => id);
    },
    null,
  );
}

const UNVOUCHED = "the ledger database came without its checkpoint: charges may be missing";

const NOTICED = "database.restore";

/** The line by which a server met this copy first, and froze its ledgers; null where none has. */
async function noticedAt(db: Tx["db"], copy: string | null): Promise<bigint | null> {
  if (copy === null) return null;
  const detail = JSON.stringify({ copy });
  const line = db.selectFrom("audit").select("seq").where("action", "=", NOTICED).where("detail", "=", detail);
  return (await line.orderBy("seq").limit(1).executeTakeFirst())?.seq ?? null;
}

/**
 * Whether all that this checkpoint knows was counted when its ledgers were opened after their first freeze since it: what was charged later
 * hides nothing. Charges that were pending then were given up. One sum for blocks that it knows of says nothing of each. [M404]
 */
async function isWrittenOff(db: Tx["db"], { ledgers }: Checkpoint, from: string | null): Promise<boolean> {
  const since = (await noticedAt(db, from)) ?? 0n;
  for (const [id, then] of Object.entries(ledgers)) {
    const row = await db
      .selectFrom("ledger")
      .selectAll()
      .where("id", "=", id as LedgerId)
      .executeTakeFirst();
    const opened = row === undefined || then.hasBlocks === true ? null : await firstWriteOff({ db }, row, since);
    if (opened === null || !isNothing(missingFrom(opened, then))) return false;
  }
  return true;
}

const otherDatabase = ({ database, seq }: Checkpoint): PrivacyError =>
  new PrivacyError(
    "CONFLICT",
    { name: "checkpoint", got: database, seq },
    `the ledger database is empty or another one than checkpoint.json is about, which knows of ${seq} audit lines; nothing was changed. Put the right database back or name it in DATABASE_URL; a new ledger database needs a new data folder`,
  );

/** Charges without an answer that a server may still measure, oldest first. */
const pendingIn = (db: Tx["db"]) =>
  db.selectFrom("charge").where("status", "=", "charged").where("lease_owner", "<>", LOST).orderBy("entry_seq");

const ofLedger = (rows: readonly Tables["charge"][], ledger: LedgerId): readonly ChargeId[] =>
  rows.filter(({ ledger_id }) => ledger_id === ledger).map(({ id }) => id);

/** Whether every charge that the checkpoint knows to be answered is answered here too. */
async function isAnsweredAsKept(db: Tx["db"], { entry, pending }: Checkpoint): Promise<boolean> {
  const then = new Set(pending);
  const now = await pendingIn(db).select(["id", "entry_seq"]).execute();
  return now.every(({ id, entry_seq }) => entry_seq > BigInt(entry) || then.has(id));
}

const lineAt = (db: Tx["db"], seq: bigint) =>
  db.selectFrom("audit").select("hash").where("seq", "=", seq).executeTakeFirst();

/** The known spending: state and unpaid restore gap together. */
async function sumsOf(db: Tx["db"]): Promise<ReadonlyMap<string, KeptSums>> {
  const rows = await db.selectFrom("ledger").selectAll().execute();
  const sums = rows.map(
    async ({
      id,
      active_rule: activeRule,
      status,
      terms,
      version,
      state_epsilon,
      state_delta,
      state_remaining_mu2,
    }) => {
      // An open ledger has paid its restore gap, so the audit need not be searched every second.
      const unpaid = status === "frozen" ? await missingOf({ db }, id) : NOTHING;
      const left = state_remaining_mu2 === null ? null : state_remaining_mu2 - unpaid.mu2;
      return [
        id,
        {
          activeRule: unpaid.activeRule ?? activeRule,
          epsilon: text(state_epsilon === null ? null : state_epsilon + unpaid.epsilon),
          delta: String(state_delta + unpaid.delta),
          mu2: text(left),
          ...(unpaid.later === "blocks" || blocksOfTerms(terms) !== null ? { hasBlocks: true as const } : {}),
          version: String(unpaid.later === "raise" ? version + 1n : version),
          ...(await throughOf(db, id, unpaid.through)),
        },
      ] as const;
    },
  );
  return new Map(await Promise.all(sums));
}

/** The newest block that a charge had named, here or in what is lost. */
async function throughOf(db: Tx["db"], ledger: LedgerId, lost: number | null): Promise<Pick<KeptSums, "through">> {
  const { last } = await db
    .selectFrom("block_run")
    .select(({ fn }) => fn.max("block_to").as("last"))
    .where("node_id", "=", ledger)
    .executeTakeFirstOrThrow();
  const through = Math.max(Number(last ?? -Infinity), lost ?? -Infinity);
  return Number.isFinite(through) ? { through } : {};
}

const text = (units: bigint | null): string | null => (units === null ? null : String(units));

const NOTHING: Missing = { ...NO_QUOTA, mu2: 0n as Mu2Amount, activeRule: null, later: null, through: null };

const isNothing = ({ epsilon, delta, mu2, activeRule, later }: Missing): boolean =>
  epsilon + delta + mu2 === 0n && activeRule === null && later === null;

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
    mu2: now.state_remaining_mu2 === null ? NOTHING.mu2 : above(now.state_remaining_mu2, mu2FromUnits(then.mu2 ?? "0")),
    activeRule: then.activeRule === nextRule(now.rule, now.active_rule) ? then.activeRule : null,
    later: laterThan(now, then),
    through: then.through ?? null,
  };
}

/** What counted when the checkpoint was kept and is not in this database, where sums alone would hide what was spent. */
function laterThan(now: Tables["ledger"], then: KeptSums): Missing["later"] {
  if (then.hasBlocks === true && blocksOfTerms(now.terms) === null) return "blocks";
  return now.state_remaining_mu2 !== null && BigInt(then.version) > now.version ? "raise" : null;
}
