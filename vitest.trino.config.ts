import { defineConfig } from "vitest/config";
import { shared } from "./vitest.config.ts";

/** What runs over a real Trino, `npm run test:trino`: one after another, as each starts a server of 1 GB. */
export default defineConfig({
  test: {
    ...shared,
    maxWorkers: 1,
    testTimeout: 1_800_000,
    hookTimeout: 900_000,
    include: [
      "packages/engines/src/trino/*.test.ts",
      "packages/server/src/sources/trino-source.test.ts",
      "test/trino.long.test.ts",
    ],
  },
});
