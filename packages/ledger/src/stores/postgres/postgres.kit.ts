import { oneAfterAnother } from "@dosimeter/core/internal";
import { afterAll, beforeAll } from "vitest";
import { openPostgres, type PostgresServer } from "../../../../../test/postgres.kit.ts";
import type { Place } from "../../testing/place.kit.ts";
import type { Store } from "../store.ts";
import { type PostgresOptions, postgresStore } from "./postgres.ts";

/** A durable server for the tests of one file, and new, empty stores on it: each in a schema or a database of its own. */
export function postgresServers(): {
  server(): PostgresServer;
  schema(): string;
  /** A new, empty store for other processes. */
  place(): Place;
  /** A new, empty store, or the one of a schema. */
  open(options?: PostgresOptions): Promise<Store>;
} {
  let server: PostgresServer | undefined;
  let serial = 0;
  const turn = oneAfterAnother();
  let isMade = false;
  const up = (): PostgresServer => {
    if (server === undefined) throw new Error("the server is not up yet");
    return server;
  };
  const schema = () => `books_${serial++}`;
  beforeAll(async () => {
    server = await openPostgres({ settings: { fsync: "on" } });
  });
  afterAll(() => server?.close());
  const place = (): Place => ({ kind: "postgres", url: up().url, schema: schema(), pidFile: up().pidFile });

  /** A copy of an empty store takes a fifth of the time that its tables take. */
  async function copied(name: string): Promise<void> {
    if (!isMade) {
      await up().query("CREATE DATABASE empty");
      await (await postgresStore(up().address({ database: "empty" }))).close();
      isMade = true;
    }
    await up().query(`CREATE DATABASE ${name} TEMPLATE empty`);
  }

  async function openCopy(options: PostgresOptions): Promise<Store> {
    const database = schema();
    await turn(() => copied(database));
    const store = await postgresStore(up().address({ database }), options);
    return {
      ...store,
      async close() {
        await store.close();
        await up().query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      },
    };
  }

  return {
    server: up,
    schema,
    place,
    open: (options = {}) => (options.schema === undefined ? openCopy(options) : postgresStore(up().url, options)),
  };
}
