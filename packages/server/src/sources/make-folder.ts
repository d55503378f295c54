import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes a folder with those above it, one at a time: below /proc, `recursive` never ends. Those that it made are added to `made`. */
export async function makeFolder(path: string, made: string[] = []): Promise<void> {
  const missing: string[] = [];
  for (let at = path; !(await isThere(at)); at = dirname(at)) missing.unshift(at);
  for (const one of missing) {
    try {
      await mkdir(one, { mode: 0o700 });
      made.push(one);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  if (missing.length === 0 && !(await stat(path)).isDirectory())
    throw Object.assign(new Error(`${path} is a file`), { code: "EEXIST" });
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
