import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { tooMuch } from "./unread.ts";

/** Writes rows as CSV in UTF-8, in the calling thread. A missing value is an empty field. */
export interface TableWriter {
  header(names: readonly string[]): void;
  row(fields: readonly string[]): void;
  /** Writes what is held back, and waits until the disk has it. */
  end(): void;
  close(): void;
}

const HELD_CHARACTERS = 2 ** 18;

/** Throws PAYLOAD_TOO_LARGE beyond `largest` bytes. */
export function openTableWriter(path: string, largest: number): TableWriter {
  const file = openSync(path, "wx", 0o600);
  let held = "";
  let size = 0;
  function flush(): void {
    const bytes = Buffer.from(held);
    held = "";
    size += bytes.byteLength;
    if (size > largest) throw tooMuch(`at most ${largest} bytes as CSV`);
    for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at);
  }
  function line(text: string): void {
    held += `${text}\n`;
    if (held.length >= HELD_CHARACTERS) flush();
  }
  return {
    // Quoted, so that no letter of a name is taken for the separator.
    header: (names) => line(names.map(quoted).join(",")),
    row: (fields) => line(fields.map((field) => (/[",\r\n]/.test(field) ? quoted(field) : field)).join(",")),
    end() {
      flush();
      fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
