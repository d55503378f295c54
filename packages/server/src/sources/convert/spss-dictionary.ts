import { MAX_COLUMNS } from "@dosimeter/query/declaration";
import { type FileBytes, lettersOf } from "./file-bytes.ts";
import { tooWide } from "./stat-table.ts";
import { unread, WANTED } from "./unread.ts";

/** Codes that stand for a missing value: some of them, and all from `low` to `high`. */
export interface MissingCodes {
  readonly single: readonly (number | string)[];
  readonly low?: number;
  readonly high?: number;
}

export interface SpssVariable {
  name: string;
  /** 0 for a number. */
  width: number;
  /** Where its first eight bytes are in a row, in eights. */
  readonly place: number;
  /** How many eights it has. */
  eights: number;
  readonly format: number;
  readonly decimals: number;
  label: string;
  readonly labels: Map<number | string, string>;
  missing: MissingCodes;
  measure: number;
}

export interface SpssDictionary {
  readonly variables: readonly SpssVariable[];
  /** Eights of a row. */
  readonly eights: number;
  readonly isLittle: boolean;
  readonly compression: "none" | "bytes" | "zlib";
  readonly bias: number;
  /** Null where the file does not tell. */
  readonly rows: number | null;
  readonly text: (bytes: Uint8Array) => string;
}

const damaged = (): Error => unread(WANTED.sav);
const MAX_EIGHTS = 2 ** 17;
const COMPRESSIONS = ["none", "bytes", "zlib"] as const;
const CODE_PAGES: Readonly<Record<number, string>> = { 2: "windows-1252", 3: "windows-1252", 65001: "utf-8" };

/** What stands before the rows; the file is then at the first of them. Its own encoding counts unless one is given. */
// long: records are read in turn, by one place in the file
export function readDictionary(file: FileBytes, given: string | undefined): SpssDictionary {
  file.seek(0);
  const head = Buffer.from(file.take(176));
  const isLittle = head.readInt32LE(64) === 2 || head.readInt32LE(64) === 3;
  const whole = (bytes: Buffer, at = 0): number => (isLittle ? bytes.readInt32LE(at) : bytes.readInt32BE(at));
  const real = (bytes: Buffer, at = 0): number => (isLittle ? bytes.readDoubleLE(at) : bytes.readDoubleBE(at));
  const next = (): number => whole(file.take(4));
  const length = (): number => {
    const count = next();
    return count >= 0 ? count : -1; // which `take` refuses
  };
  /** Before a list is made: the file has bytes for each of its entries. */
  const bounded = (count: number): number => {
    if (!(count >= 0 && count <= (file.size - file.at()) / 4)) throw damaged();
    return count;
  };
  const compression = COMPRESSIONS[whole(head, 72)];
  const stated = whole(head, 80);
  if (whole(head, 64) >> 2 !== 0 || compression === undefined || stated < -1) throw damaged();

  const raw: RawVariable[] = [];
  /** By the place of an eight, from 1 on. */
  const at: (RawVariable | undefined)[] = [undefined];
  const lists: { readonly pairs: readonly (readonly [Buffer, Buffer])[]; readonly of: readonly number[] }[] = [];
  const more = new Map<number, { readonly size: number; readonly data: Buffer }>();
  for (let kind = next(); kind !== 999; kind = next()) {
    if (kind === 2) {
      const variable = readVariable();
      if (at.push(variable) > MAX_EIGHTS) throw unread("a table of rows of at most a million bytes");
      if (variable !== undefined && raw.push(variable) > 4 * MAX_COLUMNS) throw tooWide(raw.length);
    } else if (kind === 3) {
      lists.push(readLabels());
    } else if (kind === 6) {
      file.take(80 * length());
    } else if (kind === 7) {
      const [subtype, size, count] = [next(), length(), length()];
      const bytes = file.take(size * count);
      more.set(subtype, { size, data: Buffer.from(bytes) });
    } else throw damaged();
  }
  next();

  function readVariable(): RawVariable | undefined {
    const [width, hasLabel, missing, print] = [next(), next(), next(), next()];
    next();
    const name = Buffer.from(file.take(8));
    let label: Buffer = Buffer.alloc(0);
    if (hasLabel === 1) {
      const bytes = length();
      label = Buffer.from(file.take(4 * Math.ceil(bytes / 4))).subarray(0, bytes);
    }
    if (Math.abs(missing) > 3 || missing === -1 || width < -1 || width > 255) throw damaged();
    const codes = Buffer.from(file.take(8 * Math.abs(missing)));
    return width < 0 ? undefined : { width, place: at.length - 1, name, label, print, missing, codes };
  }

  function readLabels() {
    const pairs = Array.from({ length: bounded(length()) }, () => {
      const value = Buffer.from(file.take(8));
      const bytes = file.take(1)[0] ?? 0;
      return [value, Buffer.from(file.take(8 * Math.ceil((bytes + 1) / 8) - 1)).subarray(0, bytes)] as const;
    });
    if (next() !== 4) throw damaged();
    return { pairs, of: Array.from({ length: bounded(length()) }, next) };
  }

  const named = more.get(20)?.data.toString("latin1").trim();
  const page = whole(more.get(3)?.data ?? Buffer.alloc(32), 28);
  const text = lettersOf(
    given ?? named ?? CODE_PAGES[page] ?? (page > 0 ? `windows-${page}` : "windows-1252"),
    WANTED.sav,
  );
  const words = (bytes: Uint8Array): string => text(bytes).trimEnd();
  const variables = raw.map(
    (one): SpssVariable => ({
      ...{ name: words(one.name), width: one.width, place: one.place, eights: Math.max(1, Math.ceil(one.width / 8)) },
      ...{ format: (one.print >> 16) & 0xff, decimals: one.print & 0xff, label: words(one.label) },
      ...{ labels: new Map(), missing: missingOf(one), measure: 0 },
    }),
  );
  function missingOf({ missing, codes, width }: RawVariable): MissingCodes {
    const value = (place: number) =>
      width === 0 ? real(codes, 8 * place) : words(codes.subarray(8 * place, 8 * place + 8));
    if (missing >= 0) return { single: Array.from({ length: missing }, (_, place) => value(place)) };
    return { single: missing === -3 ? [value(2)] : [], low: Number(value(0)), high: Number(value(1)) };
  }
  const byRaw = new Map(raw.map((one, place) => [one, variables[place]]));
  for (const { pairs, of } of lists)
    for (const place of of) {
      const one = at[place];
      const variable = one && byRaw.get(one);
      if (variable === undefined) throw damaged();
      for (const [value, label] of pairs)
        variable.labels.set(variable.width === 0 ? real(value) : words(value), words(label));
    }
  const shape = more.get(11)?.data ?? Buffer.alloc(0);
  const fields = shape.length === 12 * raw.length ? 3 : shape.length === 8 * raw.length ? 2 : 0;
  if (fields > 0) for (const [place, one] of variables.entries()) one.measure = whole(shape, 4 * fields * place);
  const bias = real(head, 84);
  return {
    ...{ variables: renamed(variables, more, { words, whole }), eights: at.length - 1, isLittle, compression, bias },
    ...{ rows: stated < 0 ? null : stated, text },
  };
}

interface RawVariable {
  readonly width: number;
  readonly place: number;
  readonly name: Buffer;
  readonly label: Buffer;
  readonly print: number;
  readonly missing: number;
  readonly codes: Buffer;
}

type Words = (bytes: Uint8Array) => string;
interface Reading {
  readonly words: Words;
  readonly whole: (bytes: Buffer, at?: number) => number;
}

/** Long texts are stored as several variables, of 252 bytes each: they become one again, and all get their long names. */
function renamed(
  variables: readonly SpssVariable[],
  more: ReadonlyMap<number, { readonly data: Buffer }>,
  reading: Reading,
): readonly SpssVariable[] {
  const pairsIn = (subtype: number) => {
    const data = reading.words(more.get(subtype)?.data.map((byte) => (byte === 0 ? 9 : byte)) ?? new Uint8Array());
    return data
      .split("\t")
      .filter((part) => part.includes("="))
      .map((part) => part.split(/=(.*)/s) as [string, string]);
  };
  const widths = new Map(pairsIn(14).map(([name, width]) => [name.toUpperCase(), Number.parseInt(width, 10)]));
  const kept: SpssVariable[] = [];
  for (let at = 0; at < variables.length; ) {
    const one = variables[at];
    if (one === undefined) break;
    const width = widths.get(one.name.toUpperCase()) ?? one.width;
    const parts = width > 255 ? Math.ceil(width / 252) : 1;
    if (!(width <= 32_767) || at + parts > variables.length || (width > 255 && one.width !== 255)) throw damaged();
    const last = variables[at + parts - 1] ?? one;
    kept.push({ ...one, width, eights: last.place + last.eights - one.place });
    at += parts;
  }
  const names = new Map(pairsIn(13).map(([short, long]) => [short.toUpperCase(), long]));
  for (const one of kept) one.name = names.get(one.name.toUpperCase()) ?? one.name;
  const byName = new Map(kept.map((one) => [one.name.toUpperCase(), one]));
  labelLong(byName, partsIn(more.get(21)?.data, reading));
  markLong(byName, partsIn(more.get(22)?.data, reading));
  if (kept.length > MAX_COLUMNS) throw tooWide(kept.length);
  return kept;
}

/** What stands in a record one after the other. */
function partsIn(data: Buffer = Buffer.alloc(0), { words, whole }: Reading) {
  let at = 0;
  const take = (count: number): Buffer => {
    if (count < 0 || at + count > data.length) throw damaged();
    at += count;
    return data.subarray(at - count, at);
  };
  return {
    isEnd: () => at >= data.length,
    take,
    next: () => whole(take(4)),
    text: (count = whole(take(4))) => words(take(count)),
    /** A length that may be said again. */
    skip(count: number) {
      if (at + 4 <= data.length && whole(data, at) === count) at += 4;
    },
  };
}

type Parts = ReturnType<typeof partsIn>;
type ByName = ReadonlyMap<string, SpssVariable>;

/** Labels of texts of more than eight bytes. */
function labelLong(byName: ByName, { isEnd, next, text }: Parts): void {
  while (!isEnd()) {
    const variable = byName.get(text().toUpperCase());
    next();
    for (let left = next(); left > 0; left -= 1) {
      const value = text();
      variable?.labels.set(value, text());
    }
  }
}

/** Missing codes of texts of more than eight bytes, of eight bytes each. One of a variable that is not there is refused: it may be of another. */
function markLong(byName: ByName, { isEnd, take, next, text, skip }: Parts): void {
  while (!isEnd()) {
    const variable = byName.get(text().toUpperCase());
    const count = take(1)[0] ?? 0;
    const length = next();
    if (variable === undefined || variable.width === 0 || count > 3 || length !== 8) throw damaged();
    const codes = Array.from({ length: count }, (_, place) => {
      if (place > 0) skip(length); // as PSPP wrote it before 1.4
      return text(length);
    });
    variable.missing = { ...variable.missing, single: [...variable.missing.single, ...codes] };
  }
}
