import { type FileHandle, open, stat } from "node:fs/promises";
import { zstdDecompressSync } from "node:zlib";
import {
  CompressionType,
  compressionRegistry,
  type Data,
  type DataType,
  type Date_,
  DateUnit,
  type Decimal,
  type Dictionary,
  RecordBatchReader,
  type Time,
  type Timestamp,
  TimeUnit,
  Type,
  Vector,
} from "apache-arrow";
import lz4 from "lz4js";
import type { TableWriter } from "./table-writer.ts";
import { tooMuch, unpackedCounter, unread } from "./unread.ts";
import { dateText, decimalText, momentText, numberText, timeText } from "./written.ts";

/** The text of one value by its row; "" where it is missing. */
type Written = (row: number) => string;

/** Writes a file or stream of the Arrow format, one batch of rows after another. Throws DATA_UNREADABLE and PAYLOAD_TOO_LARGE. */
export async function convertArrow(path: string, writer: TableWriter, largest: number): Promise<void> {
  if ((await stat(path)).size > largest)
    throw tooMuch(`at most ${largest} bytes; a larger table is written as Parquet`);
  readCompressed(largest);
  const handle = await open(path);
  try {
    const reader = await openReader(handle);
    const { fields } = reader.schema;
    if (fields.length === 0) throw unread("an Arrow table with columns");
    for (const { name, type } of fields) checkType(type, name);
    writer.header(fields.map(({ name }) => name));
    for await (const batch of reader) {
      const columns = fields.map((_, index) => batch.data.children[index]).map((data) => writtenOf(data));
      for (let row = 0; row < batch.numRows; row += 1) writer.row(columns.map((column) => column(row)));
    }
  } finally {
    await handle.close().catch(() => undefined); // the library closes what it has read to the end
  }
}

async function openReader(handle: FileHandle) {
  const reader = await RecordBatchReader.from(handle);
  return reader.open();
}

/** The two compressions of the format, within one limit for the whole file. */
function readCompressed(largest: number): void {
  const count = unpackedCounter(largest);
  const counted = (unpack: (data: Uint8Array) => Uint8Array) => ({
    decode(data: Uint8Array) {
      const bytes = unpack(data);
      count(bytes.byteLength);
      return bytes;
    },
  });
  compressionRegistry.set(
    CompressionType.ZSTD,
    counted((data) => zstdDecompressSync(data, { maxOutputLength: largest })),
  );
  compressionRegistry.set(
    CompressionType.LZ4_FRAME,
    counted((data) => fromLz4(data, largest)),
  );
}

/** A byte of LZ4 gives at most 255, whatever the frame says of itself. */
function fromLz4(data: Uint8Array, largest: number): Uint8Array {
  const stated = Number(lz4.decompressBound(data)); // its types say nothing
  const most = Math.min(stated, 255 * data.byteLength, largest + 1);
  return lz4.decompress(data, most);
}

const PLAIN = new Set([
  Type.Null,
  Type.Int,
  Type.Float,
  Type.Bool,
  Type.Utf8,
  Type.LargeUtf8,
  Type.Decimal,
  Type.Date,
  Type.Time,
  Type.Timestamp,
]);

function checkType(type: DataType, name: string): void {
  const inner = type.typeId === Type.Dictionary ? (type as Dictionary).dictionary : type;
  if (!PLAIN.has(inner.typeId))
    throw unread("an Arrow table of numbers, texts, booleans, dates and times", `${name}: ${type}`);
}

function writtenOf(data: Data | undefined): Written {
  if (data === undefined) throw unread("an Arrow table whose batches have its columns");
  const write = plainOf(data);
  return (row) => (data.nullCount > 0 && !data.getValid(row) ? "" : write(row));
}

function plainOf(data: Data): Written {
  const { type, values } = data;
  switch (type.typeId) {
    case Type.Null:
      return () => "";
    case Type.Dictionary:
      return fromDictionary(data);
    case Type.Date:
      return (type as Date_).unit === DateUnit.DAY
        ? (row) => dateText(values[row] * 86_400_000)
        : (row) => dateText(Number(values[row]));
    case Type.Time:
      return timeIn(values, PER_SECOND[(type as Time).unit]);
    case Type.Timestamp:
      return momentIn(values, type as Timestamp);
    case Type.Decimal: {
      const { scale, bitWidth } = type as Decimal;
      return (row) => decimalText(wholeNumber(values, row, bitWidth / 32), scale);
    }
    case Type.Int:
      return (row) => String(values[row]);
    default:
      return throughVector(data);
  }
}

/** Numbers with a point, of which NaN is missing, booleans and texts. */
function throughVector(data: Data): Written {
  const vector = new Vector([data]);
  return (row) => {
    const value: unknown = vector.get(row);
    if (typeof value === "number") return Number.isNaN(value) ? "" : numberText(value);
    return String(value);
  };
}

/** Parts of a dictionary that came later follow the first. */
function fromDictionary(data: Data): Written {
  const starts: { readonly from: number; readonly write: Written }[] = [];
  let from = 0;
  for (const part of data.dictionary?.data ?? []) {
    starts.unshift({ from, write: writtenOf(part) });
    from += part.length;
  }
  return (row) => {
    const key = Number(data.values[row]);
    const part = starts.find((start) => key >= start.from);
    if (part === undefined || key >= from) throw unread("an Arrow table whose dictionaries hold its values");
    return part.write(key - part.from);
  };
}

const PER_SECOND: Readonly<Record<TimeUnit, bigint>> = {
  [TimeUnit.SECOND]: 1n,
  [TimeUnit.MILLISECOND]: 1_000n,
  [TimeUnit.MICROSECOND]: 1_000_000n,
  [TimeUnit.NANOSECOND]: 1_000_000_000n,
};

/** Whole seconds in milliseconds, rounded down, and what is left as the digits behind the point. */
function split(count: bigint, perSecond: bigint): { readonly ms: number; readonly fraction: string } {
  const rest = ((count % perSecond) + perSecond) % perSecond;
  const digits = String(perSecond).length - 1;
  return {
    ms: Number((count - rest) / perSecond) * 1000,
    fraction: digits === 0 ? "" : String(rest).padStart(digits, "0"),
  };
}

function timeIn(values: ArrayLike<number | bigint>, perSecond: bigint): Written {
  return (row) => {
    const { ms, fraction } = split(BigInt(values[row] ?? 0), perSecond);
    return timeText(ms, fraction);
  };
}

/** An instant ends with Z, a time without a zone with nothing. */
function momentIn(values: ArrayLike<bigint>, { unit, timezone }: Timestamp): Written {
  const end = timezone ? "Z" : "";
  return (row) => {
    const { ms, fraction } = split(BigInt(values[row] ?? 0), PER_SECOND[unit]);
    const text = momentText(ms, fraction);
    return text === "" ? "" : text + end;
  };
}

/** The two's complement of `words` words, the lowest first. */
function wholeNumber(values: ArrayLike<number>, row: number, words: number): bigint {
  let bits = 0n;
  for (let word = words - 1; word >= 0; word -= 1)
    bits = (bits << 32n) | BigInt((values[row * words + word] ?? 0) >>> 0);
  return BigInt.asIntN(words * 32, bits);
}
