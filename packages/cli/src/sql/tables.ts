import type { SqlRelease } from "@dosimeter/client";
import { say, sayTable } from "../terminal/output.ts";
import type { Terminal } from "../terminal/terminal.ts";

type Cell = NonNullable<SqlRelease["tables"]>[number]["rows"][number][number] | undefined;

/** Numbers as exact as they were released; a missing value as SQL writes it. */
const textOf = (cell: Cell): string =>
  cell === null || cell === undefined
    ? "NULL"
    : typeof cell === "object"
      ? `[${cell.map(textOf).join(", ")}]`
      : String(cell);

/** One table for each SELECT. */
export async function showSqlTables(terminal: Terminal, { tables }: Pick<SqlRelease, "tables">): Promise<void> {
  for (const [index, { columns, rows }] of (tables ?? []).entries()) {
    if (index > 0) say(terminal);
    await sayTable(
      terminal,
      rows,
      columns.map((heading, place) => {
        const isNumber = rows.every((row) => typeof row[place] !== "string");
        return {
          heading,
          cell: (row: (typeof rows)[number]) => textOf(row[place]),
          ...(isNumber ? { right: true as const } : {}),
        };
      }),
    );
  }
}
