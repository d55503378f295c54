import { type KeyboardEvent, useRef } from "react";
import "./share.css";

/** A boundary in the budget bar that is dragged, or moved with the arrow keys. Movements are in pixels from its start. */
export function ShareBoundary({
  x,
  label,
  value,
  most,
  text,
  step,
  onMove,
  onTake,
  onCancel,
}: {
  x: number;
  label: string;
  value: number;
  most: number;
  /** What both shares are now. */
  text: string;
  /** Pixels of one press of an arrow key. */
  step: number;
  onMove: (pixels: number) => void;
  onTake: (pixels: number) => void;
  onCancel: () => void;
}) {
  const from = useRef<number | null>(null);
  const onKey = (event: KeyboardEvent): void => {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    onTake(steps * step);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      className="share-boundary"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={value}
      aria-valuetext={text}
      title={text}
      style={{ transform: `translateX(${x}px)` }}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = event.clientX;
      }}
      onPointerMove={(event) => {
        if (from.current !== null) onMove(event.clientX - from.current);
      }}
      onPointerUp={(event) => {
        if (from.current !== null) onTake(event.clientX - from.current);
        from.current = null;
      }}
      onPointerCancel={() => {
        from.current = null;
        onCancel();
      }}
    />
  );
}
