import { posix } from "node:path";
import { SaxesParser } from "saxes";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { unpackedCounter, unread } from "./unread.ts";

/** The XML parts of a workbook. */
export interface Parts {
  /** Throws DATA_UNREADABLE where there is no such part. */
  read(name: string, on: PartReader): Promise<void>;
  /** What a part refers to, by id; none where it says nothing. */
  relations(name: string): Promise<ReadonlyMap<string, Relation>>;
  close(): void;
}

interface Relation {
  /** The last word of its type: `worksheet`, `styles`. */
  readonly type: string;
  readonly target: string;
}

export type Attributes = Readonly<Record<string, string>>;

/** Names are without their prefix. */
export interface PartReader {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

const MAX_PARTS = 10_000;
export const WORKBOOK = "an Excel workbook (.xlsx)";

/** Unpacks at most `largest` bytes in all. A part with a document type is refused, so none has entities of its own. */
export async function openParts(path: string, largest: number, want = WORKBOOK): Promise<Parts> {
  const zip: ZipFile = await openPromise(path, { lazyEntries: true, autoClose: false });
  const count = unpackedCounter(largest);
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.size === MAX_PARTS) throw unread(`${want} of at most ${MAX_PARTS} parts`);
      entries.set(entry.fileName, entry);
    }
  } catch (error) {
    zip.close();
    throw error;
  }

  async function read(name: string, on: PartReader): Promise<void> {
    const entry = entries.get(name);
    if (entry === undefined) throw unread(want);
    if (entry.isEncrypted()) throw unread(`${want} without a password`);
    const parser = new SaxesParser<{ xmlns: false }>();
    const local = (given: string): string => given.slice(given.indexOf(":") + 1);
    parser.on("error", () => {
      throw unread(`${want} of well-formed parts`);
    });
    parser.on("doctype", () => {
      throw unread(`${want} without document types`);
    });
    parser.on("opentag", ({ name: tag, attributes }) => on.open?.(local(tag), attributes));
    parser.on("closetag", ({ name: tag }) => on.close?.(local(tag)));
    parser.on("text", (text) => on.text?.(text));
    parser.on("cdata", (text) => on.text?.(text));
    const decoder = new TextDecoder("utf-8", { fatal: true });
    for await (const part of await zip.openReadStreamPromise(entry)) {
      count(part.byteLength);
      parser.write(decoder.decode(part, { stream: true }));
    }
    parser.write(decoder.decode()).close();
  }

  return {
    read,
    async relations(name) {
      const found = new Map<string, Relation>();
      const at = posix.join(posix.dirname(name), "_rels", `${posix.basename(name)}.rels`);
      if (!entries.has(at)) return found;
      await read(at, {
        open(tag, { Id = "", Type = "", Target = "", TargetMode }) {
          if (tag !== "Relationship" || TargetMode === "External") return;
          const target = Target.startsWith("/") ? Target.slice(1) : posix.join(posix.dirname(name), Target);
          found.set(Id, { type: Type.slice(Type.lastIndexOf("/") + 1), target });
        },
      });
      return found;
    },
    close: () => zip.close(),
  };
}
