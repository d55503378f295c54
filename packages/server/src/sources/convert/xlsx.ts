import type { Conversion } from "./converter.ts";
import { dayText } from "./excel-dates.ts";
import { type Attributes, openParts, type PartReader } from "./package-parts.ts";
import type { TableWriter } from "./table-writer.ts";
import { unread } from "./unread.ts";
import { readWorkbook, textReader, unescaped, type Workbook } from "./workbook.ts";
import { numberText } from "./written.ts";

/** Excel's own limit. */
export const MAX_COLUMNS = 16_384;

interface Cell {
  /** Such as `AB12`. */
  readonly place: string;
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
  isFormula: boolean;
  hasValue: boolean;
}

/**
 * Writes one sheet: its first row with a text is the header, rows without one are left out. A formula gives the value that was stored with
 * it, and is refused without one; an error such as #N/A is missing. Throws DATA_UNREADABLE and PAYLOAD_TOO_LARGE.
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
export function rowsInto(writer: TableWriter) {
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
  let number = 0;
  let next = 0;
  let cell: Cell | null = null;
  let isValue = false;
  return {
    open(tag, attributes) {
      inline.open(tag);
      isValue = tag === "v";
      if (tag === "row") {
        row = [];
        number = Number(attributes.r ?? number + 1);
        next = 0;
      } else if (tag === "c") {
        cell = cellOf(attributes, next, number);
        next = cell.column + 1;
      } else if (tag === "mergeCell") {
        refuseMerged(attributes.ref ?? "");
      } else if (cell !== null) {
        if (tag === "f") cell.isFormula = true;
        if (isValue) cell.hasValue = true;
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

function cellOf({ r, t = "n", s = "0" }: Attributes, next: number, row: number): Cell {
  const column = r === undefined ? next : columnOf(r);
  if (!(column >= 0 && column < MAX_COLUMNS)) throw unread(`a sheet of at most ${MAX_COLUMNS} columns`);
  return {
    place: placeOf(column, row),
    column,
    type: t,
    style: Number(s),
    value: "",
    isFormula: false,
    hasValue: false,
  };
}

export const placeOf = (column: number, row: number): string => `${lettersOf(column)}${row}`;

const lettersOf = (column: number): string =>
  (column < 26 ? "" : lettersOf(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));

/** The letters of a place such as `AB12` as a number from 0 on. */
function columnOf(place: string): number {
  const [letters = ""] = /^[A-Z]{1,3}/.exec(place) ?? [];
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function fieldOf(cell: Cell, workbook: Workbook): string {
  const { type, style, value, place } = cell;
  if (cell.isFormula) refuseUnknown(cell, workbook);
  if (type === "inlineStr") return value;
  if (type === "str") return unescaped(value);
  const trimmed = value.trim();
  if (type === "e" || trimmed === "") return "";
  if (type === "s") return workbook.texts[Number(trimmed)] ?? damaged(place);
  if (type === "b") return TRUTHS.get(trimmed) ?? damaged(place);
  if (type === "d") return trimmed;
  const number = Number(trimmed);
  if (!Number.isFinite(number)) return damaged(place);
  const shown = workbook.styles[style] ?? "number";
  return shown === "number" ? numberText(number) : dayText(number, shown, workbook.dates);
}

const TRUTHS = new Map([
  ["0", "false"],
  ["1", "true"],
  ["false", "false"],
  ["true", "true"],
]);

/** Libraries write formulas without computing them, some with a 0 in place of the value. Only a text may be empty. */
function refuseUnknown({ place, type, value, hasValue }: Cell, { isToCompute }: Workbook): void {
  if (!hasValue || (type !== "str" && value.trim() === ""))
    refuse(place, `a sheet whose formulas are stored with their values, and that of ${place} is not`);
  if (isToCompute)
    refuse(place, `a workbook whose formulas were computed when it was saved, and that of ${place} was not`);
}

function refuseMerged(ref: string): never {
  const place = /^[A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7}$/.test(ref) ? ref : "some";
  const want = `a sheet without merged cells, of which all but the first are empty, and ${place} are merged`;
  return refuse(place, want, "part them, ");
}

const damaged = (place: string): never =>
  refuse(place, `a sheet whose cells hold what their types say, and ${place} does not`);

export function refuse(place: string, want: string, first = ""): never {
  throw unread(`${want}: open it in a spreadsheet program, ${first}save it and upload what was saved`, place);
}
