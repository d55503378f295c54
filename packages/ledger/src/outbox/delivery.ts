import type { Context } from "../context.ts";
import { record, setRow } from "../stores/row.ts";
import type { PrincipalId } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { outboxRow } from "./notify.ts";

/** Something to be sent: at least once, under an id that stays the same, so that a receiver can recognise a repetition. */
export interface Delivery {
  readonly id: string;
  readonly channel: "mail" | "webhook";
  readonly principal: PrincipalId | null;
  readonly address: string | null;
  readonly message: Json;
  readonly tries: number;
}

/** Seconds until a delivery without a report is tried again: longer than any sender waits. */
const LEASE_SECONDS = 120;
/** Between tries: 15 s, 30 s, 1 min … at most 4 h; given up after about a day and a half. */
const FIRST_PAUSE_SECONDS = 15;
const MAX_PAUSE_SECONDS = 14_400;
const MAX_TRIES = 18;

const later = (now: string, seconds: number): string => new Date(Date.parse(now) + seconds * 1000).toISOString();

interface Due {
  readonly channel: Delivery["channel"];
  readonly limit: number;
  /** Addresses to which something is being sent. */
  readonly except?: readonly string[];
}

/**
 * Takes what is due for this process, of each address the one that waits longest: several processes never take the same one within
 * its lease, and one address never takes the place of another.
 */
export function takeDue({ store }: Context, { channel, limit, except = [] }: Due): Promise<readonly Delivery[]> {
  return store.transact(async ({ db }) => {
    const now = store.now();
    let due = db
      .selectFrom("outbox")
      .select(({ fn }) => [
        "id",
        fn
          .agg<bigint>("row_number")
          .over((over) => over.partitionBy("address").orderBy("due_at").orderBy("id"))
          .as("place"),
      ])
      .where("ended_at", "is", null)
      .where("channel", "=", channel)
      .where("due_at", "<=", now);
    if (except.length > 0) due = due.where("address", "not in", [...except]);
    const rows = await db
      .selectFrom("outbox")
      .innerJoin(due.as("due"), "due.id", "outbox.id")
      .selectAll("outbox")
      .where("due.place", "=", 1n)
      .orderBy("outbox.due_at")
      .limit(limit)
      .execute();
    for (const { id, tries } of rows)
      await setRow(db, "outbox", { id }, { tries: tries + 1n, due_at: later(now, LEASE_SECONDS) });
    return rows.map((row) => ({
      ...record(row, "id", "channel", "principal_id", "address"),
      message: JSON.parse(row.message) as Json,
      tries: Number(row.tries) + 1,
    }));
  });
}

/** `failed`: tried again later, until it is given up. */
export function endDelivery(
  { store }: Context,
  { id, outcome }: { readonly id: string; readonly outcome: "delivered" | "refused" | "failed" },
): Promise<void> {
  return store.transact(async ({ db }) => {
    const row = await db.selectFrom("outbox").selectAll().where("id", "=", id).executeTakeFirst();
    if (row === undefined || row.ended_at !== null) return;
    const now = store.now();
    const isLast = Number(row.tries) >= MAX_TRIES;
    const pause = Math.min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (Number(row.tries) - 1));
    const set =
      outcome !== "failed"
        ? { ended_at: now, outcome }
        : isLast
          ? { ended_at: now, outcome: "givenUp" as const }
          : { due_at: later(now, pause) };
    await db.updateTable("outbox").set(set).where("id", "=", id).execute();
  });
}

/** A mail that is no notification: an invitation, a sign-in link. Its secret is made when it is sent, not kept here. */
export function putMail(
  { store }: Context,
  {
    address,
    message,
    principal,
  }: { readonly address: string; readonly message: Json; readonly principal: PrincipalId | null },
): Promise<void> {
  return store.transact(async ({ db }) => {
    const row = outboxRow({ channel: "mail", address, message: JSON.stringify(message), principal, at: store.now() });
    await db.insertInto("outbox").values(row).execute();
  });
}

/** Deletes notifications of before `until`, and letters and posts that ended before it: the chain covers none of them. */
export function forgetMessages({ store }: Context, { until }: { readonly until: string }): Promise<void> {
  return store.transact(async ({ db }) => {
    await db.deleteFrom("notification").where("created_at", "<", until).execute();
    await db.deleteFrom("outbox").where("ended_at", "<", until).execute();
  });
}

/** How many messages wait, those between two tries included. */
export async function backlog({ store: { read } }: Context): Promise<number> {
  const { waiting } = await read
    .selectFrom("outbox")
    .select(({ fn }) => fn.countAll().as("waiting"))
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(waiting);
}
