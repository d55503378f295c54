import { MAX_COLUMNS } from "@dosimeter/query/declaration";
import type { ColumnWords } from "@dosimeter/query/schema";
import { type FileBytes, lettersOf } from "./file-bytes.ts";
import { noCodes, type OpenedTable, openedTable, type StatColumn, type StatTable, tooWide } from "./stat-table.ts";
import { FROM_1960_MS } from "./stata-times.ts";
import { unread, WANTED } from "./unread.ts";
import { dateText, momentText, numberText } from "./written.ts";

const RECORD = 80;
const damaged = (): Error => unread(WANTED.xpt);

/** A transport file of SAS, version 5 or 8, with one table. Its labels of values are in another file. */
export const openTransport = (path: string, given: string | undefined): OpenedTable =>
  openedTable(path, WANTED.xpt, (file) => readTransport(file, lettersOf(given ?? "windows-1252", WANTED.xpt)));

const isHeader = (record: string): boolean => record.startsWith("HEADER RECORD*******");
const kindOf = (record: string): string => (isHeader(record) ? record.slice(20, 28).trim() : "");

// long: the parts of a file are read in turn, by one place in it
function readTransport(file: FileBytes, text: (bytes: Uint8Array) => string): StatTable {
  file.seek(0);
  const record = (): string => file.take(RECORD).toString("latin1");
  const words = (bytes: Uint8Array): string => text(bytes).trimEnd();
  record();
  file.take(2 * RECORD);
  const member = record();
  const width = Number(member.slice(75, 78));
  if (!/^MEMB/.test(kindOf(member)) || (width !== 140 && width !== 136)) throw damaged();
  record();
  file.take(2 * RECORD);
  const names = record();
  const count = Number(names.slice(53, 58));
  if (!(/^NAM(?:ESTR|STV8)$/.test(kindOf(names)) && count > 0)) throw damaged();
  if (count > MAX_COLUMNS) throw tooWide(count);
  const hasLongNames = kindOf(names) === "NAMSTV8";
  const described = Array.from({ length: count }, () => variableIn(Buffer.from(file.take(width))));
  let next = nextRecord();
  if (kindOf(next).startsWith("LABEL")) {
    readLabels(Number(next.slice(48, 53)), kindOf(next) === "LABELV9");
    next = nextRecord();
  }
  if (!kindOf(next).startsWith("OBS")) throw damaged();
  const bytes = Math.max(...described.map(({ at, length }) => at + length));
  return { kind: "SAS", columns: described.map(columnOf), rows: rowsOf() };

  function nextRecord(): string {
    file.seek(RECORD * Math.ceil(file.at() / RECORD));
    return record();
  }

  function variableIn(bytes: Buffer): Variable {
    const [kind, length, at] = [bytes.readUInt16BE(0), bytes.readUInt16BE(4), bytes.readUInt32BE(84)];
    if ((kind !== 1 && kind !== 2) || length === 0 || at > 1_000_000 || (kind === 1 && (length < 2 || length > 8)))
      throw damaged();
    const long = hasLongNames ? words(bytes.subarray(88, 120)) : "";
    const name = long === "" ? words(bytes.subarray(8, 16)) : long;
    const format = words(bytes.subarray(56, 64)).toUpperCase();
    return { isNumber: kind === 1, length, at, name, label: words(bytes.subarray(16, 56)), format };
  }

  /** Labels of more than 40 letters, by the whole name. */
  function readLabels(labels: number, hasFormats: boolean): void {
    for (let left = labels; left > 0; left -= 1) {
      const head = Buffer.from(file.take(hasFormats ? 10 : 6));
      const lengths = Array.from({ length: head.length / 2 - 1 }, (_, at) => head.readUInt16BE(2 + 2 * at));
      const parts = lengths.map((length) => words(file.take(length)));
      const at = described.findIndex(({ name }) => name === parts[0]);
      const one = described[at];
      if (one === undefined) continue;
      const format = hasFormats ? (parts[1] ?? "").toUpperCase() : one.format;
      described[at] = { ...one, label: parts.at(-1) ?? one.label, format };
    }
  }

  /** Blanks fill up the last record: rows of nothing but blanks that began in it are none. */
  function* rowsOf(): Generator<Buffer> {
    const from = file.at();
    const last = Buffer.from(tail(file, from));
    const blanks = last.length - last.toString("latin1").trimEnd().length;
    const filled = file.size - Math.min(blanks, RECORD - 1) - from;
    const rows = Math.min(Math.floor((file.size - from) / bytes), Math.ceil(filled / bytes));
    file.seek(from);
    for (let row = 0; row < rows; row += 1) {
      const one = file.take(bytes);
      if (isHeader(one.subarray(0, 40).toString("latin1")))
        throw unread("a transport file of one table: save each as its own");
      yield one;
    }
  }

  function columnOf({ isNumber, length, at, name, label, format }: Variable): StatColumn {
    const common = { name, labels: noCodes, codes: noCodes, code: () => "" };
    if (!isNumber) {
      const value = (row: Buffer) => words(row.subarray(at, at + length));
      return { ...common, words: { type: "text", label }, value };
    }
    const { words: shown, text: written } = shownBy(format);
    const value = (row: Buffer): string => {
      const number = ibmNumber(row.subarray(at, at + length));
      return number === null ? "" : written(number);
    };
    return { ...common, words: { ...shown, label }, value };
  }
}

/** Up to the last two records. */
function tail(file: FileBytes, from: number): Buffer {
  const count = Math.min(RECORD, file.size - from);
  file.seek(file.size - count);
  return file.take(count);
}

interface Variable {
  readonly isNumber: boolean;
  readonly length: number;
  readonly at: number;
  readonly name: string;
  readonly label: string;
  readonly format: string;
}

/** A number to the base 16, of which some bytes may be left out at the end; null for a missing value, which is a letter, a point or a line. */
export function ibmNumber(bytes: Buffer): number | null {
  const [first = 0] = bytes;
  let fraction = 0;
  for (let at = bytes.length - 1; at > 0; at -= 1) fraction = (fraction + (bytes[at] ?? 0)) / 256;
  if (fraction === 0) return first === 0 || first === 0x80 ? 0 : null;
  return (first & 0x80 ? -1 : 1) * fraction * 16 ** ((first & 0x7f) - 64);
}

interface Shown {
  readonly words: Pick<ColumnWords, "type" | "granularity" | "unit">;
  readonly text: (value: number) => string;
}

const PLAIN: Shown = { words: { type: "number" }, text: numberText };
const dates = (granularity: { readonly granularity?: string } = {}): Shown => ({
  words: { type: "date", ...granularity },
  text: (days) => dateText(Math.floor(days) * 86_400_000 - FROM_1960_MS),
});

/** How SAS shows a number of a format whose name is in capitals. */
export const shownBy = (format: string): Shown => FORMATS.find(([pattern]) => pattern.test(format))?.[1] ?? PLAIN;

/** By the beginning of the name of a format; times first, as theirs begin like those of dates. */
const FORMATS: readonly (readonly [RegExp, Shown])[] = [
  [
    /^(?:DATETIME|DATEAMPM|[EB]8601D[NTXZ]|MDYAMPM|DT)/,
    { words: { type: "timestamp" }, text: (seconds) => momentText(Math.floor(seconds) * 1000 - FROM_1960_MS) },
  ],
  [/^(?:TIME|HHMM|MMSS|TOD|E8601TM|B8601TM)/, { words: { type: "number", unit: "s" }, text: numberText }],
  [/^(?:MONYY|YYMON|YYMM(?!DD)|MMYY)/, dates({ granularity: "month" })],
  [/^(?:YYQ)/, dates({ granularity: "quarter" })],
  [
    /^(?:DATE|MMDDYY|DDMMYY|YYMMDD|E8601DA|B8601DA|WORDDAT|WEEKDA|JULIAN|JULDAY|NLDATE|IS8601DA|DAY|DOWNAME|MONNAME|MONTH|YEAR|QTR)/,
    dates(),
  ],
  [/^(?:DOLLAR|NLMNLUSD)/, { words: { type: "number", unit: "$" }, text: numberText }],
  [/^EURO/, { words: { type: "number", unit: "€" }, text: numberText }],
];
