import { type RefObject, useEffect, useState } from "react";

/** Up to so many rows all of them are drawn; of more, those in sight and a screen around them. */
const MOST_DRAWN = 60;
const AROUND = 14;

export interface RowWindow {
  readonly from: number;
  /** The first row after those drawn. */
  readonly to: number;
  /** Pixels of a row, as those drawn have on average. */
  readonly height: number;
  readonly show: (row: number) => void;
}

/** Which rows of a long table are worth drawing: an edit moves them all, and most are out of sight. */
export function useRowWindow(table: RefObject<HTMLTableElement | null>, rows: number): RowWindow {
  const [seen, setSeen] = useState({ from: 0, to: 2 * AROUND, height: 80 });
  const isLong = rows > MOST_DRAWN;
  useEffect(() => {
    if (!isLong) return undefined;
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const body = table.current;
      if (body === null) return;
      const drawn = [...body.querySelectorAll<HTMLElement>("tbody[data-row]")];
      const total = drawn.reduce((sum, row) => sum + row.offsetHeight, 0);
      const height = drawn.length === 0 ? 80 : Math.max(24, Math.round(total / drawn.length));
      const above = -body.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(above / height) - AROUND);
      const last = Math.ceil((above + innerHeight) / height) + AROUND;
      setSeen((before) => {
        const isNear = Math.abs(before.from - first) < AROUND / 2 && Math.abs(before.to - last) < AROUND / 2;
        return isNear && before.to > first ? before : { from: first, to: Math.max(first + AROUND, last), height };
      });
    };
    const soon = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    look();
    addEventListener("scroll", soon, { passive: true });
    addEventListener("resize", soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", soon);
      removeEventListener("resize", soon);
    };
  }, [isLong, table]);
  if (!isLong) return { from: 0, to: rows, height: 0, show: () => {} };
  return {
    from: Math.min(seen.from, Math.max(0, rows - AROUND)),
    to: Math.min(rows, seen.to),
    height: seen.height,
    show: (row) => {
      if (row < seen.from || row >= seen.to)
        setSeen({ from: Math.max(0, row - AROUND), to: row + AROUND, height: seen.height });
    },
  };
}
