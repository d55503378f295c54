import { type ErrorCode, errorCodes, PrivacyError } from "@dosimeter/core";

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
