import type { Declaration } from "@dosimeter/query/declaration";
import { columnsToTake, takeNames, takeOf } from "@dosimeter/query/join";
import { Choice, TextField } from "../parts/fields.tsx";

import { hasField, type TakenTexts } from "./joined.ts";

const takeChoices = takeNames.map((value) => ({ value, label: takeOf(value).label }));

/** What is taken of each person's rows in the other table: its name, what, of which column, of which rows. */
export function TakenFields({
  texts,
  onTexts,
  theirs,
  tables,
  table,
  onTable,
}: {
  texts: TakenTexts;
  onTexts: (changed: Partial<TakenTexts>) => void;
  theirs: Declaration;
  /** To choose from; none once the plan has columns of one. */
  tables: readonly { readonly value: string; readonly label: string }[];
  table: string;
  onTable: (dataset: string) => void;
}) {
  const { take } = texts;
  const has = (field: Parameters<typeof hasField>[1]): boolean => hasField(take, field);
  const choose = (names: readonly string[]) => [{ value: "", label: "Choose…" }, ...names];
  return (
    <>
      {tables.length < 2 ? null : <Choice label="Table" data={tables} value={table} onChange={onTable} />}
      <TextField
        label="Name of the column"
        placeholder={take === "count" ? "visits" : texts.column || "name"}
        value={texts.name}
        onChange={(typed) => onTexts({ name: typed })}
      />
      <Choice
        label={`Of each ${theirs.unitNoun?.one ?? "person"}’s rows in ${theirs.name}`}
        data={takeChoices}
        value={take}
        onChange={(chosen) => onTexts({ take: chosen, column: "" })}
      />
      {has("column") ? (
        <Choice
          label="Column of that table"
          data={choose(columnsToTake(take, theirs))}
          value={texts.column}
          onChange={(chosen) => onTexts({ column: chosen })}
        />
      ) : null}
      {has("by") ? (
        <Choice
          label="In the order of"
          data={choose(columnsToTake("min", theirs))}
          value={texts.by}
          onChange={(chosen) => onTexts({ by: chosen })}
        />
      ) : null}
      {has("lower") ? (
        <>
          <TextField
            label="At least"
            placeholder="0"
            value={texts.lower}
            onChange={(typed) => onTexts({ lower: typed })}
          />
          <TextField
            label="At most"
            placeholder={take === "sum" ? "5,000" : "20"}
            value={texts.upper}
            onChange={(typed) => onTexts({ upper: typed })}
          />
        </>
      ) : null}
      {has("where") ? (
        <TextField
          label="Which rows count"
          placeholder={take === "any" ? "ill = true" : "all rows"}
          value={texts.where}
          onChange={(typed) => onTexts({ where: typed })}
        />
      ) : null}
    </>
  );
}
