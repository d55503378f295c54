import { paint, printable, type Terminal } from "./terminal.ts";

/** A column of a table: its heading, its cell, and whether numbers line up at the right. */
export interface Column<T> {
  readonly heading: string;
  readonly cell: (row: T) => string;
  readonly right?: true;
}

/** Writes a line of text for a person. */
export function say(terminal: Terminal, text = ""): void {
  terminal.out.write(`${text}\n`);
}

/** Writes a value as JSON with an indent of two, for `--json`. */
export function sayJson(terminal: Terminal, value: unknown): void {
  terminal.out.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A drawn table on a terminal; in a pipe one line per row, tab-separated, heading first. */
export async function sayTable<T>(
  terminal: Terminal,
  rows: readonly T[],
  columns: readonly Column<T>[],
): Promise<void> {
  const cells = rows.map((row) => columns.map((column) => printable(column.cell(row))));
  const headings = columns.map((column) => printable(column.heading));
  if (!terminal.isInteractive) {
    say(terminal, [headings, ...cells].map((line) => line.join("\t")).join("\n"));
    return;
  }
  const { default: Table } = await import("cli-table3");
  const table = new Table({
    head: headings.map((heading) => paint(terminal, "bold", heading)),
    colAligns: columns.map((column) => (column.right ? "right" : "left")),
    style: { head: [], border: [] },
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  });
  table.push(...cells);
  say(terminal, table.toString());
}

/** `key  value` lines, keys in one column on a terminal, tab-separated in a pipe. */
export function sayFacts(terminal: Terminal, facts: readonly (readonly [string, string])[]): void {
  const width = Math.max(0, ...facts.map(([key]) => key.length));
  for (const [key, value] of facts) {
    const text = printable(value);
    say(terminal, terminal.isInteractive ? `${paint(terminal, "dim", key.padEnd(width))}  ${text}` : `${key}\t${text}`);
  }
}
