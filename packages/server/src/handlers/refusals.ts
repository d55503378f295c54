import { PrivacyError } from "@dosimeter/core";
import type { Deps } from "../http/deps.ts";

/** Limits how fast one caller can be refused, because each refusal adds a line to the audit. */
export async function countRefusal(error: unknown, principal: string, { rates }: Deps): Promise<void> {
  const isRefusal =
    error instanceof PrivacyError && /^((BUDGET|QUOTA)_EXHAUSTED|CONFIRMATION_NEEDED)$/.test(error.code);
  if (isRefusal) await rates.take("refusal", principal);
}
