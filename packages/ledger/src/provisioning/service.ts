import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { createPrincipalIn, type Principal, principalRow, toPrincipal } from "../people/principal.ts";
import { rowWith } from "../stores/row.ts";
import type { By, PrincipalId } from "../values/id.ts";

/** The provider that a service acts for; null for everyone else. */
export async function providerOf({ store }: Context, service: PrincipalId): Promise<string | null> {
  const row = await rowWith(store.read, "provider_service", { principal_id: service });
  return row?.provider ?? null;
}

/** The service that acts for a provider: its tokens are the provider's, and the audit names it. No person is behind it. Made the first time, and after its removal. */
export function serviceOf(
  context: Context,
  { provider, name, by }: By & { readonly provider: string; readonly name: string },
): Promise<Principal> {
  return change(context, async (tx, chain) => {
    const known = await rowWith(tx.db, "provider_service", { provider });
    const row = known === undefined ? null : await principalRow(tx, known.principal_id);
    if (row !== null && row.disabled_at === null) return toPrincipal(row);
    const service = await createPrincipalIn(context, { tx, chain }, { kind: "service", name, onBehalfOf: null, by });
    await tx.db.deleteFrom("provider_service").where("provider", "=", provider).execute();
    await tx.db.insertInto("provider_service").values({ provider, principal_id: service.id }).execute();
    chain.append({ actor: by, action: "provisioning.service", subject: service.id, detail: { provider } });
    return service;
  });
}
