import type { Account } from "@dosimeter/client";

/** δ that the account has left, or all of it where nothing could be summed. */
export const accountDelta = ({ balance }: Pick<Account, "balance">): string => balance.delta.left ?? balance.delta.cap;

/** Why a plan on a dataset has no such setting. */
export const NO_SECRET_SAMPLE =
  "Secrecy of the sample and its functioning ε are not settings of this plan: the promise belongs to the ledger, which counts every answer at its full ε. Try both in Explore › Plan.";
