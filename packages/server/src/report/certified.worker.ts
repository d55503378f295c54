import { type DpEvent, PrivacyError } from "@dosimeter/core";
import { certified } from "@dosimeter/core/accounting";
import { serveThread } from "../threads/serve-thread.ts";

export type CertifiedList = Parameters<typeof certified>;
/** A refusal is an answer: an error that a thread throws loses its code. */
export type CertifiedAnswer = { readonly event: DpEvent } | Pick<PrivacyError, "code" | "details" | "message">;

serveThread(([events, delta, adjacency]: CertifiedList): CertifiedAnswer => {
  try {
    return { event: certified(events, delta, adjacency) };
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    const { code, details, message } = error;
    return { code, details, message };
  }
});
