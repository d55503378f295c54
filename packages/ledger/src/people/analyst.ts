import { rowsOf, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { PrincipalId } from "../values/id.ts";

type Reading = Pick<Tx, "db">;

/** The person behind a principal: a service or agent acts for a person; everyone else is their own analyst. */
export async function analystOf({ db }: Reading, principal: PrincipalId): Promise<PrincipalId> {
  const row = await rowWith(db, "service", { principal_id: principal });
  return row?.on_behalf_of ?? principal;
}

/** Whether two principals are one analyst, so that neither is a second person to the other. */
export const isOneAnalyst = async (tx: Reading, one: PrincipalId, other: PrincipalId): Promise<boolean> =>
  one === other || (await analystOf(tx, one)) === (await analystOf(tx, other));

/** The analyst's own principal and every service and agent that acts for them. */
export async function principalsOf(tx: Reading, principal: PrincipalId): Promise<readonly PrincipalId[]> {
  const rows = await rowsOf<{ readonly id: PrincipalId }>(tx.db, PRINCIPALS, [principal, principal]);
  return rows.map(({ id }) => id);
}

/** Of every request: one query. */
const PRINCIPALS = `WITH analyst AS (
    SELECT coalesce((SELECT on_behalf_of FROM service WHERE principal_id = ?), CAST(? AS TEXT)) AS id)
  SELECT id, 0 AS place FROM analyst
  UNION ALL SELECT principal_id, 1 FROM service WHERE on_behalf_of IN (SELECT id FROM analyst) ORDER BY place, id`;
