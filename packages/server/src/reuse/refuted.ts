import type { LedgerDatabase } from "@dosimeter/ledger";
import type { Version } from "./find.ts";

/** Tells the admins of a dataset which columns released answers contradict its declaration in, once they are stored [M385]. */
export async function tellRefuted(
  { catalog }: Pick<LedgerDatabase, "catalog">,
  { dataset, version }: Pick<Version, "dataset" | "version">,
  refuted: readonly (readonly string[])[],
): Promise<void> {
  for (const columns of refuted) await catalog.tellRefuted({ dataset, version, columns });
}
