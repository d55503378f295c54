import type { WireError } from "./sqlstate.ts";

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
/** No text may hold the byte that ends it. */
export const cstring = (value: string): Buffer => Buffer.from(`${value.replaceAll("\0", "\uFFFD")}\0`);

export const message = (letter: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(letter), int32(body.length + 4), body]);
};

export const askForPassword = message("R", int32(3));
export const signedIn = message("R", int32(0));
export const parseComplete = message("1");
export const bindComplete = message("2");
export const closeComplete = message("3");
export const emptyQuery = message("I");

export const parameterStatus = (name: string, value: string): Buffer => message("S", cstring(name), cstring(value));
export const backendKey = (process: number, secret: number): Buffer => message("K", int32(process), int32(secret));
export const commandComplete = (tag: string): Buffer => message("C", cstring(tag));
/** I: idle, T: in a transaction, E: in one that failed. */
export type Status = "I" | "T" | "E";
export const readyForQuery = (status: Status): Buffer => message("Z", Buffer.from(status));
/** Of a client of a newer minor version, or with options of the protocol that are not known here. */
export const negotiateVersion = (unknown: readonly string[]): Buffer =>
  message("v", int32(3 << 16), int32(unknown.length), ...unknown.map(cstring));

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

/** What a client sends. */
export const query = (text: string): Buffer => message("Q", cstring(text));
export const sync = message("S");
export const flush = message("H");
export const parse = (name: string, text: string, types: readonly number[]): Buffer =>
  message("P", cstring(name), cstring(text), int16(types.length), ...types.map(int32));

export interface Bound {
  readonly portal: string;
  readonly statement: string;
  readonly formats: readonly number[];
  readonly values: readonly (Buffer | null)[];
  readonly results: readonly number[];
}
export const bind = ({ portal, statement, formats, values, results }: Bound): Buffer =>
  message(
    "B",
    ...[cstring(portal), cstring(statement), int16(formats.length), ...formats.map(int16), int16(values.length)],
    ...values.flatMap((value) => (value === null ? [int32(-1)] : [int32(value.length), value])),
    ...[int16(results.length), ...results.map(int16)],
  );

export const execute = (portal: string): Buffer => message("E", cstring(portal), int32(0));

/** A message of PostgreSQL: its letter, what it says, and both as they came. */
export interface Answered {
  readonly type: string;
  readonly body: Buffer;
  readonly whole: Buffer;
}

/** Rows that follow each other are one, whatever their number: no object for each. */
export function messagesIn(bytes: Buffer): readonly Answered[] {
  const found: Answered[] = [];
  for (let at = 0; at + 5 <= bytes.length; ) {
    const letter = bytes.readUInt8(at);
    let end = at;
    do end += 1 + bytes.readInt32BE(end + 1);
    while ((letter === ROW || letter === COPIED) && end + 5 <= bytes.length && bytes[end] === letter);
    found.push({
      type: String.fromCharCode(letter),
      body: bytes.subarray(at + 5, end),
      whole: bytes.subarray(at, end),
    });
    at = end;
  }
  return found;
}
const [ROW, COPIED] = [0x44, 0x64];

/** Counts messages over the parts of a stream, which end anywhere. */
export function counterOfMessages(): (part: Uint8Array) => number {
  let [count, length, header, left] = [0, 0, 0, 0];
  return (part) => {
    for (let at = 0; at < part.length; ) {
      if (left > 0) {
        const step = Math.min(left, part.length - at);
        [at, left] = [at + step, left - step];
        continue;
      }
      length = header === 0 ? 0 : length * 256 + (part[at] ?? 0);
      [at, header] = [at + 1, header + 1];
      if (header === 5) [count, left, header] = [count + 1, length - 4, 0];
    }
    return count;
  };
}

/** An error with its place in another text. */
export function placed({ body, whole }: Answered, placeOf: (position: number) => number): Buffer {
  const all = body
    .toString("latin1")
    .split("\0")
    .filter((field) => field !== "");
  if (!all.some((field) => field.startsWith("P"))) return whole;
  const moved = all.map((field) => (field.startsWith("P") ? `P${placeOf(Number(field.slice(1)))}` : field));
  return message("E", Buffer.from(`${moved.join("\0")}\0\0`, "latin1"));
}

/** The types of parameters without the last ones. */
export function fewerParameters(one: Answered, fewer: number): Answered {
  if (fewer === 0) return one;
  const count = one.body.readInt16BE() - fewer;
  const body = Buffer.concat([int16(count), one.body.subarray(2, 2 + 4 * count)]);
  return { type: one.type, body, whole: message(one.type, body) };
}

export const textParameters = (count: number): Buffer =>
  message("t", int16(count), ...Array.from({ length: count }, () => int32(25)));
export const oneTextColumn = (name: string): Buffer =>
  message("T", int16(1), cstring(name), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0));
export const noData = message("n");
