import { type Problem, statusOf } from "@dosimeter/client";
import { type ErrorCode, errorCodes, PrivacyError } from "@dosimeter/core";
import { connectionErrorCode } from "@dosimeter/ledger";

const RESERVED = new Set(["type", "title", "status", "code", "detail"]);

/** A refusal as problem+json (RFC 9457), its public facts next to the standard members. Long texts are cut. */
export function problemOf(error: PrivacyError): Problem {
  const { code, details, message } = error;
  const facts = Object.entries(details)
    .filter(([name, value]) => !RESERVED.has(name) && value !== undefined)
    .map(([name, value]) => [name, name === "got" ? shown(value) : value]);
  return {
    type: `urn:dosimeter:${code}`,
    title: errorCodes[code],
    status: statusOf[code],
    code,
    detail: cut(message, MAX_SAID),
    ...(JSON.parse(JSON.stringify(Object.fromEntries(facts), plain)) as Record<string, unknown>),
  };
}

/** The longest texts, in characters: of a given value, and of anything else. */
const MAX_SHOWN = 80;
const MAX_SAID = 1000;

export const cut = (text: string, longest = MAX_SHOWN): string =>
  text.length <= longest ? text : `${text.slice(0, longest).replace(/\p{Cs}$/u, "")}…`;

/** The given value, cut to a length. */
export function shown(value: unknown): unknown {
  if (typeof value === "string") return cut(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : value;
}

/** The error that a caller may see: a refusal as it is, NOT_READY while the database is unreachable, and INTERNAL without details for all else. */
export function publicError(error: unknown): PrivacyError {
  if (error instanceof PrivacyError && !HIDDEN.has(error.code)) return error;
  return new PrivacyError(connectionErrorCode(error) === null ? "INTERNAL" : "NOT_READY");
}

/** One body for everything that is absent or not visible: which id it was, and whether it exists, is not said. */
export const unnamed = (error: PrivacyError): PrivacyError =>
  error.code === "NOT_FOUND" && error.details.name !== undefined ? new PrivacyError("NOT_FOUND") : error;

const HIDDEN: ReadonlySet<ErrorCode> = new Set(["INTERNAL", "EXACT_VALUE_LEAK"]);

/** A fact as JSON: amounts as the decimal text of their units, infinities and NaN as text, long texts cut. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "string") return cut(value, MAX_SAID);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
}
