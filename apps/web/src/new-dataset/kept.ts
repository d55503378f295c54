import type { Draft as KeptDraft } from "@dosimeter/client";
import { isRecord } from "@dosimeter/core/internal";
import { connectionKinds } from "@dosimeter/query/source";
import { applySchema } from "./apply-schema.ts";
import {
  type ChosenTable,
  type ColumnDraft,
  type Draft,
  delimiters,
  draftOf,
  isText,
  type Reading,
  withColumns,
} from "./draft.ts";

/** What the server keeps of the page while it is typed. What a check of the file showed is no part of it. */
export interface KeptForm {
  readonly table: Pick<ChosenTable, "name" | "columns">;
  readonly draft: Draft;
  readonly reading: Reading;
  readonly reason: string;
}

/** A page to go on with. */
export interface Begun extends Omit<KeptForm, "table"> {
  readonly table: ChosenTable;
}

export const begun = (table: ChosenTable): Begun => ({
  table,
  draft: saidOf(table),
  reading: table.reading,
  reason: "",
});

/** With what a statistical file says of its columns; its types are the file's own. */
function saidOf(table: ChosenTable): Draft {
  const { draft } = applySchema(draftOf(table), { columns: table.says ?? [], about: {} });
  const typed = new Set((table.says ?? []).filter(({ type }) => type !== undefined).flatMap(({ names }) => names));
  const columns = draft.columns.map((one) => (typed.has(one.name) ? { ...one, guessed: "file" as const } : one));
  return { ...draft, columns };
}

export const formOf = ({ table: { name, columns }, draft, reading, reason }: Begun): KeptForm => ({
  table: { name, columns },
  draft,
  reading,
  reason,
});

/** A name that the server takes, also while none is typed. */
export const nameOf = ({ table, draft }: Pick<KeptForm, "table" | "draft">): string =>
  draft.name.trim().slice(0, 200) || table.name.slice(0, 200) || "a table";

const types = ["integer", "number", "decimal", "date", "timestamp", "boolean", "category", "text", "leaveOut"] as const;
const text = (json: unknown): string => (typeof json === "string" ? json : "");
const among = <T>(all: readonly T[], json: unknown, otherwise: T): T => {
  const at = (all as readonly unknown[]).indexOf(json);
  return at === -1 ? otherwise : (all[at] as T);
};

/** Of each field of `usual` what was kept, where it is of the same kind. */
function filled<T extends object>(usual: T, json: unknown): T {
  const kept: Readonly<Record<string, unknown>> = isRecord(json) ? json : {};
  const entries = Object.entries(usual).map(([key, value]) => [
    key,
    typeof kept[key] === typeof value && !Array.isArray(value) ? kept[key] : value,
  ]);
  return Object.fromEntries(entries) as T;
}

const columnOf = (usual: ColumnDraft, json: unknown): ColumnDraft => {
  const { type, provenance, guessed } = isRecord(json) ? json : {};
  return {
    ...filled(usual, json),
    type: among(types, type, usual.type),
    provenance: among(["asserted", "public"], provenance, usual.provenance),
    guessed: among(["file", "name", null], guessed, usual.guessed),
    ...{ name: usual.name, storage: usual.storage },
  };
};

const list = (json: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(json) ? json.filter(isRecord) : [];

function readingOf(json: unknown): Reading | null {
  if (!isRecord(json)) return null;
  const kind = connectionKinds.find((each) => each === json.format);
  if (kind !== undefined) {
    const at = { connection: text(json.connection), schema: text(json.schema), table: text(json.table) };
    return { format: kind, ...at, ...(text(json.snapshot) === "" ? {} : { snapshot: text(json.snapshot) }) };
  }
  const format = among(["csv", "parquet"] as const, json.format, "csv");
  const names = ["auto", ...(Object.keys(delimiters) as (keyof typeof delimiters)[])] as const;
  const how = {
    delimiter: among(names, json.delimiter, "auto"),
    comment: text(json.comment),
    quote: text(json.quote),
    numbers: text(json.numbers),
  };
  return { format, file: text(json.file), ...(format === "csv" ? how : {}) };
}

/** The page as it was kept, also by someone else; null where that is not what a page keeps. */
export function restored({ form, file }: Pick<KeptDraft, "form" | "file">): Begun | null {
  const { table, draft: kept, reason } = form ?? {};
  const reading = readingOf(form?.reading);
  if (!isRecord(table) || !isRecord(kept) || reading === null) return null;
  const columns = list(table.columns).map(({ name, type }) => ({ name: text(name), type: text(type) }));
  const chosen = {
    ...{ name: text(table.name), columns, sameAs: file?.sameAs ?? [], reading },
    ...(file === null ? {} : { file: file.id }),
  };
  const usual = draftOf(chosen);
  const byName = new Map(list(kept.columns).map((column) => [text(column.name), column]));
  const draft: Draft = {
    ...filled(usual, kept),
    columns: usual.columns.map((column) => columnOf(column, byName.get(column.name))),
    unitColumn: typeof kept.unitColumn === "string" ? kept.unitColumn : null,
    unitKey: Array.isArray(kept.unitKey) ? kept.unitKey.filter((name) => typeof name === "string") : null,
    adjacency: among(["addRemove", "replace"] as const, kept.adjacency, usual.adjacency),
  };
  return { table: chosen, draft, reading, reason: text(reason) };
}

/** The same declaration over a file that was sent again: how its text is read stays, and what was typed of columns of the same names. */
export function overTable(start: Begun, table: ChosenTable): Begun {
  const [before, sent] = [start.reading, table.reading];
  if (!isText(before) || !isText(sent))
    return { ...start, table, reading: sent, draft: withColumns(start.draft, table.columns) };
  const reading = { ...before, file: sent.file };
  // The header of the new one was read without the signs that were chosen for the other.
  const isReadAlike = (["delimiter", "comment", "quote"] as const).every((sign) => before[sign] === sent[sign]);
  const columns = isReadAlike ? table.columns : start.table.columns;
  return { ...start, table: { ...table, columns, reading }, reading, draft: withColumns(start.draft, columns) };
}

/** Whether its rows are gone: the upload was erased, or waited too long for a declaration. */
export const isGone = ({ table, reading }: Begun): boolean => "file" in reading && table.file === undefined;
