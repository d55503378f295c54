import { type ErrorCode, errorCodes, PrivacyError } from "@dosimeter/core";

/** HTTP status of every code: the one table that server, OpenAPI document and tests read. */
export const statusOf = {
  INVALID_PARAMETER: 400,
  UNSUPPORTED_EVENT: 422,
  UNSUPPORTED_QUERY: 422,
  UNKNOWN_COLUMN: 422,
  EMPTY_PLAN: 422,
  BUDGET_EXHAUSTED: 409,
  QUOTA_EXHAUSTED: 409,
  PRICE_TOO_SMALL: 409,
  QUOTA_UNAVAILABLE: 409,
  ACCOUNT_CLOSED: 409,
  ADJACENCY_MISMATCH: 422,
  DATA_UNREADABLE: 422,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  UNAUTHENTICATED: 401,
  SECOND_FACTOR: 401,
  FORBIDDEN: 403,
  CONFLICT: 409,
  IDEMPOTENCY_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  NOT_READY: 503,
  ENGINE_FAILED: 503,
  CONFIRMATION_NEEDED: 409,
  ANSWER_LOST: 410,
  EXACT_VALUE_LEAK: 500,
  ALREADY_RUNNING: 409,
  TOO_MUCH_WORK: 422,
  INTERNAL: 500,
} as const satisfies Record<ErrorCode, number>;

/** What a refusal looks like on the wire (RFC 9457); the refusal's own facts are further members. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly [fact: string]: unknown;
}

/** The error that the server's problem+json stands for; a body that is none is INTERNAL with the HTTP status. */
export function problemToError(body: unknown, status: number): PrivacyError {
  if (!isProblem(body))
    return new PrivacyError("INTERNAL", { status }, `the server answered ${status} without a reason`);
  const { type: _type, title: _title, code, detail, ...facts } = body;
  return new PrivacyError(code, facts, detail);
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== "object" || body === null) return false;
  const { code, detail } = body as Partial<Problem>;
  return typeof code === "string" && code in errorCodes && typeof detail === "string";
}
