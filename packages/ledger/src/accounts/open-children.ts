import { rowsOf } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { AccountId } from "../values/id.ts";

const OPEN = "SELECT * FROM account WHERE parent_id = ? AND status <> 'closed' ORDER BY opened_at, id";

/** The accounts directly below one that are not closed, oldest first. */
export const openChildren = ({ db }: Pick<Tx, "db">, account: AccountId): Promise<readonly Tables["account"][]> =>
  rowsOf(db, OPEN, [account]);
