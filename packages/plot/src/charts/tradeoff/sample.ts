import { normalCdf } from "@dosimeter/core/internal";
import type { TradeoffFunction } from "@dosimeter/tradeoff";
import type { Frame } from "../../frame/frame.ts";
import type { Point } from "../../frame/marks.ts";
import type { AxesKind } from "./axes.ts";

/** How far, in pixels, the polyline may be from the curve. */
const FLAT = 0.12;
const MAX_DEPTH = 12;

/** α evenly spaced on the normal scale, from the far tail to the far end. */
const spread: readonly number[] = Array.from({ length: 61 }, (_, i) => normalCdf(-37 + (i * 45.2) / 60));

/** Points of a curve such that straight lines between them show it: kinks and end points exactly, bends by halving. */
export function sampleCurve(curve: TradeoffFunction, axes: AxesKind, { x, y }: Frame): readonly Point[] {
  const kinks =
    curve.atoms === null || curve.atoms.loss.length > 500
      ? curve.vertices().map((p) => p.alpha)
      : Array.from(curve.atoms.corners.alpha);
  const [from, to] = [axes.least, end(curve, axes)];
  const marks = [...new Set([from, ...spread, ...kinks, to])]
    .filter((alpha) => alpha >= from && alpha <= to)
    .sort((a, b) => a - b);
  const at = (alpha: number): Point => [alpha, axes.value(curve, alpha)];
  const points: Point[] = [];
  const add = (point: Point) => {
    const last = points.at(-1);
    const isSame =
      last !== undefined &&
      Math.abs(x.map(last[0]) - x.map(point[0])) < 0.04 &&
      Math.abs(y.map(last[1]) - y.map(point[1])) < 0.04;
    if (!isSame) points.push(point);
  };
  const fill = (left: Point, right: Point, depth: number) => {
    const alpha = x.invert((x.map(left[0]) + x.map(right[0])) / 2);
    if (depth < MAX_DEPTH && alpha > left[0] && alpha < right[0]) {
      const point = at(alpha);
      const share = (x.map(alpha) - x.map(left[0])) / (x.map(right[0]) - x.map(left[0]) || 1);
      const straight = y.map(left[1]) + share * (y.map(right[1]) - y.map(left[1]));
      if (Math.abs(y.map(point[1]) - straight) > FLAT) {
        fill(left, point, depth + 1);
        fill(point, right, depth + 1);
        return;
      }
    }
    add(right);
  };
  if (from === 0) points.push([0, axes.guess(0)]);
  let last = at(from);
  add(last);
  for (const alpha of marks.slice(1)) {
    const next = at(alpha);
    fill(last, next, 0);
    last = next;
  }
  const final = points.at(-1);
  if (final !== undefined && final[0] < to) points.push(last);
  return points;
}

/** The last α whose value is still on the picture. */
const end = (curve: TradeoffFunction, { most }: AxesKind): number =>
  most === 1 ? 1 : Math.min(most, Math.max(curve.inverse(1 - most), 0));
