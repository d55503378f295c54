import type { Tx } from "../store.ts";
import type { Tables } from "../tables.ts";

/** The accounts directly below one that are not closed, oldest first. */
export const openChildren = ({ db }: Pick<Tx, "db">, account: string): Promise<readonly Tables["account"][]> =>
  db
    .selectFrom("account")
    .selectAll()
    .where("parent_id", "=", account)
    .where("status", "<>", "closed")
    .orderBy("opened_at")
    .orderBy("id")
    .execute();
