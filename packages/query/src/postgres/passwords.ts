import type { ConnectionSettings } from "../source/connection-settings.ts";
import { openPool } from "./connection.ts";

/** Signs in once. Throws INVALID_PARAMETER naming a setting that is wrong. */
export const signIn = (name: string, settings: ConnectionSettings): Promise<void> => run(name, settings, "SELECT 1");

/** Gives the role of a connection another password: `verifier` is what PostgreSQL keeps of it (RFC 5803). */
export const replacePassword = (name: string, settings: ConnectionSettings, verifier: string): Promise<void> =>
  run(name, settings, `ALTER ROLE CURRENT_USER PASSWORD '${verifier}'`);

async function run(name: string, settings: ConnectionSettings, statement: string): Promise<void> {
  const pool = openPool(name, settings);
  try {
    await pool.query(statement);
  } finally {
    await pool.end();
  }
}
