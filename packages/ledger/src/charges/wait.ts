import type { BlockRange } from "@dosimeter/core";
import { invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { sql } from "kysely";
import { approvalDigest, approverOf } from "../accounts/declare-right.ts";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { isOneAnalyst } from "../people/analyst.ts";
import { refuseAgent } from "../people/payer.ts";
import type { CheckedRequest } from "../release/charge.ts";
import { putRow, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import { type Declared, declaredIn } from "../values/declared.ts";
import type { AccountId, By, DatasetId, PrincipalId } from "../values/id.ts";
import type { Json } from "../values/json.ts";

type Row = Tables["declare_wait"];

/** A charge of a program outside that is not made yet, since a second person has to agree. */
export interface WaitingCharge {
  /** What a second person agrees to: this charge under this key. */
  readonly id: string;
  readonly account: AccountId;
  readonly dataset: DatasetId;
  readonly principal: PrincipalId;
  readonly key: string;
  readonly declared: Declared;
  readonly window?: readonly BlockRange[];
  readonly at: string;
  readonly status: "waiting" | "approved" | "refused";
  /** Who approved or refused. */
  readonly decidedBy: PrincipalId | null;
}

/** Of one account, neither made nor decided. */
const MAX_WAITING = 50;

/** Keeps what `declare` refused for want of a second person, for one to see; once. */
export function keepWaiting(context: Context, asked: CheckedRequest): Promise<void> {
  const { account, dataset, principal, key, window, requestText } = asked;
  const digest = approvalDigest(context, asked);
  return change(context, async (tx, chain) => {
    if ((await waitOf(tx, { digest })) !== undefined) return;
    const open = await openRows(tx)
      .select("w.digest")
      .where("w.account_id", "=", account)
      .where("w.refused_at", "is", null)
      .execute();
    if (open.length >= MAX_WAITING)
      throw new PrivacyError("TOO_MUCH_WORK", { name: "charges that wait", got: open.length, want: "decided first" });
    const row: Row = {
      ...{ digest, account_id: account, dataset_id: dataset, principal_id: principal, key, request: requestText },
      blocks: window === undefined ? null : JSON.stringify(window),
      ...{ asked_at: context.store.now(), refused_at: null, refused_by: null },
    };
    const { ledger_id } = found(await rowWith(tx.db, "account", { id: account }), "account", account);
    await put({ tx, chain }, row, { actor: principal, action: "charge.wait", ledger: ledger_id });
  });
}

/** What was erased with its person is nothing: who is let back in may state it again. */
const ERASED_REQUEST = "{}";

async function waitOf(
  { db }: Pick<Tx, "db">,
  asked: { digest: string; account_id?: AccountId },
): Promise<Row | undefined> {
  const row = await rowWith(db, "declare_wait", asked);
  return row?.request === ERASED_REQUEST ? undefined : row;
}

async function put(
  { tx, chain }: Writing,
  row: Row,
  line: { readonly actor: PrincipalId; readonly action: string; readonly ledger: Tables["ledger"]["id"] },
): Promise<void> {
  await putRow(tx.db, "declare_wait", row, "digest");
  chain.append({ ...line, detail: { account: row.account_id }, ...images.declare_wait(row) });
}

/** Not charged yet, and asked by someone who was not removed: what waits or is approved before what was refused, and the newest first. */
const openRows = ({ db }: Pick<Tx, "db">) =>
  db
    .selectFrom("declare_wait as w")
    .innerJoin("principal", "principal.id", "w.principal_id")
    .where("principal.disabled_at", "is", null)
    .where("w.request", "<>", ERASED_REQUEST)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom("charge")
            .select("charge.id")
            .whereRef("charge.principal_id", "=", "w.principal_id")
            .whereRef("charge.key", "=", "w.key"),
        ),
      ),
    )
    .orderBy(sql`CASE WHEN w.refused_at IS NULL THEN 0 ELSE 1 END`)
    .orderBy("w.asked_at", "desc")
    .orderBy("w.digest");

const MAX_LISTED = 100;

/** The first 100 that `isSeen` of what waits for a second person, or was decided and is not charged, the newest first. */
export async function waitingCharges(
  { store: { read: db } }: Context,
  isSeen: (one: Pick<WaitingCharge, "account" | "principal">) => Promise<boolean>,
): Promise<readonly WaitingCharge[]> {
  const seen: string[] = [];
  for (const { digest, account_id: account, principal_id: principal } of await openRows({ db })
    .select(["w.digest", "w.account_id", "w.principal_id"])
    .execute())
    if (seen.length < MAX_LISTED && (await isSeen({ account, principal }))) seen.push(digest);
  if (seen.length === 0) return [];
  const rows = await openRows({ db }).selectAll("w").where("w.digest", "in", seen).execute();
  return Promise.all(rows.map(async (row) => toWaiting(row, await approverOf({ db }, asIn(row)))));
}

function toWaiting(row: Row, approvedBy: PrincipalId | null): WaitingCharge {
  const declared = declaredIn(JSON.parse(row.request) as Json) ?? invalid("declared", undefined, "stated");
  const window = row.blocks === null ? undefined : (JSON.parse(row.blocks) as readonly BlockRange[]);
  const { digest: id, account_id: account, dataset_id: dataset, principal_id: principal, key, asked_at: at } = row;
  const status = approvedBy !== null ? "approved" : row.refused_at !== null ? "refused" : "waiting";
  const decidedBy = approvedBy ?? row.refused_by;
  return { id, account, dataset, principal, key, declared, ...present({ window }), at, status, decidedBy };
}

/** As a second person: CONFLICT where it was decided, FORBIDDEN for who asked. What was approved its holder may charge. */
export function decideWaiting(
  context: Context,
  { id, account, by, isApproved }: By & Pick<WaitingCharge, "id" | "account"> & { readonly isApproved: boolean },
): Promise<void> {
  return change(context, async (tx, chain) => {
    const row = found(await waitOf(tx, { digest: id, account_id: account }), "charge", id);
    await refuseFirst(tx, { by, principal: row.principal_id });
    const made = await rowWith(tx.db, "charge", { principal_id: row.principal_id, key: row.key });
    if (made !== undefined) throw decided(`made under its key as ${made.id}`);
    const { ledger_id: ledger } = found(await rowWith(tx.db, "account", { id: account }), "account", account);
    if (isApproved) return approve(context, { tx, chain }, { digest: id, account, ledger, by });
    if (row.refused_at !== null) throw decided("refused");
    if ((await approverOf(tx, asIn(row))) !== null) throw decided("approved");
    const refused = { ...row, refused_at: context.store.now(), refused_by: by };
    await put({ tx, chain }, refused, { actor: by, action: "charge.decline", ledger });
  });
}

/** FORBIDDEN for who asked, those who act for them, and AI agents. */
async function refuseFirst(tx: Pick<Tx, "db">, { by, principal }: By & Pick<WaitingCharge, "principal">) {
  await refuseAgent(tx, by);
  if (await isOneAnalyst(tx, by, principal))
    throw new PrivacyError("FORBIDDEN", { name: "charge", got: "your own", want: "decided by a second person" });
}

/** Whether `decideWaiting` would take them as a second person, their roles apart. */
export const isSecond = (
  { store: { read: db } }: Context,
  asked: By & Pick<WaitingCharge, "principal">,
): Promise<boolean> =>
  refuseFirst({ db }, asked).then(
    () => true,
    (error: unknown) => (error instanceof PrivacyError ? false : Promise.reject(error)),
  );

const asIn = ({ digest, principal_id: principal }: Row) => ({ digest, principal });

const decided = (got: string): PrivacyError =>
  new PrivacyError("CONFLICT", { name: "charge", got, want: "one that waits" });

/** Writes that a second person agrees, once. CONFLICT for what was refused. */
export async function approve(
  { store }: Context,
  { tx, chain }: Writing,
  {
    digest,
    account,
    ledger,
    by,
  }: By & {
    readonly digest: string;
    readonly account: AccountId;
    readonly ledger: Tables["ledger"]["id"];
  },
): Promise<void> {
  if ((await waitOf(tx, { digest }))?.refused_at) throw decided("refused");
  const row = { digest, account_id: account, approved_at: store.now(), approved_by: by };
  const added = await tx.db
    .insertInto("declare_approval")
    .values(row)
    .onConflict((conflict) => conflict.columns(["digest", "approved_by"]).doNothing())
    .executeTakeFirst();
  if (added.numInsertedOrUpdatedRows === 0n) return;
  chain.append({
    actor: by,
    action: "charge.approve",
    ledger,
    detail: { account },
    ...images.declare_approval(row),
  });
}
