import { afterAll } from "vitest";
import { openPostgres } from "./postgres.kit.ts";

/** Instances that the tests of a file open keep their ledgers in PostgreSQL: `openTestInstance` reads the address. */
const server = await openPostgres({ settings: { fsync: "on" } });
process.env.TEST_DATABASE = server.url;
afterAll(async () => {
  delete process.env.TEST_DATABASE;
  await server.close();
});
