import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
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
  const file = await realpath(path).catch(() => missing(path)); // of a link, what it names is replaced
  const before = (await textOf(file)) ?? missing(path);
  const next = `${file}.next`;
  const left = introduce === undefined ? null : await textOf(next);
  if (left !== null) {
    if (await isTaken(works, left)) {
      await putInPlace(next, file);
      return { path, isFinished: true };
    }
    await works(before); // where neither is taken now, the one that is left may still be the one in use
  }
  const text = make(before);
  await writeNext(file, next, text);
  try {
    await introduce?.(text, before);
    await works(text);
  } catch (error) {
    // A connection that breaks does not say whether the other side has learned it: the new one is kept unless the old one still holds.
    if (introduce === undefined || (await isTaken(works, before))) await rm(next, { force: true });
    throw error;
  }
  await putInPlace(next, file);
  return { path, isFinished: false };
}

/** With the owner and the mode of the file before it. NOT_READY where that cannot be, before anything has changed. */
async function writeNext(file: string, next: string, text: string): Promise<void> {
  try {
    const { mode, uid, gid } = await stat(file);
    await rm(next, { force: true });
    const handle = await open(next, "wx", 0o600);
    try {
      await handle.writeFile(`${text}\n`);
      await handle.chown(uid, gid);
      await handle.chmod(mode & 0o777);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    const { code = "OTHER" } = error as NodeJS.ErrnoException;
    throw new PrivacyError(
      "NOT_READY",
      { name: "file", got: next },
      `${next} cannot be written (${code}), must be, as the owner of ${file}, before the secret is replaced: nothing was changed. Run it as a user who may, or keep the secret in another folder`,
    );
  }
}

async function putInPlace(next: string, file: string): Promise<void> {
  await rename(next, file).catch(({ code = "OTHER" }: NodeJS.ErrnoException) => {
    throw new PrivacyError(
      "NOT_READY",
      { name: "file", got: file },
      `${file} cannot be replaced (${code}), and the secret in ${next} is the one in use: put it there, and start every server again`,
    );
  });
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
