import type { Dataset, Evidence, LedgerDatabase } from "@dosimeter/ledger";
import { holds, readableDataset } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { Deps } from "../http/deps.ts";
import { type ShownCharge, shownCharge, statedBy } from "../view/charge.ts";

interface ChargeFilter {
  readonly place: Parameters<LedgerDatabase["declared"]["charges"]>[0];
  /** Of this dataset alone; of any when absent. */
  readonly dataset: string | undefined;
  readonly isAsked?: (shown: ShownCharge) => boolean;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Charges of programs outside that the caller may read, the newest first. */
export async function readableCharges(
  { place, dataset, isAsked = () => true, after, limit }: ChargeFilter,
  caller: Caller,
  deps: Deps,
) {
  const { database } = deps;
  const items: ShownCharge[] = [];
  let next = after;
  do {
    const page = await database.declared.charges({ ...place, after: next, limit });
    for (const id of page.items) {
      const charge = await database.releases.chargeOf(id);
      if (dataset !== undefined && charge.dataset !== dataset) continue;
      if (!(await holds("chargeReader", caller, { charge: id }, deps))) continue;
      const shown = await shownCharge(charge, database);
      if (isAsked(shown)) items.push(shown);
    }
    next = page.next ?? undefined;
  } while (next !== undefined && items.length < limit);
  return { items, next: next ?? null };
}

/** Results that were made outside: with what they are, or where. Words of their purpose, key and tool. */
export async function madeOutside(
  dataset: Dataset["id"],
  { text = "", ...page }: Pick<ChargeFilter, "after" | "limit"> & { readonly text: string | undefined },
  caller: Caller,
  deps: Deps,
) {
  const { ledger } = await readableDataset(caller, dataset, deps);
  if (ledger === null) return { items: [], next: null };
  const words = text.toLowerCase().split(/\s+/);
  const isAsked = (shown: ShownCharge): boolean => {
    const { purpose, tool } = statedBy(shown.charge);
    const said = `${purpose} ${shown.charge.key} ${tool?.name ?? ""}`.toLowerCase();
    return hasResult(shown.facts.evidence) && words.every((word) => said.includes(word));
  };
  return readableCharges({ place: { ledger: ledger.id, hasEvidence: true }, dataset, isAsked, ...page }, caller, deps);
}

const hasResult = (evidence: Evidence | null): boolean =>
  [evidence?.sha256, evidence?.reportSha256, evidence?.address].some((one) => one !== undefined);
