import type { SqlRelease } from "@dosimeter/client";
import type { WireError } from "./sqlstate.ts";

export type Cell = NonNullable<SqlRelease["tables"]>[number]["rows"][number][number];

/** The types of results, by PostgreSQL's numbers for them. */
export const types = {
  boolean: { oid: 16, size: 1, name: "bool" },
  integer: { oid: 23, size: 4, name: "int4" },
  text: { oid: 25, size: -1, name: "text" },
  list: { oid: 114, size: -1, name: "json" },
  number: { oid: 701, size: 8, name: "float8" },
} as const;

export interface WireColumn {
  readonly name: string;
  readonly type: keyof typeof types;
}

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
/** No text may hold the byte that ends it. */
const cstring = (value: string): Buffer => Buffer.from(`${value.replaceAll("\0", "\uFFFD")}\0`);

const message = (letter: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(letter), int32(body.length + 4), body]);
};

export const askForPassword = message("R", int32(3));
export const signedIn = message("R", int32(0));
export const parseComplete = message("1");
export const bindComplete = message("2");
export const closeComplete = message("3");
export const noData = message("n");
export const emptyQuery = message("I");
export const portalSuspended = message("s");

export const parameterStatus = (name: string, value: string): Buffer => message("S", cstring(name), cstring(value));
export const backendKey = (process: number, secret: number): Buffer => message("K", int32(process), int32(secret));
export const commandComplete = (tag: string): Buffer => message("C", cstring(tag));
/** I: idle, T: in a transaction, E: in one that failed. */
export type Status = "I" | "T" | "E";
export const readyForQuery = (status: Status): Buffer => message("Z", Buffer.from(status));
/** Of a client of a newer minor version, or with options of the protocol that are not known here. */
export const negotiateVersion = (unknown: readonly string[]): Buffer =>
  message("v", int32(3 << 16), int32(unknown.length), ...unknown.map(cstring));
export const parameterDescription = (oids: readonly number[]): Buffer =>
  message("t", int16(oids.length), ...oids.map(int32));

const fields = (all: readonly (readonly [string, string | undefined])[]): Buffer =>
  Buffer.concat([
    ...all.flatMap(([letter, value]) => (value === undefined ? [] : [Buffer.from(letter), cstring(value)])),
    Buffer.from("\0"),
  ]);

export function errorResponse({ facts, message: text }: WireError): Buffer {
  const { severity = "ERROR", code, detail, hint, position } = facts;
  const place = position === undefined ? undefined : String(position);
  return message(
    "E",
    fields([
      ["S", severity],
      ["V", severity],
      ["C", code],
      ["M", text],
      ["D", detail],
      ["H", hint],
      ["P", place],
    ]),
  );
}

export const notice = (text: string, severity: "NOTICE" | "WARNING" = "NOTICE"): Buffer =>
  message(
    "N",
    fields([
      ["S", severity],
      ["V", severity],
      ["C", severity === "NOTICE" ? "00000" : "01000"],
      ["M", text],
    ]),
  );

/** Of each column: 0 for text, 1 for binary; one for all, or none for text. */
export type Formats = readonly number[];
const formatOf = (formats: Formats, place: number): number => formats[formats.length === 1 ? 0 : place] ?? 0;

export const rowDescription = (columns: readonly WireColumn[], formats: Formats = []): Buffer =>
  message(
    "T",
    int16(columns.length),
    ...columns.flatMap(({ name, type }, place) => [
      cstring(name),
      int32(0), // of no table
      int16(0),
      int32(types[type].oid),
      int16(types[type].size),
      int32(-1),
      int16(formatOf(formats, place)),
    ]),
  );

export const dataRow = (columns: readonly WireColumn[], cells: readonly Cell[], formats: Formats = []): Buffer =>
  message(
    "D",
    int16(columns.length),
    ...columns.flatMap(({ type }, place) => {
      const cell = cells[place] ?? null;
      if (cell === null) return [int32(-1)];
      const bytes = formatOf(formats, place) === 1 ? binary(cell, type) : Buffer.from(textOf(cell));
      return [int32(bytes.length), bytes];
    }),
  );

function textOf(cell: NonNullable<Cell>): string {
  if (typeof cell === "boolean") return cell ? "t" : "f";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

function binary(cell: NonNullable<Cell>, type: WireColumn["type"]): Buffer {
  if (type === "boolean") return Buffer.from([cell === true ? 1 : 0]);
  if (type === "integer") return int32(Number(cell));
  if (type !== "number") return Buffer.from(textOf(cell));
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(Number(cell));
  return bytes;
}
