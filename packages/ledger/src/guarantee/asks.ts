import { PrivacyError } from "@dosimeter/core";
import { analystOf } from "../people/analyst.ts";
import { paysFrom } from "../people/payer.ts";
import { systemPrincipal } from "../people/principal.ts";
import type { Tx } from "../stores/store.ts";
import type { LedgerId, PrincipalId } from "../values/id.ts";
import { secondsOf } from "./amendment.ts";

type Reading = Pick<Tx, "db">;

/** What an admin asks for, and a second person too: the audit lines of this action after `since`. */
export interface Asking {
  readonly ledger: LedgerId;
  readonly action: string;
  readonly since?: bigint;
}

interface Ask {
  readonly actor: PrincipalId;
  readonly detail: string;
}

/** The newest ask of each person who could still decide, newest first: a new one replaces it, and the end of a role ends it. */
export async function openAsks(tx: Reading, { ledger, action, since = 0n }: Asking): Promise<readonly Ask[]> {
  const asks = await tx.db
    .selectFrom("audit")
    .select(["actor", "detail"])
    .where("ledger_id", "=", ledger)
    .where("action", "=", action)
    .where("seq", ">", since)
    .orderBy("seq", "desc")
    .execute();
  if (asks.length === 0) return [];
  const people = new Set([...(await secondsOf(tx, ledger)), systemPrincipal]);
  const seen = new Set<PrincipalId>();
  const open: Ask[] = [];
  for (const ask of asks) {
    const analyst = await analystOf(tx, ask.actor);
    if (!seen.has(analyst) && people.has(ask.actor)) open.push(ask);
    seen.add(analyst);
  }
  return open;
}

/**
 * Who else asks for the same; null where no one does. FORBIDDEN for a platform admin who asks for what no admin of the ledger's datasets
 * asks for, where there are such admins.
 */
export async function otherAsker(
  tx: Reading,
  asking: Asking,
  { by, isSame }: { readonly by: PrincipalId; readonly isSame: (detail: string) => boolean },
): Promise<PrincipalId | null> {
  const admins = await adminsOf(tx, asking.ledger);
  const mayBegin = admins.length === 0 || admins.includes(by) || by === systemPrincipal;
  const analyst = await analystOf(tx, by);
  for (const { actor, detail } of await openAsks(tx, asking)) {
    const began = mayBegin || admins.includes(actor) || actor === systemPrincipal;
    if (began && isSame(detail) && (await analystOf(tx, actor)) !== analyst) return actor;
  }
  if (mayBegin) return null;
  throw new PrivacyError("FORBIDDEN", {
    name: "ledger",
    got: asking.ledger,
    want: "asked for by an admin of its datasets first, with the same terms: a platform admin is the second person",
  });
}

async function adminsOf(tx: Reading, ledger: LedgerId): Promise<readonly PrincipalId[]> {
  const admins: PrincipalId[] = [];
  for (const person of await secondsOf(tx, ledger))
    if (await paysFrom(tx, { ledger, parent: null }, person)) admins.push(person);
  return admins;
}
