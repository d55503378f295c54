import type { ErrorCode, PrivacyError } from "@dosimeter/core";

export interface WireFacts {
  /** FATAL ends the connection. */
  readonly severity?: "ERROR" | "FATAL";
  /** SQLSTATE: five characters of PostgreSQL's appendix A. */
  readonly code: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  /** Of the fault in the text that the client sent: characters from 1 on. */
  readonly position?: number | undefined;
}

/** A refusal as a client of PostgreSQL reads it. */
export class WireError extends Error {
  readonly facts: WireFacts;

  constructor(facts: WireFacts, message: string) {
    super(message);
    this.facts = facts;
  }
}

/** The SQLSTATE of each refusal; a code without one does not compile. None is of a class after which drivers try again by themselves. */
const states = {
  INVALID_PARAMETER: "22023",
  UNSUPPORTED_EVENT: "0A000",
  UNSUPPORTED_QUERY: "0A000",
  UNKNOWN_COLUMN: "42703",
  EMPTY_PLAN: "42601",
  BUDGET_EXHAUSTED: "53400",
  QUOTA_EXHAUSTED: "53400",
  PRICE_TOO_SMALL: "22023",
  QUOTA_UNAVAILABLE: "53400",
  ACCOUNT_CLOSED: "55000",
  ADJACENCY_MISMATCH: "22023",
  DATA_UNREADABLE: "58030",
  NOT_FOUND: "42P01",
  METHOD_NOT_ALLOWED: "0A000",
  UNAUTHENTICATED: "28000",
  SECOND_FACTOR: "28000",
  FORBIDDEN: "42501",
  CONFLICT: "55000",
  IDEMPOTENCY_CONFLICT: "42710",
  PAYLOAD_TOO_LARGE: "54000",
  RATE_LIMITED: "53000",
  NOT_READY: "57P03",
  ENGINE_FAILED: "58000",
  CONFIRMATION_NEEDED: "42501",
  ANSWER_LOST: "58000",
  EXACT_VALUE_LEAK: "XX000",
  ALREADY_RUNNING: "55000",
  TOO_MUCH_WORK: "54000",
  INTERNAL: "XX000",
} as const satisfies Record<ErrorCode, string>;

export interface Placed {
  /** Characters of the client's text before the character of ours at `line` and `column`, both from 1. */
  readonly positionOf: (line: number, column: number) => number;
}

/** A refusal of the interface for a client of PostgreSQL: its place as a position, what would fit as a hint. */
export function wireError(error: PrivacyError, placed?: Placed): WireError {
  const { code, details, message } = error;
  const { line, column, largestEpsilon } = details;
  const isPlaced = typeof line === "number" && typeof column === "number";
  const [guess, meant] = / \(did you mean (.+)\?\)$/.exec(message) ?? [];
  const said = guess === undefined ? message : message.slice(0, -guess.length);
  return new WireError(
    {
      code: code === "INVALID_PARAMETER" && isPlaced ? "42601" : states[code],
      ...(isPlaced && placed !== undefined ? { position: placed.positionOf(line, column) } : {}),
      hint:
        typeof largestEpsilon === "string"
          ? roomHint(largestEpsilon)
          : meant === undefined
            ? undefined
            : `Did you mean ${meant}?`,
    },
    isPlaced ? said.replace(/^line \d+, column \d+: /, "") : said,
  );
}

/** What to set where a price does not fit. */
export const roomHint = (largest: string): string =>
  /^0(?:\.0*)?$/.test(largest)
    ? "No ε fits any more; earlier answers stay free."
    : `SET dosimeter.epsilon = ${largest} would fit.`;
