import { strToU8, zipSync } from "fflate";
import type { Cell, Table } from "../chart.ts";
import { isXml } from "../scene/svg.ts";
import { escaped } from "./html.ts";

/** A sheet of a workbook: its name, at most 31 characters without `[]:*?/\`, and its table. */
export interface Sheet {
  readonly name: string;
  readonly table: Table;
}

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const xml = (body: string): string => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${body}`;

/** Styles by their place: plain, a head, and a text that is never taken for a formula. */
const [HEAD, QUOTED] = [1, 2];
const STYLES = `<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/><xf xfId="0" quotePrefix="1"/></cellXfs></styleSheet>`;

/** Tables as an Excel workbook: numbers as numbers, texts as texts, whatever they look like. The same tables make the same bytes. */
export function workbookOf(sheets: readonly Sheet[]): Uint8Array<ArrayBuffer> {
  const places = sheets.map((_, at) => at + 1);
  const files = {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>${places.map((at) => `<Override PartName="/xl/worksheets/sheet${at}.xml" ContentType="${TYPE}.worksheet+xml"/>`).join("")}</Types>`,
    "_rels/.rels": relations([["officeDocument", "xl/workbook.xml"]]),
    "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.map(({ name }, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="r${at + 1}"/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations([
      ...places.map((at) => ["worksheet", `worksheets/sheet${at}.xml`] as const),
      ["styles", "styles.xml"],
    ]),
    "xl/styles.xml": STYLES,
    ...Object.fromEntries(sheets.map(({ table }, at) => [`xl/worksheets/sheet${at + 1}.xml`, sheetOf(table)])),
  };
  const bytes = Object.entries(files).map(([name, body]) => [name, strToU8(xml(body))] as const);
  return zipSync(Object.fromEntries(bytes), { mtime: "1980-01-01T00:00:00" }) as Uint8Array<ArrayBuffer>;
}

const relations = (all: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.map(([type, target], at) => `<Relationship Id="r${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`).join("")}</Relationships>`;

const WIDEST = 60;

function sheetOf({ columns, rows }: Table): string {
  const widths = columns.map(({ name }, at) =>
    rows.reduce((most, row) => Math.min(WIDEST, Math.max(most, 3 + String(row[at] ?? "").length)), 3 + name.length),
  );
  const head = columns.map(({ name }, at) => cellOf(name, [at, 1], HEAD)).join("");
  const body = rows.map(
    (row, place) => `<row r="${place + 2}">${columns.map((_, at) => cellOf(row[at], [at, place + 2])).join("")}</row>`,
  );
  return `<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`).join("")}</cols><sheetData><row r="1">${head}</row>${body.join("")}</sheetData></worksheet>`;
}

function cellOf(cell: Cell | undefined, [column, row]: readonly [number, number], style?: number): string {
  if (cell === null || cell === undefined || cell === "") return "";
  const at = `${letters(column)}${row}`;
  if (typeof cell === "number" && Number.isFinite(cell)) return `<c r="${at}"><v>${cell}</v></c>`;
  const text = String(cell);
  const look = style ?? (/^[=+\-@\t\r]/.test(text) ? QUOTED : 0);
  return `<c r="${at}" s="${look}" t="inlineStr"><is><t xml:space="preserve">${escaped(spelled(text))}</t></is></c>`;
}

/** What XML cannot hold as Excel spells it: `_x0001_`. A text that looks like it is spelled too, and a return, which XML would change. */
const spelled = (text: string): string =>
  [...text.replaceAll(/_(?=x[\dA-Fa-f]{4}_)/g, "_x005F_")]
    .map((one) =>
      isXml(one) && one !== "\r" ? one : `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`,
    )
    .join("");

const letters = (column: number): string =>
  (column < 26 ? "" : letters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));
