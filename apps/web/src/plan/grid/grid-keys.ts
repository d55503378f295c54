import type { Declaration } from "@dosimeter/query/declaration";
import type { KeyboardEvent } from "react";
import { numberOf } from "../../parts/number-text.ts";
import type { CellKey, RowActions } from "../row-actions.ts";
import type { WorkRow } from "../workbench.ts";
import { type GridColumn, nextHold, textOf } from "./cells.ts";
import type { Drafts } from "./use-drafts.ts";
import type { Place } from "./use-place.ts";

export interface GridKeys {
  readonly rows: readonly WorkRow[];
  readonly columns: readonly GridColumn[];
  readonly declaration: Declaration;
  readonly drafts: Drafts;
  readonly actionsOf: (row: WorkRow) => RowActions;
  /** Moves the focus to a cell, to edit it or not. */
  readonly go: (place: Place, edit?: boolean, from?: Element | null) => void;
  /** What a click on an action cell does. */
  readonly act: (row: WorkRow, key: CellKey) => void;
  readonly review: (() => void) | undefined;
}

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** A key on a cell that is not being edited. */
export function pressCell(grid: GridKeys, event: KeyboardEvent, row: WorkRow, { key, kind }: GridColumn): void {
  if (event.target !== event.currentTarget) return;
  const { rows, columns, go, act } = grid;
  // Read from the event, because the page may not have been drawn since the focus moved.
  const at = placeIn(event.currentTarget);
  const isControl = event.ctrlKey || event.metaKey;
  const action = ((): (() => void) | undefined => {
    const step = STEPS[event.key];
    if (step !== undefined && !event.altKey) return () => go({ row: at.row + step[0], column: at.column + step[1] });
    switch (event.key) {
      case "ArrowUp":
      case "ArrowDown":
        return () => {
          const to = at.row + (event.key === "ArrowUp" ? -1 : 1);
          grid.actionsOf(row).move(to);
          go({ ...at, row: to });
        };
      case "Home":
        return () => go({ row: at.row, column: 0 });
      case "End":
        return () => go({ row: at.row, column: columns.length - 1 });
      case "Enter":
      case "F2":
        if (event.key === "Enter" && isControl) return () => grid.review?.();
        if (kind === "action" && !(key === "hold" && event.key === "F2")) return () => act(row, key);
        return () => (kind === "read" ? undefined : go(at, true));
      case " ":
        return () => grid.actionsOf(row).hold(nextHold(row.mode));
      case "Delete":
        if (isControl) return () => act(row, "remove");
        return () =>
          kind === "text" && key !== "error" && key !== "share" ? grid.drafts.take(row, key, "") : undefined;
      default:
        if (!isControl || event.key.toLowerCase() !== "d") return undefined;
        return () => {
          const above = rows[at.row - 1];
          if (above !== undefined) grid.actionsOf(row).change(above.settings);
        };
    }
  })();
  if (action === undefined) return;
  event.preventDefault();
  action();
}

/** Growth of an error or a share by a key. */
const FACTORS: Readonly<Record<string, number>> = {
  ArrowUp: 1.05,
  ArrowDown: 1 / 1.05,
  PageUp: 1.25,
  PageDown: 1 / 1.25,
};

/** A key in the field of a cell that is being edited. */
export function pressEditor(
  { declaration, drafts, go }: GridKeys,
  event: KeyboardEvent<HTMLInputElement | HTMLSelectElement>,
  row: WorkRow,
  key: CellKey,
): void {
  const text = event.currentTarget.value;
  const at = placeIn(event.currentTarget.closest("td"));
  if (event.key === "Enter" || event.key === "Tab") {
    event.preventDefault();
    drafts.take(row, key, text.trim());
    const forward = event.shiftKey ? -1 : 1;
    go(event.key === "Enter" ? { ...at, row: at.row + forward } : { ...at, column: at.column + forward });
  } else if (event.key === "Escape") {
    event.preventDefault();
    drafts.forget(row, key);
    // A cancelled text must not be committed on blur.
    event.currentTarget.value = textOf(key, row, declaration);
    go(at);
  } else if (key === "error" || key === "share") {
    const factor = FACTORS[event.key];
    const value = numberOf(text);
    if (factor === undefined || !(value > 0)) return;
    event.preventDefault();
    event.currentTarget.value = String(Number((value * factor).toPrecision(6)));
  }
}

function placeIn(cell: Element | null): Place {
  const [row = 0, column = 0] = (cell?.getAttribute("data-place") ?? "").split(":").map(Number);
  return { row, column };
}
