import { readdir, readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";
import type { StoredFile } from "./files.ts";

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

type Known = Pick<StoredFile, "owner" | "broughtBy" | "bytes" | "uploadedAt">;

/** What is known of the stored files: each record is read once, as none changes. */
interface Records {
  all(): Promise<ReadonlyMap<string, Known>>;
  known(): Iterable<Known>;
  add(file: StoredFile): void;
}

export function openRecords(folder: string): Records {
  const known = new Map<string, Known>();
  const add = ({ id, owner, broughtBy, bytes, uploadedAt }: StoredFile) =>
    known.set(id, { owner, bytes, uploadedAt, ...(broughtBy === undefined ? {} : { broughtBy }) });
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

/** What one upload may add to the files of its person. */
export interface Room {
  left(): number;
  /** PAYLOAD_TOO_LARGE where the files of the person would have more bytes than they may. */
  take(bytes: number): void;
  end(): void;
}

/** The bytes of each person: of their files, and of all uploads that arrive. */
export function openQuota(records: Records, most: number): { begin(person: PrincipalId): Promise<Room> } {
  const arriving = new Map<PrincipalId, number>();
  const stored = (person: PrincipalId): number => {
    let bytes = 0;
    for (const file of records.known()) if ((file.broughtBy ?? file.owner) === person) bytes += file.bytes;
    return bytes;
  };
  return {
    async begin(person) {
      await records.all();
      let own = 0;
      const left = () => Math.max(0, most - stored(person) - (arriving.get(person) ?? 0));
      const add = (bytes: number) => {
        own += bytes;
        const all = (arriving.get(person) ?? 0) + bytes;
        if (all > 0) arriving.set(person, all);
        else arriving.delete(person);
      };
      return {
        left,
        take(bytes) {
          if (bytes > left())
            throw new PrivacyError(
              "PAYLOAD_TOO_LARGE",
              { name: "content", want: `at most ${most} bytes of all your uploads` },
              `your uploads may have ${most} bytes together: delete those that you do not need`,
            );
          add(bytes);
        },
        end: () => add(-own),
      };
    },
  };
}
