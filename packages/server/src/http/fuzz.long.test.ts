import { afterAll } from "vitest";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { fuzzKit } from "./fuzz.kit.ts";

let server: PostgresServer | undefined;
afterAll(() => server?.close());

fuzzKit({
  options: async () => {
    server = await openPostgres({ settings: { fsync: "on" } });
    return { instance: { database: server.url }, secret: server.url };
  },
  runs: 15,
});
