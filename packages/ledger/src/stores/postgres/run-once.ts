import pg from "pg";
import { inWords, withTls } from "./tls.ts";

const CONNECT_MS = 10_000;

/** Signs in as the role of an address and runs one statement; gives its first row. */
export async function runOnce(url: string, statement: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const client = new pg.Client({ connectionString: withTls(url), connectionTimeoutMillis: CONNECT_MS });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(statement)).rows[0];
  } catch (error) {
    throw inWords(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
