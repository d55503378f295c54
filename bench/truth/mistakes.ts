import { valuesText } from "@dosimeter/query/schema";
import type { ColumnDraft, Draft } from "../../apps/web/src/new-dataset/draft.ts";
import { type Facts, name, present, text } from "./table-facts.ts";
import type { Table } from "./tables.ts";

/** SQL of the text in a row, from that of its own text and that of the number of the row. */
type InSql = (value: string, row: string) => string;

/** How a table and its declaration come not to fit. */
export interface Mistake {
  readonly name: string;
  /** The column it is about; "" for the rows. */
  readonly column: string;
  /** What stands in the file instead of a text, and what is meant by it; as it was when absent. */
  readonly stored?: InSql;
  readonly meant?: InSql;
  readonly delimiter?: ";";
  readonly declares: (draft: Draft) => Draft;
  /** What a declared category stands for. */
  readonly means?: Readonly<Record<string, string>>;
  /** The file must be corrected, and not its declaration. */
  readonly isInFile?: true;
}

const thousandfold: InSql = (v) => `CAST(TRY_CAST(${v} AS DOUBLE) * 1000 AS VARCHAR)`;

const change =
  (of: string, does: (column: ColumnDraft) => Partial<ColumnDraft>) =>
  (draft: Draft): Draft => ({
    ...draft,
    columns: draft.columns.map((column) => (column.name === of ? { ...column, ...does(column) } : column)),
  });
const same = (draft: Draft): Draft => draft;
const listed = (values: readonly string[]): string => valuesText({ values, labels: {} });
const some =
  (each: number, other: string): InSql =>
  (value, row) =>
    `CASE WHEN ${row} % ${each} = 3 THEN ${other} ELSE ${value} END`;

export const right: Mistake = { name: "right", column: "", declares: same };

/** What a hurried steward gets wrong, where the table has what it takes. */
export function mistakesIn({ categories, numbers, unit }: Table, facts: Facts): readonly Mistake[] {
  const [category = "", number = ""] = [categories[0], numbers[0]];
  const { values = [] } = facts.columns[category] ?? {};
  const { least = 0, largest = 0, high = 0, isWhole = false } = facts.columns[number] ?? {};
  const codes = values.map((_, at) => String(at));
  const labelOf = Object.fromEntries(values.map((value, at) => [String(at), value]));
  const codeOf: InSql = (v) =>
    `CASE ${v} ${values.map((value, at) => `WHEN ${text(value)} THEN '${at}'`).join(" ")} ELSE ${v} END`;
  const upper = values.map((value) => value.toUpperCase());
  const areCased = values.some((value, at) => value !== upper[at]) && new Set(upper).size === upper.length;
  const areNumbers = values.every((value) => Number.isFinite(Number(value)));
  const rare = values.at(-1) ?? "";
  const of = (
    called: string,
    more: Omit<Mistake, "name" | "column" | "declares"> & Partial<Pick<Mistake, "declares">>,
  ) => ({
    name: called,
    column: category,
    declares: same,
    ...more,
  });
  const ofNumber = (called: string, more: Parameters<typeof of>[1]) => ({ ...of(called, more), column: number });
  const ofRows = (called: string, declares: Mistake["declares"]) => ({ ...of(called, { declares }), column: "" });
  const values2 = (list: readonly string[]) => change(category, () => ({ values: listed(list) }));
  return [
    ...(areNumbers ? [] : [of("codes for labels", { declares: values2(codes), means: labelOf })]),
    ...(areNumbers
      ? []
      : [
          of("labels for codes", {
            stored: codeOf,
            means: Object.fromEntries(codes.map((code, at) => [code, values[at] ?? ""])),
          }),
        ]),
    of("a category forgotten", { declares: values2(values.slice(0, -1)) }),
    of("a category forgotten, never missing", {
      declares: (draft) =>
        change(category, () => ({ isRequired: true }))(values2(values.filter((each) => each !== rare))(draft)),
    }),
    of("unknown forgotten", { stored: some(9, "'unknown'"), meant: some(9, "'unknown'") }),
    of("unknown forgotten, never missing", {
      stored: some(9, "'unknown'"),
      meant: some(9, "'unknown'"),
      declares: change(category, () => ({ isRequired: true })),
    }),
    of("N/A among categories", { stored: some(11, "'N/A'"), meant: some(11, "NULL") }),
    of("spaces", {
      stored: (v, r) => `CASE ${r} % 5 WHEN 1 THEN ' ' || ${v} WHEN 3 THEN ${v} || ' ' ELSE ${v} END`,
      isInFile: true,
    }),
    of("quotes in the file", { stored: (v) => `chr(39) || ${v} || chr(39)`, isInFile: true }),
    of("quotes in the declaration", {
      declares: change(category, () => ({ values: values.map((value) => `'${value}'`).join("; ") })),
    }),
    ...(areCased
      ? [
          of("mis-cased", {
            declares: values2(upper),
            means: Object.fromEntries(values.map((value, at) => [upper[at] ?? "", value])),
          }),
        ]
      : []),
    ...(high < largest
      ? [ofNumber("bounds of last year", { declares: change(number, () => ({ upper: String(high) })) })]
      : []),
    ofNumber("another unit", { stored: thousandfold, meant: thousandfold }),
    ofNumber("a smaller unit, and room from 0", {
      stored: (v) => `CAST(TRY_CAST(${v} AS DOUBLE) / 1000 AS VARCHAR)`,
      meant: (v) => `CAST(TRY_CAST(${v} AS DOUBLE) / 1000 AS VARCHAR)`,
      declares: change(number, ({ lower }) => ({ type: "number", lower: least >= 0 ? "0" : lower })),
    }),
    ofNumber("N/A among numbers", { stored: some(11, "'N/A'"), meant: some(11, "NULL") }),
    ofNumber("-9 for missing", { stored: some(11, "'-9'"), meant: some(11, "NULL") }),
    ofNumber("999 for missing, and room for it", {
      stored: some(11, `'${10 ** Math.ceil(Math.log10(Math.max(9, largest) + 1)) - 1}'`),
      meant: some(11, "NULL"),
      declares: change(number, () => ({ upper: String(10 ** Math.ceil(Math.log10(Math.max(9, largest) + 1)) - 1) })),
    }),
    ...(isWhole
      ? []
      : [
          ofNumber("decimal comma", { stored: (v) => `replace(${v}, '.', ',')`, delimiter: ";", isInFile: true }),
          ofNumber("whole numbers", {
            declares: change(number, ({ lower, upper: most }) => ({
              type: "integer",
              lower: String(Math.floor(Number(lower))),
              upper: String(Math.ceil(Number(most))),
            })),
          }),
        ]),
    ...(largest >= 1000 && isWhole
      ? [
          ofNumber("marks between thousands", {
            stored: (v) => `format('{:,}', TRY_CAST(${v} AS BIGINT))`,
            delimiter: ";",
            isInFile: true,
          }),
        ]
      : []),
    ...(largest >= 1000 && isWhole
      ? [
          ofNumber("points between thousands", {
            stored: (v) => `replace(format('{:,}', TRY_CAST(${v} AS BIGINT)), ',', '.')`,
            declares: change(number, () => ({ type: "number", lower: "0" })),
            isInFile: true,
          }),
        ]
      : []),
    ...(facts.columns[number]?.hasMissing === true
      ? [ofNumber("never missing", { declares: change(number, () => ({ isRequired: true })) })]
      : []),
    // Of people with several rows no answer rests on the number of rows.
    ...(unit !== undefined
      ? [ofRows("one row each", (draft) => ({ ...draft, rows: "1" }))]
      : [
          ofRows("number of rows of last year, public", (draft) => ({
            ...draft,
            size: String(Math.round(facts.rows * 0.93)),
            isSizePublic: true,
            adjacency: "replace" as const,
          })),
        ]),
    ...(least < 0 ? [ofNumber("only positive", { declares: change(number, () => ({ lower: "0" })) })] : []),
  ];
}

/** The text of a column as the file of a mistake holds it, and as it is meant: SQL over the raw table. */
export function columnSql(column: string, mistake: Mistake): { readonly stored: string; readonly meant: string } {
  const [raw, row] = [name(column), name("row number")];
  const value = present(raw);
  if (column !== mistake.column) return { stored: raw, meant: value };
  const { stored, meant } = mistake;
  return {
    stored: stored === undefined ? raw : `coalesce(${stored(value, row)}, ${raw})`,
    meant: meant?.(value, row) ?? value,
  };
}

/** Mistakes that the product reads as they are meant, whatever the table. */
export const isReadAsMeant = (called: string): boolean => called === "spaces" || called === "quotes in the declaration";
