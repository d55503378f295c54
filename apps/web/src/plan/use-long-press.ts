import { type PointerEvent, useRef } from "react";

const LONG_MS = 500;

/** A finger that rests: what it opens, and whether the click that follows belongs to it. A mouse has its other button. */
export function useLongPress() {
  const timer = useRef<number | undefined>(undefined);
  const isLong = useRef(false);
  const stop = (): void => window.clearTimeout(timer.current);
  const press = (open: () => void) => ({
    onPointerDown: ({ pointerType }: PointerEvent) => {
      isLong.current = false;
      if (pointerType === "mouse") return;
      timer.current = window.setTimeout(() => {
        isLong.current = true;
        open();
      }, LONG_MS);
    },
    onPointerUp: stop,
    onPointerMove: stop,
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
