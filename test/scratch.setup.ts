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

/** One temporary folder for everything a run writes; it is removed with the run, however its tests ended. */
export function setup(): void {
  folder = mkdtempSync(join(isRoomy() ? MEMORY : tmpdir(), "dosimeter-tests-"));
  chmodSync(folder, 0o755); // a database server runs as another user
  process.env.TMPDIR = folder;
  // The command line uses the same folder: a process that a test starts is ready in half the time.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../node_modules/.cache/dosimeter");
  process.once("exit", teardown);
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
