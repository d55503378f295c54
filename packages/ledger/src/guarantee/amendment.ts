import {
  type DeltaAmount,
  type EpsilonAmount,
  formatDelta,
  formatEpsilon,
  PrivacyError,
  type Terms,
} from "@dosimeter/core";
import type { Chain, Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { isOneAnalyst, principalsOf } from "../people/analyst.ts";
import { paysFrom } from "../people/payer.ts";
import { record, rowWith, setRow } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName, found } from "../values/check.ts";
import { type AmendmentId, type By, type LedgerId, newId, type PrincipalId } from "../values/id.ts";
import { parseTerms, type Quota } from "../values/terms.ts";
import { applyRaise, raised, selectionFor } from "./amend.ts";
import { checkRaiseLimits } from "./check-limits.ts";

type Row = Tables["amendment"];

/** A raise of the lifetime that one admin asked for and another person decides. */
export interface Amendment {
  readonly id: AmendmentId;
  readonly ledger: LedgerId;
  /** The version that it raises. */
  readonly base: number;
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
  readonly deltaSelection: DeltaAmount;
  readonly reason: string;
  readonly status: Row["status"];
  readonly proposedBy: PrincipalId;
  readonly proposedAt: string;
  readonly decidedBy: PrincipalId | null;
  readonly decidedAt: string | null;
  readonly note: string;
  readonly version: number | null;
}

/** One version of the guarantee; it never changes. */
export interface GuaranteeVersion {
  readonly version: number;
  readonly sentence: string;
  readonly lifetime: Quota;
  readonly reason: string;
  readonly decidedBy: PrincipalId;
  /** null: no second person could have agreed. */
  readonly secondedBy: PrincipalId | null;
  readonly at: string;
}

interface Proposal extends By {
  readonly ledger: LedgerId;
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
  /** δ_m; grows with δ when absent. */
  readonly deltaSelection?: DeltaAmount | undefined;
  readonly reason: string;
}

const toAmendment = (row: Row): Amendment => ({
  ...record(row, "id", "ledger_id", "epsilon", "delta", "delta_selection", "reason", "status", "proposed_by"),
  ...record(row, "proposed_at", "decided_by", "decided_at", "note"),
  base: Number(row.base),
  version: row.version === null ? null : Number(row.version),
});

export interface AmendmentPreview {
  readonly sentence: string;
  /** Whether some terms outlast this version: the raise itself before any answer, until a further raise; else the ceiling, until one past it. */
  readonly isUnconditional: boolean;
  readonly answersSeen: boolean;
  readonly terms: Terms;
}

/** The sentence that a raise would make true now, and whether something of it outlasts the version; changes nothing. */
export function previewAmendment(
  { store }: Context,
  proposal: Omit<Proposal, "by" | "reason">,
): Promise<AmendmentPreview> {
  return store.snapshot(async (db) => {
    const ledger = await ledgerRow({ db }, proposal.ledger);
    const { text, unconditional, answersSeen, terms } = await raised({ db }, ledger, asked(ledger, proposal));
    return { sentence: text, isUnconditional: unconditional !== null, answersSeen, terms };
  });
}

const asked = (ledger: Tables["ledger"], { epsilon, delta, deltaSelection }: Omit<Proposal, "by" | "reason">) => ({
  epsilon,
  delta,
  deltaSelection: deltaSelection ?? selectionFor(parseTerms(ledger.terms), delta),
});

/**
 * Asks for a raise. Where no second person could decide it, it takes effect at once, and the version says so. CONFLICT while
 * another, RATE_LIMITED with the seconds to wait soon after a rejection.
 */
export function proposeAmendment(context: Context, { by, reason, ...proposal }: Proposal): Promise<Amendment> {
  return change(context, async (tx, chain) => {
    const ledger = await ledgerRow(tx, proposal.ledger);
    const to = asked(ledger, proposal);
    await raised(tx, ledger, to);
    const open = await rowWith(tx.db, "amendment", { ledger_id: ledger.id, status: "proposed" });
    if (open !== undefined)
      throw new PrivacyError("CONFLICT", { name: "amendment", got: open.id, want: "decided or withdrawn first" });
    const row: Row = {
      id: newId("amendment"),
      ledger_id: ledger.id,
      base: ledger.version,
      epsilon: to.epsilon,
      delta: to.delta,
      delta_selection: to.deltaSelection,
      reason: checkName(reason, "reason"),
      status: "proposed",
      proposed_by: by,
      proposed_at: context.store.now(),
      decided_by: null,
      decided_at: null,
      note: "",
      version: null,
    };
    await checkRaiseLimits(context, tx, row);
    await tx.db.insertInto("amendment").values(row).execute();
    note(chain, row, by, "amendment.propose");
    if (await hasSecond(tx, ledger.id, by)) return toAmendment(row);
    return toAmendment(await effect(context, { tx, chain }, { row, ledger, by, second: null, note: "" }));
  });
}

/** Who may decide a raise of this ledger. */
export const peopleWhoMaySecond = ({ store }: Context, ledger: LedgerId): Promise<readonly PrincipalId[]> =>
  secondsOf({ db: store.read }, ledger);

/** The admins of the ledger and of the platform who can sign in. */
export const secondsOf = async (tx: Pick<Tx, "db">, ledger: LedgerId): Promise<readonly PrincipalId[]> => {
  const people = await tx.db
    .selectFrom("role_binding")
    .innerJoin("principal", "principal.id", "role_binding.principal_id")
    .select(["role_binding.principal_id as id", "role_binding.role"])
    .distinct()
    .where("role_binding.until_at", "is", null)
    .where("principal.disabled_at", "is", null)
    .where("role_binding.role", "in", ["datasetAdmin", "platformAdmin"])
    .execute();
  const found = new Set<PrincipalId>();
  for (const { id, role } of people)
    if (role === "platformAdmin" || (await paysFrom(tx, { ledger, parent: null }, id))) found.add(id);
  return [...found];
};

/** Whether someone else could second what this person asks for. */
export const hasSecond = async (tx: Tx, ledger: LedgerId, by: PrincipalId): Promise<boolean> =>
  (await othersThan(tx, by, await secondsOf(tx, ledger))).length > 0;

/** The principals of other analysts: a person and their service are not two people. */
async function othersThan(
  tx: Pick<Tx, "db">,
  by: PrincipalId,
  people: readonly PrincipalId[],
): Promise<readonly PrincipalId[]> {
  const own = new Set(await principalsOf(tx, by));
  return people.filter((person) => !own.has(person));
}

interface Effect {
  readonly row: Row;
  readonly ledger: Tables["ledger"];
  readonly by: PrincipalId;
  readonly second: PrincipalId | null;
  readonly note: string;
}

async function effect(context: Context, writing: Writing, { row, ledger, by, second, note: words }: Effect) {
  const to = {
    epsilon: row.epsilon,
    delta: row.delta,
    deltaSelection: row.delta_selection,
  };
  const after = await applyRaise(context, writing, { ledger, to, reason: row.reason, by: row.proposed_by, second });
  return decide(context, writing, { row, by, note: words, status: "effective", version: after.version });
}

async function decide(
  context: Context,
  { tx, chain }: Writing,
  {
    row,
    by,
    note: words,
    status,
    version = null,
  }: Pick<Effect, "row" | "by" | "note"> & {
    status: Row["status"];
    version?: bigint | null;
  },
): Promise<Row> {
  const after: Row = { ...row, status, decided_by: by, decided_at: context.store.now(), note: words, version };
  const { decided_by, decided_at } = after;
  await setRow(tx.db, "amendment", { id: row.id }, { status, decided_by, decided_at, note: words, version });
  note(chain, after, by, `amendment.${status}`);
  return after;
}

const note = (chain: Chain, row: Row, by: PrincipalId, action: string): void =>
  chain.append({
    actor: by,
    action,
    ledger: row.ledger_id,
    detail: {
      epsilon: formatEpsilon(row.epsilon),
      delta: formatDelta(row.delta),
      base: Number(row.base),
    },
    ...images.amendment(row),
  });

interface Deciding extends By {
  readonly amendment: AmendmentId;
  readonly note?: string | undefined;
}

/** The second person agrees: the raise takes effect in the same transaction. FORBIDDEN for the proposer, CONFLICT when already decided. */
export function secondAmendment(context: Context, { amendment, by, note: words = "" }: Deciding): Promise<Amendment> {
  return change(context, async (tx, chain) => {
    const row = await openAmendment(tx, amendment);
    if (await isOneAnalyst(tx, row.proposed_by, by))
      throw new PrivacyError("FORBIDDEN", { name: "amendment", got: amendment, want: "decided by someone else" });
    const ledger = await ledgerRow(tx, row.ledger_id);
    if (!(await secondsOf(tx, ledger.id)).includes(by))
      throw new PrivacyError("FORBIDDEN", { name: "amendment", got: amendment, want: "decided by an admin" });
    if (ledger.version !== row.base)
      throw new PrivacyError("CONFLICT", { name: "amendment", got: amendment, want: "of the version in force" });
    return toAmendment(await effect(context, { tx, chain }, { row, ledger, by, second: by, note: words }));
  });
}

export const rejectAmendment = (context: Context, options: Deciding): Promise<Amendment> =>
  end(context, options, "rejected", async (tx, row) => {
    return (await othersThan(tx, row.proposed_by, await secondsOf(tx, row.ledger_id))).includes(options.by);
  });

/** The proposer takes it back. */
export const withdrawAmendment = (context: Context, options: Deciding): Promise<Amendment> =>
  end(context, options, "withdrawn", async (_, row) => row.proposed_by === options.by);

function end(
  context: Context,
  { amendment, by, note: words = "" }: Deciding,
  status: "rejected" | "withdrawn",
  may: (tx: Tx, row: Row) => Promise<boolean>,
): Promise<Amendment> {
  return change(context, async (tx, chain) => {
    const row = await openAmendment(tx, amendment);
    if (!(await may(tx, row)))
      throw new PrivacyError("FORBIDDEN", { name: "amendment", got: amendment, want: "decided by another" });
    return toAmendment(await decide(context, { tx, chain }, { row, by, note: words, status }));
  });
}

async function openAmendment({ db }: Tx, id: string): Promise<Row> {
  const row = found(await rowWith(db, "amendment", { id }), "amendment", id);
  if (row.status !== "proposed")
    throw new PrivacyError("CONFLICT", { name: "amendment", got: `${id} ${row.status}`, want: "still proposed" });
  return row;
}

export async function amendment({ store: { read } }: Context, id: string): Promise<Amendment> {
  const row = await rowWith(read, "amendment", { id });
  return toAmendment(found(row, "amendment", id));
}

/** Newest first. */
export async function amendments({ store: { read } }: Context, ledger: LedgerId): Promise<readonly Amendment[]> {
  const rows = await read
    .selectFrom("amendment")
    .selectAll()
    .where("ledger_id", "=", ledger)
    .orderBy("proposed_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return rows.map(toAmendment);
}

/** Newest first. */
export async function guaranteeVersions(
  { store: { read } }: Context,
  ledger: LedgerId,
): Promise<readonly GuaranteeVersion[]> {
  const rows = await read
    .selectFrom("guarantee_version")
    .selectAll()
    .where("ledger_id", "=", ledger)
    .orderBy("version", "desc")
    .execute();
  return rows.map((row) => {
    const { epsilon, delta } = parseTerms(row.terms);
    return {
      ...record(row, "sentence", "reason", "decided_by", "seconded_by", "at"),
      version: Number(row.version),
      lifetime: { epsilon, delta },
    };
  });
}
