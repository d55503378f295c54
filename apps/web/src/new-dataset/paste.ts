import { invalid } from "@dosimeter/core";
import { recordsOf, type TextRecord, unlessRefused } from "@dosimeter/core/internal";
import type { ColumnField } from "./declare.ts";
import { type ColumnDraft, changed } from "./draft.ts";

const yes = /^(?:x|yes|true|1|✓)$/i;

/** The columns with a block of a spreadsheet laid over them, from this cell on; null for a text of one cell, or none of a spreadsheet. */
export function pasted(
  text: string,
  { row, field }: { readonly row: number; readonly field: ColumnField },
  { columns, fields, types }: Grid,
): readonly ColumnDraft[] | null {
  const lines = linesOf(text);
  if (lines === null) return null;
  const isBlock = text.includes("\t") || (lines.length > 1 && field !== "values" && field !== "missing");
  if (!isBlock) return null;
  const first = fields.indexOf(field);
  return columns.map((column, at) => {
    const cells = lines[at - row]?.cells ?? [];
    const changes = cells.flatMap((cell, index) => {
      const to = fields[first + index];
      return to === undefined ? [] : [[to, cellValue(to, cell.trim(), types)]];
    });
    return changed(column, Object.fromEntries(changes.filter(([, value]) => value !== undefined)));
  });
}

function linesOf(text: string): readonly TextRecord[] | null {
  const refuse = (got: string, want: string) => invalid("this", got, want);
  return unlessRefused(() => [...recordsOf(text, { separator: "\t", refuse })], null);
}

interface Grid {
  readonly columns: readonly ColumnDraft[];
  readonly fields: readonly ColumnField[];
  /** What each type is called on the page. */
  readonly types: Readonly<Record<ColumnDraft["type"], string>>;
}

/** Undefined leaves the cell as it is: a word that is no type says nothing. */
function cellValue(field: ColumnField, cell: string, types: Grid["types"]): string | boolean | undefined {
  if (field === "isRequired") return yes.test(cell);
  if (field === "provenance") return /public/i.test(cell) ? "public" : "asserted";
  if (field !== "type") return cell;
  return Object.entries(types).find(([name, label]) =>
    [name, label].some((each) => each.toLowerCase() === cell.toLowerCase()),
  )?.[0];
}
