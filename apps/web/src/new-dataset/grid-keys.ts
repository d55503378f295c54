import type { KeyboardEvent } from "react";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const cellsOf = (table: HTMLElement): readonly Field[] => [...table.querySelectorAll<Field>("[data-cell]")];

/** Moves between the cells as a spreadsheet does: Enter and arrows; an arrow that still moves within a text stays there. */
export function moveByKey(event: KeyboardEvent<HTMLElement>): void {
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
