import { Button, TextInput } from "@mantine/core";
import { type KeyboardEvent, memo, useCallback, useMemo, useState } from "react";
import { Card } from "../parts/Page.tsx";
import { BulkEdit } from "./BulkEdit.tsx";
import { ColumnRow, gridFields, types, ZONES_ID } from "./ColumnRow.tsx";
import { type ColumnField, columnLabels, type Problem } from "./declare.ts";
import { type ColumnDraft, changed, type Draft } from "./draft.ts";
import { ImportSchema } from "./ImportSchema.tsx";
import { pasted } from "./paste.ts";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const cellsOf = (table: HTMLElement): readonly Field[] => [...table.querySelectorAll<Field>("[data-cell]")];

/** Moves between the cells as a spreadsheet does: Enter and arrows; an arrow that still moves within a text stays there. */
function moveByKey(event: KeyboardEvent<HTMLElement>): void {
  const from = event.target as Field;
  const step = stepOf(event, from);
  if (from.dataset.cell === undefined || step === null || event.nativeEvent.isComposing) return;
  const cells = cellsOf(event.currentTarget);
  const [inRow, by] = step;
  const line = inRow
    ? cells.filter(({ dataset }) => dataset.row === from.dataset.row)
    : cells.filter(({ dataset }) => dataset.cell === from.dataset.cell);
  const next = line[line.indexOf(from) + by];
  event.preventDefault();
  if (next === undefined) return;
  next.focus();
  if (next instanceof HTMLInputElement && next.type !== "checkbox") next.select();
}

/** Along the row or not, and by how much; null where the key belongs to the field itself. */
function stepOf(
  { key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent,
  field: Field,
): readonly [boolean, number] | null {
  if (altKey || metaKey) return null;
  const isLines = field instanceof HTMLTextAreaElement && field.value.includes("\n");
  const isList = field instanceof HTMLSelectElement;
  if (key === "Enter") return field instanceof HTMLTextAreaElement && shiftKey ? null : [false, shiftKey ? -1 : 1];
  if (key === "ArrowDown" || key === "ArrowUp")
    return (isList || isLines) && !ctrlKey ? null : [false, key === "ArrowDown" ? 1 : -1];
  if (key !== "ArrowLeft" && key !== "ArrowRight") return null;
  const by = key === "ArrowRight" ? 1 : -1;
  if (isList || ctrlKey || field.type === "checkbox") return ctrlKey && !isList ? null : [true, by];
  const { selectionStart, selectionEnd, value } = field;
  const isWhole = selectionStart === 0 && selectionEnd === value.length;
  const isAtEnd = by > 0 ? selectionStart === value.length : selectionEnd === 0;
  return isWhole || isAtEnd ? [true, by] : null;
}

/** A table of at least this many columns has a filter. */
const MANY = 12;
/** Rows drawn at first; the rest on request. */
const DRAWN = 200;
const NONE: readonly Problem[] = [];

type SetDraft = (next: (before: Draft) => Draft) => void;

/** What the owner declares of all columns at once. Bounds and categories are public: they come from outside the data. */
export function Columns({
  draft,
  problems,
  onChange,
}: {
  draft: Draft;
  problems: readonly Problem[];
  onChange: SetDraft;
}) {
  const { columns } = draft;
  const [filter, setFilter] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [drawn, setDrawn] = useState(DRAWN);
  const wanted = filter.trim().toLowerCase();
  const shown = columns
    .map((column, at) => ({ column, at }))
    .filter(({ column }) => column.name.toLowerCase().includes(wanted));
  const faults = useMemo(() => Map.groupBy(problems, ({ column }) => column), [problems]);
  const change = useCallback(
    (at: number, next: Partial<ColumnDraft>) =>
      onChange((before) => ({
        ...before,
        columns: before.columns.map((column, index) => (index === at ? changed(column, next) : column)),
      })),
    [onChange],
  );
  const choose = useCallback(
    (name: string, isChosen: boolean) =>
      setChosen((before) => new Set(isChosen ? [...before, name] : [...before].filter((other) => other !== name))),
    [],
  );
  const hasTimes = columns.some(({ type }) => type === "timestamp");
  // Of numbers the file as a whole says it, and a check where one is written otherwise.
  const hasPatterns =
    hasTimes || columns.some(({ type, pattern }) => type === "date" || type === "boolean" || pattern !== "");
  const fields = useMemo(
    () => gridFields.filter(({ field }) => (field !== "pattern" || hasPatterns) && (field !== "zone" || hasTimes)),
    [hasPatterns, hasTimes],
  );
  const isEvery = shown.length > 0 && shown.every(({ column }) => chosen.has(column.name));
  return (
    <Card title="2 · Its columns" aside={<ImportSchema draft={draft} onApply={(next) => onChange(() => next)} />}>
      <div className="stack">
        <p className="soft flush">
          Types and units come from the header of the file, or are guessed from names: check each. Bounds and values
          come from the questionnaire or a code book, never from the rows: everyone who plans can read them. A row
          without a value of a column that is never missing counts nowhere. Enter and arrows move; a block of a
          spreadsheet can be pasted.
        </p>
        <div className="grid-tools">
          {columns.length >= MANY ? (
            <TextInput
              label="Find a column"
              value={filter}
              onChange={(event) => setFilter(event.currentTarget.value)}
              description={`${shown.length} of ${columns.length}`}
            />
          ) : null}
          <BulkEdit
            count={chosen.size}
            onApply={(next) =>
              onChange((before) => ({
                ...before,
                columns: before.columns.map((column) => (chosen.has(column.name) ? changed(column, next) : column)),
              }))
            }
          />
        </div>
        <div className="table-scroll">
          <table
            className="data grid"
            onKeyDown={moveByKey}
            onPaste={(event) => {
              const { row, cell } = (event.target as HTMLElement).dataset;
              if (row === undefined || cell === undefined) return;
              const grid = { columns, fields: fields.map(({ field }) => field), types };
              const next = pasted(
                event.clipboardData.getData("text/plain"),
                { row: Number(row), field: cell as ColumnField },
                grid,
              );
              if (next === null) return;
              event.preventDefault();
              onChange((before) => ({ ...before, columns: next }));
            }}
          >
            <caption className="visually-hidden">Columns of the table and what is declared of them</caption>
            <thead>
              <tr>
                <td className="grid-choose">
                  <input
                    type="checkbox"
                    aria-label="Select all columns"
                    checked={isEvery}
                    onChange={() => setChosen(new Set(isEvery ? [] : shown.map(({ column }) => column.name)))}
                  />
                </td>
                <th scope="col">Column</th>
                {fields.map(({ field }) => (
                  <th key={field} scope="col">
                    {columnLabels[field]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.slice(0, drawn).map(({ column, at }) => (
                <ColumnRow
                  key={column.name}
                  {...{ column, at, fields }}
                  isChosen={chosen.has(column.name)}
                  problems={faults.get(at) ?? NONE}
                  onChange={change}
                  onChoose={choose}
                />
              ))}
            </tbody>
          </table>
          {hasTimes ? <TimeZones /> : null}
        </div>
        {shown.length > drawn ? (
          <div className="page-actions">
            <Button variant="default" onClick={() => setDrawn(shown.length)}>
              Show all {shown.length} columns
            </Button>
          </div>
        ) : null}
      </div>
    </Card>
  );
}

/** Offered where a zone is typed. */
const TimeZones = memo(function TimeZones() {
  return (
    <datalist id={ZONES_ID}>
      {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  );
});
