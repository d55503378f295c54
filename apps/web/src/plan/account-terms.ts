import type { Account } from "@dosimeter/client";

/** δ that the account has left, or all of it where nothing could be summed. */
export const accountDelta = ({ balance }: Pick<Account, "balance">): string => balance.delta.left ?? balance.delta.cap;

/** Why a plan on a dataset has no such setting. */
export const NO_SECRET_SAMPLE =
  "Secrecy of the sample and its functioning ε are not settings of this plan: the ledger counts every answer at its full ε, because all answers come from the same sample and a gain would hold once, for all of them together. Try both in Explore › Plan.";
