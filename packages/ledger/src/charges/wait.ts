import type { BlockRange } from "@dosimeter/core";
import { invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { approvalDigest } from "../accounts/declare-right.ts";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { isOneAnalyst } from "../people/analyst.ts";
import type { CheckedRequest } from "../release/charge.ts";
import { putRow, rowWith } from "../stores/row.ts";
import type { Tables } from "../stores/tables.ts";
import type { By } from "../values/by.ts";
import { found } from "../values/check.ts";
import { type Declared, declaredIn } from "../values/declared.ts";
import type { AccountId, DatasetId, PrincipalId } from "../values/id.ts";
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
    if ((await rowWith(tx.db, "declare_wait", { digest })) !== undefined) return;
    const open = (await openRows(tx, account)).filter(({ refused_at }) => refused_at === null);
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

async function put(
  { tx, chain }: Writing,
  row: Row,
  line: { readonly actor: PrincipalId; readonly action: string; readonly ledger: Tables["ledger"]["id"] },
): Promise<void> {
  await putRow(tx.db, "declare_wait", row, "digest");
  chain.append({ ...line, detail: { account: row.account_id, key: row.key }, ...images.declare_wait(row) });
}

/** Not charged yet, the newest first. */
const openRows = ({ db }: { readonly db: Context["store"]["read"] }, account?: AccountId): Promise<Row[]> =>
  db
    .selectFrom("declare_wait as w")
    .selectAll("w")
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
    .$if(account !== undefined, (query) => query.where("w.account_id", "=", account as AccountId))
    .orderBy("w.asked_at", "desc")
    .limit(1000)
    .execute();

/** What waits for a second person, or has one and is not charged yet, the newest first. */
export async function waitingCharges({ store: { read } }: Context): Promise<readonly WaitingCharge[]> {
  const rows = await openRows({ db: read });
  if (rows.length === 0) return [];
  const digests = rows.map(({ digest }) => digest);
  const approvals = await read.selectFrom("declare_approval").selectAll().where("digest", "in", digests).execute();
  return Promise.all(
    rows.map(async (row) => {
      let by: PrincipalId | null = null;
      for (const { digest, approved_by } of approvals)
        if (digest === row.digest && !(await isOneAnalyst({ db: read }, approved_by, row.principal_id)))
          by ??= approved_by;
      return toWaiting(row, by);
    }),
  );
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
    const row = found(await rowWith(tx.db, "declare_wait", { digest: id, account_id: account }), "charge", id);
    if (await isOneAnalyst(tx, by, row.principal_id))
      throw new PrivacyError("FORBIDDEN", { name: "charge", got: "your own", want: "decided by a second person" });
    if (row.refused_at !== null)
      throw new PrivacyError("CONFLICT", { name: "charge", got: "refused", want: "one that waits" });
    const { ledger_id: ledger } = found(await rowWith(tx.db, "account", { id: account }), "account", account);
    if (isApproved) return approve(context, { tx, chain }, { digest: id, account, key: row.key, ledger, by });
    if ((await rowWith(tx.db, "declare_approval", { digest: id })) !== undefined)
      throw new PrivacyError("CONFLICT", { name: "charge", got: "approved", want: "one that waits" });
    const refused = { ...row, refused_at: context.store.now(), refused_by: by };
    await put({ tx, chain }, refused, { actor: by, action: "charge.decline", ledger });
  });
}

/** Writes that a second person agrees, once. */
export async function approve(
  { store }: Context,
  { tx, chain }: Writing,
  {
    digest,
    account,
    key,
    ledger,
    by,
  }: By & {
    readonly digest: string;
    readonly account: AccountId;
    readonly key: string;
    readonly ledger: Tables["ledger"]["id"];
  },
): Promise<void> {
  const row = { digest, account_id: account, key, approved_at: store.now(), approved_by: by };
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
    detail: { account, key },
    ...images.declare_approval(row),
  });
}
