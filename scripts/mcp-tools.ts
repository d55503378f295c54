import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { cacheFolder, run, testAndExit } from "./fetched.ts";

/**
 * Fetches Inspector and the conformance suite of the Model Context Protocol into a cache outside of this folder, once: 242 packages, 160 MB,
 * by `npm`, which checks their hashes. Then it runs the tests that need them; its arguments go to Vitest.
 */
const packages = ["@modelcontextprotocol/inspector@2.12.0", "@modelcontextprotocol/conformance@0.1.16"];
/** What they depend on is as it was on that day. */
const BEFORE = "2026-11-25";

const cache = cacheFolder("mcp-tools", env.MCP_TOOLS_CACHE);
const installed = join(cache, BEFORE);
if (!existsSync(installed)) {
  const part = `${installed}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part);
  writeFileSync(join(part, "package.json"), '{ "private": true }');
  run("npm", [
    "install",
    "--prefix",
    part,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    `--before=${BEFORE}`,
    ...packages,
  ]);
  renameSync(part, installed);
}
testAndExit(["--config", "vitest.long.config.ts", "mcp.long"], { TEST_MCP_TOOLS: installed });
