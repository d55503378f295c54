import { type EpsilonAmount, formatEpsilon } from "@dosimeter/core";
import type { Context } from "../context.ts";
import type { AccountId } from "../id.ts";
import { accountRow } from "../ledger/account.ts";
import { balanceOf } from "../ledger/balance.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import type { Tx } from "../store.ts";
import type { Tables } from "../tables.ts";
import { THRESHOLDS } from "./kinds.ts";
import { adminsOf, datasetNames, datasetsOf, holders, nameOf } from "./readers.ts";
import { tell } from "./tell.ts";

/**
 * Tells the holders of an account and of everything above it, the ledger included, when 50, 80 or 95 % of a quota are used:
 * once for each level and quota, however often it is asked. Charges do not wait for it; asking again after a crash tells
 * what was missed.
 */
export async function tellThresholds(context: Context, account: AccountId): Promise<void> {
  const { store } = context;
  const path = await pathOf({ db: store.read }, account);
  if (path.every(({ level }) => level === null)) return;
  await store.transact(async (tx) => {
    for (const { row, level } of await pathOf(tx, account)) {
      if (level === null) continue;
      const isLedger = "population_id" in row;
      const to = isLedger ? await ledgerAdmins(tx, row.id) : await holders(tx, row);
      const ledger = isLedger ? row.id : row.ledger_id;
      const facts = {
        level: String(level),
        what: isLedger ? "ledger" : "account",
        holder: isLedger ? "" : await nameOf(tx, row.holder_id),
        dataset: await datasetNames(tx, ledger),
        quota: formatEpsilon(row.quota_epsilon as EpsilonAmount),
      };
      const once = `threshold ${row.id} ${level} ${row.quota_epsilon}`;
      await tell(context, tx, { to, kind: "threshold", subject: row.id, facts, once });
    }
  });
}

interface Used {
  readonly row: Tables["account"] | Tables["ledger"];
  /** The highest level reached; null below the lowest. */
  readonly level: (typeof THRESHOLDS)[number] | null;
}

async function pathOf(tx: Pick<Tx, "db">, account: string): Promise<readonly Used[]> {
  const rows: (Tables["account"] | Tables["ledger"])[] = [];
  let node: string | null = account;
  let ledgerId = "";
  while (node !== null) {
    const row: Tables["account"] = await accountRow(tx, node);
    rows.push(row);
    ledgerId = row.ledger_id;
    node = row.parent_id;
  }
  const ledger = await ledgerRow(tx, ledgerId);
  return [...rows, ledger].map((row) => ({ row, level: levelOf(balanceOf(row, ledger.lane).used) }));
}

const levelOf = (used: number): Used["level"] => THRESHOLDS.findLast((level) => used * 100 >= level) ?? null;

const ledgerAdmins = async (tx: Pick<Tx, "db">, ledger: string): Promise<readonly string[]> =>
  (await Promise.all((await datasetsOf(tx, ledger)).map(({ id }) => adminsOf(tx, "datasetAdmin", id)))).flat();
