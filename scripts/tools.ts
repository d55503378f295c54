import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, env } from "node:process";
import { cacheFolder, run, testAndExit } from "./fetched.ts";

/**
 * Fetches a tool that is too large for every run of the tests into an environment of Python in a cache outside of this folder, once, by
 * `pip`: `opacus`, with PyTorch (3 GB), or `tumult`, with Spark, which needs Java 17 (700 MB). Then it runs the tests of what its programs
 * pay; further arguments go to Vitest.
 */
const tools: Readonly<Record<string, readonly string[]>> = {
  opacus: ["opacus==1.6.0", "torch==2.6.0", "numpy<2.3"],
  tumult: ["tmlt.analytics==0.21.0"],
};
const [tool = ""] = argv.splice(2, 1);
const packages = tools[tool];
if (packages === undefined) throw new Error(`the tool is ${tool}, must be ${Object.keys(tools).join(" or ")}`);
const folder = join(cacheFolder("tools-large", env.TOOLS_CACHE), tool);
const done = join(folder, "installed");
const python = join(folder, "bin/python");
if (!existsSync(done)) {
  rmSync(folder, { recursive: true, force: true });
  run("python3", ["-m", "venv", folder]);
  run(python, ["-m", "pip", "install", "-q", "--no-cache-dir", "requests", ...packages]);
  writeFileSync(done, packages.join("\n"));
}
testAndExit(["--config", "vitest.long.config.ts", "clients.long", "-t", "programs outside pay"], { PYTHON: python });
