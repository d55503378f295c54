import type { Account, Dataset } from "@dosimeter/client";
import type { Declaration } from "@dosimeter/query/declaration";
import { isLive } from "@dosimeter/query/source";

/** δ that the account has left, or all of it where nothing could be summed. */
export const accountDelta = ({ balance }: Pick<Account, "balance">): string => balance.delta.left ?? balance.delta.cap;

/** Why a plan on a dataset has no such setting. [M48] */
export const NO_SECRET_SAMPLE =
  "Secrecy of the sample and its functioning ε are not settings of this plan: the ledger counts every answer at its full ε, because all answers come from the same sample and a gain would hold once, for all of them together.";

/**
 * How many people the one table that a ledger pays for always has; null where it is no sample of a fixed size: where people are added,
 * a person has several rows, the table lives in a database that may draw again, or the ledger also pays for another table or version, drawn apart.
 */
export function sampleSize(
  { version }: Pick<Dataset, "version">,
  { tables }: Pick<Account, "tables">,
  {
    size,
    adjacency,
    privacyUnit,
    blocks,
    source,
  }: Pick<Declaration, "size" | "adjacency" | "privacyUnit" | "blocks" | "source">,
): number | null {
  if (adjacency !== "replace" || privacyUnit !== "row" || blocks !== undefined || isLive(source)) return null;
  return version === 1 && tables === 1 && size !== undefined && "public" in size ? size.public : null;
}
