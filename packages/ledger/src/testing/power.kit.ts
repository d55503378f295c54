import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether this process may make file systems: it needs root and loop devices. */
export function canCutPower(): boolean {
  if (process.getuid?.() !== 0 || !existsSync("/dev/loop-control")) return false;
  const disk = tryDisk();
  disk?.remove();
  return disk !== null;
}

function tryDisk(): Disk | null {
  try {
    return newDisk(16);
  } catch {
    return null;
  }
}

/** A file system in a file. Unsynced data is not in the file, so a copy of it is the disk after a power cut. */
export interface Disk {
  /** Where it is mounted. */
  readonly path: string;
  /** The disk after a power cut now; mounting it replays its journal. */
  cut(): Disk;
  remove(): void;
}

const quiet = { stdio: "pipe", timeout: 60_000 } as const;

export function newDisk(megabytes: number): Disk {
  const folder = mkdtempSync(join(tmpdir(), "power-"));
  const image = join(folder, "disk.img");
  writeFileSync(image, "");
  truncateSync(image, megabytes * 2 ** 20);
  execFileSync("mkfs.ext4", ["-q", "-F", image], quiet);
  return mounted(folder, image);
}

function mounted(folder: string, image: string): Disk {
  const path = join(folder, "mount");
  chmodSync(folder, 0o755); // the database server runs as another user
  mkdirSync(path);
  try {
    execFileSync("mount", ["-o", "loop", image, path], quiet);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return {
    path,
    cut() {
      const other = mkdtempSync(join(tmpdir(), "power-"));
      const copy = join(other, "disk.img");
      copyFileSync(image, copy);
      return mounted(other, copy);
    },
    remove() {
      execFileSync("umount", ["-l", path], quiet);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
