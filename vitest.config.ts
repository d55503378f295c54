import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";

export const resolve = { conditions: ["@dosimeter/source", "module"] };
export const ssr = { resolve: { conditions: resolve.conditions, externalConditions: ["@dosimeter/source"] } };

/** What both suites share. Files of one worker share its modules, which keep no state: to load them anew for each file took a fifth of the time. */
export const shared = {
  pool: "forks",
  isolate: false,
  maxWorkers: "100%",
  globalSetup: new URL("test/scratch.setup.ts", import.meta.url).pathname,
  sequence: { sequencer: LongestFirst },
} as const;

export default defineConfig({
  resolve,
  ssr,
  test: {
    ...shared,
    include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.{ts,tsx}", "test/**/*.test.ts"],
    exclude: ["**/*.long.test.ts", "**/node_modules/**", "**/dist/**"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
