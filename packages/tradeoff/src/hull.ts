import type { TradeoffPoint } from "./curve.ts";

/** The corners of the lower convex hull, by rising α. Points on an edge and duplicates are left out. O(n log n). */
export function lowerHull(points: readonly TradeoffPoint[]): readonly TradeoffPoint[] {
  const alpha = new Float64Array(points.map((point) => point.alpha));
  const beta = new Float64Array(points.map((point) => point.beta));
  return [...hullIndices(alpha, beta)].map((i) => ({ alpha: alpha[i] ?? 0, beta: beta[i] ?? 0 }));
}

/** Which points are corners of the lower hull, by rising α; sorts only what is not sorted. */
export function hullIndices(alpha: Float64Array, beta: Float64Array): Int32Array {
  const order = inOrder(alpha, beta);
  const hull = new Int32Array(alpha.length);
  const x = new Float64Array(alpha.length);
  const y = new Float64Array(alpha.length);
  let size = 0;
  for (let n = 0; n < alpha.length; n++) {
    const i = order === null ? n : (order[n] ?? 0);
    const [px, py] = [alpha[i] ?? 0, beta[i] ?? 0];
    if (size > 0 && x[size - 1] === px) continue;
    while (size > 1) {
      const ax = x[size - 2] ?? 0;
      const ay = y[size - 2] ?? 0;
      if (((x[size - 1] ?? 0) - ax) * (py - ay) - ((y[size - 1] ?? 0) - ay) * (px - ax) > 0) break;
      size--;
    }
    x[size] = px;
    y[size] = py;
    hull[size++] = i;
  }
  return hull.slice(0, size);
}

/** Indices by rising α, then rising β; null where the points are in that order already. */
function inOrder(alpha: Float64Array, beta: Float64Array): Int32Array | null {
  let isSorted = true;
  for (let i = 1; i < alpha.length && isSorted; i++) {
    const step = (alpha[i] ?? 0) - (alpha[i - 1] ?? 0);
    isSorted = step > 0 || (step === 0 && (beta[i] ?? 0) >= (beta[i - 1] ?? 0));
  }
  if (isSorted) return null;
  const order = Int32Array.from(alpha, (_, i) => i);
  return order.sort((i, j) => (alpha[i] ?? 0) - (alpha[j] ?? 0) || (beta[i] ?? 0) - (beta[j] ?? 0));
}
