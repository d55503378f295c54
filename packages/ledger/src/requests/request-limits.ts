import type { Tables } from "../stores/tables.ts";

type RequestRow = Tables["request"];

/** How often one person, with their services, may ask on one ledger: for quota, or for a raise. */
export interface RequestLimits {
  /** Requests that may wait for an answer at once. */
  readonly open: number;
  /** Requests made within a day that were not granted. */
  readonly aDay: number;
  /** Hours after a rejection before the same payer may be asked again; for a team, by the same team. */
  readonly pauseHours: number;
}

export const usualRequestLimits: RequestLimits = { open: 10, aDay: 20, pauseHours: 24 };

/** The states in which a request waits for a decision or an answer. */
export const OPEN: RequestRow["status"][] = ["submitted", "counterOffered", "infoRequested", "escalated"];

/** Whether an open request is past its date. */
export const isOver = ({ status, expires_at }: Pick<RequestRow, "status" | "expires_at">, now: string): boolean =>
  OPEN.includes(status) && expires_at <= now;
