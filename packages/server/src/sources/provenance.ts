import { invalid } from "@dosimeter/core";
import type { LedgerDatabase, PopulationId } from "@dosimeter/ledger";
import type { Declaration } from "@dosimeter/query/declaration";
import { nullIfAbsent } from "../access/absent.ts";

/**
 * Bounds or categories that a release is said to have paid for: it exists, was answered, and is about the same population, null
 * for new people. INVALID_PARAMETER otherwise, with the same message for every failure.
 */
export async function checkReleases(
  { columns }: Pick<Declaration, "columns">,
  population: PopulationId | null,
  { ledgers, releases }: Pick<LedgerDatabase, "ledgers" | "releases">,
): Promise<void> {
  for (const [name, { provenance, release }] of Object.entries(columns)) {
    if (provenance !== "dp-estimated" || release === undefined) continue;
    const ledger = population === null ? null : await ledgers.ledgerOf(population);
    const charge = await releases.chargeOf(release).catch(nullIfAbsent);
    const paid = charge?.status === "released" ? (await ledgers.account(charge.account)).ledger : undefined;
    if (ledger === null || paid !== ledger.id)
      invalid(
        `declaration.columns.${name}.release`,
        release,
        "the id of a release about the same people, which paid for it",
      );
  }
}
