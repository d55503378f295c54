import { defineConfig } from "vitest/config";
import { resolve, shared, ssr } from "./vitest.config.ts";

/** The slow suites: statistics at full size, crashes, the whole walk in a browser. `.ci/run` runs them too. */
export default defineConfig({
  resolve,
  ssr,
  test: {
    ...shared,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    include: ["packages/*/src/**/*.long.test.ts", "test/**/*.long.test.ts"],
  },
});
