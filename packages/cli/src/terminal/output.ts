import { Help } from "commander";
import { paint, printable, type Terminal, widthOf } from "./terminal.ts";

/** A column of a table: its heading, its cell, and whether numbers line up at the right. */
export interface Column<T> {
  readonly heading: string;
  readonly cell: (row: T) => string;
  readonly right?: true;
}

/** Writes a line of text for a person: broken at words on a terminal, whole in a pipe. */
export function say(terminal: Terminal, text = ""): void {
  terminal.out.write(`${terminal.isInteractive ? wrapped(text, widthOf(terminal)) : text}\n`);
}

/** Where less than this is left next to a first column, lines are not broken. */
export const MIN_WRAP = 16;
const help = Object.assign(new Help(), { minWidthToWrap: MIN_WRAP });

/** Text in lines of at most this width, broken at words; what continues a line begins below its first word. */
export function wrapped(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => {
      const [indent = ""] = /^ *([·○→] )?/.exec(line) ?? [];
      const lines = help.boxWrap(line.slice(indent.length), width - indent.length).split("\n");
      return indent + lines.join(`\n${" ".repeat(indent.length)}`);
    })
    .join("\n");
}

/** Writes a value as JSON with an indent of two, for `--json`. */
export function sayJson(terminal: Terminal, value: unknown): void {
  terminal.out.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A drawn table on a terminal that is wide enough, else a block per row, without its empty cells; in a pipe one line per row, tab-separated, heading first. */
export async function sayTable<T>(
  terminal: Terminal,
  rows: readonly T[],
  columns: readonly Column<T>[],
): Promise<void> {
  const cells = rows.map((row) => columns.map((column) => printable(column.cell(row))));
  const headings = columns.map((column) => printable(column.heading));
  if (!terminal.isInteractive) return say(terminal, [headings, ...cells].map((line) => line.join("\t")).join("\n"));
  const { default: Table } = await import("cli-table3");
  const table = new Table({
    head: headings.map((heading) => paint(terminal, "bold", heading)),
    colAligns: columns.map((column) => (column.right ? "right" : "left")),
    style: { head: [], border: [] },
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  });
  table.push(...cells);
  const drawn = table.toString();
  const width = drawn.indexOf("\n"); // of its upper border
  if (width <= widthOf(terminal)) return void terminal.out.write(`${drawn}\n`);
  for (const [index, row] of cells.entries()) {
    if (index > 0) say(terminal);
    sayFacts(
      terminal,
      row.flatMap((value, column) => (value === "" ? [] : [[headings[column] ?? "", value] as const])),
    );
  }
}

/** `key  value` lines, keys in one column on a terminal, tab-separated in a pipe. */
export function sayFacts(terminal: Terminal, facts: readonly (readonly [string, string])[]): void {
  const width = Math.max(0, ...facts.map(([key]) => key.length));
  const indent = `\n${" ".repeat(width + 2)}`;
  for (const [key, value] of facts) {
    const text = printable(value);
    const below = () => wrapped(text, widthOf(terminal) - width - 2).replaceAll("\n", indent);
    const line = terminal.isInteractive
      ? `${paint(terminal, "dim", key.padEnd(width))}  ${below()}`.trimEnd()
      : `${key}\t${text}`;
    terminal.out.write(`${line}\n`);
  }
}
