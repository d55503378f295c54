/**
 * The least x (to `relative` or `absolute` width) with f(x) ≤ 0 for a falling f, from a bracket f(low) > 0 ≥ f(high); the answer has f ≤ 0.
 * Secant steps inside a shrinking bracket; an infinite f is met by halving.
 */
export function fallingRoot(
  f: (x: number) => number,
  low: number,
  high: number,
  relative = 1e-15,
  absolute = 0,
): number {
  let [a, b] = [low, high];
  let [fa, fb] = [f(a), f(b)];
  if (fa <= 0) return a;
  let stale = 0;
  for (let i = 0; i < 300; i++) {
    const width = b - a;
    const enough = Math.max(absolute, relative * Math.max(Math.abs(a), Math.abs(b)));
    if (!(width > enough)) break;
    const secant = b - (fb * width) / (fb - fa);
    const middle = a + width / 2;
    const inside = Number.isFinite(secant) && secant > a && secant < b && stale < 3;
    const nudge = 0.5 * enough;
    const x = inside ? Math.min(Math.max(secant, a + nudge), b - nudge) : middle;
    if (x <= a || x >= b) break;
    const fx = f(x);
    const before = width;
    if (!(fx <= 0)) {
      if (stale > 0) fb /= 2;
      [a, fa] = [x, fx];
    } else {
      if (stale > 0) fa /= 2;
      [b, fb] = [x, fx];
    }
    stale = b - a > before / 2 ? stale + 1 : 0;
    if (stale === 3) {
      fa = Math.max(fa, Number.MIN_VALUE);
      fb = Math.min(fb, 0);
    }
  }
  return b;
}

/** A point above `low` where a falling f is ≤ 0, by doubling the step; ∞ when there is none below `limit`. */
export function bracketAbove(f: (x: number) => number, low: number, step: number, limit = 1e308): number {
  for (let d = step, x = low + step; x < limit; d *= 2, x = low + d) if (f(x) <= 0) return x;
  return Number.POSITIVE_INFINITY;
}
