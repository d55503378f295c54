import { PrivacyError } from "@dosimeter/core";
import type { Context, RequestLimits } from "../context.ts";
import { principalsOf } from "../people/analyst.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";

import { isOver, OPEN } from "./request-limits.ts";

type RequestRow = Tables["request"];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const GRANTED: readonly string[] = ["approved", "partlyApproved"];

/**
 * Protects those who decide: CONFLICT when too many requests are open, RATE_LIMITED with the seconds to wait after a
 * rejection by the same payer or after too many in a day. Nothing is written before.
 */
export async function checkRequestLimits({ requestLimits }: Context, tx: Tx, row: RequestRow): Promise<void> {
  const now = row.created_at;
  const at = Date.parse(now);
  const recent = await tx.db
    .selectFrom("request")
    .select(["status", "parent_id", "holder_kind", "holder_id", "created_at", "changed_at", "expires_at"])
    .where("ledger_id", "=", row.ledger_id)
    .where("requester_id", "in", await principalsOf(tx, row.requester_id))
    .where(({ or, eb }) => or([eb("status", "in", OPEN), eb("changed_at", ">", since(requestLimits, at))]))
    .orderBy("created_at")
    .execute();
  const isSamePlace = (each: (typeof recent)[number]): boolean =>
    each.parent_id === row.parent_id && each.holder_kind === row.holder_kind && each.holder_id === row.holder_id;

  // A person and their services count as one analyst, for all of their accounts.
  const isAgain = (each: (typeof recent)[number]): boolean =>
    isSamePlace(each) ||
    (each.parent_id === row.parent_id && each.holder_kind === "principal" && row.holder_kind === "principal");

  const rejected = recent.filter((each) => each.status === "rejected" && isAgain(each));
  checkPause(requestLimits, { at, rejected: rejected.map(({ changed_at }) => changed_at) });
  const asked = recent.filter(({ status }) => !GRANTED.includes(status));
  checkDay(requestLimits, { at, asked: asked.map(({ created_at }) => created_at), what: "requests" });

  const open = recent.filter((each) => OPEN.includes(each.status) && !isOver(each, now) && !isSamePlace(each));
  if (open.length >= requestLimits.open)
    throw new PrivacyError("CONFLICT", {
      name: "open requests",
      got: open.length,
      want: `fewer than ${requestLimits.open}: withdraw one, or wait for an answer`,
    });
}

/**
 * The same for a raise of the lifetime, which only the ledger's other admins decide: RATE_LIMITED after their rejection, or
 * after too many in a day that did not take effect. `proposeAmendment` checks that only one is open.
 */
export async function checkRaiseLimits(
  { requestLimits }: Context,
  tx: Tx,
  { ledger_id, proposed_by, proposed_at }: Pick<Tables["amendment"], "ledger_id" | "proposed_by" | "proposed_at">,
): Promise<void> {
  const at = Date.parse(proposed_at);
  const ended = await tx.db
    .selectFrom("amendment")
    .select(["status", "proposed_at", "decided_at"])
    .where("ledger_id", "=", ledger_id)
    .where("proposed_by", "in", await principalsOf(tx, proposed_by))
    .where("status", "in", ["rejected", "withdrawn"])
    .where("decided_at", ">", since(requestLimits, at))
    .orderBy("proposed_at")
    .execute();
  const rejected = ended.flatMap(({ status, decided_at }) =>
    status === "rejected" && decided_at !== null ? [decided_at] : [],
  );
  checkPause(requestLimits, { at, rejected });
  checkDay(requestLimits, { at, asked: ended.map((each) => each.proposed_at), what: "raises" });
}

/** The oldest time that still counts. */
const since = ({ pauseHours }: RequestLimits, at: number): string =>
  new Date(at - Math.max(DAY, pauseHours * HOUR)).toISOString();

function checkPause(
  { pauseHours }: RequestLimits,
  { at, rejected }: { readonly at: number; readonly rejected: readonly string[] },
): void {
  const again = Math.max(...rejected.map((each) => Date.parse(each) + pauseHours * HOUR));
  if (again > at) throw wait(again - at, "this was rejected; it can be asked for again");
}

/** Oldest first. */
function checkDay(
  { aDay }: RequestLimits,
  { at, asked, what }: { readonly at: number; readonly asked: readonly string[]; readonly what: string },
): void {
  const first = asked.filter((each) => Date.parse(each) > at - DAY).at(-aDay);
  if (first !== undefined)
    throw wait(Date.parse(first) + DAY - at, `${aDay} ${what} in a day are the most; another can be made`);
}

function wait(milliseconds: number, what: string): PrivacyError {
  const seconds = Math.ceil(milliseconds / 1000);
  const left = seconds > 5400 ? `${Math.ceil(seconds / 3600)} hours` : `${Math.ceil(seconds / 60)} minutes`;
  return new PrivacyError("RATE_LIMITED", { seconds }, `${what} in ${left}`);
}
