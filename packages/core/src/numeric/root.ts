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

/**
 * x in [low, high] where a non-decreasing function changes sign, to the last bits: secant steps kept inside the
 * bracket, bisection where they do not halve it. `low` where the function is ≥ 0 there, `high` where it is ≤ 0 there.
 */
export function risingRoot(fn: (x: number) => number, low: number, high: number): number {
  let [a, b] = [low, high];
  let [fa, fb] = [fn(a), fn(b)];
  if (fa >= 0) return a;
  if (fb <= 0) return b;
  for (let i = 0; i < 200; i++) {
    const width = b - a;
    const middle = a + width / 2;
    if (middle <= a || middle >= b) break;
    let x = Number.isFinite(fa) && Number.isFinite(fb) ? a - (fa * width) / (fb - fa) : middle;
    if (i % 3 === 2 || !(x > a && x < b)) x = middle;
    const fx = fn(x);
    if (fx === 0) return x;
    if (fx < 0) [a, fa] = [x, fx];
    else [b, fb] = [x, fx];
    // Secant steps approach from one end; a step just beyond the root moves the other end too.
    if (b - a > width / 2) {
      const nudge = Math.max(Math.abs(x) * 4e-16, (b - a) * 1e-3);
      const y = fx < 0 ? a + nudge : b - nudge;
      if (y > a && y < b) {
        const fy = fn(y);
        if (fy < 0) [a, fa] = [y, fy];
        else [b, fb] = [y, fy];
      }
    }
  }
  return Math.abs(fa) < Math.abs(fb) ? a : b;
}

/**
 * x in [low, high] where a convex function is least, to about 1e-9 of the width (its value to about 1e-18) or to `absolute`: parabolas
 * through the three lowest points, and golden sections where one leaves the bracket or does not halve its steps (Brent 1973, chapter 5).
 */
export function leastAt(fn: (x: number) => number, low: number, high: number, absolute = 0): number {
  const golden = (3 - Math.sqrt(5)) / 2;
  let [a, b] = [low, high];
  let [x, step, before] = [a + golden * (b - a), 0, 0];
  let fx = fn(x);
  let [w, fw, v, fv] = [x, fx, x, fx];
  for (let i = 0; i < 60; i++) {
    const enough = Math.max(absolute, 1e-12 * Math.max(1e-9, Math.abs(a) + Math.abs(b))) / 2;
    const middle = (a + b) / 2;
    if (Math.abs(x - middle) <= 2 * enough - (b - a) / 2) break;
    const r = (x - w) * (fx - fv);
    const q = (x - v) * (fx - fw);
    const jump = ((x - w) * r - (x - v) * q) / (2 * (q - r));
    const isParabola = Math.abs(jump) < Math.abs(before) / 2 && x + jump > a && x + jump < b;
    before = isParabola ? step : x < middle ? b - x : a - x;
    step = isParabola ? jump : golden * before;
    const next = x + (Math.abs(step) >= enough ? step : Math.sign(step || middle - x) * enough);
    const value = fn(next);
    if (value <= fx) {
      if (next < x) b = x;
      else a = x;
      [v, fv, w, fw, x, fx] = [w, fw, x, fx, next, value];
    } else {
      if (next < x) a = next;
      else b = next;
      if (value <= fw || w === x) [v, fv, w, fw] = [w, fw, next, value];
      else if (value <= fv || v === x || v === w) [v, fv] = [next, value];
    }
  }
  return x;
}

/** The sign change of an f that is ≤ 0 at `low` and > 0 at `high`, to the last bit. */
export function bisect(f: (x: number) => number, low: number, high: number): number {
  let [lo, hi] = [low, high];
  for (let step = 0; step < 2000; step++) {
    const mid = lo > 0 && hi > 2 * lo ? Math.sqrt(lo) * Math.sqrt(hi) : (lo + hi) / 2;
    if (mid <= lo || mid >= hi) break;
    if (f(mid) <= 0) lo = mid;
    else hi = mid;
  }
  return (lo + hi) / 2;
}

/** A bracket after some halvings: a rising condition holds at `high` and not at `low`. */
export function halved(
  holds: (x: number) => boolean,
  low: number,
  high: number,
  times: number,
): readonly [low: number, high: number] {
  let [below, above] = [low, high];
  for (let i = 0; i < times; i++) {
    const middle = (below + above) / 2;
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return [below, above];
}

/** As `leastWhole`, of safe integers. */
export function leastIndex(holds: (value: number) => boolean, low: number, high: number): number {
  let [below, least] = [low, high];
  while (least - below > 1) {
    const middle = below + Math.floor((least - below) / 2);
    if (holds(middle)) least = middle;
    else below = middle;
  }
  return least;
}

/** The least whole number above `low` for which a rising condition holds; it holds at `high`. */
export function leastWhole(holds: (value: bigint) => boolean, low: bigint, high: bigint): bigint {
  let [below, least] = [low, high];
  while (least - below > 1n) {
    const middle = (below + least) >> 1n;
    if (holds(middle)) least = middle;
    else below = middle;
  }
  return least;
}

/** The largest whole number for which a falling condition holds; it holds at 0. */
export function largestWhole(holds: (value: bigint) => boolean): bigint {
  let high = 1n;
  while (holds(high)) high *= 2n;
  return leastWhole((value) => !holds(value), high / 2n, high) - 1n;
}
