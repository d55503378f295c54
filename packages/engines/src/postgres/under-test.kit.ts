import pg from "pg";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import type { EngineUnderTest, Row, Stored } from "../engine/under-test.kit.ts";
import { postgresEngine } from "./engine.ts";

const TYPES = {
  BIGINT: "bigint",
  DOUBLE: "double precision",
  "DECIMAL(18, 6)": "numeric(18, 6)",
  VARCHAR: "text",
  BOOLEAN: "boolean",
  DATE: "date",
  TIMESTAMP: "timestamp",
  TIMESTAMPTZ: "timestamptz",
} as const;
const quoted = (name: string): string => pg.escapeIdentifier(name);

/** A role that can read one schema and nothing else, as an operator would make it. */
export const readerOf = (schema: string): string =>
  `CREATE SCHEMA ${schema}; CREATE ROLE reader LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA ${schema} TO reader;
   ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO reader`;

/** Tables written by another role over a connection of its own, one after another. */
function storeIn(server: PostgresServer): EngineUnderTest["store"] & { close: () => Promise<void> } {
  const writer = new pg.Client({ connectionString: server.url });
  let last: Promise<unknown> = writer.connect().then(() => writer.query("SET synchronous_commit = off"));
  let tables = 0;
  const write = async (columns: Readonly<Record<string, Stored>>, rows: readonly Row[]) => {
    const names = Object.keys(columns);
    const table = `t${++tables}`;
    const list = names.map((name) => `${quoted(name)} ${TYPES[columns[name] ?? "VARCHAR"]}`).join();
    const arrays = names.map((name, index) => `$${index + 1}::${TYPES[columns[name] ?? "VARCHAR"]}[]`).join();
    await writer.query(`CREATE TABLE data.${table} (${list})`);
    await writer.query(
      `INSERT INTO data.${table} SELECT * FROM unnest(${arrays})`,
      names.map((name) => rows.map((row) => asText(row[name] ?? null))),
    );
    return { postgres: { connection: "clinic", schema: "data", table } };
  };
  const store: EngineUnderTest["store"] = (columns, rows) => {
    const turn = last.then(() => write(columns, rows));
    last = turn.catch(() => undefined);
    return turn;
  };
  return Object.assign(store, { close: () => writer.end() });
}

const asText = (cell: Row[string]): string | null =>
  cell === null || cell === undefined ? null : Object.is(cell, -0) ? "-0" : String(cell);

export async function postgresUnderTest(): Promise<EngineUnderTest> {
  const server = await openPostgres();
  await server.query(readerOf("data"));
  const connections = { clinic: { url: server.address({ role: "reader" }) } };
  const engine = await postgresEngine({ connections });
  const store = storeIn(server);
  return {
    engine,
    store,
    strict: true,
    connections,
    async close() {
      await engine.close();
      await store.close();
      await server.close();
    },
  };
}
