import type { Context } from "../context.ts";
import { notify } from "../outbox/notify.ts";
import { adminsOf } from "../outbox/recipients.ts";
import { rowsOf, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import { found } from "../values/check.ts";

/** Released answers that do not add up as a declaration says: in which columns their parts differ. */
interface Refuted {
  readonly dataset: string;
  readonly version: number;
  readonly columns: readonly string[];
}

/**
 * Tells the admins of a dataset, once for each version and columns, that released numbers refute an equation of its declaration. Not those who
 * hold a cap on its ledger, alone or in a team: a cap counts all that its holder learns of answers [M385]. No audit line: that would tell them.
 */
export function tellRefuted(context: Context, { dataset: id, version, columns }: Refuted): Promise<void> {
  return context.store.transact(async (tx) => {
    const { name, population_id } = found(await rowWith(tx.db, "dataset", { id }), "dataset", id);
    const once = `refuted ${id} ${version} ${JSON.stringify(columns)}`;
    const to: string[] = [];
    for (const admin of await adminsOf(tx, "datasetAdmin", id)) {
      const isTold = (await rowWith(tx.db, "notification", { once: `${once} ${admin}` })) !== undefined;
      if (!isTold && !(await isCapped(tx, admin, population_id))) to.push(admin);
    }
    if (to.length === 0) return;
    const facts = { what: "refuted", dataset: name, id, columns: columns.join(", ") };
    await notify(context, tx, { to, kind: "declaration", subject: id, facts, once });
  });
}

async function isCapped({ db }: Pick<Tx, "db">, person: string, population: string): Promise<boolean> {
  return (await rowsOf(db, CAPPED, [population, person, person, person])).length > 0;
}

const CAPPED = `SELECT account.id FROM account JOIN ledger ON ledger.id = account.ledger_id
  WHERE population_id = ? AND account.kind = 'cap' AND account.status <> 'closed' AND (holder_id = ?
    OR holder_id IN (SELECT team_id FROM membership WHERE principal_id = ? AND until_at IS NULL)
    OR holder_id IN (SELECT object_id FROM role_binding WHERE principal_id = ? AND until_at IS NULL)) LIMIT 1`;
