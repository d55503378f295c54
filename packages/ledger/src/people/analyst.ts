import type { Tx } from "../stores/store.ts";
import type { PrincipalId } from "../values/id.ts";

type Reading = Pick<Tx, "db">;

/** The person behind a principal: a service or agent acts for a person; everyone else is their own analyst. */
export async function analystOf({ db }: Reading, principal: PrincipalId): Promise<PrincipalId> {
  const row = await db
    .selectFrom("service")
    .select("on_behalf_of")
    .where("principal_id", "=", principal)
    .executeTakeFirst();
  return row?.on_behalf_of ?? principal;
}

/** Whether two principals are one analyst, so that neither is a second person to the other. */
export const isOneAnalyst = async (tx: Reading, one: PrincipalId, other: PrincipalId): Promise<boolean> =>
  one === other || (await analystOf(tx, one)) === (await analystOf(tx, other));

/** The analyst's own principal and every service and agent that acts for them. */
export async function principalsOf(tx: Reading, principal: PrincipalId): Promise<readonly PrincipalId[]> {
  const analyst = await analystOf(tx, principal);
  const services = await tx.db
    .selectFrom("service")
    .select("principal_id as id")
    .where("on_behalf_of", "=", analyst)
    .orderBy("principal_id")
    .execute();
  return [analyst, ...services.map(({ id }) => id)];
}
