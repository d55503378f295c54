// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: an editable table is an ARIA grid
import { type KeyboardEvent, type MouseEvent, useState } from "react";
import type { OwnedAnswer } from "../plan-bench.ts";
import type { WorkRow } from "../workbench.ts";
import { CellFace } from "./CellFace.tsx";
import { type Choice, choicesOf, type GridColumn } from "./cells.ts";
import { type GridKeys, pressCell, pressEditor } from "./grid-keys.ts";
import { StatisticPicker } from "./StatisticPicker.tsx";
import type { CellState } from "./use-drafts.ts";
import type { Place, useLongPress } from "./use-place.ts";

/** The cell being edited. It shows the effect of the text below it, and commits on blur. */
function CellEditor({
  column: { key, isNumber },
  label,
  text,
  choices,
  preview,
  onKey,
  onTake,
  onChoose,
  onLeave,
}: {
  column: GridColumn;
  label: string;
  text: string;
  choices: readonly Choice[] | null;
  preview: (text: string) => string;
  onKey: (event: KeyboardEvent<HTMLInputElement | HTMLSelectElement>) => void;
  onTake: (text: string) => void;
  /** Takes a choice and ends the edit. */
  onChoose: (text: string) => void;
  onLeave: () => void;
}) {
  const [hint, setHint] = useState("");
  if (choices !== null && key === "statistic")
    return (
      <StatisticPicker label={label} text={text} choices={choices} onKey={onKey} onTake={onChoose} onLeave={onLeave} />
    );
  if (choices !== null)
    return (
      <select
        value={text}
        aria-label={label}
        onKeyDown={onKey}
        onChange={(event) => onTake(event.currentTarget.value)}
        onBlur={onLeave}
      >
        {choices.map(({ value, label: name, reason }) => (
          <option key={value} value={value} disabled={reason !== undefined}>
            {reason === undefined ? name : `${name}: ${reason}`}
          </option>
        ))}
      </select>
    );
  return (
    <>
      <input
        defaultValue={text}
        aria-label={label}
        inputMode={isNumber === true && key !== "bins" ? "decimal" : "text"}
        onKeyDown={(event) => {
          onKey(event);
          setHint(preview(event.currentTarget.value));
        }}
        onInput={(event) => setHint(preview(event.currentTarget.value))}
        onBlur={(event) => {
          onTake(event.currentTarget.value.trim());
          onLeave();
        }}
      />
      {hint === "" ? null : <span className="cell-hint">{hint}</span>}
    </>
  );
}

/** One cell of the grid: its face, or its field while it is edited. */
export function GridCell({
  grid,
  row,
  column,
  place,
  state: { shown, reason },
  reasonId,
  isHere,
  isTabStop,
  isEditing,
  isOpen,
  owned,
  press,
  onFocus,
  onLeave,
}: {
  grid: GridKeys;
  row: WorkRow;
  column: GridColumn;
  place: Place;
  state: CellState;
  reasonId: string;
  /** The focus of the grid is here. */
  isHere: boolean;
  isTabStop: boolean;
  isEditing: boolean;
  /** The settings of the row are shown. */
  isOpen: boolean;
  owned: OwnedAnswer | undefined;
  press: ReturnType<typeof useLongPress>;
  onFocus: () => void;
  onLeave: () => void;
}) {
  const { key, kind } = column;
  const { declaration, drafts, actionsOf, go, act } = grid;
  const label = row.quote?.label ?? `statistic ${place.row + 1}`;
  const isEdited = isHere && isEditing && (kind === "text" || kind === "choice" || key === "hold");
  // The four ways to hold a row open by a long press or by the menu key.
  const holds = {
    onContextMenu: (event: MouseEvent) => {
      event.preventDefault();
      go(place, true);
    },
    ...press(() => go(place, true)),
  };
  return (
    <td
      role="gridcell"
      data-place={`${place.row}:${place.column}`}
      data-label={column.heading}
      data-key={key}
      data-kind={kind}
      data-grade={key === "fitness" && owned?.isBetter !== true ? row.fitness?.grade : undefined}
      className={column.isNumber === true ? "num" : ""}
      tabIndex={isTabStop && !isEdited ? 0 : -1}
      aria-readonly={kind === "read" ? true : undefined}
      aria-invalid={reason === undefined ? undefined : true}
      aria-describedby={reason === undefined ? undefined : reasonId}
      onKeyDown={(event: KeyboardEvent) => pressCell(grid, event, row, column)}
      onFocus={(event) => {
        if (event.target === event.currentTarget && !isHere) onFocus();
      }}
      {...(key === "hold" ? holds : {})}
      onClick={() => {
        if ((isHere && isEditing) || press.wasLong()) return;
        go(place, kind !== "read" && kind !== "action");
        if (kind === "action") act(row, key);
      }}
    >
      {isEdited ? (
        <CellEditor
          column={column}
          label={`${column.heading} of ${label}`}
          text={key === "hold" ? row.mode : shown}
          choices={kind === "text" ? null : choicesOf(key, row, declaration)}
          preview={(text) => actionsOf(row).preview(key, text)}
          onKey={(event) => pressEditor(grid, event, row, key)}
          onTake={(text) => drafts.take(row, key, text)}
          onChoose={(text) => {
            drafts.take(row, key, text);
            go(place);
          }}
          onLeave={onLeave}
        />
      ) : (
        <CellFace
          column={column}
          row={row}
          text={shown}
          declaration={declaration}
          isOpen={isOpen}
          owned={reason === undefined ? owned : undefined}
        />
      )}
    </td>
  );
}
