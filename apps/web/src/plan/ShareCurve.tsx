import { formatNumber, inUnit, lineChart } from "@dosimeter/plot";
import {
  type AccountantOutcome,
  type Declaration,
  errorAt,
  mostFor,
  type PlanDraft,
  type PlanRow,
} from "@dosimeter/query";
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { useWidth } from "../parts/Figure.tsx";
import { SceneView } from "../parts/SceneView.tsx";
import "./share.css";

/** A share this near to all that is left is all of it: half of the last of three digits. */
const NEAR_ALL = 0.005;
const STEPS = 40;
const SPAN = 1000;
const HEIGHT = 240;
const UNITS = 1e12;
/** The words of a point nearer to the left edge than this stand to its right. */
const SAYS_LEFT_FROM = 160;

/**
 * The error of a row at every share it could have. Its point is dragged or moved with the arrow keys; the curve itself is drawn
 * once, so that a drag only moves the point.
 */
export function ShareCurve({
  row,
  label,
  draft,
  declaration,
  unit: errorsIn,
  target,
  outcomes,
  onShare,
}: {
  row: PlanRow;
  label: string;
  draft: PlanDraft;
  declaration: Declaration;
  /** The unit of the error. */
  unit: string | null;
  target: number | null;
  outcomes: readonly AccountantOutcome[];
  onShare: (units: bigint) => void;
}) {
  const [width, measure] = useWidth();
  const [dragged, setDragged] = useState<number | null>(null);
  const picture = useRef<HTMLDivElement>(null);
  const unit = row.rho === undefined ? "ε" : "ρ";
  const own = Number(row.rho ?? row.epsilon);
  const errorOf = (share: number): number | null =>
    errorAt(row, draft, declaration, BigInt(Math.max(1, Math.round(share * UNITS))));
  const curve = useMemo(() => {
    const most = Number(mostFor(draft, row)) / UNITS;
    const top = Math.max(most, own, 1e-6) * 1.2;
    const at = (step: number): number => (top / SPAN) * SPAN ** (step / STEPS);
    const points = Array.from({ length: STEPS + 1 }, (_, step) => at(step)).flatMap((share) => {
      const error = errorAt(row, draft, declaration, BigInt(Math.max(1, Math.round(share * UNITS))));
      return error === null || error <= 0 ? [] : [[share, error] as const];
    });
    return { most, top, points };
  }, [row, draft, declaration, own]);
  const chart = useMemo(() => {
    const others = outcomes.slice(0, 4).flatMap(({ accountant, errors }) => {
      const error = errors[row.id];
      return error === null || error === undefined ? [] : [[own, error, accountant] as const];
    });
    return lineChart(
      {
        title: `Error of ${label} by its share of the budget`,
        x: { label: `share of ${unit}`, scale: "log", domain: [curve.top / SPAN, curve.top] },
        y: { label: errorsIn === null ? "error ±" : `error ± (${errorsIn})`, scale: "log" },
        series: [
          { name: "error ±", points: curve.points },
          ...(others.length === 0
            ? []
            : [
                {
                  name: "nothing held, by accountant",
                  draw: "points" as const,
                  points: others.map(([x, y]) => [x, y] as const),
                },
              ]),
        ],
        shades:
          curve.most > 0 && curve.most < curve.top
            ? [{ from: curve.most, to: curve.top, label: "more than there is for this row" }]
            : [],
        references: [
          ...(target === null ? [] : [{ axis: "y" as const, value: target, label: "target" }]),
          ...(curve.most > 0 ? [{ axis: "x" as const, value: curve.most, label: "most there is" }] : []),
        ],
      },
      { width: Math.max(240, width), height: HEIGHT },
    );
  }, [curve, width, target, outcomes, label, own, row.id, unit, errorsIn]);
  if (curve.points.length < 2) return null;
  const share = dragged ?? own;
  const error = errorOf(share);
  const stated = `${unit} ${formatNumber(share, 3)}: ±${inUnit(formatNumber(error ?? 0, 3), errorsIn)}`;
  const handle = error === null ? null : chart.place({ x: share, y: error });
  const inside = (next: number): number => Math.min(curve.top, Math.max(curve.top / SPAN, next));
  const shareAt = (event: PointerEvent): number => {
    const left = picture.current?.getBoundingClientRect().left ?? 0;
    return inside(chart.xAt(event.clientX - left));
  };
  const commit = (next: number): void => {
    setDragged(null);
    // At its end the curve gives all that is left, to the last unit; elsewhere a pointer is precise to three digits.
    const isAll = Math.abs(next - curve.most) <= curve.most * NEAR_ALL;
    onShare(isAll ? mostFor(draft, row) : BigInt(Math.round(Number(next.toPrecision(3)) * UNITS)));
  };
  const onKey = (event: KeyboardEvent): void => {
    const factor = {
      ArrowUp: 1.05,
      ArrowRight: 1.05,
      ArrowDown: 1 / 1.05,
      ArrowLeft: 1 / 1.05,
      PageUp: 1.25,
      PageDown: 1 / 1.25,
    }[event.key];
    const next = event.key === "Home" ? curve.top / SPAN : event.key === "End" ? curve.most : factor && share * factor;
    if (next === undefined) return;
    event.preventDefault();
    commit(inside(next));
  };
  return (
    <div ref={measure}>
      <div ref={picture} className="share-curve">
        {width === 0 ? null : (
          <SceneView
            scene={chart.scene}
            label={`${chart.title}. With ${stated}. The most this row can get is ${unit} ${formatNumber(curve.most, 3)}.`}
          />
        )}
        {handle === null ? null : (
          <div
            role="slider"
            tabIndex={0}
            className="share-handle"
            data-says={handle.x < SAYS_LEFT_FROM ? "right" : undefined}
            aria-label={`Share of ${label}`}
            aria-valuemin={curve.top / SPAN}
            aria-valuemax={curve.top}
            aria-valuenow={share}
            aria-valuetext={stated}
            style={{ transform: `translate(${handle.x}px, ${handle.y}px)` }}
            onKeyDown={onKey}
            onPointerDown={(event) => {
              if (event.button !== 0) return;
              event.currentTarget.setPointerCapture(event.pointerId);
              setDragged(own);
            }}
            onPointerMove={(event) => {
              if (dragged !== null) setDragged(shareAt(event));
            }}
            onPointerUp={(event) => {
              if (dragged !== null) commit(shareAt(event));
            }}
            onPointerCancel={() => setDragged(null)}
          >
            <span>{stated}</span>
          </div>
        )}
      </div>
      <p className="soft small" style={{ margin: 0 }}>
        A bigger share makes a smaller error: half the error costs twice the{" "}
        {unit === "ε" ? "ε" : "ε, four times the ρ"}.
      </p>
    </div>
  );
}
