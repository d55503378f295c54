import { defineConfig } from "vitest/config";

export const resolve = { conditions: ["@dosimeter/source", "module"] };
export const ssr = { resolve: { conditions: resolve.conditions, externalConditions: ["@dosimeter/source"] } };

export default defineConfig({
  resolve,
  ssr,
  test: {
    include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.{ts,tsx}", "test/**/*.test.ts"],
    exclude: ["**/*.long.test.ts", "**/node_modules/**", "**/dist/**"],
    pool: "forks",
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
