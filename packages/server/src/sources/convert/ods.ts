import type { Conversion } from "./converter.ts";
import { type Attributes, openParts, type PartReader } from "./package-parts.ts";
import type { TableWriter } from "./table-writer.ts";
import { unread, WANTED } from "./unread.ts";
import { chosenSheet } from "./workbook.ts";
import { numberText } from "./written.ts";
import { MAX_COLUMNS, placeOf, refuse, rowsInto } from "./xlsx.ts";

/** Writes one sheet of an OpenDocument spreadsheet, as `convertWorkbook` does: its first row with a text is the header. */
export async function convertOds(
  path: string,
  writer: TableWriter,
  { sheet, unpacked }: Pick<Conversion, "sheet" | "unpacked">,
) {
  const parts = await openParts(path, unpacked, WANTED.ods);
  try {
    await parts.read("META-INF/manifest.xml", {
      open(tag) {
        if (tag === "encryption-data") throw unread(`${WANTED.ods} without a password`);
      },
    });
    const rows = rowsInto(writer);
    const { reader, sheets } = sheetReader(sheet, rows.take);
    await parts.read("content.xml", reader);
    if (sheets.length === 0) throw unread(WANTED.ods);
    const chosen = chosenSheet(sheets, sheet);
    rows.end();
    return { sheet: chosen.name, sheets: sheets.map(({ name }) => name) };
  } finally {
    parts.close();
  }
}

interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
}

/** How often a row or cell stands there. */
function times(count: string | undefined): number {
  const most = Number(count ?? 1);
  return Number.isSafeInteger(most) && most > 0 ? most : 1;
}

/** What is read between the ends of a cell, and what of it is no value. */
const BESIDE = new Set(["annotation", "shapes", "table-source", "dde-source"]);

function sheetReader(wanted: string | undefined, take: (row: readonly string[]) => void) {
  const sheets: Sheet[] = [];
  const hidden = new Set<string>();
  let [style, isRead, isTaken, beside, number, depth] = ["", false, false, 0, 0, 0];
  let [row, column, again]: [string[], number, number] = [[], 0, 1];
  let cell: { readonly attributes: Attributes; readonly texts: string[] } | null = null;
  const add = (text: string) => {
    if (cell !== null && beside === 0 && cell.texts.length > 0) cell.texts[cell.texts.length - 1] += text;
  };
  const reader: PartReader = {
    open(tag, attributes) {
      if (tag === "style") style = attributes["style:name"] ?? "";
      if (tag === "table-properties" && attributes["table:display"] === "false") hidden.add(style);
      if (tag === "table") depth += 1;
      if (tag === "table" && depth > 1 && isRead && beside === 0) throw unread("a sheet without tables in its cells");
      if (tag === "table" && depth === 1) {
        const one = {
          name: attributes["table:name"] ?? "",
          isHidden: hidden.has(attributes["table:style-name"] ?? ""),
        };
        sheets.push(one);
        isRead = !isTaken && (wanted === undefined ? !one.isHidden : one.name.toLowerCase() === wanted.toLowerCase());
        isTaken ||= isRead;
      }
      if (!isRead) return;
      if (BESIDE.has(tag)) beside += 1;
      if (beside > 0) return;
      if (tag === "table-row") [row, column, again] = [[], 0, times(attributes["table:number-rows-repeated"])];
      if (tag === "table-cell" || tag === "covered-table-cell") cell = { attributes, texts: [] };
      if (tag === "p") cell?.texts.push("");
      if (tag === "s") add(" ".repeat(Math.min(times(attributes["text:c"]), 1000)));
      if (tag === "tab") add("\t");
      if (tag === "line-break") add("\n");
    },
    text: add,
    close(tag) {
      if (tag === "table") depth -= 1;
      if (tag === "table" && depth === 0) isRead = false;
      if (!isRead) return;
      if (BESIDE.has(tag)) beside -= 1;
      if (beside > 0) return;
      if (tag === "table-row") {
        number += again;
        // Rows without a text are left out, however many: a sheet ends with a million of them.
        for (let left = row.length === 0 ? 0 : again; left > 0; left -= 1) take(row);
      }
      if (cell === null || (tag !== "table-cell" && tag !== "covered-table-cell")) return;
      const text = fieldOf(cell.attributes, cell.texts.join("\n"), placeOf(column, number + 1));
      const wide = times(cell.attributes["table:number-columns-repeated"]);
      if (text !== "" && column + wide > MAX_COLUMNS) throw unread(`a sheet of at most ${MAX_COLUMNS} columns`);
      if (text !== "") for (let at = column; at < column + wide; at += 1) row[at] = text;
      column += wide;
      cell = null;
    },
  };
  return { reader, sheets };
}

/** `PT09H05M00S`; a time of a day and more is one of no clock. */
const TIME = /^PT(\d{1,2})H(\d{1,2})M(\d{1,2})(?:[.,](\d{1,9}))?S$/;

function fieldOf(of: Attributes, text: string, place: string): string {
  if (times(of["table:number-columns-spanned"]) > 1 || times(of["table:number-rows-spanned"]) > 1)
    return refuse(place, `a sheet without merged cells, and ${place} is merged`, "part them, ");
  if (of["calcext:value-type"] === "error") return "";
  const type = of["office:value-type"];
  const damaged = () => refuse(place, `a sheet whose cells hold what their types say, and ${place} does not`);
  if (type === undefined)
    return of["table:formula"] === undefined
      ? text
      : refuse(place, `a sheet whose formulas are stored with their values, and that of ${place} is not`);
  if (type === "string") return of["office:string-value"] ?? text;
  if (type === "boolean") return /^(?:true|false)$/.exec(of["office:boolean-value"] ?? "")?.[0] ?? damaged();
  if (type === "date")
    return /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?)?$/.exec(of["office:date-value"] ?? "")?.[0] ?? damaged();
  if (type === "time") {
    const [, hours = "", minutes = "", seconds = "", part] = TIME.exec(of["office:time-value"] ?? "") ?? damaged();
    const clock = [hours, minutes, seconds].map((one) => one.padStart(2, "0")).join(":");
    return part === undefined || /^0*$/.test(part) ? clock : `${clock}.${part.replace(/0+$/, "")}`;
  }
  const value = of["office:value"] ?? "";
  return value.trim() !== "" && Number.isFinite(Number(value)) ? numberText(Number(value)) : damaged();
}
