import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";

const LONG_MS = 500;
/** Pixels that a resting finger may move. */
const STILL = 8;

/** Detects a long press of a finger, and the click that follows it. A mouse has its right button. */
export function useLongPress() {
  const timer = useRef<number | undefined>(undefined);
  const isLong = useRef(false);
  const from = useRef({ x: 0, y: 0 });
  const stop = (): void => window.clearTimeout(timer.current);
  const press = (open: () => void) => ({
    onPointerDown: ({ pointerType, clientX, clientY }: PointerEvent) => {
      stop();
      isLong.current = false;
      if (pointerType === "mouse") return;
      from.current = { x: clientX, y: clientY };
      timer.current = window.setTimeout(() => {
        isLong.current = true;
        open();
      }, LONG_MS);
    },
    onPointerUp: stop,
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      if (Math.hypot(clientX - from.current.x, clientY - from.current.y) > STILL) stop();
    },
    onPointerCancel: stop,
  });
  /** True once after a long press. */
  const wasLong = (): boolean => {
    const was = isLong.current;
    isLong.current = false;
    return was;
  };
  return Object.assign(press, { wasLong });
}

/** Rows up to this number are all drawn; of more, those in sight and a few around them. */
const MAX_DRAWN = 60;
const ROWS_AROUND = 10;
/** The assumed height of a row that was not measured yet, in pixels. */
const ROW_HEIGHT = 80;

export interface Place {
  readonly row: number;
  readonly column: number;
}

/** The rows to draw, and the pixels of those above and below that are not drawn. */
interface DrawnRows {
  readonly from: number;
  readonly to: number;
  readonly above: number;
  readonly below: number;
  readonly measure: (row: HTMLElement | null) => void;
}

interface PlaceState {
  readonly at: Place;
  readonly isEditing: boolean;
  readonly drawn: DrawnRows;
  /** Moves the focus to a cell, to edit it or not, unless the person has moved it since `from` had it. */
  readonly go: (place: Place, edit?: boolean, from?: Element | null) => void;
  /** Notes a cell that took the focus by itself. */
  readonly setPlace: (place: Place) => void;
  /** Brings the focus back to this place once the page is drawn again. */
  readonly keepFocus: () => void;
  readonly stopEditing: () => void;
}

/** The focused cell of the grid, whose row is always drawn. */
export function usePlace(table: RefObject<HTMLTableElement | null>, rows: number, columns: number): PlaceState {
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 });
  const [isEditing, setEditing] = useState(false);
  /** The cell to focus after the next drawing; an effect of an earlier drawing must not use it. */
  const wantsFocus = useRef<(Place & { readonly edit: boolean; readonly from: Element | null }) | null>(null);
  const isLong = rows > MAX_DRAWN;
  const virtual = useWindowVirtualizer({
    count: rows,
    enabled: isLong,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_AROUND,
    scrollMargin: isLong ? (table.current?.getBoundingClientRect().top ?? 0) + window.scrollY : 0,
  });
  const at: Place = { row: Math.min(place.row, rows - 1), column: Math.min(place.column, columns - 1) };

  useEffect(() => {
    const wanted = wantsFocus.current;
    if (wanted === null || wanted.edit !== isEditing || wanted.column !== at.column) return;
    if (Math.min(wanted.row, rows - 1) !== at.row) return;
    const cell = table.current?.querySelector<HTMLElement>(`[data-place="${at.row}:${at.column}"]`);
    if (cell === null || cell === undefined) return;
    wantsFocus.current = null;
    const { activeElement } = document;
    // What had the focus may be gone: then the page has it, or a part of the page that holds the cell.
    const isElsewhere = activeElement !== wanted.from && !activeElement?.contains(cell);
    if (isElsewhere && !table.current?.contains(activeElement)) return;
    const editor = isEditing ? cell.querySelector<HTMLInputElement | HTMLSelectElement>("input, select") : null;
    (editor ?? cell).focus();
    if (editor instanceof HTMLInputElement) editor.select();
  });

  const inSight = virtual.getVirtualItems();
  const [first, last] = [inSight[0], inSight.at(-1)];
  const isWindowed = isLong && first !== undefined && last !== undefined;
  return {
    at,
    isEditing,
    drawn: isWindowed
      ? {
          from: first.index,
          to: last.index + 1,
          above: first.start - virtual.options.scrollMargin,
          below: virtual.getTotalSize() - (last.end - virtual.options.scrollMargin),
          measure: virtual.measureElement,
        }
      : { from: 0, to: Math.min(rows, MAX_DRAWN), above: 0, below: 0, measure: () => {} },
    go: (next, edit = false, from = document.activeElement) => {
      const row = Math.max(0, Math.min(rows - 1, next.row));
      const column = Math.max(0, Math.min(columns - 1, next.column));
      wantsFocus.current = { row, column, edit, from };
      if (isWindowed && (row < first.index || row > last.index)) virtual.scrollToIndex(row, { align: "center" });
      setPlace({ row, column });
      setEditing(edit);
    },
    setPlace,
    keepFocus: () => {
      wantsFocus.current = { ...at, edit: false, from: document.activeElement };
    },
    stopEditing: () => setEditing(false),
  };
}
