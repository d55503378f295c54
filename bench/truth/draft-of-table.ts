import { valuesText } from "@dosimeter/query/schema";
import type { ColumnDraft, Draft } from "../../apps/web/src/new-dataset/draft.ts";
import type { ColumnFacts, Facts } from "./table-facts.ts";
import type { Table } from "./tables.ts";

/** Two digits outwards: a code book's bounds, not those of the rows. */
function outwards(value: number, up: boolean): number {
  if (value === 0) return 0;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1);
  const round = up ? Math.ceil(value / step - 1e-9) : Math.floor(value / step + 1e-9);
  return Number((round * step).toPrecision(12));
}

/** What a careful steward types for a column. */
function typed(facts: ColumnFacts, isCategory: boolean): Partial<ColumnDraft> {
  const missing = facts.hasMissing ? "NA" : "";
  if (isCategory) return { type: "category", values: valuesText({ values: facts.values, labels: {} }), missing };
  const lower = outwards(facts.least, false);
  return {
    type: facts.isWhole ? "integer" : "number",
    lower: String(facts.isWhole ? Math.floor(lower) : lower),
    upper: String(facts.isWhole ? Math.ceil(outwards(facts.largest, true)) : outwards(facts.largest, true)),
    missing,
  };
}

/** The draft of the page for this table, filled in rightly; columns that no question is about are left out. */
export function filled(draft: Draft, { categories, numbers, unit }: Table, facts: Facts): Draft {
  return {
    ...draft,
    unitColumn: unit ?? "",
    rows: String(facts.most),
    size: String(outwards(facts.rows, true)),
    columns: draft.columns.map((column) => {
      const known = facts.columns[column.name];
      if (column.name === unit) return { ...column, type: "text", guessed: null };
      if (known === undefined || ![...categories, ...numbers].includes(column.name))
        return { ...column, type: "leaveOut" };
      return { ...column, ...typed(known, categories.includes(column.name)), guessed: null };
    }),
  };
}
