import { type EpsilonAmount, formatEpsilon, invalid, PrivacyError, quotaDelta } from "@dosimeter/core";
import { minus } from "@dosimeter/core/internal";
import { accountRow } from "../accounts/account.ts";
import { unallocated } from "../accounts/quota.ts";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { isOneAnalyst } from "../people/analyst.ts";
import { writeApprovalEnd } from "../people/expire-delegations.ts";
import { paysFrom, refuseAgent } from "../people/payer.ts";
import { principalRow } from "../people/principal.ts";
import { record } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import { type AccountId, type By, type LedgerId, newId, type PrincipalId } from "../values/id.ts";
import { parseTerms } from "../values/terms.ts";
import { grant } from "./decision.ts";
import { makeRequestIn, type NewRequest, type Request, toRequest, writeStep } from "./request.ts";

/** Decided in advance: requests up to `most`, with δ pro rata at most, are approved at once, until `room` is used up. */
export interface PreApproval {
  readonly id: string;
  readonly ledger: LedgerId;
  /** Whose quota it gives out; the ledger's own when null. */
  readonly parent: AccountId | null;
  readonly most: EpsilonAmount;
  readonly room: EpsilonAmount;
  readonly by: PrincipalId;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

type Row = Tables["standing_approval"];

const toPreApproval = (row: Row): PreApproval => ({
  ...record(row, "id", "ledger_id", "parent_id", "most", "room", "created_at", "ended_at"),
  by: row.created_by,
});

interface NewPreApproval extends By {
  readonly ledger: LedgerId;
  readonly parent: AccountId | null;
  readonly most: EpsilonAmount;
  readonly room: EpsilonAmount;
}

export function createPreApproval(
  context: Context,
  { ledger, parent, most, room, by }: NewPreApproval,
): Promise<PreApproval> {
  if (most <= 0n || room < most) invalid("room", formatEpsilon(room), "at least `most`");
  return change(context, async (tx, chain) => {
    await ledgerRow(tx, ledger);
    if (parent !== null && (await accountRow(tx, parent)).ledger_id !== ledger)
      invalid("parent", parent, "an account of this ledger");
    if (!(await paysFrom(tx, { ledger, parent }, by)))
      throw new PrivacyError("FORBIDDEN", {}, "only the person who gives out this budget decides");
    await refuseAgent(tx, by);
    const row: Row = {
      id: newId("approval"),
      ledger_id: ledger,
      parent_id: parent,
      most,
      room,
      created_by: by,
      created_at: context.store.now(),
      ended_at: null,
    };
    await tx.db.insertInto("standing_approval").values(row).execute();
    const detail = { parent, most: formatEpsilon(most), room: formatEpsilon(room) };
    chain.append({ actor: by, action: "approval.create", ledger, detail, ...images.standing_approval(row) });
    return toPreApproval(row);
  });
}

export function endPreApproval(context: Context, { approval, by }: By & { approval: string }): Promise<PreApproval> {
  return change(context, async (tx, chain) => {
    const row = await approvalRow(tx, approval);
    if (row.ended_at !== null) return toPreApproval(row);
    return toPreApproval(await writeApprovalEnd(context, { tx, chain }, { row, by }));
  });
}

const approvalRow = async ({ db }: Pick<Tx, "db">, id: string): Promise<Row> =>
  found(
    await db.selectFrom("standing_approval").selectAll().where("id", "=", id).executeTakeFirst(),
    "standing approval",
    id,
  );

export const preApproval = async ({ store }: Context, id: string): Promise<PreApproval> =>
  toPreApproval(await approvalRow({ db: store.read }, id));

/** Those in force. */
export async function preApprovals({ store }: Context, ledger: LedgerId): Promise<readonly PreApproval[]> {
  const rows = await store.read
    .selectFrom("standing_approval")
    .selectAll()
    .where("ledger_id", "=", ledger)
    .where("ended_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map(toPreApproval);
}

/** Makes a request: decided at once where it was approved in advance, otherwise by a person later. */
export function makeRequest(context: Context, options: NewRequest): Promise<Request> {
  return change(context, async (tx, chain) => {
    const made = await makeRequestIn(context, { tx, chain }, options);
    return toRequest(await settleAtOnce(context, { tx, chain }, made), context.store.now());
  });
}

/**
 * Decides a request that was just made where a standing approval covers it, by the same code and in the same transaction.
 * The approver must still give out this quota, and never decides for themselves, nor for a service of theirs.
 * What an AI agent asks always waits for a person.
 * Too little quota, or more δ than the part that goes with its ε, leaves the request waiting for a person.
 */
async function settleAtOnce(context: Context, writing: Writing, row: Tables["request"]): Promise<Tables["request"]> {
  const { tx, chain } = writing;
  if ((await principalRow(tx, row.requester_id)).kind === "agent") return row;
  const rules = await tx.db
    .selectFrom("standing_approval")
    .selectAll()
    .where("ledger_id", "=", row.ledger_id)
    .where("parent_id", row.parent_id === null ? "is" : "=", row.parent_id)
    .where("ended_at", "is", null)
    .where("most", ">=", row.epsilon)
    .where("room", ">=", row.epsilon)
    .orderBy("id")
    .execute();
  if (rules.length === 0 || !(await isProRata(tx, row)) || !(await canPay(tx, row))) return row;
  for (const rule of rules) {
    const by = rule.created_by;
    if (await isOneAnalyst(tx, row.requester_id, by)) continue;
    if (!(await paysFrom(tx, { ledger: row.ledger_id, parent: row.parent_id }, by))) continue;
    const amount = { epsilon: row.epsilon, delta: row.delta };
    const granted = await grant(context, writing, { row, amount, by });
    const after = { ...rule, room: minus(rule.room, row.epsilon) };
    await tx.db.updateTable("standing_approval").set({ room: after.room }).where("id", "=", rule.id).execute();
    const detail = { request: row.id, room: formatEpsilon(after.room) };
    chain.append({
      actor: by,
      action: "approval.use",
      ledger: row.ledger_id,
      detail,
      ...images.standing_approval(after),
    });
    const set = {
      status: "approved" as const,
      ...granted,
      decider_id: by,
      decision_note: `Approved at once: up to ε ${formatEpsilon(rule.most)} was approved in advance.`,
    };
    return writeStep(context, writing, { row, verb: "approve", by, set, detail: { standing: rule.id } });
  }
  return row;
}

/** An approval in advance speaks of ε only: the δ it covers is the part of the ledger's that goes with it. */
async function isProRata(tx: Tx, row: Tables["request"]): Promise<boolean> {
  const terms = parseTerms((await ledgerRow(tx, row.ledger_id)).terms);
  return row.delta <= quotaDelta(terms, { epsilon: row.epsilon });
}

/** Whether the payer could give it now; checked before anything is written. */
async function canPay(tx: Tx, row: Tables["request"]): Promise<boolean> {
  const payer = row.parent_id === null ? await ledgerRow(tx, row.ledger_id) : await accountRow(tx, row.parent_id);
  if (payer.status !== (row.parent_id === null ? "open" : "active")) return false;
  const free = unallocated(payer);
  return payer.mode === "overbooked" || (free.epsilon >= row.epsilon && free.delta >= row.delta);
}
