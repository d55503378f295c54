import { type PointerEvent, useRef } from "react";

const LONG_MS = 500;
/** Pixels: no finger rests without moving. */
const STILL = 8;

/** A finger that rests: what it opens, and whether the click that follows belongs to it. A mouse has its other button. */
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
