// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: an editable table is an ARIA grid
// biome-ignore-all lint/a11y/noRedundantRoles: shown as cards on a phone, a table loses the roles of its parts
// biome-ignore-all lint/a11y/useSemanticElements: the same
import type { Declaration } from "@dosimeter/query/declaration";
import { type ClipboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { HelpCard } from "../HelpCard.tsx";
import type { OwnedAnswer } from "../plan-bench.ts";
import type { CellKey, RowActions } from "../row-actions.ts";
import type { WorkRow } from "../workbench.ts";
import { type GridColumn, nextHold } from "./cells.ts";
import { GridCell } from "./GridCell.tsx";
import { GridRow } from "./GridRow.tsx";
import type { GridKeys } from "./grid-keys.ts";
import { useDrafts, type Waiting } from "./use-drafts.ts";
import { type Place, useLongPress, usePlace } from "./use-place.ts";
import "./grid.css";

/** With more columns than this, the grid has the width of the page, and the chosen row is below it. */
const MAX_BESIDE = 9;

/**
 * The plan as one editable grid: one tab stop, arrows move, Enter or F2 edits, Escape takes the edit back. What cannot be
 * taken stays in its cell with the reason below it.
 */
export function PlanGrid({
  rows,
  columns,
  declaration,
  actionsOf,
  selected,
  onSelect,
  settingsOf,
  people,
  waiting,
  onPaste,
  onReview,
  onRefused,
  ownedOf,
  onDetails,
  newRow,
}: {
  rows: readonly WorkRow[];
  columns: readonly GridColumn[];
  declaration: Declaration;
  actionsOf: (row: WorkRow) => RowActions;
  selected: string | null;
  onSelect: (id: string) => void;
  settingsOf: (row: WorkRow) => ReactNode;
  people: number | null;
  /** What was typed and does not fit: it stays in its cell. */
  waiting: Waiting | null;
  /** Pastes rows of a spreadsheet; false where the text is not one. */
  onPaste: (text: string) => boolean;
  onReview: (() => void) | undefined;
  onRefused: ((isRefused: boolean) => void) | undefined;
  ownedOf: (id: string) => OwnedAnswer | undefined;
  onDetails: (id: string) => void;
  /** A row that was just added: it takes the focus once, from what had it then. */
  newRow: NewRow | null;
}) {
  const [open, setOpen] = useState<string | null>(null);
  const table = useRef<HTMLTableElement>(null);
  const place = usePlace(table, rows.length, columns.length);
  const drafts = useDrafts(declaration, actionsOf, waiting);
  const isRefused = rows.some(({ id }) => columns.some(({ key }) => drafts.isRefused(id, key)));
  useEffect(() => onRefused?.(isRefused), [isRefused, onRefused]);
  const press = useLongPress();
  const { at, drawn } = place;

  const select = ({ row }: Place): void => {
    const id = rows[Math.max(0, Math.min(rows.length - 1, row))]?.id;
    if (id !== undefined) onSelect(id);
  };
  const grid: GridKeys = {
    rows,
    columns,
    declaration,
    drafts,
    actionsOf,
    review: onReview,
    go: (next, edit, from) => {
      place.go(next, edit, from);
      select(next);
    },
    act: (row: WorkRow, key: CellKey) => {
      const actions = actionsOf(row);
      if (key === "hold") actions.hold(nextHold(row.mode));
      if (key === "fitness") onDetails(row.id);
      if (key === "settings") setOpen(open === row.id ? null : row.id);
      if (key === "remove") {
        place.keepFocus();
        actions.remove();
      }
    },
  };
  useNewRow(newRow, rows, grid.go);
  const paste = (event: ClipboardEvent): void => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    if (onPaste(event.clipboardData.getData("text/plain"))) event.preventDefault();
  };
  // A focused cell out of sight is not drawn, so the table itself must be reachable by Tab.
  const isElsewhere = at.row < drawn.from || at.row >= drawn.to;

  return (
    <div className="grid-scroll">
      <table
        ref={table}
        onPaste={paste}
        role="grid"
        className="plan-grid"
        data-columns={columns.length > MAX_BESIDE ? "many" : undefined}
        aria-label="Statistics of the plan"
        aria-rowcount={rows.length + 1}
      >
        <GridHead columns={columns} />
        <Undrawn height={drawn.above} columns={columns.length} />
        {rows.slice(drawn.from, drawn.to).map((row, offset) => {
          const index = drawn.from + offset;
          const states = columns.map(({ key }) => drafts.stateOf(row, key));
          return (
            <GridRow
              key={row.id}
              row={row}
              index={index}
              columns={columns}
              declaration={declaration}
              people={people}
              states={states}
              isSelected={row.id === selected}
              settings={open === row.id ? settingsOf(row) : null}
              owned={ownedOf(row.id)}
              onDetails={() => onDetails(row.id)}
              measure={drawn.measure}
            >
              {(reasonId) =>
                columns.map((column, position) => {
                  const here = { row: index, column: position };
                  const isHere = at.row === index && at.column === position;
                  return (
                    <GridCell
                      key={column.key}
                      grid={grid}
                      row={row}
                      column={column}
                      place={here}
                      state={states[position] ?? drafts.stateOf(row, column.key)}
                      reasonId={reasonId(column)}
                      isHere={isHere}
                      isTabStop={isHere || (isElsewhere && offset === 0 && position === at.column)}
                      isEditing={place.isEditing}
                      isOpen={open === row.id}
                      owned={ownedOf(row.id)}
                      press={press}
                      onFocus={() => {
                        place.setPlace(here);
                        select(here);
                      }}
                      onLeave={place.stopEditing}
                    />
                  );
                })
              }
            </GridRow>
          );
        })}
        <Undrawn height={drawn.below} columns={columns.length} />
      </table>
    </div>
  );
}

export interface NewRow {
  readonly id: string;
  readonly from: Element | null;
}

/** Gives the focus to a row that was just added. */
function useNewRow(newRow: NewRow | null, rows: readonly WorkRow[], go: GridKeys["go"]): void {
  const done = useRef<object | null>(null);
  useEffect(() => {
    const row = rows.findIndex(({ id }) => id === newRow?.id);
    if (newRow === null || done.current === newRow || row < 0) return;
    done.current = newRow;
    go({ row, column: 0 }, false, newRow.from);
  });
}

function GridHead({ columns }: { columns: readonly GridColumn[] }) {
  return (
    <>
      <colgroup>
        {columns.map(({ key, width }) => (
          <col key={key} style={{ width: `${width}%` }} />
        ))}
      </colgroup>
      <thead>
        <tr role="row">
          {columns.map(({ key, heading, isNumber, help }) => (
            <th key={key} role="columnheader" scope="col" className={isNumber === true ? "num" : ""}>
              <span className={key === "remove" ? "visually-hidden" : ""}>{heading}</span>
              {help === undefined ? null : <HelpCard term={help} />}
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}

/** The space of rows that are not drawn. */
function Undrawn({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tbody aria-hidden>
      <tr style={{ height }}>
        <td colSpan={columns} />
      </tr>
    </tbody>
  );
}
