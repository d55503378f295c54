// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: an editable table is an ARIA grid
// biome-ignore-all lint/a11y/noRedundantRoles: shown as cards on a phone, a table loses the roles of its parts
// biome-ignore-all lint/a11y/useSemanticElements: the same
import type { Declaration } from "@dosimeter/query";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { ErrorInContext } from "../ErrorInContext.tsx";
import { HelpCard } from "../HelpCard.tsx";
import type { WorkRow } from "../workbench.ts";
import { CellEditor } from "./CellEditor.tsx";
import { CellFace } from "./CellFace.tsx";
import { type CellKey, choicesOf, type GridColumn, nextHold, textOf } from "./cells.ts";
import { commitCell } from "./commit-cell.ts";
import type { RowActions } from "./row-actions.ts";
import { useLongPress } from "./use-long-press.ts";
import { useRowWindow } from "./use-row-window.ts";

/** A text in a cell that the plan could not take yet, and why. */
export interface Waiting {
  readonly id: string;
  readonly key: CellKey;
  readonly text: string;
  readonly reason: string;
}

interface Place {
  readonly row: number;
  readonly column: number;
}

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
}: {
  rows: readonly WorkRow[];
  columns: readonly GridColumn[];
  declaration: Declaration;
  actionsOf: (row: WorkRow) => RowActions;
  selected: string | null;
  onSelect: (id: string) => void;
  /** The opened settings of a row, below it. */
  settingsOf: (row: WorkRow) => ReactNode;
  people: number | null;
  /** What was typed and does not fit: it stays in its cell. */
  waiting: Waiting | null;
  /** Rows of a spreadsheet; false where the text is none. */
  onPaste: (text: string) => boolean;
  onReview: (() => void) | undefined;
}) {
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 });
  const [editing, setEditing] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const [drafts, setDrafts] = useState<Readonly<Record<string, { readonly text: string; readonly reason: string }>>>(
    {},
  );
  const table = useRef<HTMLTableElement>(null);
  /** Where the focus shall go once the page is drawn so: an effect of an earlier drawing must not take it for its own. */
  const wantsFocus = useRef<(Place & { readonly edit: boolean }) | null>(null);
  const drawn = useRowWindow(table, rows.length);
  const name = useId();
  const at: Place = { row: Math.min(place.row, rows.length - 1), column: Math.min(place.column, columns.length - 1) };

  useEffect(() => {
    const wanted = wantsFocus.current;
    if (wanted === null || wanted.edit !== editing || wanted.column !== at.column) return;
    if (Math.min(wanted.row, rows.length - 1) !== at.row) return;
    wantsFocus.current = null;
    const cell = table.current?.querySelector<HTMLElement>(`[data-place="${at.row}:${at.column}"]`);
    if (cell === null || cell === undefined) return;
    const editor = editing ? cell.querySelector<HTMLInputElement | HTMLSelectElement>("input, select") : null;
    (editor ?? cell).focus();
    if (editor instanceof HTMLInputElement) editor.select();
  });

  const go = (next: Place, edit = false): void => {
    const row = Math.max(0, Math.min(rows.length - 1, next.row));
    const column = Math.max(0, Math.min(columns.length - 1, next.column));
    wantsFocus.current = { row, column, edit };
    drawn.show(row);
    setPlace({ row, column });
    setEditing(edit);
    const id = rows[row]?.id;
    if (id !== undefined) onSelect(id);
  };

  // A cell out of sight is not drawn; the table stays reachable by Tab all the same.
  const isElsewhere = at.row < drawn.from || at.row >= drawn.to;
  const forget = (key: string): void => setDrafts(({ [key]: _, ...rest }) => rest);

  /** Takes the text of a cell, or keeps it there with the reason. */
  const take = (row: WorkRow, key: CellKey, text: string): void => {
    const draft = `${row.id}:${key}`;
    if (text === textOf(key, row, declaration)) {
      forget(draft);
      return;
    }
    const reason = commitCell(actionsOf(row), key, text);
    if (reason === undefined) forget(draft);
    else setDrafts((before) => ({ ...before, [draft]: { text, reason } }));
  };

  const act = (row: WorkRow, key: CellKey): void => {
    const actions = actionsOf(row);
    if (key === "hold") actions.hold(nextHold(row.mode));
    if (key === "settings") setOpen(open === row.id ? null : row.id);
    if (key === "remove") {
      wantsFocus.current = { ...at, edit: false };
      actions.remove();
    }
  };

  const onCellKey = (event: KeyboardEvent, row: WorkRow, { key, kind }: GridColumn): void => {
    if (event.target !== event.currentTarget) return;
    // Where the key was pressed: the page may not have been drawn again since the focus came here.
    const at = placeIn(event.currentTarget);
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step !== undefined && !event.altKey) {
      event.preventDefault();
      go({ row: at.row + (step[0] ?? 0), column: at.column + (step[1] ?? 0) });
    } else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      const to = at.row + (event.key === "ArrowUp" ? -1 : 1);
      actionsOf(row).move(to);
      go({ ...at, row: to });
    } else if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      go({ row: at.row, column: event.key === "Home" ? 0 : columns.length - 1 });
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onReview?.();
    } else if (event.key === "Enter" || event.key === "F2") {
      event.preventDefault();
      if (kind === "action" && !(key === "hold" && event.key === "F2")) act(row, key);
      else if (kind !== "read") go(at, true);
    } else if (event.key === " ") {
      event.preventDefault();
      actionsOf(row).hold(nextHold(row.mode));
    } else if (event.key === "Delete") {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) act(row, "remove");
      else if (kind === "text" && key !== "error" && key !== "share") take(row, key, "");
    } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "d") {
      event.preventDefault();
      const above = rows[at.row - 1];
      if (above !== undefined) actionsOf(row).change(above.settings);
    }
  };

  const onEditorKey = (
    event: KeyboardEvent<HTMLInputElement | HTMLSelectElement>,
    row: WorkRow,
    key: CellKey,
  ): void => {
    const text = event.currentTarget.value;
    const at = placeIn(event.currentTarget.closest("td"));
    if (event.key === "Enter" || event.key === "Tab") {
      event.preventDefault();
      take(row, key, text.trim());
      const forward = event.shiftKey ? -1 : 1;
      go(event.key === "Enter" ? { ...at, row: at.row + forward } : { ...at, column: at.column + forward });
    } else if (event.key === "Escape") {
      event.preventDefault();
      forget(`${row.id}:${key}`);
      // What is taken back must not be committed by leaving the field.
      event.currentTarget.value = textOf(key, row, declaration);
      go(at);
    } else if (key === "error" || key === "share") {
      const factor = { ArrowUp: 1.05, ArrowDown: 1 / 1.05, PageUp: 1.25, PageDown: 1 / 1.25 }[event.key];
      if (factor === undefined || !(Number(text) > 0)) return;
      event.preventDefault();
      event.currentTarget.value = String(Number((Number(text) * factor).toPrecision(6)));
    }
  };

  /** The four ways to hold a row, from a long press or the menu key. */
  const openHolds = (at: Place) => (event: MouseEvent) => {
    event.preventDefault();
    go(at, true);
  };
  const press = useLongPress();

  const pasted = (event: ClipboardEvent): void => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    if (onPaste(event.clipboardData.getData("text/plain"))) event.preventDefault();
  };

  /** What a cell shows, and why that could not be taken. */
  const stateOf = (row: WorkRow, key: CellKey): { readonly shown: string; readonly reason: string | undefined } => {
    const isWaiting = waiting?.id === row.id && waiting.key === key;
    const draft = drafts[`${row.id}:${key}`] ?? (isWaiting ? waiting : undefined);
    const shown = draft?.text ?? textOf(key, row, declaration);
    return {
      shown,
      reason: draft?.reason ?? (row.fault?.field === key && shown !== "" ? row.fault.message : undefined),
    };
  };

  return (
    <div className="grid-scroll">
      <table
        ref={table}
        onPaste={pasted}
        role="grid"
        className="plan-grid"
        aria-label="Statistics of the plan"
        aria-rowcount={rows.length + 1}
      >
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
        <Undrawn rows={drawn.from} height={drawn.height} columns={columns.length} />
        {rows.slice(drawn.from, drawn.to).map((row, offset) => {
          const index = drawn.from + offset;
          const states = columns.map(({ key }) => stateOf(row, key));
          return (
            <tbody key={row.id} data-row={index} data-selected={row.id === selected ? true : undefined}>
              <tr
                role="row"
                aria-label={`Statistic ${index + 1}: ${row.quote?.label ?? "unfinished"}`}
                aria-rowindex={index + 2}
              >
                {columns.map((column, position) => {
                  const { key, kind } = column;
                  const isHere = at.row === index && at.column === position;
                  const isStop = isHere || (isElsewhere && offset === 0 && position === at.column);
                  const { shown, reason } = states[position] ?? stateOf(row, key);
                  const why = `${name}${row.id}${key}`;
                  return (
                    <td
                      key={key}
                      role="gridcell"
                      data-place={`${index}:${position}`}
                      data-label={column.heading}
                      data-key={key}
                      data-kind={kind}
                      data-grade={key === "fitness" ? row.fitness?.grade : undefined}
                      className={column.isNumber === true ? "num" : ""}
                      tabIndex={isStop ? 0 : -1}
                      aria-readonly={kind === "read" ? true : undefined}
                      aria-invalid={reason === undefined ? undefined : true}
                      aria-describedby={reason === undefined ? undefined : why}
                      onKeyDown={(event) => onCellKey(event, row, column)}
                      onFocus={(event) => {
                        if (event.target !== event.currentTarget || isHere) return;
                        setPlace({ row: index, column: position });
                        onSelect(row.id);
                      }}
                      {...(key === "hold"
                        ? {
                            onContextMenu: openHolds({ row: index, column: position }),
                            ...press(() => go({ row: index, column: position }, true)),
                          }
                        : {})}
                      onClick={() => {
                        if ((isHere && editing) || press.wasLong()) return;
                        if (kind === "action") {
                          go({ row: index, column: position });
                          act(row, key);
                        } else go({ row: index, column: position }, kind !== "read");
                      }}
                    >
                      {isHere && editing && (kind === "text" || kind === "choice" || key === "hold") ? (
                        <CellEditor
                          column={column}
                          label={`${column.heading} of ${row.quote?.label ?? `statistic ${index + 1}`}`}
                          text={key === "hold" ? row.mode : shown}
                          choices={kind === "text" ? null : choicesOf(key, row, declaration)}
                          preview={(text) => actionsOf(row).preview(key, text)}
                          onKey={(event) => onEditorKey(event, row, key)}
                          onTake={(text) => take(row, key, text)}
                          onLeave={() => setEditing(false)}
                        />
                      ) : (
                        <CellFace
                          column={column}
                          row={row}
                          text={shown}
                          declaration={declaration}
                          isOpen={open === row.id}
                        />
                      )}
                    </td>
                  );
                })}
              </tr>
              <tr role="row" className="plan-note">
                <td role="gridcell" colSpan={columns.length} tabIndex={-1}>
                  <div className="plan-foot">
                    {columns.map(({ key, heading }, position) => {
                      const reason = states[position]?.reason;
                      return reason === undefined ? null : (
                        <p key={key} className="fault" id={`${name}${row.id}${key}`}>
                          {heading}: {reason}
                        </p>
                      );
                    })}
                    {row.fault !== null && states.every(({ reason }) => reason === undefined) ? (
                      <p className={row.settings.statistic ? "fault" : ""}>{row.fault.message}</p>
                    ) : null}
                    {row.quote === null ? null : (
                      <span>
                        {row.quote.sentence}
                        {row.isAnyMet ? " Any answer would meet this target." : ""}
                      </span>
                    )}
                    {row.quote === null ? null : (
                      <ErrorInContext
                        quote={row.quote}
                        {...boundsOf(row, declaration)}
                        people={people}
                        target={row.target}
                      />
                    )}
                  </div>
                  {open === row.id ? settingsOf(row) : null}
                </td>
              </tr>
            </tbody>
          );
        })}
        <Undrawn rows={rows.length - drawn.to} height={drawn.height} columns={columns.length} />
      </table>
    </div>
  );
}

/** The room of rows that are out of sight. */
function Undrawn({ rows, height, columns }: { rows: number; height: number; columns: number }) {
  if (rows <= 0 || height === 0) return null;
  return (
    <tbody aria-hidden>
      <tr style={{ height: rows * height }}>
        <td colSpan={columns} />
      </tr>
    </tbody>
  );
}

function placeIn(cell: Element | null): Place {
  const [row = 0, column = 0] = (cell?.getAttribute("data-place") ?? "").split(":").map(Number);
  return { row, column };
}

function boundsOf({ settings }: WorkRow, declaration: Declaration) {
  const bound = (end: "lower" | "upper"): number | null => {
    const typed = (settings[end] ?? "").trim();
    const value = typed === "" ? declaration.columns[settings.column ?? ""]?.[end] : Number(typed);
    return value === undefined || !Number.isFinite(value) ? null : value;
  };
  return { lower: bound("lower"), upper: bound("upper") };
}
