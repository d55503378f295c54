import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { makeFolder } from "../sources/make-folder.ts";

/** The process that works on a data folder, and its address once it serves. */
export interface Holder {
  readonly pid: number;
  /** The start time of that process, in the system's own unit, so that a reused process id is noticed; null where unknown. */
  readonly began: string | null;
  readonly url: string | null;
  /** The file of the operator's token. */
  readonly operator: string | null;
}

interface Lock {
  /** Tells others where this process answers. */
  publish(url: string, operator?: string): Promise<void>;
  release(): Promise<void>;
}

const FILE = "lock.json";
const RETRY_MS = 50;

/**
 * Takes the data folder for this process. ALREADY_RUNNING with the holder's URL when another one serves it; a short-lived
 * holder without a URL is waited for, and the lock of a dead process is taken over.
 */
export async function takeLock(folder: string, { timeoutMs = 10_000 } = {}): Promise<Lock> {
  await makeFolder(folder);
  const path = join(folder, FILE);
  const me: Holder = { pid: process.pid, began: beginningOf(process.pid), url: null, operator: null };
  const deadline = Date.now() + timeoutMs;
  while (!(await linkedIn(folder, me))) {
    const holder = await readHolder(path);
    if (holder === null || !isAlive(holder)) await discard(path, me);
    else if (holder.url !== null || Date.now() > deadline)
      throw new PrivacyError("ALREADY_RUNNING", { url: holder.url, pid: holder.pid }, occupied(holder));
    else await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return {
    async publish(url, operator) {
      const next = `${path}.${randomBytes(6).toString("hex")}`;
      await writeFile(next, JSON.stringify({ ...me, url, operator }), { mode: 0o600 });
      await rename(next, path);
    },
    release: () => rm(path, { force: true }),
  };
}

export async function holderOf(folder: string): Promise<Holder | null> {
  const holder = await readHolder(join(folder, FILE));
  return holder !== null && isAlive(holder) ? holder : null;
}

const occupied = ({ url, pid }: Holder): string =>
  url === null ? `process ${pid} works on this data folder` : `already running at ${url}`;

/**
 * Why the address and the files in a lock are not to be believed; null where they are. A folder from elsewhere can name any process: its start
 * time is needed where this system knows it, and a process of another user, who keeps his lock to himself, is not believed.
 */
export function whyNotBelieved({ pid, began }: Holder): { readonly got: unknown; readonly want: string } | null {
  if (began === null && beginningOf(process.pid) !== null)
    return { got: undefined, want: "the start time of the process, which every server writes into it" };
  try {
    process.kill(pid, 0);
    return null;
  } catch {
    return { got: pid, want: "a process of yours" };
  }
}

/** As `linked`, in a folder that a doctor, which leaves none that it made, may just have removed. */
async function linkedIn(folder: string, holder: Holder): Promise<boolean> {
  try {
    return await linked(join(folder, FILE), holder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await makeFolder(folder);
    return linked(join(folder, FILE), holder);
  }
}

/** Makes the lock with its content in one step; false when there is one. */
async function linked(path: string, holder: Holder): Promise<boolean> {
  const own = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(own, JSON.stringify(holder), { mode: 0o600 });
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Removes a dead holder's lock. Only the process that holds the guard file removes anything, after looking again: a lock
 * that another process has just taken is never lost.
 */
async function discard(path: string, me: Holder): Promise<void> {
  const guard = `${path}.takeover`;
  if (!(await linked(guard, me))) {
    const other = await readHolder(guard);
    if (other === null || !isAlive(other)) await rm(guard, { force: true });
    return;
  }
  try {
    const holder = await readHolder(path);
    if (holder === null || !isAlive(holder)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    const { pid, began, url, operator } = JSON.parse(await readFile(path, "utf8")) as {
      [Name in keyof Holder]?: unknown;
    };
    if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return null;
    return { pid, began: textOrNull(began), url: textOrNull(url), operator: textOrNull(operator) };
  } catch {
    return null;
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

function isAlive({ pid, began }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return began === null || beginningOf(pid) === began;
}

/**
 * Field 22 of Linux's `/proc/<pid>/stat`; null on other systems, and for a process that has ended and waits for its parent (a zombie). One whose first
 * thread has ended says the same of itself while its other threads work on.
 */
function beginningOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const hasEnded = state === "X" || (state === "Z" && readdirSync(`/proc/${pid}/task`).length <= 1);
    return hasEnded ? null : (fields[18] ?? null);
  } catch {
    return null;
  }
}
