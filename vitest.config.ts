import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";

/** The configuration of both suites. */
export const shared = {
  pool: "forks",
  // Tests make much that is short-lived: with 64 MiB for it, 16 by default, the whole suite takes 3 to 10 % less processor time.
  execArgv: ["--max-semi-space-size=64"] as string[],
  // Many tests wait for a process, a browser, a public deadline or a database: one more worker than cores keeps all cores busy.
  maxWorkers: availableParallelism() + 1,
  globalSetup: new URL("test/scratch.setup.ts", import.meta.url).pathname,
  setupFiles: ["folder", "seed", "late", "invariants"].map(
    (name) => new URL(`test/${name}.setup.ts`, import.meta.url).pathname,
  ),
  sequence: { sequencer: LongestFirst },
  // Long enough for a busy machine, and an end for a test that hangs.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
} as const;

export default defineConfig({
  test: {
    ...shared,
    include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.{ts,tsx}", "test/**/*.test.ts"],
    exclude: ["**/*.long.test.ts", "**/node_modules/**", "**/dist/**"],
    // Loading the server again for each file took as long as most files.
    isolate: false,
  },
});
