import { afterAll, expect } from "vitest";
import { openPostgres } from "./postgres.kit.ts";

/** Instances that the tests of a file open keep their ledgers in PostgreSQL: `openTestInstance` reads the address. */
const server = await openPostgres({ settings: { fsync: "on" } });
process.env.TEST_DATABASE = server.url;

/** Every file opens an instance: a setting that no one reads would leave all of them on SQLite, and green. */
afterAll(async () => {
  delete process.env.TEST_DATABASE;
  const written = await server.query(
    "SELECT datname FROM pg_stat_database WHERE datname LIKE 'of\\_%' AND tup_inserted > 0",
  );
  await server.close();
  expect(written, "databases in PostgreSQL that hold ledgers").not.toEqual([]);
});
