import { createReadStream } from "node:fs";
import { MAX_COLUMNS } from "@dosimeter/query/declaration";
import { tooWide } from "./stat-table.ts";
import type { TableWriter } from "./table-writer.ts";
import { unread, WANTED } from "./unread.ts";

const damaged = (got?: string): Error => unread(WANTED.json, got);
/** Of one object. */
const MAX_LETTERS = 1_000_000;

/** Writes an array of objects, or an object a line. The header has every key, in the order in which they first come: an absent one is missing. */
export async function convertJson(path: string, writer: TableWriter): Promise<void> {
  const places = new Map<string, number>();
  for await (const each of objectsIn(path))
    for (const key of Object.keys(parsed(each)))
      if (!places.has(key) && places.set(key, places.size).size > MAX_COLUMNS) throw tooWide(places.size);
  if (places.size === 0) throw damaged();
  writer.header([...places.keys()]);
  const names = [...places.keys()];
  for await (const each of objectsIn(path)) {
    const row = parsed(each);
    writer.row(names.map((name) => (Object.hasOwn(row, name) ? (row[name] ?? "") : "")));
  }
}

type Flat = Readonly<Record<string, string>>;

/** An object as it is written, and the line that it begins on. */
interface Written {
  readonly text: string;
  readonly line: number;
}

/** Each value as a text; a number as it is written. */
function parsed({ text, line }: Written): Flat {
  let row: Record<string, unknown>;
  try {
    row = JSON.parse(text, asWritten);
  } catch {
    throw damaged();
  }
  for (const [key, value] of Object.entries(row))
    if (typeof value !== "string")
      throw damaged(`${key.slice(0, 40)} holds ${Array.isArray(value) ? "a list" : "an object"}`);
  const twice = keyTwice(text);
  if (twice !== undefined)
    throw unread(
      `${WANTED.json}, each with different keys: line ${line + twice.line} has one twice`,
      twice.key.slice(0, 40),
    );
  return row as Flat;
}

/** A key that a flat object has again, of which JavaScript would keep the last value, and the line below its first that it is on. */
function keyTwice(text: string): { readonly key: string; readonly line: number } | undefined {
  const keys = new Set<string>();
  for (const { 1: quoted = "", 2: colon, index } of text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)/g)) {
    if (colon === "") continue;
    const key = JSON.parse(quoted) as string;
    if (keys.has(key)) return { key, line: text.slice(0, index).split("\n").length - 1 };
    keys.add(key);
  }
  return undefined;
}

/** JavaScript would round a whole number beyond 2⁵³. */
function asWritten(key: string, value: unknown, { source = "" }: { readonly source?: string } = {}): unknown {
  if (key === "__proto__") throw new SyntaxError(key);
  if (value === null) return "";
  return typeof value === "number" || typeof value === "boolean" ? source : value;
}

const [QUOTE, ESCAPE, OPEN, CLOSE, LIST, LIST_END] = ['"', "\\", "{", "}", "[", "]"];

/** The text of each object, and nothing but commas, line ends and one list around them. */
async function* objectsIn(path: string): AsyncGenerator<Written> {
  let [depth, isText, isEscaped, held] = [0, false, false, ""];
  let list: "none" | "open" | "closed" = "none";
  let count = 0;
  let isDue = true;
  let [line, begun] = [1, 1];
  for await (const part of createReadStream(path, { encoding: "utf8" }) as AsyncIterable<string>) {
    let from = 0;
    for (let at = 0; at < part.length; at += 1) {
      const letter = part[at];
      if (letter === "\n") line += 1;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (letter === ESCAPE) isEscaped = true;
        else if (letter === QUOTE) isText = false;
        continue;
      }
      if (depth > 0) {
        if (letter === QUOTE) isText = true;
        else if (letter === OPEN) depth += 1;
        else if (letter === CLOSE) {
          depth -= 1;
          if (depth > 0) continue;
          yield { text: held + part.slice(from, at + 1), line: begun };
          [held, count, isDue] = ["", count + 1, false];
        }
        continue;
      }
      if (letter === OPEN && list !== "closed" && (isDue || list === "none"))
        [depth, from, isDue, begun] = [1, at, false, line];
      else if (letter === "," && list === "open" && !isDue) isDue = true;
      else if (letter === LIST && list === "none" && count === 0) list = "open";
      else if (letter === LIST_END && list === "open" && (!isDue || count === 0)) list = "closed";
      else if (letter === undefined || !/[\s\uFEFF]/.test(letter)) throw damaged();
    }
    if (depth > 0) held += part.slice(from);
    if (held.length > MAX_LETTERS) throw unread(`${WANTED.json}, none longer than a million letters`);
  }
  if (depth > 0 || list === "open") throw damaged();
}
