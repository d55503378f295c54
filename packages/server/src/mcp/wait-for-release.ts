import type { Client, Output } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";

/** How long a tool waits for answers where no time is given: less than clients wait for a tool. */
export const WAIT_SECONDS = 20;

/** A release, by its id or by that of the confirmation that it waits for. CONFIRMATION_NEEDED until a person has confirmed it. */
export async function waitForRelease(
  client: Client,
  { release: id, wait = WAIT_SECONDS }: { readonly release: string; readonly wait?: number },
  signal: AbortSignal,
): Promise<Output<"showRelease">> {
  if (!id.startsWith("cnf_")) return client.showRelease({ release: id, wait }, { signal });
  const deadline = performance.now() + wait * 1000;
  const { status, release, expiresAt, epsilon } = await client.showConfirmation({ confirmation: id, wait }, { signal });
  if (release === null)
    throw new PrivacyError(
      "CONFIRMATION_NEEDED",
      { confirmation: id, decision: status, expiresAt, requested: epsilon },
      said[status],
    );
  const left = Math.max(0, Math.floor((deadline - performance.now()) / 1000));
  return client.showRelease({ release, wait: left }, { signal });
}

const said: Readonly<Record<Output<"showConfirmation">["status"], string>> = {
  pending: "the person has not decided yet",
  confirmed: "the person has confirmed it, and it is not charged yet: send the release again with its key",
  refused: "the person refused this release",
  expired: "no one confirmed it in time: send the release again with its key to ask again",
};
