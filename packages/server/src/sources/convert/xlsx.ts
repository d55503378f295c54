import type { Conversion } from "./converter.ts";
import { dayText } from "./excel-dates.ts";
import { type Attributes, openParts, type PartReader } from "./package-parts.ts";
import type { TableWriter } from "./table-writer.ts";
import { unread } from "./unread.ts";
import { readWorkbook, textReader, unescaped, type Workbook } from "./workbook.ts";
import { numberText } from "./written.ts";

/** Excel's own limit. */
const MAX_COLUMNS = 16_384;

interface Cell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
}

/**
 * Writes one sheet: its first row with a text is the header, rows without one are left out. A formula gives the value that was stored with
 * it; an error such as #N/A is missing. Throws DATA_UNREADABLE and PAYLOAD_TOO_LARGE.
 */
export async function convertWorkbook(
  path: string,
  writer: TableWriter,
  { sheet, unpacked }: Pick<Conversion, "sheet" | "unpacked">,
) {
  const parts = await openParts(path, unpacked);
  try {
    const workbook = await readWorkbook(parts, sheet);
    const rows = rowsInto(writer);
    await parts.read(workbook.part, sheetReader(workbook, rows.take));
    rows.end();
    return { sheet: workbook.sheet, sheets: workbook.sheets };
  } finally {
    parts.close();
  }
}

/** Takes each row as the texts of its cells; a hole is an absent cell. */
function rowsInto(writer: TableWriter) {
  let width = 0;
  const last = (row: readonly string[]): number => row.findLastIndex((field) => field !== undefined && field !== "");
  return {
    take(row: readonly string[]): void {
      const end = last(row) + 1;
      if (end === 0) return;
      if (width > 0 && end > width) throw unread("a sheet with a name in its header for every column");
      const fields = Array.from({ length: width > 0 ? width : end }, (_, column) => row[column] ?? "");
      if (width > 0) writer.row(fields);
      else writer.header(fields);
      width = fields.length;
    },
    end(): void {
      if (width === 0) throw unread("a sheet with a header");
    },
  };
}

function sheetReader(workbook: Workbook, take: (row: readonly string[]) => void): PartReader {
  const inline = textReader();
  let row: string[] = [];
  let next = 0;
  let cell: Cell | null = null;
  let isValue = false;
  return {
    open(tag, attributes) {
      inline.open(tag);
      isValue = tag === "v";
      if (tag === "row") {
        row = [];
        next = 0;
      } else if (tag === "c") {
        cell = cellOf(attributes, next);
        next = cell.column + 1;
      }
    },
    text(part) {
      if (isValue && cell !== null) cell.value += part;
      else inline.text(part);
    },
    close(tag) {
      inline.close(tag);
      isValue = false;
      if (tag === "is" && cell !== null) cell.value = inline.taken();
      if (tag === "c" && cell !== null) {
        row[cell.column] = fieldOf(cell, workbook);
        cell = null;
      }
      if (tag === "row") take(row);
    },
  };
}

function cellOf({ r, t = "n", s = "0" }: Attributes, next: number): Cell {
  const column = r === undefined ? next : columnOf(r);
  if (!(column >= 0 && column < MAX_COLUMNS)) throw unread(`a sheet of at most ${MAX_COLUMNS} columns`);
  return { column, type: t, style: Number(s), value: "" };
}

/** The letters of a place such as `AB12` as a number from 0 on. */
function columnOf(place: string): number {
  const [letters = ""] = /^[A-Z]{1,3}/.exec(place) ?? [];
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function fieldOf({ type, style, value }: Cell, { texts, styles, dates }: Workbook): string {
  if (type === "s") return value === "" ? "" : (texts[Number(value)] ?? "");
  if (type === "inlineStr") return value;
  if (type === "str") return unescaped(value);
  if (type === "b") return value.trim() === "" ? "" : value.trim() === "1" ? "true" : "false";
  if (type === "d") return value.trim();
  if (type === "e" || value.trim() === "") return "";
  const number = Number(value);
  if (!Number.isFinite(number)) return "";
  const shown = styles[style] ?? "number";
  return shown === "number" ? numberText(number) : dayText(number, shown, dates);
}
