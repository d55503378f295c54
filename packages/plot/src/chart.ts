import { csvField } from "@dosimeter/core/internal";
import { ink } from "./scene/ink.ts";
import { formatAmount, formatNumber, yearText } from "./scene/number.ts";
import { group, node, type Scene, type SceneNode } from "./scene/scene.ts";
import { wrapText } from "./scene/text.ts";

/** What every chart function returns: the picture, the same facts as a table, and one sentence for a screen reader. */
export interface Chart {
  readonly title: string;
  /** Of whom, when and how exact, where the title leaves that out. */
  readonly subtitle?: string;
  readonly scene: Scene;
  readonly table: Table;
  readonly summary: string;
}

/** Room for a chart in pixels; `heading` draws the title into the picture, for files that stand alone. */
export interface ChartSize {
  readonly width: number;
  readonly height?: number;
  readonly heading?: boolean;
}

/** A chart whose scene carries the same title and summary, and above the picture the title where a `heading` is asked for. */
export function chart(
  { title, subtitle, summary }: Pick<Chart, "title" | "subtitle" | "summary">,
  picture: Omit<Scene, "title" | "summary">,
  table: Table,
  { heading = false }: { readonly heading?: boolean | undefined } = {},
): Chart {
  const words = { title, summary, ...(subtitle === undefined ? {} : { subtitle }) };
  const scene = { ...(heading ? headed(words, picture) : picture), title, summary };
  return Object.freeze({ ...words, scene: Object.freeze(scene), table });
}

/** The picture below its title, which is never cut. */
function headed(
  { title, subtitle = "" }: Pick<Chart, "title" | "subtitle">,
  { width, height, nodes }: Omit<Scene, "title" | "summary">,
): Omit<Scene, "title" | "summary"> {
  const lines = (text: string, size: number, from: number, look: SceneNode["attributes"]): readonly SceneNode[] =>
    wrapText(text, size, width - 8).map((line, at) =>
      node("text", { x: 4, y: from + (at + 1) * 1.3 * size, "font-size": size, ...look }, [line]),
    );
  const above = lines(title, 16, 0, { "font-weight": 650, fill: ink("text") });
  const below = lines(subtitle, 13, above.length * 21, { fill: ink("muted") });
  const top = above.length * 21 + below.length * 17 + 10;
  return {
    width,
    height: height + top,
    nodes: [...above, ...below, group({ transform: `translate(0 ${top})` }, nodes)],
  };
}

/** A cell as computed; numbers stay numbers so that CSV keeps every digit. Missing is null. */
export type Cell = string | number | null;

/** The table of a chart: the same facts, for reading aloud and for spreadsheets. */
export interface Table {
  readonly columns: readonly {
    readonly name: string;
    readonly align: "left" | "right";
    readonly areYears?: boolean;
    /** Its numbers have the digits that mean something, and all of them are shown. */
    readonly isMeaningful?: true;
    /** Its cells are exact amounts, shown in three digits: never as less, or never as more, in all rows or in each of them. */
    readonly amounts?: "up" | "down" | readonly ("up" | "down")[];
  }[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A table from column names; a column whose cells are all numbers or null is set flush right. Some columns may hold years. */
export function table(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  years: readonly string[] = [],
): Table {
  const columns = names.map((name, index) => {
    const cells = rows.map((row) => row[index]).filter((cell) => cell !== null && cell !== undefined);
    const isNumeric = cells.length > 0 && cells.every((cell) => typeof cell === "number");
    return {
      name,
      align: isNumeric ? ("right" as const) : ("left" as const),
      ...(years.includes(name) ? { areYears: true } : {}),
    };
  });
  return { columns, rows };
}

/** A cell of the row at `at` for people; "–" where there is nothing. */
export function cellText(
  cell: Cell | undefined,
  { areYears = false, isMeaningful, amounts }: Partial<Table["columns"][number]> = {},
  at = 0,
): string {
  if (cell === null || cell === undefined) return "–";
  if (amounts !== undefined && typeof cell === "string")
    return formatAmount(cell, typeof amounts === "string" ? amounts : (amounts[at] ?? "up"));
  if (typeof cell !== "number") return cell;
  const digits = isMeaningful ? 15 : undefined;
  return areYears ? yearText(cell, digits ?? 6) : formatNumber(cell, digits);
}

/** The table as aligned plain text, for a terminal. */
export function toTable(source: { readonly table: Table }): string {
  const { columns, rows } = source.table;
  const texts = [
    columns.map((column) => column.name),
    ...rows.map((row, at) => columns.map((column, i) => cellText(row[i], column, at))),
  ];
  const widths = columns.map((_, i) => Math.max(...texts.map((row) => [...(row[i] ?? "")].length)));
  const line = (row: readonly string[]) =>
    columns
      .map((column, i) => {
        const text = row[i] ?? "";
        const pad = " ".repeat(Math.max(0, (widths[i] ?? 0) - [...text].length));
        return column.align === "right" ? pad + text : text + pad;
      })
      .join("  ")
      .trimEnd();
  const [head = [], ...body] = texts;
  return [line(head), widths.map((width) => "─".repeat(width)).join("  "), ...body.map(line)].join("\n");
}

/** RFC 4180 CSV. Text that a spreadsheet would run as a formula gets a leading apostrophe. */
export function toCsv(source: { readonly table: Table }): string {
  const { columns, rows } = source.table;
  const lines = [
    columns.map((column) => csvField(column.name)),
    ...rows.map((row) => columns.map((_, i) => csvCell(row[i]))),
  ];
  return `${lines.map((line) => line.join(",")).join("\r\n")}\r\n`;
}

function csvCell(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "number" ? String(cell) : csvField(cell);
}
