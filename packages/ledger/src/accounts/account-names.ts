import type { Context } from "../context.ts";
import { rowsOf } from "../stores/row.ts";
import type { AccountId, PrincipalId } from "../values/id.ts";

const NAMES = `WITH RECURSIVE path (account, parent, holder, ledger) AS (
    SELECT id, parent_id, holder_id, ledger_id FROM account WHERE holder_kind = 'principal' AND holder_id = ?
    UNION ALL
    SELECT path.account, account.parent_id, account.holder_id, account.ledger_id FROM path JOIN account ON account.id = path.parent)
  SELECT path.account, coalesce(team.name, principal.name, dataset.name, path.holder) AS name FROM path
    LEFT JOIN team ON team.id = path.holder LEFT JOIN principal ON principal.id = path.holder LEFT JOIN dataset ON dataset.id = path.holder
  UNION ALL
  SELECT path.account, dataset.name FROM path JOIN ledger ON ledger.id = path.ledger JOIN dataset ON dataset.population_id = ledger.population_id
    WHERE path.parent IS NULL`;

/** The names by which to search accounts: all holders on their paths, and the datasets they pay for. One query for all. */
export const namesOfAccounts = (
  { store: { read } }: Context,
  principal: PrincipalId,
): Promise<readonly { readonly account: AccountId; readonly name: string }[]> => rowsOf(read, NAMES, [principal]);
