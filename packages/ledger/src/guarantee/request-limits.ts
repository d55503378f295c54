import type { RequestLimits } from "../context.ts";
import type { Tables } from "../stores/tables.ts";

type RequestRow = Tables["request"];

export const usualRequestLimits: RequestLimits = { open: 10, aDay: 20, pauseHours: 24 };

/** The states in which a request waits for a decision or an answer. */
export const OPEN: RequestRow["status"][] = ["submitted", "counterOffered", "infoRequested", "escalated"];

export const isOver = ({ status, expires_at }: Pick<RequestRow, "status" | "expires_at">, now: string): boolean =>
  OPEN.includes(status) && expires_at <= now;
