import { statSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, extname, join, relative, sep } from "node:path";
import type { ServerFile } from "@dosimeter/client";
import { invalid, PrivacyError } from "@dosimeter/core";
import { uploadExtensions } from "@dosimeter/query/source";

/** Tables that lie on the server already, in folders its operator named. They are read, never written. */
export interface ServerFolders {
  list(): Promise<readonly ServerFile[]>;
  /** Where a table lies. NOT_FOUND for anything outside the folders, symbolic links out of them included. */
  find(path: string): Promise<string>;
}

const isTable = (path: string): boolean => uploadExtensions.includes(extname(path).toLowerCase());
const MAX_FILES = 1000;
const DEPTH = 4;

/** INVALID_PARAMETER for a folder that is not there. What cannot be read later, or is gone, lists nothing. */
export function serverFolders(folders: readonly string[]): ServerFolders {
  /** Folders by the name that paths of the wire begin with; two of the same name get a number. */
  const roots = new Map<string, string>();
  for (const folder of folders) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      invalid("server folder", folder, "a folder that is there");
    const name = basename(folder);
    roots.set(roots.has(name) ? `${name}-${roots.size + 1}` : name, folder);
  }

  async function tablesUnder(folder: string, depth: number): Promise<readonly string[]> {
    const found: string[] = [];
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.name.startsWith(".")) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && depth > 1) found.push(...(await tablesUnder(path, depth - 1)));
      if (entry.isFile() && isTable(entry.name)) found.push(path);
    }
    return found;
  }

  return {
    async list() {
      const all: ServerFile[] = [];
      for (const [name, folder] of roots)
        for (const path of await tablesUnder(folder, DEPTH))
          all.push({ path: [name, ...relative(folder, path).split(sep)].join("/"), bytes: (await stat(path)).size });
      return all.toSorted((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MAX_FILES);
    },
    async find(path) {
      const missing = new PrivacyError("NOT_FOUND", { name: "path" });
      const [name = "", ...rest] = path.split("/");
      const folder = roots.get(name);
      if (folder === undefined || rest.length === 0 || path.includes("\0")) throw missing;
      const real = (each: string) => realpath(each).catch(() => null);
      const [root, file] = [await real(folder), await real(join(folder, ...rest))];
      if (root === null || file === null || !file.startsWith(root + sep) || !isTable(file)) throw missing;
      if (!(await stat(file)).isFile()) throw missing;
      return file;
    },
  };
}
