import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { PrincipalId } from "../values/id.ts";

/** The row of a person whom a provider keeps here; undefined of one whom it deleted or never named. */
export const keptRow = (
  db: Tx["db"],
  { provider, principal }: { readonly provider: string; readonly principal: PrincipalId },
) => rowWith(db, "provisioned_user", { provider, principal_id: principal, is_deleted: 0n });
