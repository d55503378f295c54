import { type Problem, statusOf } from "@dosimeter/client";
import { type ErrorCode, errorCodes, PrivacyError } from "@dosimeter/core";
import { whyAway } from "@dosimeter/ledger";

const RESERVED = new Set(["type", "title", "status", "code", "detail"]);

/** A refusal as problem+json (RFC 9457), its public facts beside the standard members. */
export function problemOf(error: PrivacyError): Problem {
  const { code, details, message } = error;
  const facts = Object.entries(details).filter(([name, value]) => !RESERVED.has(name) && value !== undefined);
  return {
    type: `urn:dosimeter:${code}`,
    title: errorCodes[code],
    status: statusOf[code],
    code,
    detail: message,
    ...(JSON.parse(JSON.stringify(Object.fromEntries(facts), plain)) as Record<string, unknown>),
  };
}

/** What may leave: a refusal as it is; NOT_READY while the database is away; all else, leaks of exact values too, as INTERNAL without a word more. */
export function publicError(error: unknown): PrivacyError {
  if (error instanceof PrivacyError && !HIDDEN.has(error.code)) return error;
  return new PrivacyError(whyAway(error) === null ? "INTERNAL" : "NOT_READY");
}

const HIDDEN: ReadonlySet<ErrorCode> = new Set(["INTERNAL", "EXACT_VALUE_LEAK"]);

/** Amounts as decimal text of their units; a double that JSON cannot hold as text. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
}
