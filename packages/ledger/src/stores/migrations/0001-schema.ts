import type { Table } from "../column.ts";
import { firstTables } from "../tables.ts";
import type { Dialect, Migration } from "./migration.ts";

const CHARGE = `CREATE VIEW charge AS SELECT entry.charge_id AS id, entry.seq AS entry_seq, entry.ledger_id, entry.account_id,
  entry.principal_id, entry.dataset_id, entry.key, entry.request_hash, entry.request, lease.status,
  lease.owner AS lease_owner, lease.until_at AS lease_until, lease.tries, entry.at
  FROM entry JOIN lease ON lease.entry_seq = entry.seq`;

/** The tables that every charge writes: where a database checks their rules faster together, none is added or lost. */
const GATHERED = ["ledger", "account", "entry"];

/** The statements that make a table, its indexes and what guards its rows. */
function statementsOf(name: string, table: Table, dialect: Dialect): readonly string[] {
  const types = { TEXT: "TEXT", INTEGER: dialect.integer, SERIAL: dialect.serial };
  const columns = Object.entries(table.columns).map(([column, { type, presence, constraint }]) =>
    [column, types[type], presence, constraint.replaceAll("$", column)].join(" "),
  );
  const indexes = (kind: string, named: Table["indexes"] = {}) =>
    Object.entries(named).map(([index, over]) => `CREATE ${kind} ${index} ON ${name} ${over}`);
  return [
    `CREATE TABLE ${name} (${[...columns, ...(table.rules ?? [])].join(", ")}) ${dialect.strict}`,
    ...indexes("INDEX", table.indexes),
    ...indexes("UNIQUE INDEX", table.uniqueIndexes),
    ...(table.keeps === undefined ? [] : dialect[table.keeps](name)),
    ...Object.entries(table.refuses ?? {}).flatMap(([rule, refused]) =>
      typeof refused === "string"
        ? dialect.refuseUpdate(name, rule, refused)
        : dialect.refuseUpdate(name, rule, refused.when, refused.of),
    ),
  ];
}

export const schema: Migration = {
  version: 1,
  name: "schema",
  statements: (dialect) => [
    ...Object.entries(firstTables).flatMap(([name, table]) => statementsOf(name, table, dialect)),
    CHARGE,
    ...(dialect.gatherRules === undefined ? [] : GATHERED.map(dialect.gatherRules)),
  ],
};
