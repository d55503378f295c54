import { PrivacyError } from "@dosimeter/core";

/** For `.catch`: null where something does not exist, or the caller may not see it. */
export function nullIfAbsent(error: unknown): null {
  if (error instanceof PrivacyError && error.code === "NOT_FOUND") return null;
  throw error;
}
