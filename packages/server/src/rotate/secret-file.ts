import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { PrivacyError } from "@dosimeter/core";

/** The file that holds a secret now. */
export interface SecretFile {
  readonly path: string;
  /** Whether an earlier try had introduced it already. */
  readonly isFinished: boolean;
}

interface Replacing {
  readonly make: (before: string) => string;
  /** Rejects where the other side does not take the secret. */
  readonly works: (text: string) => Promise<void>;
  /** Tells the other side; absent where the other side issued it. */
  readonly introduce?: (text: string, before: string) => Promise<void>;
}

/**
 * Replaces the secret in a file by one that the other side was seen to take. It is kept in `….next` before the other side learns it, so a process
 * that is killed in between loses nothing: the next call finishes.
 */
export async function replaceSecretFile(path: string, { make, works, introduce }: Replacing): Promise<SecretFile> {
  const before = (await textOf(path)) ?? missing(path);
  const next = `${path}.next`;
  const left = introduce === undefined ? null : await textOf(next);
  if (left !== null && (await isTaken(works, left))) {
    await rename(next, path);
    return { path, isFinished: true };
  }
  const text = make(before);
  await writeNext(path, text);
  try {
    await introduce?.(text, before);
    await works(text);
  } catch (error) {
    // A connection that breaks does not say whether the other side has learned it: the new one is kept unless the old one still holds.
    if (introduce === undefined || (await isTaken(works, before))) await rm(next, { force: true });
    throw error;
  }
  await rename(next, path);
  return { path, isFinished: false };
}

/** Puts a secret that is in use already into its file. */
export async function putSecretFile(path: string, text: string): Promise<void> {
  await writeNext(path, text);
  await rename(`${path}.next`, path);
}

async function writeNext(path: string, text: string): Promise<void> {
  const next = `${path}.next`;
  await rm(next, { force: true });
  await writeFile(next, `${text}\n`, { mode: (await stat(path)).mode & 0o777, flag: "wx", flush: true });
}

const isTaken = (works: Replacing["works"], text: string): Promise<boolean> =>
  works(text).then(
    () => true,
    () => false,
  );

const textOf = (path: string): Promise<string | null> =>
  readFile(path, "utf8").then(
    (text) => text.trimEnd(),
    () => null,
  );

function missing(path: string): never {
  throw new PrivacyError("NOT_FOUND", { name: "file", got: path });
}
