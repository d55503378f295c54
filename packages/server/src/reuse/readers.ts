import type { AccountId, Dataset, Ledger, Readers } from "@dosimeter/ledger";
import type { Actor, Facts } from "../authority.ts";
import { holds } from "../authority.ts";

/**
 * Whose released answers somebody may be given again, by the dataset's policy and by the rights in force now: everybody's, those
 * paid from accounts of the teams one is in, or one's own. Who may read releases anyway is given them: auditors all, team admins those
 * of their teams.
 */
export async function readersOf(actor: Actor, dataset: Dataset, ledger: Ledger, facts: Facts): Promise<Readers> {
  const { books } = facts;
  const { visibility } = await books.reuse.policy(dataset.id);
  const principal = actor.principal.id;
  if (visibility === "dataset") return { principal, accounts: null };
  if (await holds("ledgerAuditor", actor, { ledger: ledger.id }, facts)) return { principal, accounts: null };
  const { memberOf, teamAdminOf } = actor.roles;
  const teams = new Set<string>(visibility === "team" ? [...memberOf, ...teamAdminOf] : teamAdminOf);
  if (teams.size === 0) return { principal, accounts: [] };
  const all = await books.ledgers.accounts(ledger.id);
  const mine = new Set<AccountId>();
  // Parents stand before their children.
  for (const { id, parent, holder } of all)
    if ((holder.kind === "team" && teams.has(holder.id)) || (parent !== null && mine.has(parent))) mine.add(id);
  return { principal, accounts: [...mine] };
}
