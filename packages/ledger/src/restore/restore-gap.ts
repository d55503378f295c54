import {
  type ActiveRule,
  admit,
  canSwitch,
  type DeltaAmount,
  deltaFromUnits,
  type EpsilonAmount,
  epsilonFromUnits,
  formatDelta,
  formatEpsilon,
  formatMu2,
  invalid,
  type Mu2Amount,
  mu2FromUnits,
  PrivacyError,
} from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import { approximate, writeOffBlocks } from "../blocks/write-off.ts";
import type { Context } from "../context.ts";
import { type Asking, openAsks, otherAsker } from "../guarantee/asks.ts";
import { appendEntry } from "../ledger/entry.ts";
import { type Ledger, ledgerRow, sentenceOf, toLedger } from "../ledger/ledger.ts";
import { admissionTermsOf, nodeOf, stateColumns, stateOf } from "../ledger/node.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName } from "../values/check.ts";
import { type Unpaid, unpaidIn } from "../values/declared.ts";
import type { By, ChargeId, LedgerId, PrincipalId } from "../values/id.ts";
import { blocksOfTerms, type LedgerBlocks } from "../values/terms.ts";
import { refuseMoved } from "./copied.ts";

/** Counted by the checkpoint and not by this database. */
export interface Missing {
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
  /** Loss of remaining μ². */
  readonly mu2: Mu2Amount;
  /** The rule that was in force, where this database has an earlier one. */
  readonly activeRule: ActiveRule | null;
  /** What it had that this database is from before, where that hides what was spent. */
  readonly later: Later | null;
  /** The newest block that a charge had named there; null where it does not say. */
  readonly through: number | null;
}

/** Blocks: one sum says nothing of each. A raise: what is left of a larger μ² cannot be compared with what is left of a smaller one. */
type Later = "blocks" | "raise";

/** What must be made good before a frozen ledger opens. */
interface RestoreGap extends Missing {
  /** The head of a database that came without a checkpoint: nothing says whether it is the newest. */
  readonly unvouched: string | null;
  /** It was compared with a checkpoint that it does not go on from. */
  readonly isRestored: boolean;
  /** It was imported from an export, whose original may have gone on. */
  readonly isImported: boolean;
  /** What was published and is not counted yet. */
  readonly published: Unpaid | null;
}

/** Whether charges may be missing of which nothing here knows. */
export const isUnproven = ({ isRestored, unvouched }: RestoreGap): boolean => isRestored || unvouched !== null;

/** What the witness said when the server asked it for this reopening: all that had been charged by its newest line. */
export interface Proof {
  /** The newest line that the witness keeps. */
  readonly seq: string;
  readonly hash: string;
  /** What it knows to be missing here; null where this database has its newest line. */
  readonly missing: Missing | null;
}

interface Freezing {
  readonly by: PrincipalId;
  readonly reason: string;
  readonly missing?: Missing;
  readonly lost?: readonly ChargeId[];
  readonly unvouched?: string;
  /** Where it is imported. */
  readonly imported?: true;
  /** What was published and does not fit; absent: what an earlier freeze says of it. */
  readonly published?: Unpaid | null;
}

/** Refuses charges until the ledger is reopened; the audit line states what is missing, what an earlier one stated included. */
export async function freezeRow(
  { tx, chain }: Writing,
  row: Tables["ledger"],
  { by, reason, missing, lost = [], unvouched, imported, published: unpaidNow }: Freezing,
): Promise<Tables["ledger"]> {
  const before = row.status === "frozen" ? await missingOf(tx, row.id) : null;
  const unpaid = before?.isRestored === true ? most(before, missing) : (missing ?? null);
  const head = unvouched ?? before?.unvouched ?? null;
  const isImported = imported ?? before?.isImported ?? false;
  const published = unpaidNow === undefined ? (before?.published ?? null) : unpaidNow;
  const after = { ...row, status: "frozen" } as const;
  await tx.db.updateTable("ledger").set({ status: "frozen" }).where("id", "=", row.id).execute();
  const detail = {
    reason,
    ...(unpaid === null ? {} : { missing: written(unpaid) }),
    ...(head === null ? {} : { unvouched: head }),
    ...(isImported ? { imported: true } : {}),
    ...(published === null ? {} : { published }),
    ...(lost.length === 0 ? {} : { lost }),
  };
  chain.append({ actor: by, action: "ledger.freeze", ledger: row.id, detail, ...images.ledger(after) });
  return after;
}

/** Both are missing at least: a checkpoint that is older than the one before says less. */
const most = (before: Missing, now: Missing = before): Missing => ({
  epsilon: larger(before.epsilon, now.epsilon),
  delta: larger(before.delta, now.delta),
  mu2: larger(before.mu2, now.mu2),
  activeRule: before.activeRule ?? now.activeRule,
  later: before.later ?? now.later,
  through: before.through === null ? now.through : Math.max(before.through, now.through ?? before.through),
});

const larger = <A extends bigint>(a: A, b: A): A => (a > b ? a : b);

/** Charges are refused until it is reopened. */
export function freezeLedger(
  context: Context,
  { ledger: id, reason, by }: By & { readonly ledger: LedgerId; readonly reason: string },
): Promise<Ledger> {
  return change(context, async (tx, chain) => {
    const row = await ledgerRow(tx, id);
    if (row.status === "frozen") return toLedger(row, await sentenceOf(tx, row));
    const after = await freezeRow({ tx, chain }, row, { by, reason: checkName(reason, "reason") });
    return toLedger(after, await sentenceOf(tx, after));
  });
}

export interface Reopening extends By {
  readonly ledger: LedgerId;
  /** What is written off as spent; at least what the freeze says is missing. */
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
  readonly reason: string;
}

/**
 * Opens a frozen ledger after writing off the charges that the database may lack. The write-off is decided like a charge: what
 * does not fit is BUDGET_EXHAUSTED and the ledger stays frozen. INVALID_PARAMETER below what is known to be missing. Where charges may be
 * missing of which nothing here knows, and the witness does not prove what they were, a second person gives the same amounts; until then the ledger
 * stays frozen. No head, checkpoint or export that someone brings along proves that it is the newest.
 */
export async function reopenLedgerIn(
  context: Context,
  { tx, chain }: Writing,
  reopening: Reopening,
  proof: Proof | null = null,
): Promise<Ledger> {
  const { ledger: id, epsilon, delta } = reopening;
  const row = await ledgerRow(tx, id);
  if (row.status !== "frozen") throw new PrivacyError("CONFLICT", { name: "ledger", got: row.status, want: "frozen" });
  await refuseMoved(tx, id);
  const known = await missingOf(tx, id);
  const least = { ...known, ...most(known, proof?.missing ?? known) };
  if (known.published !== null) refuseUncounted(known.published);
  if (least.later !== null)
    throw new PrivacyError("CONFLICT", { name: "backup", got: "older than they are", want: NEWER[least.later] });
  const blocks = blocksOfTerms(row.terms);
  if (blocks !== null) return reopenBlocks(context, { tx, chain }, { row, reopening, least, proof, blocks });
  if (least.activeRule !== null && !canSwitch(admissionTermsOf(row), stateOf(row)))
    throw new PrivacyError("CONFLICT", {
      name: "rule",
      got: row.active_rule,
      want: `${least.activeRule}, which was in force and cannot be now`,
    });
  refuseLess(reopening, least);
  const events = approximate(epsilon, delta);
  const admissionTerms = {
    ...admissionTermsOf(row),
    ...(least.activeRule === null ? {} : { activeRule: least.activeRule }),
  };
  const decision = admit(admissionTerms, [nodeOf(row)], events);
  const [state] = decision.admitted ? decision.states : [];
  const lost = state?.mu2 === undefined ? null : lostBy(row.state_remaining_mu2, state.mu2);
  if (!decision.admitted || state === undefined)
    throw new PrivacyError("BUDGET_EXHAUSTED", {}, "the ledger has no room for this write-off; it stays frozen");
  if (lost !== null && lost < least.mu2) {
    const want = `an ε that takes ${formatMu2(least.mu2)} of the remaining μ², which is known to be missing`;
    invalid("write-off", formatEpsilon(epsilon), want);
  }
  const acceptance = await accepted({ tx, chain }, reopening, { least, proof });
  if (acceptance === null) return toLedger(row, await sentenceOf(tx, row));
  const activeRule = decision.activeRule;
  const line = { active_rule: activeRule, events, price: decision.price, remaining_mu2_after: state.mu2 };
  const paid = { ...row, ...stateColumns(state), active_rule: activeRule };
  return opened(context, { tx, chain }, { row, paid, line, reopening, acceptance });
}

interface Opening {
  readonly row: Tables["ledger"];
  readonly paid: Tables["ledger"];
  /** What is written off; null where no charge is missing. */
  readonly line: Omit<Parameters<typeof appendEntry>[3], "kind" | "principal_id"> | null;
  readonly reopening: Reopening;
  readonly acceptance: object;
}

/** Opens the ledger: the entry of a write-off, the row and an audit line. */
async function opened(
  context: Context,
  { tx, chain }: Writing,
  { row, paid, line, reopening: { epsilon, delta, reason, by }, acceptance }: Opening,
): Promise<Ledger> {
  const entry =
    line === null ? null : await appendEntry(context, tx, row, { ...line, kind: "writeOff", principal_id: by });
  const head = entry === null ? {} : { entries: entry.number, head_hash: entry.hash };
  const after = { ...paid, status: "open", ...head } as const;
  const { id, ...changed } = after;
  const hasBlocks = blocksOfTerms(row.terms) !== null;
  const mu2 = hasBlocks ? null : lostBy(row.state_remaining_mu2, paid.state_remaining_mu2);
  await tx.db.updateTable("ledger").set(changed).where("id", "=", id).execute();
  const detail = {
    ...(entry === null ? {} : { entry: Number(entry.number), entryHash: entry.hash }),
    epsilon: formatEpsilon(epsilon),
    delta: formatDelta(delta),
    ...(mu2 === null ? {} : { mu2: formatMu2(mu2 as Mu2Amount) }),
    reason: checkName(reason, "reason"),
    ...acceptance,
    ...(hasBlocks ? {} : { counted: countedIn(after) }),
  };
  chain.append({ actor: by, action: "ledger.reopen", ledger: id, detail, ...images.ledger(after) });
  return toLedger(after, await sentenceOf(tx, after));
}

/** With blocks a person may have lost as much in each as in the fullest: one sum for the whole of a person would say too little. [M168, M169] */
const NEWER: Readonly<Record<Later, string>> = {
  blocks: "newer: since this one the ledger got blocks, and what each of them has spent is not known",
  raise: "newer: since this one the lifetime was raised, and how much of μ² was spent is not known",
};

/** Nothing written off stands for what was published: its rows are counted themselves. [M391] */
function refuseUncounted({ amounts }: Unpaid): never {
  throw new PrivacyError("CONFLICT", {
    name: "what was published before",
    got: `not counted (${amounts})`,
    want: "imported again once the lifetime is raised: that counts it and opens the ledger",
  });
}

/** INVALID_PARAMETER below what is known to be missing. */
function refuseLess({ epsilon, delta }: Reopening, least: Missing): void {
  if (epsilon >= least.epsilon && delta >= least.delta) return;
  const want = `at least (${formatEpsilon(least.epsilon)}, ${formatDelta(least.delta)}), which is known to be missing`;
  invalid("write-off", `(${formatEpsilon(epsilon)}, ${formatDelta(delta)})`, want);
}

interface ReopeningBlocks {
  readonly row: Tables["ledger"];
  readonly reopening: Reopening;
  readonly least: RestoreGap;
  readonly proof: Proof | null;
  readonly blocks: LedgerBlocks;
}

/**
 * The same with blocks. Where a checkpoint is newer, any block may have spent as much as its fullest one, so each is brought up to that and to what is
 * given; else each pays what is given. Where no charge is missing there is nothing to give, and no write-off that would end totals. [M169] [M209]
 */
async function reopenBlocks(
  context: Context,
  { tx, chain }: Writing,
  { row, reopening, least, proof, blocks }: ReopeningBlocks,
): Promise<Ledger> {
  const { epsilon, delta, by } = reopening;
  const hasNewest = proof !== null && proof.missing === null;
  const mayLack = least.isRestored || (least.unvouched !== null && !hasNewest) || least.isImported;
  if (!mayLack && epsilon + delta > 0n)
    invalid("write-off", `(${formatEpsilon(epsilon)}, ${formatDelta(delta)})`, "0: no charge is missing");
  refuseLess(reopening, least);
  const acceptance = await accepted({ tx, chain }, reopening, { least, proof });
  if (acceptance === null) return toLedger(row, await sentenceOf(tx, row));
  const isLevelled = least.isRestored || (proof !== null && proof.missing !== null);
  const off = { ...{ epsilon, delta, blocks, by, isLevelled }, missing: least };
  const paid = mayLack ? await writeOffBlocks(context, { tx, chain }, row, off) : row;
  const line = mayLack ? { active_rule: row.active_rule, remaining_mu2_before: null, remaining_mu2_after: null } : null;
  return opened(context, { tx, chain }, { row: paid, paid, line, reopening, acceptance });
}

/** Who vouches for what is written off, as the audit states it; null when a second person still has to. */
async function accepted(
  { tx, chain }: Writing,
  { ledger, epsilon, delta, reason, by }: Reopening,
  { least, proof }: { readonly least: RestoreGap; readonly proof: Proof | null },
): Promise<object | null> {
  if (!isUnproven(least) && !least.isImported) return {};
  // A witness of this database says nothing of the one that an import came from.
  if (proof !== null && !least.isImported) return { witness: { line: proof.seq, hash: proof.hash } };
  const amounts = { epsilon: formatEpsilon(epsilon), delta: formatDelta(delta) };
  const isSame = (line: string): boolean => {
    const asked = JSON.parse(line) as typeof amounts;
    return asked.epsilon === amounts.epsilon && asked.delta === amounts.delta;
  };
  const askedBy = await otherAsker(tx, await askingOf(tx, ledger), { by, isSame });
  if (askedBy !== null) return { askedBy };
  const detail = { ...amounts, reason: checkName(reason, "reason") };
  chain.append({ actor: by, action: ASK, subject: ledger, ledger, detail });
  return null;
}

const ASK = "ledger.reopenAsk";

/** To reopen the ledger, since it was frozen. */
const askingOf = async (tx: Pick<Tx, "db">, ledger: LedgerId): Promise<Asking> => ({
  ...{ ledger, action: ASK, since: (await frozenBy(tx, ledger))?.seq ?? 0n },
});

/** Whether an admin asks to reopen this ledger, and a second person has not. */
export async function isReopenAsked({ store: { read } }: Context, ledger: LedgerId): Promise<boolean> {
  return (await openAsks({ db: read }, await askingOf({ db: read }, ledger))).length > 0;
}

/** The line of the newest freeze or reopening. */
const frozenBy = ({ db }: Pick<Tx, "db">, ledger: LedgerId) =>
  db
    .selectFrom("audit")
    .select(["seq", "detail"])
    .where("ledger_id", "=", ledger)
    .where("action", "in", ["ledger.freeze", "ledger.reopen"])
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();

/** The first line since the ledger was last reopened from which on charges may be missing; null where none may. */
export async function unprovenSince({ db }: Pick<Tx, "db">, ledger: LedgerId): Promise<bigint | null> {
  const lines = await db
    .selectFrom("audit")
    .select(["seq", "action", "detail"])
    .where("ledger_id", "=", ledger)
    .where("action", "in", ["ledger.freeze", "ledger.reopen"])
    .orderBy("seq")
    .execute();
  const since = lines.slice(lines.findLastIndex(({ action }) => action === "ledger.reopen") + 1);
  return since.find(({ detail }) => isUnproven(unpaidOf(detail)))?.seq ?? null;
}

/** What a ledger without blocks had counted when it was opened again, in units. */
type Counted = ReturnType<typeof countedIn>;

const countedIn = (row: Tables["ledger"]) => ({
  activeRule: row.active_rule,
  epsilon: unitsOf(row.state_epsilon),
  delta: unitsOf(row.state_delta),
  mu2: unitsOf(row.state_remaining_mu2),
  version: unitsOf(row.version),
});

const unitsOf = (amount: bigint | null): string | null => (amount === null ? null : String(amount));

/**
 * The ledger as it was when it was opened after its first freeze since this line by which charges may be missing: nothing was charged in between.
 * Null where that does not say it, as where the lifetime was raised in between: what is left of another μ² says nothing of what was spent.
 */
export async function firstWriteOff(
  { db }: Pick<Tx, "db">,
  row: Tables["ledger"],
  since: bigint,
): Promise<Tables["ledger"] | null> {
  const lines = await db
    .selectFrom("audit")
    .select(["action", "detail"])
    .where("ledger_id", "=", row.id)
    .where("action", "in", ["ledger.freeze", "ledger.amend", "ledger.reopen"])
    .where("seq", ">", since)
    .orderBy("seq")
    .execute();
  const frozen = lines.findIndex(({ detail }) => isUnproven(unpaidOf(detail)));
  const next = frozen < 0 ? undefined : lines.slice(frozen).find(({ action }) => action !== "ledger.freeze");
  const { counted } = JSON.parse(next?.detail ?? "{}") as { readonly counted?: Counted };
  if (counted === undefined) return null;
  const { activeRule, epsilon, delta, mu2, version } = counted;
  return {
    ...row,
    active_rule: activeRule,
    state_epsilon: epsilon === null ? null : epsilonFromUnits(epsilon),
    state_delta: deltaFromUnits(delta ?? "0"),
    state_remaining_mu2: mu2 === null ? null : mu2FromUnits(mu2),
    version: BigInt(version ?? 0),
  };
}

export const lostBy = (before: bigint | null, after: bigint | null): bigint | null =>
  before === null || after === null ? null : before - after;

/** What is missing in an audit line. */
interface Units {
  readonly epsilon: string;
  readonly delta: string;
  readonly mu2: string;
  readonly activeRule: ActiveRule | null;
  readonly later?: Later;
  readonly through?: number;
}

/** As audit lines say it. */
const written = ({ epsilon, delta, mu2, activeRule, later, through }: Missing) => ({
  epsilon: formatEpsilon(epsilon),
  delta: formatDelta(delta),
  mu2: formatMu2(mu2),
  units: {
    ...{ epsilon: String(epsilon), delta: String(delta), mu2: String(mu2), activeRule },
    ...(later === null ? {} : { later }),
    ...(through === null ? {} : { through }),
  },
});

/** CONFLICT while charges may be missing: only `reopenLedgerIn` opens such a ledger, or an import of what was published. */
export async function refuseUnpaidRestoreGap(tx: Tx, id: LedgerId): Promise<void> {
  const unpaid = await missingOf(tx, id);
  if (unpaid.published !== null) refuseUncounted(unpaid.published);
  if (isUnproven(unpaid) || unpaid.isImported)
    throw new PrivacyError("CONFLICT", {
      name: "ledger",
      got: "frozen, and charges may be missing",
      want: "reopened with what is written off",
    });
}

/** What the newest freeze of this ledger knows to be missing, unless it was written off since. */
export async function missingOf(tx: Pick<Tx, "db">, ledger: LedgerId): Promise<RestoreGap> {
  return unpaidOf((await frozenBy(tx, ledger))?.detail);
}

function unpaidOf(detail: string | null | undefined): RestoreGap {
  const {
    missing,
    unvouched = null,
    imported = false,
  } = JSON.parse(detail ?? "{}") as {
    missing?: { units: Units };
    unvouched?: string | null;
    imported?: boolean;
  };
  const {
    epsilon = "0",
    delta = "0",
    mu2 = "0",
    activeRule = null,
    later = null,
    through = null,
  } = missing?.units ?? {};
  return {
    isRestored: missing !== undefined,
    epsilon: epsilonFromUnits(epsilon),
    delta: deltaFromUnits(delta),
    mu2: mu2FromUnits(mu2),
    activeRule,
    later,
    through,
    unvouched,
    isImported: imported,
    published: unpaidIn(detail),
  };
}
