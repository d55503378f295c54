import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { argv, env, exit } from "node:process";

/** A folder of things that are fetched once, outside of this one. */
export function cacheFolder(name: string, given: string | undefined): string {
  const cache = given ?? join(homedir(), ".cache", "dosimeter", name);
  mkdirSync(cache, { recursive: true });
  return cache;
}

const MINUTES = 10;

/** Runs a command and lets it speak. Throws when it fails. */
export function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", timeout: MINUTES * 60_000 });
  if (status !== 0) throw new Error(`${command} failed${error === undefined ? "" : `: ${error.message}`}`);
}

/** Downloads one package of PyPI, written as `name==version`, as one file. */
export const download = (name: string, folder: string): void =>
  run("python3", ["-m", "pip", "download", "-q", "--no-deps", name, "-d", folder]);

/** Removes a file whose bytes are others, and throws. */
export async function verify(file: string, sha256: string): Promise<void> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(file)) hash.update(part);
  if (hash.digest("hex") === sha256) return;
  rmSync(file);
  throw new Error(`${file} is not what was expected, and was removed`);
}

export const unzip = (file: string, folder: string): void => run("python3", ["-m", "zipfile", "-e", file, folder]);

/** Runs tests by a configuration of Vitest, with what was written after the script's name, and ends as they do. */
export function testAndExit(args: readonly string[], variables: Readonly<Record<string, string>>): never {
  const { status } = spawnSync("node", ["scripts/run.cjs", "vitest", "run", ...args, ...argv.slice(2)], {
    stdio: "inherit",
    env: { ...env, ...variables },
  });
  exit(status ?? 1);
}
