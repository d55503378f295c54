import type { AccountId, DatasetId, LedgerId, Readers, ReusePolicy } from "@dosimeter/ledger";
import { type Actor, type Facts, holds } from "../access/authority.ts";

/**
 * Whose released answers a person may reuse, by the dataset's policy and the present rights: all people's, those
 * paid from accounts of their teams, or their own. People who may read releases anyway may reuse them: auditors all, team admins those
 * of their teams. Also whether a share pays for them. Of several datasets, the stricter policy holds.
 */
export async function rightsOf(
  actor: Actor,
  { datasets, ledger }: { readonly datasets: readonly DatasetId[]; readonly ledger: LedgerId },
  facts: Facts,
): Promise<{ readonly readers: Readers; readonly price: ReusePolicy["price"] }> {
  const policies = await Promise.all(datasets.map((dataset) => facts.database.reuse.policy(dataset)));
  const isAny = (wanted: ReusePolicy["visibility"]): boolean =>
    policies.some(({ visibility }) => visibility === wanted);
  const visibility = (["member", "team"] as const).find(isAny) ?? "dataset";
  return {
    readers: { principal: actor.principal.id, accounts: await accountsFor(actor, visibility, ledger, facts) },
    price: policies.some(({ price }) => price === "ownLevel") ? "ownLevel" : "free",
  };
}

async function accountsFor(
  actor: Actor,
  visibility: ReusePolicy["visibility"],
  ledger: LedgerId,
  facts: Facts,
): Promise<Readers["accounts"]> {
  if (visibility === "dataset") return null;
  if (await holds("ledgerAuditor", actor, { ledger }, facts)) return null;
  const { memberOf, teamAdminOf } = actor.roles;
  const teams = new Set<string>(visibility === "team" ? [...memberOf, ...teamAdminOf] : teamAdminOf);
  if (teams.size === 0) return [];
  const all = await facts.database.ledgers.accounts(ledger);
  const mine = new Set<AccountId>();
  // Parents come before their children.
  for (const { id, parent, holder } of all)
    if ((holder.kind === "team" && teams.has(holder.id)) || (parent !== null && mine.has(parent))) mine.add(id);
  return [...mine];
}
