import type { Charge, ListedRelease, ReleaseFilter } from "@dosimeter/ledger";
import { type Facts, ledgersHeldBy, readsRelease } from "./authority.ts";
import type { Caller } from "./credentials.ts";

/** Which releases to look through: all, a person's own with those of what acts for them, or those that a role may show; `releaseReaderOf` decides on each. */
export async function lookedThrough(
  { principal, roles }: Caller,
  { database }: Pick<Facts, "database">,
): Promise<Pick<ReleaseFilter, "principals" | "reader">> {
  const { platformAdmin, auditor, auditorOf, datasetAdminOf, teamAdminOf, memberOf } = roles;
  if (platformAdmin || auditor) return {};
  const datasets = [...auditorOf, ...datasetAdminOf];
  const behind = await database.people.analystsBehind();
  const acting = [...behind].flatMap(([id, person]) => (person === principal.id ? [id as typeof person] : []));
  const principals = [principal.id, ...acting];
  if (datasets.length + teamAdminOf.length === 0) return { principals };
  return { reader: { principals, datasets, leads: teamAdminOf, teams: memberOf } };
}

/** Whether this person may read a release; asked once for each account. */
export function releaseReaderOf(
  caller: Caller,
  deps: Pick<Facts, "database">,
): (item: Charge | ListedRelease) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  let held: ReturnType<typeof ledgersHeldBy> | undefined;
  return async ({ principal, account, ledger }) => {
    held ??= ledgersHeldBy(caller, deps);
    const key = `${principal} ${account}`;
    const asked = known.get(key) ?? readsRelease(caller, { principal, account, ledger }, deps, await held);
    known.set(key, asked);
    return asked;
  };
}
