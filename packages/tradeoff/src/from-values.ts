import { normalCdf, risingRoot } from "@dosimeter/core/internal";
import { type Atom, type Atoms, atomsOf } from "./atoms.ts";

/** A test: α, the greatest power that a bound allows there, and β. */
export interface BoundPoint {
  readonly alpha: number;
  readonly power: number;
  readonly beta: number;
}

/**
 * The pieces of a lower bound of a symmetric convex curve that is known only by its values: between two of them it lies
 * above the extended chords of their neighbours [M69]. Error of second order in the spacing, which is finer
 * towards the middle of the normal scale.
 */
export function atomsFromValues(value: (alpha: number) => BoundPoint, samples: number): Atoms {
  const diagonal = risingRoot((alpha) => alpha - value(alpha).beta, 0, 0.5);
  const points: BoundPoint[] = [];
  for (let i = 0; i < samples; i++) {
    const alpha = normalCdf(-36.5 * (1 - i / (samples - 1)) ** 2);
    if (alpha >= diagonal * (1 - 1e-9)) break;
    points.push(value(alpha));
  }
  points.push({ alpha: diagonal, power: 1 - diagonal, beta: diagonal });
  return mirrored(outerCorners(points));
}

interface Corner {
  readonly alpha: number;
  readonly power: number;
}

/** Where the extended chords on both sides of each gap meet; above every value in between. */
function outerCorners(points: readonly BoundPoint[]): readonly Corner[] {
  const slope = (i: number): number => {
    const [a, b] = [points[i], points[i + 1]];
    // At the diagonal a symmetric curve has a support of slope −1.
    if (a === undefined || b === undefined) return 1;
    return (b.power - a.power) / (b.alpha - a.alpha);
  };
  const first = points[0] ?? { alpha: 0, power: 0 };
  const corners: Corner[] = [{ alpha: 0, power: Math.max(0, first.power - slope(0) * first.alpha) }];
  for (let i = 0; i + 1 < points.length; i++) {
    const [left, right] = [points[i], points[i + 1]];
    if (left === undefined || right === undefined) continue;
    const [before, after] = [i === 0 ? Number.POSITIVE_INFINITY : slope(i - 1), slope(i + 1)];
    if (before === Number.POSITIVE_INFINITY) continue;
    const width = right.alpha - left.alpha;
    const extra = right.power - left.power - after * width;
    const step = before > after ? Math.min(width, Math.max(0, extra / (before - after))) : 0;
    corners.push({ alpha: left.alpha + step, power: left.power + before * step });
  }
  return corners;
}

/** The concave hull of the corners left of the diagonal, a stretch of slope −1, and the mirror image. */
function mirrored(corners: readonly Corner[]): Atoms {
  const hull: Corner[] = [];
  for (const corner of corners) {
    if (corner.alpha > 1 - corner.power) break;
    while (hull.length > 1) {
      const [a, b] = [hull[hull.length - 2], hull[hull.length - 1]];
      if (a === undefined || b === undefined) break;
      if ((b.power - a.power) * (corner.alpha - a.alpha) > (corner.power - a.power) * (b.alpha - a.alpha)) break;
      hull.pop();
    }
    hull.push(corner);
  }
  const list: Atom[] = [];
  for (let i = 1; i < hull.length; i++) {
    const [a, b] = [hull[i - 1], hull[i]];
    if (a === undefined || b === undefined) continue;
    const [p, q] = [b.alpha - a.alpha, b.power - a.power];
    const loss = Math.max(0, Math.log(q) - Math.log(p));
    list.push({ loss, p, q }, { loss: -loss, p: q, q: p });
  }
  const end = hull.at(-1) ?? { alpha: 0, power: 0 };
  const middle = Math.max(0, 1 - end.power - end.alpha);
  const jump = hull[0]?.power ?? 0;
  return atomsOf([...list, { loss: 0, p: middle, q: middle }], jump, jump);
}
