import type { Client, Input, Output } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";

/** How long a tool waits for answers where no time is given: less than clients wait for a tool. */
export const WAIT_SECONDS = 20;

/**
 * Charges a release, and waits for its answers. It is charged from its first step on: what breaks while waiting answers what was charged, and is
 * asked again.
 */
export async function buyRelease(
  client: Client,
  {
    key,
    wait = WAIT_SECONDS,
    ...asked
  }: Omit<Input<"createRelease">, "wait"> & { readonly key: string; readonly wait?: number },
  signal: AbortSignal,
): Promise<Output<"createRelease">> {
  const charged = await client.createRelease({ ...asked, wait: 0 }, { idempotencyKey: key });
  if (charged.stage === "done" || charged.failure !== null) return charged;
  return client.showRelease({ release: charged.id, wait }, { signal }).catch(() => charged);
}

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
