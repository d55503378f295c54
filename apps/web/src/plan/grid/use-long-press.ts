import { type PointerEvent, useRef } from "react";

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
