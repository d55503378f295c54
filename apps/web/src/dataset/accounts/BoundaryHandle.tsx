import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { formatRoom } from "../../parts/Amount.tsx";
import { after, type Boundary, limitsOf, type Shift, shiftBy, stepOf } from "./boundary.ts";

/** The boundary between two accounts: dragged, or moved with the arrow keys. Nothing is changed until it is confirmed. */
export function BoundaryHandle({
  of: boundary,
  shift,
  onShift,
}: {
  of: Boundary;
  /** How far it has been moved so far. */
  shift: Shift | null;
  onShift: (shift: Shift | null) => void;
}) {
  const { left, right, x, y, height } = boundary;
  const held = useRef<{ readonly x: number; readonly units: bigint; readonly scale: number } | null>(null);
  const now = shift ?? shiftBy(boundary, 0n);
  const step = stepOf(boundary);
  const [least, most] = limitsOf(boundary);
  const move = (units: bigint) => onShift(shiftBy(boundary, units));
  const onKeyDown = (event: KeyboardEvent) => {
    const to: Readonly<Record<string, bigint>> = {
      ArrowLeft: now.units - step,
      ArrowDown: now.units - step,
      ArrowRight: now.units + step,
      ArrowUp: now.units + step,
      Home: least,
      End: most,
    };
    const units = to[event.key];
    if (units === undefined && event.key !== "Escape") return;
    event.preventDefault();
    if (units === undefined) onShift(null);
    else move(units);
  };
  const onPointerMove = (event: PointerEvent) => {
    const from = held.current;
    if (from === null) return;
    const steps = Math.round(((event.clientX - from.x) * from.scale * 1e12) / Number(step));
    move(from.units + BigInt(steps) * step);
  };
  const sides = after(now);
  const start = Number(left.quota.epsilon);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule separates, this one is moved and has a value
    <div
      role="separator"
      tabIndex={0}
      className="boundary"
      style={{ left: x - 6, top: y, height }}
      aria-orientation="vertical"
      aria-label={`Boundary between ${left.name} and ${right.name}`}
      aria-valuemin={start - Number(left.free.epsilon)}
      aria-valuemax={start + Number(right.free.epsilon)}
      aria-valuenow={Number(sides.left)}
      aria-valuetext={`${left.name} ε ${formatRoom(sides.left)}, ${right.name} ε ${formatRoom(sides.right)}`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        held.current = { x: event.clientX, units: now.units, scale: boundary.scale };
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        held.current = null;
      }}
      onPointerCancel={() => {
        held.current = null;
      }}
    />
  );
}
