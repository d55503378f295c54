import { PrivacyError } from "@dosimeter/core";
import type { Context } from "../context.ts";
import type { Tx } from "../store.ts";
import type { Tables } from "../tables.ts";
import { principalsOf } from "./analyst.ts";

type RequestRow = Tables["request"];

/** How much asking a decider is asked to bear, from one person with their services, on one ledger; for quota, or for a raise. */
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
export async function checkPatience({ patience }: Context, tx: Tx, row: RequestRow): Promise<void> {
  const now = row.created_at;
  const at = Date.parse(now);
  const recent = await tx.db
    .selectFrom("request")
    .select(["status", "parent_id", "holder_kind", "holder_id", "created_at", "changed_at", "expires_at"])
    .where("ledger_id", "=", row.ledger_id)
    .where("requester_id", "in", await principalsOf(tx, row.requester_id))
    .where(({ or, eb }) => or([eb("status", "in", OPEN), eb("changed_at", ">", since(patience, at))]))
    .orderBy("created_at")
    .execute();
  const isSamePlace = (each: (typeof recent)[number]): boolean =>
    each.parent_id === row.parent_id && each.holder_kind === row.holder_kind && each.holder_id === row.holder_id;

  // Who asks for a person is that person or a service of theirs: all of it comes from one analyst, whichever account it is for.
  const isAgain = (each: (typeof recent)[number]): boolean =>
    isSamePlace(each) ||
    (each.parent_id === row.parent_id && each.holder_kind === "principal" && row.holder_kind === "principal");

  const rejected = recent.filter((each) => each.status === "rejected" && isAgain(each));
  checkPause(patience, { at, rejected: rejected.map(({ changed_at }) => changed_at) });
  const asked = recent.filter(({ status }) => !GRANTED.includes(status));
  checkDay(patience, { at, asked: asked.map(({ created_at }) => created_at), what: "requests" });

  const open = recent.filter((each) => OPEN.includes(each.status) && !isOver(each, now) && !isSamePlace(each));
  if (open.length >= patience.open)
    throw new PrivacyError("CONFLICT", {
      name: "open requests",
      got: open.length,
      want: `fewer than ${patience.open}: withdraw one, or wait for an answer`,
    });
}

/**
 * The same for a raise of the lifetime, which only the ledger's other admins decide: RATE_LIMITED after their rejection, or
 * after too many in a day that did not take effect. That one at once may be open is asked by who proposes.
 */
export async function checkPatienceOfAdmins(
  { patience }: Context,
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
    .where("decided_at", ">", since(patience, at))
    .orderBy("proposed_at")
    .execute();
  const rejected = ended.flatMap(({ status, decided_at }) =>
    status === "rejected" && decided_at !== null ? [decided_at] : [],
  );
  checkPause(patience, { at, rejected });
  checkDay(patience, { at, asked: ended.map((each) => each.proposed_at), what: "raises" });
}

/** As far back as anything still counts. */
const since = ({ pauseHours }: Patience, at: number): string =>
  new Date(at - Math.max(DAY, pauseHours * HOUR)).toISOString();

function checkPause(
  { pauseHours }: Patience,
  { at, rejected }: { readonly at: number; readonly rejected: readonly string[] },
): void {
  const again = Math.max(...rejected.map((each) => Date.parse(each) + pauseHours * HOUR));
  if (again > at) throw wait(again - at, "this was rejected; it can be asked for again");
}

/** Oldest first. */
function checkDay(
  { aDay }: Patience,
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
