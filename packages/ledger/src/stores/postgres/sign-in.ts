import pg from "pg";
import { inWords, withTls } from "./tls.ts";

const CONNECT_MS = 10_000;

/** Signs in once as the role of an address. */
export const signIn = (url: string): Promise<void> => run(url, "SELECT 1");

/** Gives the role of an address another password: `verifier` is what PostgreSQL keeps of it (RFC 5803). */
export const replacePassword = (url: string, verifier: string): Promise<void> =>
  run(url, `ALTER ROLE CURRENT_USER PASSWORD '${verifier}'`);

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: withTls(url), connectionTimeoutMillis: CONNECT_MS });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query(statement);
  } catch (error) {
    throw inWords(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
