import type { AuditLine, LedgerDatabase, LedgerId } from "@dosimeter/ledger";
import { nullIfAbsent } from "../access/absent.ts";
import { pathOf } from "./account.ts";
import type { Directory } from "./directory.ts";

/**
 * The name of the subject of an audit line: an account by its path, a person, a team, a dataset, else the ledger's
 * datasets.
 */
export function subjectNames(names: Directory, database: LedgerDatabase): (line: AuditLine) => Promise<string | null> {
  const known = new Map<string, Promise<string | null>>();
  const once = (id: string, read: () => Promise<string | null>): Promise<string | null> => {
    // The subject of a line may be missing from a restored backup.
    const name = known.get(id) ?? read().catch(nullIfAbsent);
    known.set(id, name);
    return name;
  };
  const nameOf = async (id: string | undefined): Promise<string | null> => {
    if (id === undefined) return null;
    if (id.startsWith("acc_"))
      return once(id, async () => (await pathOf(await database.ledgers.account(id), names, database)).join(" › "));
    const name = names.nameOf(id);
    return name === id ? null : name;
  };
  const datasetsOf = (ledger: LedgerId): Promise<string | null> =>
    once(ledger, async () => {
      const datasets = await database.catalog.datasetsOf((await database.ledgers.ledger(ledger)).population);
      return datasets.length === 0 ? null : datasets.map(({ name }) => name).join(", ");
    });
  return async ({ subject, actor, ledger, detail }) => {
    const { account, principal, team, dataset } = idsOf(detail);
    const own = await nameOf(subject.replace(/\.v\d+$/, ""));
    if (own !== null) return own;
    const person = principal === actor ? null : await nameOf(principal);
    const [where] = [await nameOf(account), await nameOf(team), await nameOf(dataset)].filter((name) => name !== null);
    if (person !== null) return where === undefined ? person : `${person}, ${where}`;
    return where ?? (ledger === null ? null : await datasetsOf(ledger));
  };
}

function idsOf(detail: AuditLine["detail"]): { readonly [K in "account" | "principal" | "team" | "dataset"]?: string } {
  if (typeof detail !== "object" || detail === null) return {};
  return Object.fromEntries(
    Object.entries(detail).filter(
      ([key, id]) => ["account", "principal", "team", "dataset"].includes(key) && typeof id === "string",
    ),
  );
}
