import { randomBytes } from "node:crypto";
import { open, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../sources/make-folder.ts";
import { roomIn } from "../sources/room.ts";

/** Between the clock of a disk and ours. */
const MAX_CLOCK_MS = 30_000;
const FULL = "its disk is full: make room";

const words: Readonly<Record<string, string>> = {
  EACCES: "cannot be written by this user: give it to the user who runs the server (chown)",
  EPERM: "cannot be written by this user: give it to the user who runs the server (chown)",
  EROFS: "is on a read-only file system: name one that can be written",
  ENOSPC: FULL,
  EDQUOT: FULL,
  ENOTDIR: "is below a file: name a folder",
  EEXIST: "is a file: name a folder",
  ENOENT: "cannot be made there: name a folder of a disk",
  ENAMETOOLONG: "has too long a name",
};

interface Trying {
  readonly mayMake: boolean;
  /** Whether what was made stays, for a server that starts; one that starts at the same time may use it already. */
  readonly isKept?: boolean;
}

/** Tries a folder as a server uses it: makes it where it may, writes, syncs. Leaves no file there. */
export async function tryFolder(path: string, { mayMake, isKept = false }: Trying): Promise<string | null> {
  const made: string[] = [];
  try {
    if (!mayMake && (await stat(path).catch(() => null)) === null) return "is not there: make it, or mount its volume";
    await makeFolder(path, made);
    return await tryFile(join(path, `.dosimeter-${randomBytes(6).toString("hex")}`));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return words[code] ?? `cannot be used (${code})`;
  } finally {
    for (const one of isKept ? [] : made.toReversed()) await rmdir(one).catch(() => undefined);
  }
}

/** The folder, or the one that it would be made in. */
async function thereOf(path: string): Promise<string> {
  let at = path;
  while ((await stat(at).catch(() => null)) === null && dirname(at) !== at) at = dirname(at);
  return at;
}

/** A second place that the first one's disk takes along. */
export async function sameDiskProblem(place: string, folder: string): Promise<string | null> {
  const [there, here] = await Promise.all([place, folder].map(async (path) => stat(await thereOf(path))));
  return there?.dev === here?.dev
    ? "is on the disk of the data folder, which takes both when it is lost: name a folder of another machine's disk"
    : null;
}

/** Advice alone: charges go on in what stays free for them. A disk that is really full takes no file. */
export async function roomProblem(path: string, reserve?: number): Promise<string | null> {
  return roomIn(await thereOf(path), reserve) > 0
    ? null
    : "has no room but what stays free for the ledger: uploads are refused. Make room";
}

/** Of the place of shipped changes. */
export const shipRoomProblem = async (path: string): Promise<string | null> =>
  (await roomProblem(path)) === null
    ? null
    : "has no room for what comes: nothing is charged once it is full. Make room";

/** A file that a server writes next to others: what is tried is its folder. */
export const tryPlaceOf = (file: string): Promise<string | null> => tryFolder(dirname(file), { mayMake: false });

async function tryFile(path: string): Promise<string | null> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(Buffer.alloc(4096));
    await file.sync();
    const { mtimeMs } = await file.stat();
    return Math.abs(mtimeMs - Date.now()) > MAX_CLOCK_MS
      ? "has another time than this machine: set the clocks by NTP"
      : null;
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
