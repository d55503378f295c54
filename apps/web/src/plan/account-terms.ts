import type { Account } from "@dosimeter/client";
import type { Declaration } from "@dosimeter/query";

/** δ that the account has left, or all of it where nothing could be summed. */
export const accountDelta = ({ balance }: Pick<Account, "balance">): string => balance.delta.left ?? balance.delta.cap;

/** Why a plan on a dataset has no such setting. [M48] */
export const NO_SECRET_SAMPLE =
  "Secrecy of the sample and its functioning ε are not settings of this plan: the ledger counts every answer at its full ε, because all answers come from the same sample and a gain would hold once, for all of them together.";

/** How many rows the table always has, where one may be replaced and none added: what could be a sample of a fixed size. */
export const fixedSize = ({ size, adjacency }: Pick<Declaration, "size" | "adjacency">): number | null =>
  size !== undefined && "public" in size && adjacency === "replace" ? size.public : null;
