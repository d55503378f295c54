import { PrivacyError } from "@dosimeter/core";
import type { Context } from "../context.ts";
import type { Tx } from "../store.ts";
import type { Tables } from "../tables.ts";
import { principalsOf } from "./analyst.ts";

type RequestRow = Tables["request"];

/** How much asking a decider is asked to bear, from one person with their services, on one ledger. */
export interface Patience {
  /** Requests that wait for an answer at once. */
  readonly open: number;
  /** Requests made within a day that were not granted, whatever became of them. */
  readonly aDay: number;
  /** Hours after a rejection, before the same payer is asked again; for a team, by the same team. */
  readonly pauseHours: number;
}

export const usualPatience: Patience = { open: 10, aDay: 20, pauseHours: 24 };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const OPEN: RequestRow["status"][] = ["submitted", "counterOffered", "infoRequested", "escalated"];
const GRANTED: readonly string[] = ["approved", "partlyApproved"];

export const isOver = ({ status, expires_at }: Pick<RequestRow, "status" | "expires_at">, now: string): boolean =>
  OPEN.includes(status) && expires_at <= now;

/**
 * Whoever decides is not worn down: CONFLICT beside too many open requests, RATE_LIMITED with the seconds to wait after a
 * rejection by the same payer or after too many in a day. Nothing is written before.
 */
export async function checkPatience(
  { patience: { open: most, aDay, pauseHours } }: Context,
  tx: Tx,
  row: RequestRow,
): Promise<void> {
  const now = row.created_at;
  const at = Date.parse(now);
  const since = new Date(at - Math.max(DAY, pauseHours * HOUR)).toISOString();
  const recent = await tx.db
    .selectFrom("request")
    .select(["status", "parent_id", "holder_kind", "holder_id", "created_at", "changed_at", "expires_at"])
    .where("ledger_id", "=", row.ledger_id)
    .where("requester_id", "in", await principalsOf(tx, row.requester_id))
    .where(({ or, eb }) => or([eb("status", "in", OPEN), eb("changed_at", ">", since)]))
    .orderBy("created_at")
    .execute();
  const isSamePlace = (each: (typeof recent)[number]): boolean =>
    each.parent_id === row.parent_id && each.holder_kind === row.holder_kind && each.holder_id === row.holder_id;

  // Who asks for a person is that person or a service of theirs: all of it comes from one analyst, whichever account it is for.
  const isAgain = (each: (typeof recent)[number]): boolean =>
    isSamePlace(each) ||
    (each.parent_id === row.parent_id && each.holder_kind === "principal" && row.holder_kind === "principal");

  const rejected = recent.filter((each) => each.status === "rejected" && isAgain(each));
  const again = Math.max(...rejected.map(({ changed_at }) => Date.parse(changed_at) + pauseHours * HOUR));
  if (again > at) throw wait(again - at, "this was rejected; it can be asked for again");

  const day = recent.filter(({ status, created_at }) => !GRANTED.includes(status) && Date.parse(created_at) > at - DAY);
  const first = day.at(-aDay);
  if (first !== undefined)
    throw wait(Date.parse(first.created_at) + DAY - at, `${aDay} requests in a day are the most; another can be made`);

  const open = recent.filter((each) => OPEN.includes(each.status) && !isOver(each, now) && !isSamePlace(each));
  if (open.length >= most)
    throw new PrivacyError("CONFLICT", {
      name: "open requests",
      got: open.length,
      want: `fewer than ${most}: withdraw one, or wait for an answer`,
    });
}

function wait(milliseconds: number, what: string): PrivacyError {
  const seconds = Math.ceil(milliseconds / 1000);
  const left = seconds > 5400 ? `${Math.ceil(seconds / 3600)} hours` : `${Math.ceil(seconds / 60)} minutes`;
  return new PrivacyError("RATE_LIMITED", { seconds }, `${what} in ${left}`);
}
