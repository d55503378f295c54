import {
  type DeltaAmount,
  type EpsilonAmount,
  formatEpsilon,
  invalid,
  PrivacyError,
  quotaDelta,
} from "@dosimeter/core";
import { accountRow, checkActive, type Holder } from "../accounts/account.ts";
import { checkHolder, checkParent, openAccountOf } from "../accounts/open-account.ts";
import type { Writing } from "../audit/chain.ts";
import { images } from "../audit/image.ts";
import { datasetRow } from "../catalog/dataset.ts";
import type { Context } from "../context.ts";
import { checkRequestLimits } from "../guarantee/check-limits.ts";
import { isOver, OPEN } from "../guarantee/request-limits.ts";
import { NOTHING } from "../ledger/amounts.ts";
import { holds, isMember } from "../people/payer.ts";
import { record, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkNote, found, vacant } from "../values/check.ts";
import {
  type AccountId,
  type By,
  type DatasetId,
  type LedgerId,
  newId,
  type PrincipalId,
  type RequestId,
} from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { parseTerms, type Quota } from "../values/terms.ts";

type RequestRow = Tables["request"];

export type RequestStatus = RequestRow["status"];

/** A request for access (no account yet) or for more quota, and its outcome. */
export interface Request {
  readonly id: RequestId;
  readonly ledger: LedgerId;
  readonly dataset: DatasetId;
  /** The account that gets the quota; null while a request for access is open. */
  readonly account: AccountId | null;
  /** Where the quota would come from: an account, or the ledger itself when null. */
  readonly parent: AccountId | null;
  readonly holder: Exclude<Holder, { kind: "dataset" | "purpose" }>;
  readonly requester: PrincipalId;
  readonly asked: Quota;
  readonly note: string;
  /** What the quota is for: a plan of `dataset`, so that the decider sees what it buys. */
  readonly plan: Json;
  readonly status: RequestStatus;
  readonly version: number;
  readonly offered: Quota | null;
  readonly granted: Quota | null;
  readonly decider: PrincipalId | null;
  readonly decisionNote: string;
  /** The one who asked also decided; only where the policy allows it, and always shown. */
  readonly selfDecided: boolean;
  readonly supersededBy: RequestId | null;
  /** What the one who asked said when the decider asked back; the question is `decisionNote`. */
  readonly answer: string;
  /** The request that could not be paid for and led to this one. */
  readonly origin: RequestId | null;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly expiresAt: string;
}

export interface NewRequest extends By {
  readonly dataset: DatasetId;
  /** More for this account, or an account for this holder below `parent` (the ledger when null). */
  readonly target:
    | { readonly account: AccountId }
    | { readonly holder: Exclude<Holder, { kind: "dataset" | "purpose" }>; readonly parent: AccountId | null };
  readonly epsilon: EpsilonAmount;
  readonly delta?: DeltaAmount | undefined;
  readonly note: string;
  readonly plan?: Json | undefined;
  /** Takes the place of my open request for the same account; without it that is a CONFLICT. */
  readonly supersede?: boolean | undefined;
  /** Days until it expires; 30. */
  readonly days?: number | undefined;
}

const DAY = 86_400_000;
const USUAL_DAYS = 30;

/** The request as it is written down, inside a transaction; `origin` is the request that it was escalated from. */
export async function makeRequestIn(
  context: Context,
  { tx, chain }: Writing,
  options: NewRequest & { readonly origin?: RequestId | undefined },
): Promise<RequestRow> {
  const { by, dataset, epsilon, plan } = options;
  const note = checkNote(options.note);
  if (epsilon <= 0n) invalid("epsilon", "0", "more than 0");
  const { population_id } = await datasetRow(tx, dataset);
  const ledger = found(await rowWith(tx.db, "ledger", { population_id }), "ledger", dataset);
  const place = await placeOf(tx, ledger.id, options.target);
  if (!(await mayAsk(tx, place, by)))
    throw new PrivacyError("FORBIDDEN", {}, "one asks for oneself, or as an admin of the team");
  const now = context.store.now();
  const row: RequestRow = {
    id: newId("request"),
    ledger_id: ledger.id,
    dataset_id: dataset,
    ...place,
    requester_id: by,
    epsilon,
    delta: options.delta ?? quotaDelta(parseTerms(ledger.terms), { epsilon }),
    note,
    plan: plan === undefined || plan === null ? null : JSON.stringify(plan),
    status: "submitted",
    version: 1n,
    offered_epsilon: null,
    offered_delta: null,
    granted_epsilon: null,
    granted_delta: null,
    decider_id: null,
    decision_note: "",
    self_decided: 0n,
    superseded_by: null,
    answer: "",
    origin_id: options.origin ?? null,
    created_at: now,
    changed_at: now,
    expires_at: new Date(Date.parse(now) + (options.days ?? USUAL_DAYS) * DAY).toISOString(),
  };
  await checkRequestLimits(context, tx, row);
  await endOpenOne(context, { tx, chain }, { row, supersede: options.supersede ?? false });
  await tx.db.insertInto("request").values(row).execute();
  chain.append({
    actor: by,
    action: "request.make",
    ledger: ledger.id,
    detail: { account: row.account_id, holder: row.holder_id, epsilon: formatEpsilon(epsilon) },
    ...images.request(row),
  });
  return row;
}

type Place = Pick<RequestRow, "account_id" | "parent_id" | "holder_kind" | "holder_id">;

async function placeOf(tx: Tx, ledger: LedgerId, target: NewRequest["target"]): Promise<Place> {
  if ("account" in target) {
    const row = await accountRow(tx, target.account);
    if (row.ledger_id !== ledger || row.holder_kind === "dataset" || row.holder_kind === "purpose")
      invalid("account", row.id, "an account of this dataset");
    checkActive(row);
    return { account_id: row.id, parent_id: row.parent_id, holder_kind: row.holder_kind, holder_id: row.holder_id };
  }
  const { holder, parent } = target;
  await checkHolder(tx, holder);
  if (parent !== null) await checkParent(tx, await accountRow(tx, parent), { ledger, holder });
  vacant(await openAccountOf(tx, { ledger, parent, holder }), "account of the holder", holder.id);
  return { account_id: null, parent_id: parent, holder_kind: holder.kind, holder_id: holder.id };
}

/** People ask for themselves (below a team's account: as members of that team), or as admins of the team that would hold the account. */
export async function mayAsk(
  tx: Tx,
  { parent_id, holder_kind, holder_id }: Place,
  person: PrincipalId,
): Promise<boolean> {
  if (holder_kind === "team") return holds(tx, person, "teamAdmin", holder_id);
  if (holder_id !== person) return false;
  if (parent_id === null) return true;
  const above = await accountRow(tx, parent_id);
  if (above.holder_kind !== "team") return true;
  return (await isMember(tx, person, above.holder_id)) || (await holds(tx, person, "teamAdmin", above.holder_id));
}

async function endOpenOne(
  context: Context,
  { tx, chain }: Writing,
  { row, supersede }: { row: RequestRow; supersede: boolean },
): Promise<void> {
  const open = await tx.db
    .selectFrom("request")
    .selectAll()
    .where("requester_id", "=", row.requester_id)
    .where("ledger_id", "=", row.ledger_id)
    .where("parent_id", row.parent_id === null ? "is" : "=", row.parent_id)
    .where("holder_kind", "=", row.holder_kind)
    .where("holder_id", "=", row.holder_id)
    .where("status", "in", OPEN)
    .executeTakeFirst();
  if (open === undefined) return;
  if (isOver(open, context.store.now())) await writeStep(context, { tx, chain }, expiry(open));
  else if (supersede)
    await writeStep(
      context,
      { tx, chain },
      {
        row: open,
        verb: "supersede",
        by: row.requester_id,
        set: { status: "superseded", superseded_by: row.id },
      },
    );
  else
    throw new PrivacyError("CONFLICT", {
      name: "request",
      got: open.id,
      want: "not open: withdraw it, or supersede it",
    });
}

export interface Step {
  readonly row: RequestRow;
  readonly verb: string;
  readonly by: PrincipalId;
  readonly set: Partial<RequestRow> & Pick<RequestRow, "status">;
  readonly detail?: object;
}

/** Expiry is recorded in the name of the requester. */
export const expiry = (row: RequestRow): Step => ({
  row,
  verb: "expire",
  by: row.requester_id,
  set: { status: "expired" },
});

/** The next version of a request, and its audit line. */
export async function writeStep(
  context: Context,
  { tx, chain }: Writing,
  { row, verb, by, set, detail }: Step,
): Promise<RequestRow> {
  const after: RequestRow = { ...row, ...set, version: row.version + 1n, changed_at: context.store.now() };
  const { id, ...columns } = after;
  await tx.db.updateTable("request").set(columns).where("id", "=", id).execute();
  const facts = { version: Number(after.version), ...detail };
  chain.append({
    actor: by,
    action: `request.${verb}`,
    ledger: row.ledger_id,
    detail: facts,
    ...images.request(after),
  });
  if (!OPEN.includes(after.status) && after.origin_id !== null) await resume(context, { tx, chain }, after);
  return after;
}

/** An escalated request returns to its decider when the request above it has ended, whatever the outcome. */
async function resume(context: Context, writing: Writing, { origin_id, requester_id }: RequestRow): Promise<void> {
  const origin = await requestRow(writing.tx, origin_id ?? "");
  if (origin.status === "escalated")
    await writeStep(context, writing, { row: origin, verb: "resume", by: requester_id, set: { status: "submitted" } });
}

export async function requestRow({ db }: Pick<Tx, "db">, id: string): Promise<RequestRow> {
  return found(await rowWith(db, "request", { id }), "request", id);
}

export async function request({ store }: Context, id: string): Promise<Request> {
  return toRequest(await requestRow({ db: store.read }, id), store.now());
}

/** Newest first. */
export async function requests(
  { store }: Context,
  { requester }: { readonly requester?: PrincipalId | undefined } = {},
): Promise<readonly Request[]> {
  let query = store.read.selectFrom("request").selectAll();
  if (requester !== undefined) query = query.where("requester_id", "=", requester);
  const now = store.now();
  return (await query.orderBy("created_at", "desc").orderBy("id", "desc").execute()).map((row) => toRequest(row, now));
}

const quotaOrNull = (epsilon: EpsilonAmount | null, delta: DeltaAmount | null): Quota | null =>
  epsilon === null ? null : { epsilon: epsilon, delta: delta ?? NOTHING.delta };

/** The request at `now`: past its date it reads `expired` even before that is written. */
export const toRequest = (row: RequestRow, now: string): Request => ({
  ...record(row, "id", "ledger_id", "dataset_id", "account_id", "parent_id", "requester_id", "note", "decider_id"),
  ...record(row, "decision_note", "superseded_by", "answer", "origin_id", "created_at", "changed_at", "expires_at"),
  holder: { kind: row.holder_kind, id: row.holder_id } as Request["holder"],
  asked: { epsilon: row.epsilon, delta: row.delta },
  plan: row.plan === null ? null : (JSON.parse(row.plan) as Json),
  status: isOver(row, now) ? "expired" : row.status,
  version: Number(row.version),
  offered: quotaOrNull(row.offered_epsilon, row.offered_delta),
  granted: quotaOrNull(row.granted_epsilon, row.granted_delta),
  selfDecided: row.self_decided === 1n,
});
