import { type ErrorCode, PrivacyError } from "@dosimeter/core";

/** The exit codes; printed by `dosimeter --help`. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  refused: 3,
  notAllowed: 4,
  conflict: 5,
  notReachable: 6,
} as const;

export const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "done",
  failed: "failed: the data, the engine or the machine",
  wrongUse: "wrong use: an option, a value or a plan",
  refused: "refused: the lifetime or a budget has no room",
  notAllowed: "not allowed, not signed in, or not there",
  conflict: "exists already, or has changed meanwhile",
  notReachable: "no server answers, or another process holds the data folder",
};

const byCode = {
  INVALID_PARAMETER: "wrongUse",
  UNSUPPORTED_EVENT: "wrongUse",
  UNSUPPORTED_QUERY: "wrongUse",
  UNKNOWN_COLUMN: "wrongUse",
  EMPTY_PLAN: "wrongUse",
  BUDGET_EXHAUSTED: "refused",
  QUOTA_EXHAUSTED: "refused",
  PRICE_TOO_SMALL: "refused",
  QUOTA_UNAVAILABLE: "refused",
  ACCOUNT_CLOSED: "refused",
  ADJACENCY_MISMATCH: "wrongUse",
  DATA_UNREADABLE: "failed",
  NOT_FOUND: "notAllowed",
  METHOD_NOT_ALLOWED: "wrongUse",
  UNAUTHENTICATED: "notAllowed",
  SECOND_FACTOR: "notAllowed",
  FORBIDDEN: "notAllowed",
  CONFLICT: "conflict",
  IDEMPOTENCY_CONFLICT: "conflict",
  PAYLOAD_TOO_LARGE: "wrongUse",
  RATE_LIMITED: "failed",
  NOT_READY: "failed",
  ENGINE_FAILED: "failed",
  CONFIRMATION_NEEDED: "refused",
  ANSWER_LOST: "failed",
  EXACT_VALUE_LEAK: "failed",
  ALREADY_RUNNING: "notReachable",
  TOO_MUCH_WORK: "wrongUse",
  INTERNAL: "failed",
} as const satisfies Record<ErrorCode, keyof typeof exitCodes>;

/** No server answers at this origin. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
  constructor(origin: string) {
    super(`no server answers at ${origin}`);
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exit: number;
}

/** One line of text and an exit code for any thrown value; never a stack trace. */
export function failureOf(error: unknown): Failure {
  if (error instanceof PrivacyError) {
    return { code: error.code, message: inWords(error), exit: exitCodes[byCode[error.code]] };
  }
  if (error instanceof Unreachable)
    return { code: "UNREACHABLE", message: error.message, exit: exitCodes.notReachable };
  if (isSystemError(error)) return systemFailure(error);
  const message = error instanceof Error ? error.message : String(error);
  return { code: "INTERNAL", message: message.split("\n")[0] ?? "", exit: exitCodes.failed };
}

const SIGN_IN =
  'on the machine of the server make one with dosimeter token create laptop --person "Your Name", elsewhere on the page Settings, and then: export DOSIMETER_TOKEN=dsm_…';

/** Removes the path in the request, which a person at the command line does not see. A fault of the server names its line in the log. */
function inWords({ code, message, details: { request } }: PrivacyError): string {
  const words = message.replace(/^(body|query|path)\./, "");
  if (code === "UNAUTHENTICATED") return `${words}; ${SIGN_IN}`;
  return code === "INTERNAL" && typeof request === "string" ? `${words} (request ${request})` : words;
}

interface SystemError extends Error {
  readonly code: string;
  readonly path?: string;
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && "code" in error && typeof error.code === "string" && /^E[A-Z]+$/.test(error.code);
}

const systemMessages: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "this is a folder, must be a file",
  ENOTDIR: "a part of this path is not a folder",
  ENOSPC: "the disk is full",
  EADDRINUSE: "the port is taken",
};

function systemFailure(error: SystemError): Failure {
  const what = systemMessages[error.code] ?? error.code;
  const message = error.path === undefined ? `${what} (${error.message})` : `${error.path}: ${what}`;
  return { code: error.code, message, exit: exitCodes.failed };
}
