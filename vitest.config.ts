import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";

export const resolve = { conditions: ["@dosimeter/source", "module"] };
export const ssr = { resolve: { conditions: resolve.conditions, externalConditions: ["@dosimeter/source"] } };

/** What both suites share. */
export const shared = {
  pool: "forks",
  maxWorkers: "100%",
  globalSetup: new URL("test/scratch.setup.ts", import.meta.url).pathname,
  sequence: { sequencer: LongestFirst },
  // A test that hangs ends; one that is slow on a busy machine does not fail, nor what it waits for.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 60_000 } },
} as const;

/** What takes seconds: a process of its own costs it little. */
const alone = [
  "packages/core/src/{filter,guarantee}.test.ts",
  "packages/core/src/accounting/{pld,plan-quote,report}.test.ts",
  "packages/core/src/tradeoff/{accountant,axioms}.test.ts",
  "packages/query/src/{answer,quantile}.test.ts",
  "packages/query/src/planner/properties.test.ts",
  "packages/ledger/src/ledger/plan-quote.test.ts",
  "packages/ledger/src/people/request.test.ts",
  "packages/server/src/fuzz.test.ts",
  "test/{permissions,walk,web}.test.ts",
];
const exclude = ["**/*.long.test.ts", "**/node_modules/**", "**/dist/**"];

export default defineConfig({
  resolve,
  ssr,
  test: {
    ...shared,
    projects: [
      { extends: true, test: { name: "alone", include: alone, exclude } },
      {
        extends: true,
        test: {
          name: "together",
          include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.{ts,tsx}", "test/**/*.test.ts"],
          exclude: [...exclude, ...alone],
          // To load the server anew for each file took as long as most files.
          isolate: false,
        },
      },
    ],
  },
});
