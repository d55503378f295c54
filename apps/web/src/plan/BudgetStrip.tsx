import { leftBelow, type PlanDraft } from "@dosimeter/planner";
import { budgetBar, budgetEdges, formatNumber } from "@dosimeter/plot";
import { type KeyboardEvent, useRef, useState } from "react";
import { Figure } from "../parts/Figure.tsx";
import { isMore, lessOf, sumOf, sweptOf } from "../sums.ts";
import type { WorkRow } from "./workbench.ts";
import "./share.css";

/** A boundary in the budget bar that is dragged, or moved with the arrow keys. Movements are in pixels from its start. */
function ShareBoundary({
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

const MAX_NAMED = 12;
/** A boundary is offered where it is not on top of the one before it. */
const NARROWEST = 24;

interface Moved {
  readonly at: number;
  /** ε of the row before the boundary. */
  readonly epsilon: string;
}

/** The plan's ε, one segment for each row, with what is kept in reserve and what is left. Dragging a boundary edits two shares. */
export function BudgetStrip({
  rows,
  draft,
  onShares,
}: {
  rows: readonly WorkRow[];
  draft: PlanDraft;
  /** New shares of two neighbours, whose sum is as before. */
  onShares: (shares: readonly { readonly row: WorkRow; readonly epsilon: string }[]) => void;
}) {
  const [moved, setMoved] = useState<Moved | null>(null);
  const paid = rows.filter((row) => row.quote !== null && row.rho === null && Number(row.epsilon) > 0);
  const spent = sumOf(paid.map((row) => row.epsilon));
  const kept = draft.headroom === null ? (Number(draft.epsilon) * Number(draft.reserve)).toFixed(12) : "0";
  // Accountants other than addition may let the shares sum to more than ε.
  const isBeyond = isMore(spent, draft.epsilon);
  // The rows cannot have more than the account.
  const whole = leftBelow(draft) ?? draft.epsilon;
  const left = isMore(spent, whole) ? "0" : lessOf(whole, spent);
  const unshared = isMore(left, kept) ? lessOf(left, kept) : "0";
  const free = sweptOf(unshared, rows.length);
  const isOver = isMore(draft.over, "0");
  const named = paid.slice(0, MAX_NAMED);
  const rest = paid.slice(MAX_NAMED);
  const pairOf = (at: number): string => sumOf(named.slice(at, at + 2).map((row) => row.epsilon));
  const shareOf = (row: WorkRow, index: number): string =>
    moved?.at === index
      ? moved.epsilon
      : moved?.at === index - 1
        ? lessOf(pairOf(moved.at), moved.epsilon)
        : row.epsilon;
  const spec = {
    title: "How the plan’s ε is divided",
    total: isBeyond && !isOver ? spent : whole,
    unit: "ε",
    segments: [
      ...named.map((row, index) => ({
        label: row.quote?.label ?? "",
        amount: shareOf(row, index),
        kind: "row" as const,
        row: index,
      })),
      ...(rest.length === 0
        ? []
        : [
            {
              label: `${rest.length} more`,
              amount: sumOf(rest.map((row) => row.epsilon)),
              kind: "allocated" as const,
            },
          ]),
      ...(Number(kept) > 0 ? [{ label: "Reserve", amount: kept, kind: "spent" as const }] : []),
      ...(free === "0" ? [] : [{ label: "Left", amount: free, kind: "free" as const }]),
    ],
    ...(isBeyond && isOver ? { over: lessOf(spent, draft.epsilon) } : {}),
  };

  const boundaries = (width: number) => {
    const edges = budgetEdges(spec, width);
    const perPixel = edges.scale / (width - 2);
    let last = Number.NEGATIVE_INFINITY;
    return named.slice(0, -1).flatMap((row, at) => {
      const x = edges.ends[at] ?? 0;
      const next = named[at + 1];
      if (next === undefined || (x - last < NARROWEST && moved?.at !== at)) return [];
      last = x;
      const [pair, own] = [Number(pairOf(at)), Number(shareOf(row, at))];
      const inside = (epsilon: number): string => decimal(Math.min(Math.max(epsilon, pair / 100), pair - pair / 100));
      const names = [row.quote?.label ?? "", next.quote?.label ?? ""] as const;
      return [
        <ShareBoundary
          key={row.id}
          x={x}
          label={`Boundary between ${names[0]} and ${names[1]}`}
          value={own}
          most={pair}
          text={`${names[0]} ε ${formatNumber(own, 3)}, ${names[1]} ε ${formatNumber(pair - own, 3)}`}
          onMove={(pixels) => setMoved({ at, epsilon: inside(Number(row.epsilon) + pixels * perPixel) })}
          onCancel={() => setMoved(null)}
          onTake={(pixels) => {
            setMoved(null);
            const epsilon = inside(Number(row.epsilon) + pixels * perPixel);
            if (Math.abs(pixels) < 1) return;
            onShares([
              { row, epsilon },
              { row: next, epsilon: lessOf(pairOf(at), epsilon) },
            ]);
          }}
          step={edges.scale / 100 / perPixel}
        />,
      ];
    });
  };

  return <Figure isBare chart={(size) => budgetBar(spec, size)} overlay={boundaries} />;
}

/** A pointer is precise to three digits. */
const decimal = (value: number): string => String(Number(value.toPrecision(3)));
