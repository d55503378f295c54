import { gdpEpsilon, type Lower, type Upper } from "@dosimeter/core/accounting";
import { asLower, asUpper, bracketAbove, enlarge, fallingRoot, UNIT_ROUNDOFF } from "@dosimeter/core/internal";
import { type Atoms, largestOf, lossError } from "./atoms.ts";
import { checkNonNegative, checkRate } from "./check.ts";
import type { TradeoffFunction } from "./curve.ts";
import { type FullPoint, lossRange, meeting, type Tangent, tangentAt } from "./envelope.ts";
import { upperQuantile } from "./gdp.ts";

/**
 * The least δ with f_{ε,δ} ≤ f: the divergence in both directions [M61]. Holds on all of [0, 1], not on a grid.
 */
export function leastDelta(curve: TradeoffFunction, epsilon: number): Upper {
  checkNonNegative(epsilon, "epsilon");
  const { atoms, definition } = curve;
  const read = (x: number): number => {
    const there = curve.divergence(x);
    return clampRate(curve.isSymmetric ? there : Math.max(there, curve.inverted().divergence(x)));
  };
  if (isPoints(curve)) return asUpper(read(epsilon), "measured");
  if (atoms !== null && !("epsdelta" in definition)) return atomsDelta(atoms, epsilon, read);
  // Read as a decimal, ε may lie below its double, by a part that matters near the largest loss.
  const delta = read(epsilon < curve.logSlope(0) ? epsilon * (1 - 4 * UNIT_ROUNDOFF) : epsilon);
  const isItself = "epsdelta" in definition && delta === definition.epsdelta[1];
  return isItself ? asUpper(delta, "exact") : asUpper(Math.min(1, asUpper(delta, ROOM)), "of bounds");
}

/** δ of pieces rounded up: it is read a little before ε, by as much as a loss may be off. From the largest loss on only the mass at ∞ is left. */
function atomsDelta(atoms: Atoms, epsilon: number, read: (x: number) => number): Upper {
  if (epsilon >= largestOf(atoms)) return asUpper(Math.max(atoms.jump, atoms.rest), "one-sided");
  const delta = read(Math.max(0, epsilon - lossError(atoms)));
  const more = asUpper(delta, atoms.error / 2 + 32) + atoms.loss.length * Number.MIN_VALUE;
  return asUpper(Math.min(1, more), "one-sided");
}

/** Sums of masses below it may have lost digits, or masses: only the largest loss is known. */
const FAINT = 1e-290;

/** Room of a closed form and of a divergence, in units of the last place: about 10⁻¹⁴. */
const ROOM = 48;

/** Whether a curve is drawn through points that someone measured, known to half a unit of their last place. */
export const isPoints = ({ definition }: TradeoffFunction): boolean => "points" in definition;

/**
 * The least ε with f_{ε,δ} ≤ f; ∞ where there is none (δ below the mass of outcomes that are distinguished with
 * certainty).
 */
export function leastEpsilon(curve: TradeoffFunction, delta: number): Upper {
  checkRate(delta, "delta");
  const known = closedEpsilon(curve, delta);
  if (known !== null) return known;
  if (curve.atoms !== null) {
    return isPoints(curve)
      ? asUpper(atomsEpsilon(curve.atoms, delta).value, "measured")
      : atomsUpperEpsilon(curve.atoms, delta);
  }
  const there = oneWayEpsilon(curve, delta);
  return curve.isSymmetric ? there : asUpper(Math.max(there, oneWayEpsilon(curve.inverted(), delta)), "of bounds");
}

function closedEpsilon({ definition }: TradeoffFunction, delta: number): Upper | null {
  if ("epsdelta" in definition) {
    const [epsilon, mass] = definition.epsdelta;
    if (delta < mass) return asUpper(Number.POSITIVE_INFINITY, "exact");
    if (delta === mass) return asUpper(mass === 1 ? 0 : epsilon, "exact");
    return reduced(epsilon, 1, ((delta - mass) / (1 - mass)) * (1 + Math.exp(-epsilon)));
  }
  if ("gdp" in definition) return asUpper(gdpEpsilon(enlarge(definition.gdp ** 2, 1), delta), "one-sided");
  if ("lap" in definition) return reduced(definition.lap, 2, delta);
  if ("boundedRange" in definition) {
    const epsilon = definition.boundedRange;
    return reduced(epsilon, 2, Math.sqrt(delta * -Math.expm1(-epsilon)));
  }
  return null;
}

/** ε + times·ln(1 − share), at least 0, of a share that is right to four units of its last place. */
function reduced(epsilon: number, times: number, share: number): Upper {
  if (share === 0) return asUpper(epsilon, "exact");
  const log = times * Math.log1p(-Math.min(asLower(share, 4), 1 - UNIT_ROUNDOFF));
  return asUpper(Math.max(0, epsilon + log - 4 * UNIT_ROUNDOFF * log + 2 * UNIT_ROUNDOFF * epsilon), "one-sided");
}

/** The ε from which an upper bound of δ is at most `delta`: never below the least one. */
function oneWayEpsilon(curve: TradeoffFunction, delta: number): Upper {
  const outright = curve.power(0);
  if (outright > delta) return asUpper(Number.POSITIVE_INFINITY, "exact");
  if (asUpper(curve.divergence(0), ROOM) <= delta) return asUpper(0, "exact");
  const steepest = asUpper(Math.max(0, curve.logSlope(0)), 4);
  if (outright === delta) return steepest;
  const target = Math.log(asLower(delta, ROOM));
  const above = (x: number): number => Math.log(curve.divergence(x)) - target;
  const enough = Number.isFinite(steepest) ? steepest : bracketAbove(above, 0, 1, MAX_EPSILON);
  return above(enough) > 0 ? steepest : asUpper(fallingRoot(above, 0, enough, 4e-16), 4);
}

/** Above this an ε is not looked for. */
const MAX_EPSILON = 1e12;

/**
 * An upper bound on max over corners of ln((1 − δ − β)/α) and ln((1 − δ − α)/β) [M70]: each mass is taken as large as its error lets
 * it be, and no ε is above the largest loss.
 */
function atomsUpperEpsilon(atoms: Atoms, delta: number): Upper {
  const { corners, jump, rest, error } = atoms;
  if (jump > delta || rest > delta) return asUpper(Number.POSITIVE_INFINITY, "exact");
  if (delta < FAINT) return asUpper(largestOf(atoms), "one-sided");
  const [more, less] = [1 + error * UNIT_ROUNDOFF, 1 - error * UNIT_ROUNDOFF];
  const bound = (gain: number, cost: number): number => {
    const excess = gain * more - delta;
    if (!(excess > 0)) return 0;
    if (cost < FAINT) return Number.POSITIVE_INFINITY;
    const value = Math.log(excess) - Math.log(cost * less);
    return value + 4 * UNIT_ROUNDOFF * (1 + Math.abs(value));
  };
  let most = 0;
  const last = corners.alpha.length - 1;
  for (let i = 0; i <= last; i++) {
    const { alpha, beta, power, coAlpha } = cornerAt({ corners }, i);
    most = Math.max(most, i > 0 ? bound(power, alpha) : 0, i < last ? bound(coAlpha, beta) : 0);
  }
  return asUpper(Math.min(most, largestOf(atoms)), "one-sided");
}

/** A maximum over the corners of a piecewise-linear curve, and how much of it may be rounding of the corners. */
export interface CornerMaximum {
  readonly value: number;
  readonly slack: number;
}

const NO_BOUND: CornerMaximum = Object.freeze({ value: Number.POSITIVE_INFINITY, slack: 0 });

/** max over corners of measured points of ln((1 − δ − β)/α) and ln((1 − δ − α)/β), at least 0 [M70]. */
export function atomsEpsilon({ corners }: Atoms, delta: number): CornerMaximum {
  let best: CornerMaximum = { value: 0, slack: 0 };
  for (let i = 0; i < corners.alpha.length; i++) {
    const [alpha, beta] = [corners.alpha[i] ?? 0, corners.beta[i] ?? 0];
    for (const [gain, cost] of [
      [corners.power[i] ?? 0, alpha],
      [corners.coAlpha[i] ?? 0, beta],
    ] as const) {
      const excess = gain - delta;
      if (excess <= UNIT_ROUNDOFF * (1 - gain + delta)) continue;
      if (cost === 0) return NO_BOUND;
      const value = Math.log(excess) - Math.log(cost);
      const slack = UNIT_ROUNDOFF * ((1 - gain + delta) / excess + 2 + Math.abs(value));
      if (value - slack > best.value - best.slack) best = { value, slack };
    }
  }
  return best;
}

/** max over corners of 1 − β − e^ε·α and 1 − α − e^ε·β, at least 0, with its slack [M70]. */
export function atomsDeltaSlack({ corners }: Atoms, epsilon: number): number {
  let most = 0;
  const grow = Math.exp(epsilon);
  for (let i = 0; i < corners.alpha.length; i++) {
    const [alpha, beta] = [corners.alpha[i] ?? 0, corners.beta[i] ?? 0];
    most = Math.max(most, beta + Math.min(1, grow * alpha), alpha + Math.min(1, grow * beta));
  }
  return UNIT_ROUNDOFF * most;
}

/**
 * max over corners of z(α) + z(β), at least 0 [M70]: on a straight piece G_μ lies below its chord, so corners suffice. `upper` is not
 * below the truth however the corners were rounded.
 */
export function atomsMu({ corners, error }: Atoms): CornerMaximum & { readonly upper: number } {
  let best: CornerMaximum = { value: 0, slack: 0 };
  let upper = 0;
  for (let i = 0; i < corners.alpha.length; i++) {
    const point = cornerAt({ corners }, i);
    const value = gaussianAt(point);
    if (value === Number.POSITIVE_INFINITY) return { ...NO_BOUND, upper: value };
    const rounding = sensitivity(point.alpha, point.coAlpha) + sensitivity(point.beta, point.power);
    const slack = UNIT_ROUNDOFF * (error * rounding + 8 * (Math.abs(value) + 1));
    if (value - slack > best.value - best.slack) best = { value, slack };
    if (value > 0) upper = Math.max(upper, value + slack);
  }
  return { ...best, upper };
}

const cornerAt = ({ corners }: Pick<Atoms, "corners">, i: number) => ({
  alpha: corners.alpha[i] ?? 0,
  coAlpha: corners.coAlpha[i] ?? 0,
  beta: corners.beta[i] ?? 0,
  power: corners.power[i] ?? 0,
});

/** How far z moves when its argument moves by half a unit of its last place. */
function sensitivity(rate: number, rest: number): number {
  if (rate === 0 || rest === 0) return 0;
  const z = upperQuantile(Math.min(rate, rest));
  return rate * Math.sqrt(2 * Math.PI) * Math.exp((z * z) / 2);
}

/**
 * z(α) + z(β) from the smaller side of each; every Gaussian lies below (0, 1) and (1, 0), none lies below (0, β < 1).
 */
function gaussianAt(point: FullPoint & { readonly coAlpha?: number }): number {
  const { alpha, beta, power, coAlpha = 1 - alpha } = point;
  if (alpha === 0) return power > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if (beta === 0) return coAlpha > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const zAlpha = alpha <= 0.5 ? upperQuantile(alpha) : -upperQuantile(coAlpha);
  const zBeta = beta <= 0.5 ? upperQuantile(beta) : -upperQuantile(power);
  return zAlpha + zBeta;
}

/** The least μ with G_μ ≤ f lies in [low, high]; high is a guarantee. */
export interface MuBracket {
  readonly low: Lower;
  readonly high: Upper;
}

/** The least μ with G_μ ≤ f on the continuum [M71]; ∞ where none lies below. */
export const leastMu = (curve: TradeoffFunction): Upper => muBracket(curve).high;

export function muBracket(curve: TradeoffFunction): MuBracket {
  const { mu: known, isLeast } = curve.gaussian;
  if (isLeast) return { low: asLower(known, 2 * ROOM), high: known };
  if (curve.atoms !== null) {
    const { value, upper } = atomsMu(curve.atoms);
    const high = isPoints(curve) ? asUpper(value, "measured") : asUpper(upper, "one-sided");
    return {
      low: asLower(curve.isExact ? Math.min(value, known) : 0, ROOM),
      high: asUpper(Math.min(high, known), "of bounds"),
    };
  }
  const { low, high } = searchMu(curve, known);
  return { low: asLower(Math.min(low, known), ROOM), high: asUpper(Math.min(high, known), "of bounds") };
}

const ENOUGH_CELLS = 20_000;
const FINE = 1e-13;

/** Branch and bound between tangents: points of the curve bound μ from below, corners of its tangents from above. */
function searchMu(curve: TradeoffFunction, known: Upper): MuBracket {
  if (curve.power(0) > 0 || curve.inverted().power(0) > 0) {
    return { low: asLower(Number.POSITIVE_INFINITY, "exact"), high: asUpper(Number.POSITIVE_INFINITY, "exact") };
  }
  const [from, to] = lossRange(curve);
  const first: Tangent[] = [];
  for (let i = 0; i <= 64; i++) first.push(tangentAt(curve, to + ((from - to) * i) / 64));
  let low = Math.max(0, ...first.map(gaussianAt));
  if (low >= known * (1 - FINE)) return { low: asLower(low, ROOM), high: known };
  let cells: (readonly [Tangent, Tangent])[] = first.slice(1).map((tangent, i) => [first[i] ?? tangent, tangent]);
  let high = curve.logSlope(0) === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : 0;
  for (let used = 0; cells.length > 0 && used < ENOUGH_CELLS; ) {
    const next: (readonly [Tangent, Tangent])[] = [];
    for (const [left, right] of cells) {
      const bound = gaussianAt(meeting(left, right));
      const middle = (left.loss + right.loss) / 2;
      if (bound <= low + FINE * (1 + low) || left.loss - right.loss < 1e-9) {
        high = Math.max(high, bound);
        continue;
      }
      used++;
      const between = tangentAt(curve, middle);
      low = Math.max(low, gaussianAt(between));
      next.push([left, between], [between, right]);
    }
    cells = next;
  }
  for (const [left, right] of cells) high = Math.max(high, gaussianAt(meeting(left, right)));
  return { low: asLower(low, ROOM), high: asUpper(Math.max(low, high), ROOM) };
}

const clampRate = (value: number): number => Math.min(1, Math.max(0, value));
