import { defineConfig } from "vitest/config";
import { shared } from "./vitest.config.ts";

/** Files that compute for minutes: a third slower in a process whose code other files have run with other types of values. */
const computing = "packages/{core,tradeoff,query,engines,planner,reuse,sql-text}/src/**/*.long.test.ts";

/** Attacks on budgets of blocks, each of which is a test on both stores: on SQLite they are in the quick suite, but for running totals. */
const onBothStores = [
  "packages/server/src/release/{append,blocks,cohorts,migrate}.test.ts",
  "packages/server/src/schedules/{closing,schedules}.test.ts",
  "packages/server/src/schedules/running-totals.long.test.ts",
];

/** The slow suites: statistics at full size, crashes, the whole walk in a browser. `.ci/run` runs them too. */
export default defineConfig({
  test: {
    ...shared,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    projects: [
      { extends: true, test: { name: "computing", include: [computing] } },
      {
        extends: true,
        test: {
          name: "together",
          include: ["packages/*/src/**/*.long.test.ts", "test/**/*.long.test.ts"],
          exclude: [computing, "**/node_modules/**"],
          // Loading the server again takes the processor two seconds for each of 75 files.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "on PostgreSQL",
          include: onBothStores,
          setupFiles: ["test/on-postgres.setup.ts"],
          isolate: false,
        },
      },
    ],
  },
});
