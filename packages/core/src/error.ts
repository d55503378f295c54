/** Every way a request can be refused. Codes are added and never removed; the server gives each one an HTTP status. */
export const errorCodes = {
  INVALID_PARAMETER: "a value is outside its range or of the wrong kind",
  UNSUPPORTED_EVENT: "an accountant cannot price this kind of event",
  UNSUPPORTED_QUERY: "a plan asks for something that cannot be bounded or is not offered",
  UNKNOWN_COLUMN: "a plan names a column that the dataset does not declare",
  EMPTY_PLAN: "a plan has no statistics",
  BUDGET_EXHAUSTED: "the ledger of the population has no room for this charge",
  QUOTA_EXHAUSTED: "an account on the path has no room for this charge",
  CONFIRMATION_NEEDED: "this is more than the caller may spend alone; another person has to confirm it",
  PRICE_TOO_SMALL: "a release takes less than the least part of the lifetime that one may take",
  QUOTA_UNAVAILABLE: "the parent account has less free quota than was asked for",
  ACCOUNT_CLOSED: "the account is frozen, expired or closed",
  ADJACENCY_MISMATCH: "the plan and the ledger use different neighbour relations",
  DATA_UNREADABLE: "the data source cannot be read as declared",
  NOT_FOUND: "not found, or not visible to you",
  METHOD_NOT_ALLOWED: "this address takes other methods",
  UNAUTHENTICATED: "the token or session is missing, wrong, expired or revoked",
  SECOND_FACTOR: "the password is right, and a second factor is needed with it",
  FORBIDDEN: "your roles do not allow this",
  CONFLICT: "the thing exists already or has changed meanwhile",
  IDEMPOTENCY_CONFLICT: "the idempotency key was used for a different request",
  PAYLOAD_TOO_LARGE: "the request body is too large",
  RATE_LIMITED: "too many requests",
  NOT_READY: "the service cannot work just now",
  ENGINE_FAILED: "the data engine could not run the plan; the charge stands and is run again under its key",
  ANSWER_LOST:
    "the answer was lost with the state that the ledger database had; the charge stands, ask again under a new key",
  EXACT_VALUE_LEAK: "an un-noised value was about to leave the engine",
  ALREADY_RUNNING: "another process holds the data folder",
  TOO_MUCH_WORK: "the computation takes more work than one question may take",
  INTERNAL: "something went wrong on our side",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** Public facts about a refusal: never a row, never a count, never a driver's message. */
export interface ErrorDetails {
  /** The path of the wrong value: `statistics[2].lower`. */
  readonly name?: string;
  readonly got?: unknown;
  /** The values that are allowed there. */
  readonly want?: string;
  readonly [fact: string]: unknown;
}

/** The one error class. Its message reads "*name* is *got*, must be *want*" where those are given. */
export class PrivacyError extends Error {
  override readonly name = "PrivacyError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}, message?: string) {
    super(message ?? describe(code, details));
    this.code = code;
    this.details = details;
  }
}

/** Throws INVALID_PARAMETER: *name* is *got*, must be *want*. Without `got` it is missing, or not to be repeated. */
export function invalid(name: string, got: unknown, want: string): never {
  // Infinity and NaN travel as text: JSON has no such numbers.
  if (typeof got === "number" && !Number.isFinite(got))
    throw new PrivacyError("INVALID_PARAMETER", { name, got: String(got), want }, `${name} is ${got}, must be ${want}`);
  throw new PrivacyError("INVALID_PARAMETER", got === undefined ? { name, want } : { name, got, want });
}

function describe(code: ErrorCode, { name, got, want }: ErrorDetails): string {
  if (name === undefined) return errorCodes[code];
  const is = got === undefined ? `${name} is missing` : `${name} is ${show(got)}`;
  return want === undefined ? is : `${is}, must be ${want}`;
}

const MAX_SHOWN = 80;

function show(value: unknown): string {
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** What `run` gives, or `otherwise` where it refuses: with one of the codes, if some are named. Other faults pass. */
export function unlessRefused<T, R>(run: () => T, otherwise: R, ...codes: readonly ErrorCode[]): T | R {
  try {
    return run();
  } catch (error) {
    if (error instanceof PrivacyError && (codes.length === 0 || codes.includes(error.code))) return otherwise;
    throw error;
  }
}
