import { MAX_COLUMNS } from "@dosimeter/query/declaration";
import { type FileBytes, lettersOf, openFileBytes } from "./file-bytes.ts";
import { noCodes, type OpenedTable, type StatColumn, type StatTable, tooWide } from "./stat-table.ts";
import { stataTime } from "./stata-times.ts";
import { unread, WANTED } from "./unread.ts";
import { numberText } from "./written.ts";

/** What the releases write otherwise: widths of texts, of the numbers of columns and rows, of lengths, and of the two parts of a long text's place. */
const RELEASES = {
  113: { name: 33, format: 12, label: 81, columns: 2, rows: 4, length: 1, long: [4, 4] },
  114: { name: 33, format: 49, label: 81, columns: 2, rows: 4, length: 1, long: [4, 4] },
  115: { name: 33, format: 49, label: 81, columns: 2, rows: 4, length: 1, long: [4, 4] },
  117: { name: 33, format: 49, label: 81, columns: 2, rows: 4, length: 1, long: [4, 4] },
  118: { name: 129, format: 57, label: 321, columns: 2, rows: 8, length: 2, long: [2, 6] },
  119: { name: 129, format: 57, label: 321, columns: 4, rows: 8, length: 2, long: [3, 5] },
} as const;

type Release = keyof typeof RELEASES;

interface Variable {
  readonly type: number;
  readonly name: string;
  readonly format: string;
  readonly labelled: string;
  readonly label: string;
}

/** Value labels, by the name of their list. */
type Lists = Map<string, ReadonlyMap<number, string>>;

interface Opened {
  readonly file: FileBytes;
  readonly long: FileBytes;
  readonly text: (bytes: Uint8Array) => string;
  readonly release: Release;
  readonly whole: (bytes: Buffer) => number;
  readonly isLittle: boolean;
}

const damaged = (): Error => unread(WANTED.dta);

/** A file of Stata 8 to 19. `use` gets its rows while it is open. Texts of before release 118 are Windows-1252 unless they are given. */
export function openStata(path: string, given: string | undefined): OpenedTable {
  const [file, long] = [openFileBytes(path, WANTED.dta), openFileBytes(path, WANTED.dta)];
  const close = () => {
    file.close();
    long.close();
  };
  try {
    const isTagged = file.take(Math.min(11, file.size)).toString("latin1") === "<stata_dta>";
    const table = isTagged ? readTagged(file, long, given) : readPlain(file, long, given);
    return { table, close };
  } catch (error) {
    close();
    throw error;
  }
}

function released(number: number): Release {
  if (!Object.hasOwn(RELEASES, number)) throw unread(`${WANTED.dta}: save it with "saveold"`, `release ${number}`);
  return number as Release;
}

function wholeOf(isLittle: boolean): Opened["whole"] {
  return (bytes) => {
    const count = bytes.length;
    if (count < 8) return isLittle ? bytes.readUIntLE(0, count) : bytes.readUIntBE(0, count);
    const value = Number(isLittle ? bytes.readBigUInt64LE() : bytes.readBigUInt64BE());
    if (!Number.isSafeInteger(value)) throw damaged();
    return value;
  };
}

function columnsIn(count: number): number {
  if (count > MAX_COLUMNS) throw tooWide(count);
  return count;
}

/** Releases 113 to 115: one part after the other. */
function readPlain(file: FileBytes, long: FileBytes, given = "windows-1252"): StatTable {
  file.seek(0);
  const [number = 0, order = 0] = file.take(4);
  const release = released(number);
  if (release > 115 || (order !== 1 && order !== 2)) throw damaged();
  const whole = wholeOf(order === 2);
  const opened = { file, long, text: lettersOf(given, WANTED.dta), release, whole, isLittle: order === 2 };
  const count = columnsIn(whole(file.take(2)));
  const rows = whole(file.take(4));
  file.take(81 + 18);
  const types = [...file.take(count)].map((code) => (code > 244 ? OLD_TYPES[code - 251] : code) ?? 0);
  const variables = variablesIn(
    opened,
    types,
    () => undefined,
    () => void file.take(2 * (count + 1)),
  );
  for (;;) {
    const kind = file.take(1)[0];
    const length = whole(file.take(4));
    if (kind === 0 && length === 0) break;
    file.take(length);
  }
  const from = file.at();
  file.seek(from + rows * widthOf(variables));
  const lists: Lists = new Map();
  while (file.at() < file.size) readList(opened, lists);
  // They end the file: where it was cut between two of them, nothing else tells.
  const lost = variables.find(({ labelled }) => labelled !== "" && !lists.has(labelled));
  if (lost !== undefined)
    throw unread(
      `a whole Stata file: the value labels of ${lost.name} are not in it. If they never were: label values ${lost.name} .`,
      lost.labelled,
    );
  return tableOf(opened, { variables, rows, from, lists, longTexts: null });
}

const OLD_TYPES = [65530, 65529, 65528, 65527, 65526];

/** Release 117 and later: parts in tags, in this order. */
function readTagged(file: FileBytes, long: FileBytes, given: string | undefined): StatTable {
  const literal = (text: string): void => {
    if (file.take(text.length).toString("latin1") !== text) throw damaged();
  };
  const tagged = <T>(tag: string, read: () => T): T => {
    literal(`<${tag}>`);
    const found = read();
    literal(`</${tag}>`);
    return found;
  };
  literal("<header>");
  const release = released(tagged("release", () => Number(file.take(3).toString("latin1"))));
  if (release < 117) throw damaged();
  const isLittle = tagged("byteorder", () => file.take(3).toString("latin1")) === "LSF";
  const whole = wholeOf(isLittle);
  const text = lettersOf(given ?? (release > 117 ? "utf-8" : "windows-1252"), WANTED.dta);
  const opened = { file, long, text, release, whole, isLittle };
  const is = RELEASES[release];
  const count = columnsIn(tagged("K", () => whole(file.take(is.columns))));
  const rows = tagged("N", () => whole(file.take(is.rows)));
  tagged("label", () => file.take(whole(file.take(is.length))));
  tagged("timestamp", () => file.take(whole(file.take(1))));
  literal("</header>");
  if (tagged("map", () => whole(file.take(14 * 8).subarray(13 * 8))) !== file.size) throw damaged();
  const types = tagged("variable_types", () => Array.from({ length: count }, () => whole(file.take(2))));
  const variables = variablesIn(
    opened,
    types,
    (tag, isEnd) => literal(isEnd ? `</${tag}>` : `<${tag}>`),
    () => void tagged("sortlist", () => file.take(is.columns * (count + 1))),
  );
  literal("<characteristics>");
  for (;;) {
    const tag = file.take(4).toString("latin1");
    if (tag !== "<ch>") break;
    file.take(whole(file.take(4)));
    literal("</ch>");
  }
  literal("aracteristics>"); // what was taken above was "</ch"
  literal("<data>");
  const from = file.at();
  file.seek(from + rows * widthOf(variables));
  literal("</data>");
  literal("<strls>");
  const longTexts = longTextsIn(opened, literal);
  literal("<value_labels>");
  const lists: Lists = new Map();
  for (;;) {
    const tag = file.take(5).toString("latin1");
    if (tag !== "<lbl>") break;
    readList(opened, lists);
    literal("</lbl>");
  }
  literal("ue_labels></stata_dta>");
  return tableOf(opened, { variables, rows, from, lists, longTexts });
}

/** Names, order, formats, names of lists and labels: each part has one text for each column. */
function variablesIn(
  { file, text, release }: Opened,
  types: readonly number[],
  part: (tag: string, isEnd: boolean) => void,
  order: () => void,
): readonly Variable[] {
  const { name, format, label } = RELEASES[release];
  const texts = (tag: string, width: number): readonly string[] => {
    part(tag, false);
    const found = types.map(() => text(file.take(width)));
    part(tag, true);
    return found;
  };
  const names = texts("varnames", name);
  order();
  const formats = texts("formats", format);
  const lists = texts("value_label_names", name);
  const labels = texts("variable_labels", label);
  return types.map((type, at) => ({
    ...{ type, name: names[at] ?? "", format: formats[at] ?? "" },
    ...{ labelled: lists[at] ?? "", label: labels[at] ?? "" },
  }));
}

const MAX_LISTS = 2 ** 16;

function readList({ file, whole, text, release }: Opened, lists: Lists): void {
  const length = whole(file.take(4));
  const name = text(file.take(RELEASES[release].name));
  file.take(3);
  const table = file.take(length);
  const count = table.length < 8 ? Number.NaN : whole(table.subarray(0, 4));
  if (!(8 + 8 * count <= length) || whole(table.subarray(4, 8)) !== length - 8 - 8 * count || lists.size >= MAX_LISTS)
    throw damaged();
  const texts = table.subarray(8 + 8 * count);
  const list = new Map<number, string>();
  for (let at = 0; at < count; at += 1) {
    const offset = whole(table.subarray(8 + 4 * at, 12 + 4 * at));
    const value = whole(table.subarray(8 + 4 * (count + at), 12 + 4 * (count + at)));
    if (offset >= texts.length) throw damaged();
    list.set(value | 0, text(texts.subarray(offset, Math.min(texts.length, offset + 32_001))));
  }
  lists.set(name, list);
}

/** Where a long text is. */
type LongTexts = ReadonlyMap<string, { readonly at: number; readonly length: number }>;
const MAX_LONG_TEXTS = 1_000_000;

function longTextsIn({ file, whole, release }: Opened, literal: (text: string) => void): LongTexts {
  const found = new Map<string, { readonly at: number; readonly length: number }>();
  for (;;) {
    const tag = file.take(3).toString("latin1");
    if (tag !== "GSO") break;
    if (found.size === MAX_LONG_TEXTS)
      throw unread(`a Stata file of at most ${MAX_LONG_TEXTS} different long texts: leave out a column of type strL`);
    const column = whole(file.take(4));
    const row = whole(file.take(release === 117 ? 4 : 8));
    file.take(1);
    const length = whole(file.take(4));
    found.set(`${column},${row}`, { at: file.at(), length });
    file.seek(file.at() + length);
  }
  literal("trls>"); // what was taken above was "</s"
  return found;
}

const NUMBERS: Readonly<Record<number, { readonly bytes: number; readonly missing: number }>> = {
  65530: { bytes: 1, missing: 101 },
  65529: { bytes: 2, missing: 32_741 },
  65528: { bytes: 4, missing: 2_147_483_621 },
  65527: { bytes: 4, missing: 2 ** 127 },
  65526: { bytes: 8, missing: 2 ** 1023 },
};
const LONG_TEXT = 32_768;
const MAX_TEXT = 2045;

function bytesOf(type: number): number {
  const bytes = NUMBERS[type]?.bytes ?? (type === LONG_TEXT ? 8 : type <= MAX_TEXT && type > 0 ? type : null);
  if (bytes === null) throw damaged();
  return bytes;
}

const widthOf = (variables: readonly Variable[]): number => variables.reduce((sum, { type }) => sum + bytesOf(type), 0);

interface Read {
  readonly variables: readonly Variable[];
  readonly rows: number;
  readonly from: number;
  readonly lists: Lists;
  readonly longTexts: LongTexts | null;
}

function tableOf(opened: Opened, { variables, rows, from, lists, longTexts }: Read): StatTable {
  const { file } = opened;
  const width = widthOf(variables);
  let at = 0;
  const columns = variables.map((variable) => {
    const place = at;
    at += bytesOf(variable.type);
    return NUMBERS[variable.type] === undefined
      ? textColumn(opened, variable, place, longTexts)
      : numberColumn(opened, variable, place, lists.get(variable.labelled) ?? new Map());
  });
  function* eachRow() {
    file.seek(from);
    for (let row = 0; row < rows; row += 1) yield file.take(width);
  }
  return { kind: "Stata", columns, rows: eachRow() };
}

function textColumn(
  { text, long, release, whole }: Opened,
  { type, name, label }: Variable,
  at: number,
  longTexts: LongTexts | null,
): StatColumn {
  const [first] = RELEASES[release].long;
  const part = (row: Buffer, from: number, to: number): number => whole(row.subarray(at + from, at + to));
  const longText = (row: Buffer): string => {
    const [column, of] = [part(row, 0, first), part(row, first, 8)];
    if (column === 0 && of === 0) return "";
    const place = longTexts?.get(`${column},${of}`);
    if (place === undefined) throw damaged();
    long.seek(place.at);
    return text(long.take(place.length));
  };
  const value = type === LONG_TEXT ? longText : (row: Buffer) => text(row.subarray(at, at + type));
  return { name, words: { type: "text", label }, labels: noCodes, codes: noCodes, value, code: () => "" };
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** `.`, `.a` … `.z` of the place of a value among them. */
const codeText = (place: number): string => (LETTERS[place - 1] === undefined ? "" : `.${LETTERS[place - 1]}`);

function numberColumn(
  { isLittle }: Opened,
  { type, name, format, label }: Variable,
  at: number,
  list: ReadonlyMap<number, string>,
): StatColumn {
  const { missing = 0 } = NUMBERS[type] ?? {};
  const isReal = type === 65527 || type === 65526;
  const raw = readerOf(type, isLittle);
  const placeOf = (value: number): number => (isReal ? (value / missing - 1) * 4096 : value - missing);
  const time = stataTime(format, name);
  const plain = type === 65527 ? shortestFloat : numberText;
  const [labels, codes] = [new Map<string, string>(), new Map<string, string>()];
  for (const [value, text] of list)
    if (value >= 2_147_483_621) codes.set(codeText(value - 2_147_483_621), text);
    else labels.set(String(value), text);
  codes.delete("");
  return {
    name,
    words: { type: isReal ? "number" : "integer", ...time?.words, label },
    labels,
    codes,
    value(row) {
      const value = raw(row, at);
      if (!(value < missing) || value <= -missing * 2) return "";
      return time === null ? plain(value) : time.text(value);
    },
    code(row) {
      const value = raw(row, at);
      return value < missing ? "" : codeText(placeOf(value));
    },
  };
}

function readerOf(type: number, isLittle: boolean): (row: Buffer, at: number) => number {
  switch (type) {
    case 65530:
      return (row, at) => row.readInt8(at);
    case 65529:
      return isLittle ? (row, at) => row.readInt16LE(at) : (row, at) => row.readInt16BE(at);
    case 65528:
      return isLittle ? (row, at) => row.readInt32LE(at) : (row, at) => row.readInt32BE(at);
    case 65527:
      return isLittle ? (row, at) => row.readFloatLE(at) : (row, at) => row.readFloatBE(at);
    default:
      return isLittle ? (row, at) => row.readDoubleLE(at) : (row, at) => row.readDoubleBE(at);
  }
}

/** The shortest decimal that is this number with 24 bits: 0.1, and not 0.10000000149011612. */
function shortestFloat(value: number): string {
  for (let digits = 6; digits < 9; digits += 1) {
    const near = Number(value.toPrecision(digits));
    if (Math.fround(near) === value) return numberText(near);
  }
  return numberText(Number(value.toPrecision(9)));
}
