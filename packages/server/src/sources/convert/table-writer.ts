import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { writtenBytes } from "../room.ts";
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

/** Throws PAYLOAD_TOO_LARGE before there are more than `largest` bytes, and NOT_READY where the disk has only what stays free. */
export function openTableWriter(
  path: string,
  { largest, reserve }: { readonly largest: number; readonly reserve?: number | undefined },
): TableWriter {
  const file = openSync(path, "wx", 0o600);
  const tooMany = () => tooMuch(`at most ${largest} bytes as CSV`);
  const written = writtenBytes({ folder: dirname(path), reserve, most: largest, tooMany });
  let held: string[] = [];
  let size = 0;
  function flush(): void {
    const bytes = Buffer.from(held.join(""));
    held = [];
    size = 0;
    written.take(bytes.byteLength);
    for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at);
  }
  function add(text: string): void {
    held.push(text);
    size += text.length;
    if (size >= HELD_CHARACTERS) flush();
  }
  /** One field after another: a row of many long ones is never one text. */
  function line(fields: readonly string[]): void {
    fields.forEach((field, index) => {
      add(index === 0 ? field : `,${field}`);
    });
    add("\n");
  }
  return {
    // Quoted, so that no letter of a name is taken for the separator.
    header: (names) => line(names.map(quoted)),
    row: (fields) => line(fields.map((field) => (/[",\r\n]/.test(field) ? quoted(field) : field))),
    end() {
      flush();
      fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
