import { type Fields, isRecord, present } from "@dosimeter/core/internal";
import { type ColumnWords, type SchemaWords, valuesText } from "@dosimeter/query/schema";
import { type ColumnDraft, changed, type Draft } from "./draft.ts";

export interface Applied {
  readonly draft: Draft;
  /** Names of columns that it described, and of those that the table does not have. */
  readonly found: readonly string[];
  readonly unknown: readonly string[];
}

/** The draft with everything that a schema says of its columns; what it does not say stays. */
export function applySchema(draft: Draft, { columns, about }: Pick<SchemaWords, "columns" | "about">): Applied {
  const byName = new Map(draft.columns.map(({ name }) => [name.trim().toLowerCase(), name]));
  const words = new Map<string, ColumnWords>();
  const unknown: string[] = [];
  for (const column of columns) {
    const name = column.names.map((each) => byName.get(each.trim().toLowerCase())).find((each) => each !== undefined);
    if (name === undefined) unknown.push(column.names[0] ?? "");
    else words.set(name, column);
  }
  const changed = draft.columns.map((column) => withWords(column, words.get(column.name)));
  return { draft: { ...withAbout(draft, about, byName), columns: changed }, found: [...words.keys()], unknown };
}

function withWords(column: ColumnDraft, words: ColumnWords | undefined): ColumnDraft {
  if (words === undefined) return column;
  const { names: _, values, labels = {}, required, ...texts } = words;
  return changed(column, {
    ...texts,
    ...(values === undefined ? {} : { values: valuesText({ values, labels }) }),
    ...present({ isRequired: required }),
  });
}

const text = (json: unknown): string | undefined =>
  typeof json === "string" ? json : typeof json === "number" ? String(json) : undefined;
const fields = (json: unknown): Fields => (isRecord(json) ? json : {});

/** Of a whole declaration also who is protected and how much one may contribute. */
function withAbout(draft: Draft, about: SchemaWords["about"], byName: ReadonlyMap<string, string>): Draft {
  const { rows, groups, rowsPerGroup } = fields(about.contribution);
  const { one, many } = fields(about.unitNoun);
  const { assumed, public: exact } = fields(about.size);
  const named = byName.get((text(fields(about.privacyUnit).column) ?? "").trim().toLowerCase());
  const unitColumn = about.privacyUnit === "row" ? "" : named;
  const { adjacency } = about;
  return {
    ...draft,
    ...present({ unitColumn }),
    ...(unitColumn === undefined ? {} : { unitKey: null }),
    rows: text(rows) ?? draft.rows,
    groups: text(groups) ?? draft.groups,
    rowsPerGroup: text(rowsPerGroup) ?? draft.rowsPerGroup,
    unit: text(one) ?? draft.unit,
    units: text(many) ?? draft.units,
    size: text(assumed) ?? text(exact) ?? draft.size,
    mostRows: text(about.mostRows) ?? draft.mostRows,
    impossible: text(about.impossible) ?? draft.impossible,
    isSizePublic: exact === undefined ? draft.isSizePublic : true,
    adjacency: adjacency === "addRemove" || adjacency === "replace" ? adjacency : draft.adjacency,
  };
}
