import { afterAll, beforeAll } from "vitest";
import { openPostgres, type PostgresServer } from "../../../../../test/postgres.kit.ts";
import type { Place } from "../../testing/place.kit.ts";
import type { Store } from "../store.ts";
import { type PostgresOptions, postgresStore } from "./postgres.ts";

/** A durable server for the tests of one file, and new, empty stores on it: each in a schema of its own. */
export function postgresServers(): {
  server(): PostgresServer;
  schema(): string;
  /** A new, empty store for other processes. */
  place(): Place;
  open(options?: PostgresOptions): Promise<Store>;
} {
  let server: PostgresServer | undefined;
  let schemas = 0;
  const up = (): PostgresServer => {
    if (server === undefined) throw new Error("the server is not up yet");
    return server;
  };
  const schema = () => `books_${schemas++}`;
  beforeAll(async () => {
    server = await openPostgres({ settings: { fsync: "on" } });
  });
  afterAll(() => server?.close());
  const place = (): Place => ({ kind: "postgres", url: up().url, schema: schema(), pidFile: up().pidFile });
  return { server: up, schema, place, open: (options) => postgresStore(up().url, { schema: schema(), ...options }) };
}
