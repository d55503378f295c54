import { invalid } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { record, rowWith } from "../stores/row.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import { type By, newSecret, type PrincipalId } from "../values/id.ts";
import {
  type Channels,
  type Facts,
  type NotificationKind,
  notificationKinds,
  usualChannels,
} from "../values/notification-kind.ts";
import { checkLimit, type Page, type PageOptions } from "../values/page.ts";

/** Sends nothing more to the webhook of a person, if there is one. */
export async function endWebhook(
  { tx, chain }: Writing,
  { principal, by }: By & { readonly principal: PrincipalId },
): Promise<void> {
  const row = await tx.db.selectFrom("webhook").select("url").where("principal_id", "=", principal).executeTakeFirst();
  if (row === undefined) return;
  await tx.db.deleteFrom("webhook").where("principal_id", "=", principal).execute();
  chain.append({ actor: by, action: "webhook.end", subject: principal, detail: { principal } });
}

/** A message to a person, and whether they have seen it. */
export interface Notification {
  readonly id: string;
  readonly kind: NotificationKind;
  readonly subject: string;
  readonly facts: Facts;
  readonly createdAt: string;
  readonly readAt: string | null;
}

const toNotification = (row: Tables["notification"]): Notification => ({
  ...record(row, "id", "kind", "subject", "created_at", "read_at"),
  facts: JSON.parse(row.facts) as Facts,
});

/** Newest first; `after` is the id of the last one seen. */
export async function notifications(
  { store }: Context,
  { principal, after, limit }: PageOptions & { readonly principal: PrincipalId },
): Promise<Page<Notification>> {
  const rows = checkLimit(limit);
  let query = store.read.selectFrom("notification").selectAll().where("principal_id", "=", principal);
  if (after !== undefined) query = query.where("id", "<", after);
  const items = (await query.orderBy("id", "desc").limit(rows).execute()).map(toNotification);
  const last = items.at(-1);
  return { items, next: last === undefined || items.length < rows ? null : last.id };
}

export async function unread({ store }: Context, principal: PrincipalId): Promise<number> {
  const row = await store.read
    .selectFrom("notification")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("principal_id", "=", principal)
    .where("read_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Marks this one as seen, or all of them when null. */
export async function markRead(
  { store }: Context,
  { principal, notification }: { readonly principal: PrincipalId; readonly notification: string | null },
): Promise<void> {
  await store.transact(async ({ db }) => {
    let query = db
      .updateTable("notification")
      .set({ read_at: store.now() })
      .where("principal_id", "=", principal)
      .where("read_at", "is", null);
    if (notification !== null) {
      const row = await rowWith(db, "notification", { id: notification, principal_id: principal });
      found(row, "notification", notification);
      query = query.where("id", "=", notification);
    }
    await query.execute();
  });
}

export type Preferences = Readonly<Record<NotificationKind, Channels>>;

const kinds = Object.keys(notificationKinds) as readonly NotificationKind[];

export async function preferences({ store }: Context, principal: PrincipalId): Promise<Preferences> {
  const rows = await store.read.selectFrom("preference").selectAll().where("principal_id", "=", principal).execute();
  const said = new Map(rows.map((row) => [row.kind, row]));
  const of = (kind: NotificationKind): Channels => {
    const row = said.get(kind);
    if (row === undefined) return usualChannels;
    return { app: row.app === 1n, mail: row.mail === 1n, webhook: row.webhook === 1n };
  };
  return Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Preferences;
}

export async function setPreference(
  { store }: Context,
  { principal, kind, app, mail, webhook }: Channels & { readonly principal: PrincipalId; readonly kind: string },
): Promise<void> {
  if (!(kinds as readonly string[]).includes(kind)) invalid("kind", kind, kinds.join(", "));
  const bit = (is: boolean) => (is ? 1n : 0n);
  const row = { principal_id: principal, kind, app: bit(app), mail: bit(mail), webhook: bit(webhook) };
  await store.transact(async ({ db }) => {
    await db.deleteFrom("preference").where("principal_id", "=", principal).where("kind", "=", kind).execute();
    await db.insertInto("preference").values(row).execute();
  });
}

/** Where a person's notifications are posted. The secret signs them and is shown when the address is set. */
export async function setWebhook(
  context: Context,
  {
    principal,
    url,
    seal = (secret) => secret,
  }: {
    readonly principal: PrincipalId;
    readonly url: string | null;
    /** How the secret is stored. */
    readonly seal?: (secret: string) => string;
  },
): Promise<{ readonly secret: string } | null> {
  const secret = newSecret("whs");
  await change(context, async (tx, chain) => {
    await endWebhook({ tx, chain }, { principal, by: principal });
    if (url === null) return;
    const row = { principal_id: principal, url, secret: seal(secret), created_at: context.store.now() };
    await tx.db.insertInto("webhook").values(row).execute();
    chain.append({ actor: principal, action: "webhook.set", subject: principal, detail: { principal } });
  });
  return url === null ? null : { secret };
}

/** With the secret as it is stored. */
export async function webhook(
  { store }: Context,
  principal: PrincipalId,
): Promise<{ readonly url: string; readonly secret: string } | null> {
  const row = await rowWith(store.read, "webhook", { principal_id: principal });
  return row === undefined ? null : { url: row.url, secret: row.secret };
}
