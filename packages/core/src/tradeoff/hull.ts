import type { TradeoffPoint } from "./curve.ts";

/** The corners of the lower convex hull, by rising α. Points on an edge and duplicates are left out. O(n log n). */
export function lowerHull(points: readonly TradeoffPoint[]): readonly TradeoffPoint[] {
  const alpha = Float64Array.from(points, (point) => point.alpha);
  const beta = Float64Array.from(points, (point) => point.beta);
  return hullIndices(alpha, beta).map((i) => ({ alpha: alpha[i] ?? 0, beta: beta[i] ?? 0 }));
}

/** Which points are corners of the lower hull, by rising α; sorts only what is not sorted. */
export function hullIndices(alpha: Float64Array, beta: Float64Array): readonly number[] {
  const x = (i: number) => alpha[i] ?? 0;
  const y = (i: number) => beta[i] ?? 0;
  const order = inOrder(alpha, beta);
  const hull = new Int32Array(alpha.length);
  let size = 0;
  for (const i of order) {
    if (size > 0 && x(hull[size - 1] ?? 0) === x(i)) continue;
    while (size > 1) {
      const [a, b] = [hull[size - 2] ?? 0, hull[size - 1] ?? 0];
      if ((x(b) - x(a)) * (y(i) - y(a)) - (y(b) - y(a)) * (x(i) - x(a)) > 0) break;
      size--;
    }
    hull[size++] = i;
  }
  return Array.from(hull.subarray(0, size));
}

/** Indices by rising α, then rising β. */
function inOrder(alpha: Float64Array, beta: Float64Array): Int32Array {
  const order = Int32Array.from(alpha, (_, i) => i);
  const compare = (i: number, j: number) => (alpha[i] ?? 0) - (alpha[j] ?? 0) || (beta[i] ?? 0) - (beta[j] ?? 0);
  for (let i = 1; i < order.length; i++) if (compare(i - 1, i) > 0) return order.sort(compare);
  return order;
}
