import type { Declaration, TakeName } from "@dosimeter/query/declaration";
import { columnsToTake, takeNames, takeOf } from "@dosimeter/query/join";
import { NativeSelect, TextInput } from "@mantine/core";
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
      {tables.length < 2 ? null : (
        <NativeSelect
          label="Table"
          data={[...tables]}
          value={table}
          onChange={(event) => onTable(event.currentTarget.value)}
        />
      )}
      <TextInput
        label="Name of the column"
        placeholder={take === "count" ? "visits" : texts.column || "name"}
        value={texts.name}
        onChange={(event) => onTexts({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={`Of each ${theirs.unitNoun?.one ?? "person"}’s rows in ${theirs.name}`}
        data={takeChoices}
        value={take}
        onChange={(event) => onTexts({ take: event.currentTarget.value as TakeName, column: "" })}
      />
      {has("column") ? (
        <NativeSelect
          label="Column of that table"
          data={choose(columnsToTake(take, theirs))}
          value={texts.column}
          onChange={(event) => onTexts({ column: event.currentTarget.value })}
        />
      ) : null}
      {has("by") ? (
        <NativeSelect
          label="In the order of"
          data={choose(columnsToTake("min", theirs))}
          value={texts.by}
          onChange={(event) => onTexts({ by: event.currentTarget.value })}
        />
      ) : null}
      {has("lower") ? (
        <>
          <TextInput
            label="At least"
            placeholder="0"
            value={texts.lower}
            onChange={(event) => onTexts({ lower: event.currentTarget.value })}
          />
          <TextInput
            label="At most"
            placeholder={take === "sum" ? "5,000" : "20"}
            value={texts.upper}
            onChange={(event) => onTexts({ upper: event.currentTarget.value })}
          />
        </>
      ) : null}
      {has("where") ? (
        <TextInput
          label="Which rows count"
          placeholder={take === "any" ? "ill = true" : "all rows"}
          value={texts.where}
          onChange={(event) => onTexts({ where: event.currentTarget.value })}
        />
      ) : null}
    </>
  );
}
