import type { ConnectionSettings } from "@dosimeter/query/source";
import { openPool } from "./connection.ts";

/** Signs in to a connection and runs one statement. Throws INVALID_PARAMETER naming a setting that is wrong. */
export async function runOnce(name: string, settings: ConnectionSettings, statement: string): Promise<void> {
  const pool = openPool(name, settings);
  try {
    await pool.query(statement);
  } finally {
    await pool.end();
  }
}
