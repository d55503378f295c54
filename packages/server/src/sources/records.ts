import { readdir, readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { File } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import type { PrincipalId } from "@dosimeter/ledger";

/** An uploaded table. Its bytes never change and its name is never part of a path. */
export interface StoredFile extends Omit<File, "sameAs"> {
  readonly owner: PrincipalId;
  /** The browser session in which its owner sent it; absent where a program did, or it came from elsewhere. */
  readonly session?: string;
  /** Of a copy that an append made: who appended, and how many bytes, which count in place of the owner and of its own. */
  readonly broughtBy?: PrincipalId;
  readonly broughtBytes?: number;
  /** HMAC-SHA-256 of the bytes under the folder's own key: the same bytes are recognised, and no outsider can test a guess. */
  readonly digest: string;
}

export const ID = /^fil_[0-9a-f]{20}$/;

/** Null also where the record is damaged: no one can name the file any more, and the others are read as ever. */
export async function storedAt(folder: string, id: string): Promise<StoredFile | null> {
  if (!ID.test(id)) return null;
  try {
    const stored = JSON.parse(await readFile(join(folder, `${id}.json`), "utf8")) as StoredFile | null;
    return typeof stored?.owner === "string" ? stored : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

type Known = Pick<StoredFile, "owner" | "broughtBy" | "broughtBytes" | "bytes" | "uploadedAt">;

/** What is known of the stored files: each record is read once, as none changes. */
export interface Records {
  all(): Promise<ReadonlyMap<string, Known>>;
  known(): Iterable<Known>;
  add(file: StoredFile): void;
}

export function openRecords(folder: string): Records {
  const known = new Map<string, Known>();
  const add = ({ id, owner, broughtBy, broughtBytes, bytes, uploadedAt }: StoredFile) =>
    known.set(id, {
      ...{ owner, bytes, uploadedAt },
      ...present({ broughtBy, broughtBytes }),
    });
  return {
    async all() {
      const names = (await readdir(folder)).filter((name) => extname(name) === ".json");
      const ids = new Set(names.map((name) => basename(name, ".json")));
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
      for (const id of ids) {
        const file = known.has(id) ? null : await storedAt(folder, id);
        if (file !== null) add(file);
      }
      return known;
    },
    known: () => known.values(),
    add,
  };
}
