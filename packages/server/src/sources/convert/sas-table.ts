import { MAX_COLUMNS } from "@dosimeter/query/declaration";
import { type FileBytes, lettersOf } from "./file-bytes.ts";
import { shownBy } from "./sas-transport.ts";
import { unpackedRow } from "./sas-unpack.ts";
import { noCodes, type OpenedTable, openedTable, type StatColumn, type StatTable, tooWide } from "./stat-table.ts";
import { unread, WANTED } from "./unread.ts";

const damaged = (): Error => unread(WANTED.sas7bdat);

/** A table of SAS as it stores it, whose format is published by those who read it. Its labels of values are in another file. */
export const openSasTable = (path: string, given: string | undefined): OpenedTable =>
  openedTable(path, WANTED.sas7bdat, (file) => readTable(file, given));

/** The encodings of SAS that are read, by its numbers. */
const ENCODINGS: Readonly<Record<number, string>> = {
  ...{ 0: "windows-1252", 20: "utf-8", 28: "windows-1252", 29: "iso-8859-1", 30: "iso-8859-2", 31: "iso-8859-3" },
  ...{ 32: "iso-8859-4", 33: "iso-8859-5", 34: "iso-8859-6", 35: "iso-8859-7", 36: "iso-8859-8", 37: "iso-8859-9" },
  ...{ 39: "windows-874", 40: "iso-8859-15", 49: "ibm866", 51: "windows-874", 60: "windows-1250", 61: "windows-1251" },
  ...{ 62: "windows-1252", 63: "windows-1253", 64: "windows-1254", 65: "windows-1255", 66: "windows-1256" },
  ...{ 67: "windows-1257", 68: "windows-1258", 69: "macintosh", 118: "big5", 123: "big5", 125: "gb18030", 126: "gbk" },
  ...{ 134: "euc-jp", 136: "euc-kr", 138: "shift_jis", 140: "euc-kr", 141: "euc-kr", 142: "euc-kr" },
  ...{ 204: "windows-1252", 205: "gb18030", 227: "iso-8859-14", 242: "iso-8859-13", 246: "x-mac-cyrillic" },
};

/** Signatures of the parts that describe a table. */
const PART = { rows: 0xf7f7f7f7, size: 0xf6f6f6f6, format: 0xfffffbfe, places: 0xfffffffc, texts: 0xfffffffd } as const;
const NAMES = 0xffffffff;

/** How a file writes numbers: 32 or 64 bits, from either end. */
interface Writing {
  readonly wide: 4 | 8;
  readonly isLittle: boolean;
  /** By Stat/Transfer, which does not begin rows at a multiple of eight. */
  readonly isForeign: boolean;
}

interface Pointer {
  readonly at: number;
  readonly length: number;
  readonly isRow: boolean;
}

interface Page {
  readonly bytes: Buffer;
  /** `data` holds rows alone, `mix` rows behind parts, and `parts` none but those that are packed. */
  readonly kind: "data" | "mix" | "parts" | "none";
  readonly blocks: number;
  readonly pointers: readonly Pointer[];
  readonly rowsAt: number;
}

interface Variable {
  readonly name: string;
  readonly format: string;
  readonly label: string;
  readonly at: number;
  readonly length: number;
  readonly isNumber: boolean;
}

const short = (bytes: Buffer, at: number, { isLittle }: Writing): number =>
  isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
const whole = (bytes: Buffer, at: number, { isLittle }: Writing): number =>
  isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
/** Above 2⁵³ it is larger than any file. */
const size = (bytes: Buffer, at: number, writing: Writing): number =>
  writing.wide === 4
    ? whole(bytes, at, writing)
    : Number(writing.isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));

// long: the parts of a file are read in turn, by one place in it
function readTable(file: FileBytes, given: string | undefined): StatTable {
  file.seek(0);
  const head = Buffer.from(file.take(288));
  const shift = head[35] === 0x33 ? 4 : 0;
  const wide = head[32] === 0x33 ? 8 : 4;
  const isForeign = head.toString("latin1", 212 + shift + wide, 220 + shift + wide) === "9.0000M0";
  const writing: Writing = { wide, isLittle: head[37] === 1, isForeign };
  const [first, length] = [whole(head, 196 + shift, writing), whole(head, 200 + shift, writing)];
  const pages = size(head, 204 + shift, writing);
  if (length < 128 || length > 2 ** 24 || !(first + pages * length <= file.size)) throw damaged();
  const encoding = given ?? ENCODINGS[head[70] ?? 0] ?? `number ${head[70]} of SAS`;
  const text = lettersOf(encoding, WANTED.sas7bdat);
  const pageAt = (index: number): Page => {
    file.seek(first + index * length);
    return pageOf(file.take(length), writing);
  };
  const found = described();
  return { kind: "SAS", columns: found.variables.map((one) => columnOf(one, text, writing)), rows: rowsOf() };

  function described() {
    const about = { count: 0, rows: 0, width: 0, mixed: 0 };
    const [blocks, names, formats]: [Buffer[], number[][], number[][]] = [[], [], []];
    const places: Pick<Variable, "at" | "length" | "isNumber">[] = [];
    for (let index = 0; index < pages; index += 1) {
      const { bytes, pointers } = pageAt(index);
      for (const { at, length, isRow } of pointers) if (!isRow) part(bytes.subarray(at, at + length));
    }
    const { count, width } = about;
    if (count === 0 || names.length < count || places.length < count || width < 1 || width > 2 ** 25) throw damaged();
    const said = ([block = 0, at = 0, size = 0]: readonly number[] = []) =>
      text(blocks[block]?.subarray(at, at + size) ?? Buffer.alloc(0)).trim();
    const variables = places.slice(0, count).map((place, at): Variable => {
      const [format, label] = [formats[at]?.slice(0, 3), formats[at]?.slice(3)];
      if (place.at + place.length > width || (place.isNumber && (place.length < 3 || place.length > 8)))
        throw damaged();
      return { ...place, name: said(names[at]), format: said(format).toUpperCase(), label: said(label) };
    });
    // The name of a packing stands among the first texts.
    const packing = /SASYZCR[L2]/.exec(blocks[0]?.toString("latin1") ?? "")?.[0];
    return { ...about, variables, packing };

    function part(bytes: Buffer): void {
      const { wide } = writing;
      if (bytes.length < 2 * wide + 4) return;
      const is = signatureOf(bytes, writing);
      const entries = (each: number) => Math.max(0, Math.floor((bytes.length - 2 * wide - 12) / each));
      if (is === PART.rows) {
        if (bytes.length < 16 * wide) throw damaged();
        about.width = size(bytes, 5 * wide, writing);
        about.rows = size(bytes, 6 * wide, writing);
        about.mixed = size(bytes, 15 * wide, writing);
      } else if (is === PART.size) about.count = columnsOf(size(bytes, wide, writing));
      else if (is === PART.texts) blocks.push(Buffer.from(bytes.subarray(wide, wide + short(bytes, wide, writing))));
      else if (is === NAMES)
        for (let at = 0; at < columnsOf(entries(8)); at += 1)
          names.push([0, 2, 4].map((more) => short(bytes, wide + 8 * (at + 1) + more, writing)));
      else if (is === PART.places)
        for (let at = 0; at < columnsOf(entries(wide + 8)); at += 1) {
          const from = wide + 8 + at * (wide + 8);
          const length = whole(bytes, from + wide, writing);
          places.push({ at: size(bytes, from, writing), length, isNumber: bytes[from + wide + 6] === 1 });
        }
      else if (is === PART.format && bytes.length >= 34 + 3 * wide)
        formats.push([22, 24, 26, 28, 30, 32].map((at) => short(bytes, at + 3 * wide, writing)));
      if (Math.max(names.length, places.length, formats.length) > 2 * MAX_COLUMNS) throw tooWide(names.length);
    }
  }

  function* rowsOf(): Generator<Buffer> {
    const { rows, width, mixed, packing } = found;
    let left = rows;
    const packed = Buffer.alloc(width);
    for (let index = 0; index < pages && left > 0; index += 1) {
      const { bytes, kind, blocks, pointers, rowsAt } = pageAt(index);
      for (const { at, length, isRow } of pointers) {
        if (!isRow || packing === undefined || left === 0) continue;
        if (length > width || at + length > bytes.length) throw damaged();
        const part = bytes.subarray(at, at + length);
        if (length < width && !unpackedRow(part, packed, packing)) throw damaged();
        left -= 1;
        yield length < width ? packed : part;
      }
      const plain = Math.min(
        kind === "data" ? blocks : kind === "mix" ? Math.min(mixed, blocks - pointers.length) : 0,
        left,
      );
      if (plain < 0 || rowsAt + plain * width > bytes.length) throw damaged();
      for (let row = 0; row < plain; row += 1) yield bytes.subarray(rowsAt + row * width, rowsAt + (row + 1) * width);
      left -= plain;
    }
    if (left > 0) throw unread(`${WANTED.sas7bdat}: this one has fewer rows than it says`);
  }
}

function columnsOf(count: number): number {
  if (count > MAX_COLUMNS) throw tooWide(count);
  return count;
}

function signatureOf(bytes: Buffer, writing: Writing): number {
  const first = whole(bytes, 0, writing);
  const isSecond = writing.wide === 8 && !writing.isLittle && (first === 0 || first === NAMES);
  return isSecond ? whole(bytes, 4, writing) : first;
}

/** Others than those that are read begin in the same way: counts, lists, what earlier versions wrote. */
function isPart(bytes: Buffer, writing: Writing): boolean {
  if (bytes.length < 8) return false;
  const is = signatureOf(bytes, writing);
  return is === PART.rows || is === PART.size || is === PART.format || is === 0xfffffc00 || is >= 0xfffffff8;
}

const DELETED = 0x80;

function pageOf(bytes: Buffer, writing: Writing): Page {
  const from = writing.wide === 8 ? 32 : 16;
  const [type, blocks, count] = [0, 2, 4].map((at) => short(bytes, from + at, writing)) as [number, number, number];
  const each = 3 * writing.wide;
  const parts =
    type & 0x9000 ? "none" : ({ 0: "parts", 256: "data", 512: "mix", 1024: "parts" } as const)[type & 0xf00];
  const kind = parts ?? "none";
  if (kind !== "none" && type & DELETED)
    throw unread(`${WANTED.sas7bdat}, without rows that were deleted: in SAS, data t; set t; run;`);
  const isListed = kind === "mix" || kind === "parts";
  const end = from + 8 + (isListed ? count * each : 0);
  if (end > bytes.length) throw damaged();
  const pointers = Array.from({ length: isListed ? count : 0 }, (_, index): Pointer => {
    const place = from + 8 + index * each;
    const [at, length] = [size(bytes, place, writing), size(bytes, place + writing.wide, writing)];
    const [packing = 0, type = 0] = bytes.subarray(place + 2 * writing.wide, place + 2 * writing.wide + 2);
    return {
      at,
      length: packing === 1 ? 0 : length,
      isRow:
        type === 1 &&
        packing !== 1 &&
        length > 0 &&
        (packing === 4 || !isPart(bytes.subarray(at, at + length), writing)),
    };
  });
  const isEmpty = end + 4 <= bytes.length && [0, 0x20202020].includes(bytes.readUInt32LE(end));
  const isMoved = kind === "mix" && end % 8 === 4 && (isEmpty || !writing.isForeign);
  return { bytes, kind, blocks, pointers, rowsAt: isMoved ? end + 4 : end };
}

function columnOf(
  { name, format, label, at, length, isNumber }: Variable,
  text: (bytes: Uint8Array) => string,
  { isLittle }: Writing,
): StatColumn {
  const common = { name, labels: noCodes, codes: noCodes, code: () => "" };
  if (!isNumber)
    return { ...common, words: { type: "text", label }, value: (row) => text(row.subarray(at, at + length)).trimEnd() };
  const { words, text: written } = shownBy(format);
  // The last bytes of a number may be left out.
  const all = Buffer.alloc(8);
  const value = (row: Buffer): string => {
    row.copy(all, isLittle ? 8 - length : 0, at, at + length);
    const number = isLittle ? all.readDoubleLE(0) : all.readDoubleBE(0);
    return Number.isFinite(number) ? written(number) : "";
  };
  return { ...common, words: { ...words, label }, value };
}
