import { inflateSync } from "node:zlib";
import type { ColumnWords } from "@dosimeter/query/schema";
import type { FileBytes } from "./file-bytes.ts";
import { type MissingCodes, readDictionary, type SpssDictionary, type SpssVariable } from "./spss-dictionary.ts";
import { type OpenedTable, openedTable, type StatColumn } from "./stat-table.ts";
import { unpackedCounter, unread, WANTED } from "./unread.ts";
import { dateText, momentText, numberText } from "./written.ts";

const damaged = (): Error => unread(WANTED.sav);

/** A file of SPSS or PSPP, also one that is compressed with zlib: at most `unpacked` bytes. */
export function openSpss(
  path: string,
  { encoding, unpacked }: { readonly encoding?: string | undefined; readonly unpacked: number },
): OpenedTable {
  return openedTable(path, WANTED.sav, (file) => {
    const dictionary = readDictionary(file, encoding);
    const columns = dictionary.variables.map((variable) => columnOf(variable, dictionary));
    return { kind: "SPSS", columns, rows: rowsIn(file, dictionary, unpacked) };
  });
}

/** The rows, as many as the file says that it has. */
function* rowsIn(file: FileBytes, dictionary: SpssDictionary, unpacked: number): Generator<Buffer> {
  const { eights, rows, compression } = dictionary;
  const size = 8 * eights;
  if (size === 0) throw unread("a table with columns");
  let read = 0;
  if (compression === "none")
    for (; rows === null ? file.size - file.at() >= size : read < rows; read += 1) yield file.take(size);
  else {
    const take = compression === "zlib" ? inflated(file, dictionary, unpacked) : plain(file);
    for (const row of unbyted(take, dictionary)) {
      yield row;
      read += 1;
    }
  }
  if (rows !== null && read !== rows) throw damaged();
  if (rows === null && compression === "none" && file.at() !== file.size)
    throw unread("a whole SPSS file: this one is truncated within its last row. Save or send it again");
}

/** The next bytes; null at the end. */
type Take = (count: number) => Buffer | null;

const plain =
  (file: FileBytes): Take =>
  (count) =>
    file.size - file.at() < count ? null : file.take(count);

const MAX_BLOCK = 2 ** 24;

/** Blocks that the end of the file lists, each unpacked for itself. */
function inflated(file: FileBytes, { isLittle }: SpssDictionary, unpacked: number): Take {
  const long = (bytes: Buffer, at: number): number =>
    Number(isLittle ? bytes.readBigInt64LE(at) : bytes.readBigInt64BE(at));
  const whole = (bytes: Buffer, at: number): number => (isLittle ? bytes.readInt32LE(at) : bytes.readInt32BE(at));
  const head = file.take(24);
  const [from, bytes] = [long(head, 8), long(head, 16)];
  file.seek(from);
  const list = Buffer.from(file.take(bytes));
  const count = list.length < 24 ? -1 : whole(list, 20);
  if (list.length !== 24 + 24 * count) throw damaged();
  const counted = unpackedCounter(unpacked);
  let [next, block, at] = [0, Buffer.alloc(0), 0];
  function more(): boolean {
    if (next >= count) return false;
    const entry = list.subarray(24 + 24 * next, 48 + 24 * next);
    next += 1;
    const [size, packed] = [whole(entry, 16), whole(entry, 20)];
    if (size < 0 || size > MAX_BLOCK) throw damaged();
    counted(size);
    file.seek(long(entry, 8));
    let found: Buffer;
    try {
      found = inflateSync(file.take(packed), { maxOutputLength: Math.max(1, size) });
    } catch {
      throw damaged();
    }
    if (found.length !== size) throw damaged();
    [block, at] = [Buffer.concat([block.subarray(at), found]), 0];
    return true;
  }
  return (wanted) => {
    while (block.length - at < wanted) if (!more()) return null;
    at += wanted;
    return block.subarray(at - wanted, at);
  };
}

const [SKIP, END, AS_IS, BLANK, MISSING] = [0, 252, 253, 254, 255];

/** Each eight is a byte that says what it is, or that it follows as it is. */
function* unbyted(take: Take, { eights, isLittle, bias }: SpssDictionary): Generator<Buffer> {
  const row = Buffer.alloc(8 * eights);
  let at = 0;
  const write = (value: number) => (isLittle ? row.writeDoubleLE(value, at) : row.writeDoubleBE(value, at));
  for (let codes = take(8); codes !== null; codes = take(8))
    for (const code of Buffer.from(codes)) {
      if (code === SKIP) continue;
      if (code === END) {
        if (at !== 0) throw damaged();
        return;
      }
      if (code === AS_IS) {
        const value = take(8);
        if (value === null) throw damaged();
        value.copy(row, at);
      } else if (code === BLANK) row.fill(" ", at, at + 8);
      else write(code === MISSING ? -Number.MAX_VALUE : code - bias);
      at += 8;
      if (at === row.length) {
        at = 0;
        yield row;
      }
    }
  if (at !== 0) throw damaged();
}

function columnOf(variable: SpssVariable, dictionary: SpssDictionary): StatColumn {
  const { name, label, measure, missing, labels: all } = variable;
  const [labels, codes] = [new Map<string, string>(), new Map<string, string>()];
  for (const [value, text] of all) {
    const written = typeof value === "number" ? numberText(value) : value;
    (isMissing(value, missing) ? codes : labels).set(written, text);
  }
  // Nominal, ordinal, scale.
  const common = { name, labels, codes, isCategory: [undefined, true, true, false][measure] };
  if (variable.width > 0) {
    const text = textOf(variable, dictionary);
    const isCode = (value: string) => isMissing(value, missing);
    return {
      ...common,
      words: { type: "text", label },
      value: (row) => (isCode(text(row)) ? "" : text(row)),
      code: (row) => (isCode(text(row)) ? text(row) : ""),
    };
  }
  const at = 8 * variable.place;
  const raw = (row: Buffer): number => (dictionary.isLittle ? row.readDoubleLE(at) : row.readDoubleBE(at));
  const { words, text } = shownBy(variable);
  return {
    ...common,
    words: { ...words, label },
    value(row) {
      const value = raw(row);
      return Number.isFinite(value) && value !== -Number.MAX_VALUE && !isMissing(value, missing) ? text(value) : "";
    },
    code(row) {
      const value = raw(row);
      return isMissing(value, missing) ? numberText(value) : "";
    },
  };
}

const isMissing = (value: number | string, { single, low, high }: MissingCodes): boolean =>
  single.includes(value) ||
  (typeof value === "number" &&
    low !== undefined &&
    high !== undefined &&
    value !== -Number.MAX_VALUE &&
    value >= low &&
    value <= high);

/** A long text is stored in parts of 255 bytes, each filled up to whole eights. */
function textOf({ place, width, eights }: SpssVariable, { text }: SpssDictionary): (row: Buffer) => string {
  return (row) => {
    const bytes = row.subarray(8 * place, 8 * (place + eights));
    if (width <= 255) return text(bytes.subarray(0, width)).trimEnd();
    const parts = Array.from({ length: Math.ceil(width / 255) }, (_, at) => bytes.subarray(256 * at, 256 * at + 255));
    return text(Buffer.concat(parts).subarray(0, width)).trimEnd();
  };
}

/** From 1582-10-14, where SPSS begins to count seconds, to 1970-01-01. */
const FROM_1582_MS = 12_219_379_200_000;
const ms = (seconds: number): number => Math.round(seconds * 1000) - FROM_1582_MS;

interface Shown {
  readonly words: Pick<ColumnWords, "type" | "granularity" | "unit">;
  readonly text: (value: number) => string;
}

const dates = (granularity?: string): Shown => ({
  words: { type: "date", ...(granularity === undefined ? {} : { granularity }) },
  text: (value) => dateText(ms(value)),
});
const seconds: Shown = { words: { type: "number", unit: "s" }, text: numberText };
const moments: Shown = {
  words: { type: "timestamp" },
  text: (value) => momentText(Math.floor(ms(value) / 1000) * 1000, fractionOf(value)),
};
const fractionOf = (value: number): string => {
  const rest = ((Math.round(value * 1000) % 1000) + 1000) % 1000;
  return rest === 0 ? "" : String(rest).padStart(3, "0");
};
const money: Shown = { words: { type: "number", unit: "$" }, text: numberText };

/** By the number of its format. */
const FORMATS: Readonly<Record<number, Shown>> = {
  4: money,
  31: { words: { type: "number", unit: "%" }, text: numberText },
  ...{ 20: dates(), 23: dates(), 24: dates(), 38: dates(), 39: dates() },
  ...{ 28: dates("month"), 29: dates("quarter"), 30: dates("week") },
  ...{ 22: moments, 41: moments, 21: seconds, 25: seconds, 40: seconds },
};

function shownBy({ format, decimals }: SpssVariable): Shown {
  return FORMATS[format] ?? { words: { type: decimals === 0 ? "integer" : "number" }, text: numberText };
}
