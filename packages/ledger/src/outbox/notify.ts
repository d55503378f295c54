import type { Context } from "../context.ts";
import { rowWith, setRow } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { newId, type PrincipalId } from "../values/id.ts";
import { type Facts, type NotificationKind, usualChannels } from "../values/notification-kind.ts";

/** A message to some people, once each. */
export interface Notice {
  readonly to: readonly string[];
  readonly kind: NotificationKind;
  /** Id of what it is about. */
  readonly subject: string;
  readonly facts: Facts;
  /** Each person gets at most one notification with this key. */
  readonly once: string;
}

/** Writes the notifications and deliveries in the transaction of the event, so that both are committed, or neither. */
export async function notify(context: Context, tx: Tx, notice: Notice): Promise<void> {
  for (const person of new Set(notice.to)) {
    const reader = await rowWith(tx.db, "principal", { id: person });
    if (reader === undefined || reader.disabled_at !== null) continue;
    await notifyOne(context, tx, { reader, notice });
  }
}

async function notifyOne(
  { store }: Context,
  tx: Tx,
  { reader, notice }: { readonly reader: Tables["principal"]; readonly notice: Notice },
): Promise<void> {
  const { kind, subject, facts } = notice;
  const once = `${notice.once} ${reader.id}`;
  const known = await tx.db.selectFrom("notification").select("id").where("once", "=", once).executeTakeFirst();
  if (known !== undefined) return;
  const wanted = await channelsOf(tx, reader.id, kind);
  const at = store.now();
  const row: Tables["notification"] = {
    id: newId("notification"),
    principal_id: reader.id,
    kind,
    subject,
    facts: JSON.stringify(facts),
    once,
    created_at: at,
    read_at: wanted.app ? null : at,
  };
  await tx.db.insertInto("notification").values(row).execute();
  const message = { notification: row.id, kind, subject, facts, at } as const;
  if (wanted.mail && reader.email !== null && reader.demo === 0n)
    await sendOrJoin(tx, { channel: "mail", address: reader.email, principal: reader.id, message });
  const hook = wanted.webhook ? await webhookOf(tx, reader.id) : undefined;
  if (hook !== undefined)
    await sendOrJoin(tx, { channel: "webhook", address: hook.url, principal: reader.id, message });
}

interface Message {
  readonly notification: string;
  readonly kind: NotificationKind;
  readonly subject: string;
  readonly facts: Facts;
  readonly at: string;
  /** How many more of this kind one mail stands for. */
  readonly more?: number;
  /** The others of this kind in one webhook, oldest first. */
  readonly others?: readonly Omit<Message, "kind" | "more" | "others">[];
}

/** The most notifications in one webhook, about 20 kB. */
const MAX_IN_WEBHOOK = 50;

/** A person gets at most one mail of a kind in this time; what happens meanwhile joins the next. */
const MAIL_PAUSE_MS = 60_000;

const later = (at: string, milliseconds: number): string => new Date(Date.parse(at) + milliseconds).toISOString();

const ofKind = ({ kind }: Message): string => `{"notification":%,"kind":"${kind}",%`;

/** Writes a delivery, or joins one of this kind that waits for the same person and was never tried: a mail counts, a webhook lists. */
async function sendOrJoin(
  { db }: Tx,
  {
    channel,
    address,
    principal,
    message,
  }: {
    readonly channel: "mail" | "webhook";
    readonly address: string;
    readonly principal: PrincipalId;
    readonly message: Message;
  },
): Promise<void> {
  const waiting = await db
    .selectFrom("outbox")
    .select(["id", "message"])
    .where("channel", "=", channel)
    .where("address", "=", address)
    .where("principal_id", "=", principal)
    .where("ended_at", "is", null)
    .where("tries", "=", 0n)
    .where("message", "like", ofKind(message))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const before = waiting === undefined ? null : (JSON.parse(waiting.message) as Message);
  const { others = [], more = 0 } = before ?? {};
  if (waiting === undefined || before === null || others.length >= MAX_IN_WEBHOOK - 1) {
    const row = outboxRow({ channel, address, message: JSON.stringify(message), principal, at: message.at });
    const latest =
      channel === "webhook"
        ? undefined
        : await db
            .selectFrom("outbox")
            .select("due_at")
            .where("principal_id", "=", principal)
            .where("due_at", ">", later(message.at, -MAIL_PAUSE_MS))
            .where("channel", "=", "mail")
            .where("message", "like", ofKind(message))
            .orderBy("due_at", "desc")
            .limit(1)
            .executeTakeFirst();
    const sent = latest !== undefined && latest.due_at < message.at ? latest.due_at : message.at;
    const due_at = latest === undefined ? message.at : later(sent, MAIL_PAUSE_MS);
    await db
      .insertInto("outbox")
      .values({ ...row, due_at })
      .execute();
    return;
  }
  const { kind: _, ...other } = message;
  const joined = channel === "mail" ? { ...before, more: more + 1 } : { ...before, others: [...others, other] };
  await setRow(db, "outbox", { id: waiting.id }, { message: JSON.stringify(joined) });
}

/** Writes to the address that a person had before, whatever their preferences are: they may not have changed it themselves. */
export async function notifyFormerAddress(
  { store }: Context,
  tx: Tx,
  { id, email, demo }: Tables["principal"],
): Promise<void> {
  if (email === null || demo === 1n) return;
  const at = store.now();
  const message = JSON.stringify({ kind: "security", subject: id, facts: { what: "profile" }, at });
  await tx.db
    .insertInto("outbox")
    .values(outboxRow({ channel: "mail", address: email, message, principal: id, at }))
    .execute();
}

export const outboxRow = ({
  channel,
  address,
  message,
  principal,
  at,
}: {
  readonly channel: "mail" | "webhook";
  readonly address: string;
  readonly message: string;
  readonly principal: PrincipalId | null;
  readonly at: string;
}): Tables["outbox"] => ({
  id: newId("outbox"),
  channel,
  principal_id: principal,
  address,
  message,
  created_at: at,
  due_at: at,
  tries: 0n,
  ended_at: null,
  outcome: null,
});

async function channelsOf(tx: Tx, person: PrincipalId, kind: NotificationKind) {
  const row = await rowWith(tx.db, "preference", { principal_id: person, kind });
  if (row === undefined) return usualChannels;
  return { app: row.app === 1n, mail: row.mail === 1n, webhook: row.webhook === 1n };
}

const webhookOf = (tx: Tx, person: PrincipalId) =>
  tx.db.selectFrom("webhook").selectAll().where("principal_id", "=", person).executeTakeFirst();
