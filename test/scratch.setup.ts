import { randomInt } from "node:crypto";
import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const ENOUGH = 4 * 2 ** 30;

/** Whether files can be kept in memory here: no test need wait for a disk then. Kills are survived there as anywhere. */
function isRoomy(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .find((line) => line.split(" ")[1] === MEMORY);
    const mayRun = mount !== undefined && !mount.includes("noexec");
    return mayRun && bavail * bsize > ENOUGH && process.availableMemory() > 2 * ENOUGH;
  } catch {
    return false;
  }
}

let folder: string;

/** The seed of every property: TEST_SEED, a new one when that is `fresh`, and else always the same. */
function seed(): number {
  const given = process.env.TEST_SEED ?? "20261121";
  const value = given === "fresh" ? randomInt(2 ** 31) : Number(given);
  if (Number.isInteger(value)) return value;
  throw new Error(`TEST_SEED is ${given}, must be a whole number or "fresh"`);
}

/** One temporary folder for everything a run writes; it is removed with the run, however its tests ended. */
export function setup(): void {
  folder = mkdtempSync(join(isRoomy() ? MEMORY : tmpdir(), "dosimeter-tests-"));
  chmodSync(folder, 0o755); // a database server runs as another user
  process.env.TMPDIR = folder;
  // The command line uses the same folder: a process that a test starts is ready in half the time.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../node_modules/.cache/dosimeter");
  process.env.TEST_SEED = String(seed());
  console.log(`Properties are drawn with TEST_SEED=${process.env.TEST_SEED} ("fresh" draws a new one).`);
  process.once("exit", teardown);
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
