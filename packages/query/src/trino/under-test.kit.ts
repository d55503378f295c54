import { openTrino, type TrinoServer } from "../../../../test/trino.kit.ts";
import type { Cell, EngineUnderTest, Row, Stored } from "../engine/under-test.kit.ts";
import { trinoEngine } from "./engine.ts";

const TYPES = {
  BIGINT: "bigint",
  DOUBLE: "double",
  "DECIMAL(18, 6)": "decimal(18, 6)",
  VARCHAR: "varchar",
  BOOLEAN: "boolean",
  DATE: "date",
  TIMESTAMP: "timestamp(6)",
  TIMESTAMPTZ: "timestamp(6) with time zone",
} as const;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function literal(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return "NULL";
  if (typeof cell !== "number") return typeof cell === "boolean" ? String(cell) : `'${cell.replaceAll("'", "''")}'`;
  if (Number.isNaN(cell)) return "nan()";
  if (!Number.isFinite(cell)) return cell < 0 ? "-infinity()" : "infinity()";
  if (Number.isInteger(cell)) return Object.is(cell, -0) ? "-0E0" : `DECIMAL '${BigInt(cell)}'`;
  return cell.toExponential().toUpperCase();
}

const MAX_ROWS = 2000;

/** Tables in the memory of a server. */
function storeIn(server: Pick<TrinoServer, "query">): EngineUnderTest["store"] {
  let tables = 0;
  return async (columns: Readonly<Record<string, Stored>>, rows: readonly Row[]) => {
    const names = Object.keys(columns);
    const table = `t${++tables}`;
    const typeOf = (name: string): string => TYPES[columns[name] ?? "VARCHAR"];
    const list = names.map((name) => `${quoted(name)} ${typeOf(name)}`).join();
    await server.query(`CREATE TABLE memory.default.${table} (${list})`);
    const cells = (row: Row): string => names.map((name) => `CAST(${literal(row[name])} AS ${typeOf(name)})`).join();
    // A statement has at most a million letters.
    for (let at = 0; at < rows.length; at += MAX_ROWS) {
      const values = rows.slice(at, at + MAX_ROWS).map((row) => `(${cells(row)})`);
      await server.query(`INSERT INTO memory.default.${table} VALUES ${values.join()}`);
    }
    return { trino: { connection: "clinic", schema: "default", table } };
  };
}

export async function trinoUnderTest(): Promise<EngineUnderTest> {
  const server = await openTrino();
  const connections = { clinic: { url: `trino://reader@127.0.0.1:${server.port}/memory` } };
  const engine = await trinoEngine({ connections });
  const close = async (): Promise<void> => {
    await engine.close();
    await server.close();
  };
  return { engine, store: storeIn(server), strict: true, close };
}
