import { nextUp } from "../amounts/double.ts";
import { invalid } from "../error.ts";
import type { DpEvent } from "../event.ts";
import type { Adjacency } from "../filter/adjacency.ts";
import { gaussianDelta } from "../numeric/gaussian-profile.ts";
import { normalCdf } from "../numeric/special.ts";
import type { Work } from "../work.ts";
import { type Composition, compositions } from "./composition.ts";
import { distributionOf, type PrivacyLossDirection } from "./pld.ts";

/** The cost of a plan, with all parameters fixed before any answer, for a filter of remaining μ² [M55]. */
export interface PlanPrice {
  /** μ² to take from r; Infinity when r cannot pay. */
  readonly cost: number;
  /** The increase of Σδ, the plan's own δ included. */
  readonly eta: number;
}

/**
 * The least c, to 10⁻³ of itself, for which δ of (plan ⊕ a Gaussian of μ² = r − c) stays below δ_Gauss(x; r) + η at every
 * real x, in both directions [M55]. The supremum over x is certified by convexity in e^x, not sampled. [M319]
 */
export function planPrice(
  events: readonly DpEvent[],
  {
    mu2,
    eta,
    adjacency,
    work,
  }: { readonly mu2: number; readonly eta: number; readonly adjacency?: Adjacency; readonly work?: Work },
): PlanPrice {
  if (!(mu2 >= 0 && mu2 < Number.POSITIVE_INFINITY)) {
    invalid("mu2", mu2, ">= 0 and finite");
  }
  if (!(eta >= 0 && eta < 1)) invalid("eta", eta, ">= 0 and < 1");
  const parts = compositions(events, adjacency, work);
  const [first] = parts;
  if (first === undefined) return { cost: 0, eta: 0 };
  if (first.classes.length === 0) {
    const cost = parts.reduce((high, { muSquared }) => Math.max(high, muSquared), 0);
    return cost <= mu2 ? { cost, eta: 0 } : { cost: Number.POSITIVE_INFINITY, eta: 0 };
  }
  if (eta === 0) {
    invalid("eta", eta, "> 0 for a plan that is not Gaussian");
  }
  const fits = (cost: number): boolean => arePaid(parts, { mu2, remaining: mu2 - cost, eta });
  if (!fits(mu2)) return { cost: Number.POSITIVE_INFINITY, eta };
  let [low, high] = [0, mu2];
  for (let i = 0; i < 40 && high - low > 1e-3 * high; i++) {
    const middle = i < 4 ? high / 4 : (low + high) / 2;
    if (middle > low && fits(middle)) high = middle;
    else low = Math.max(low, middle);
  }
  return { cost: Math.min(mu2, nextUp(high)), eta };
}

/** One step of a filter by a plan: μ² before and after, and the increase of Σδ. */
export interface PlanStep {
  readonly mu2: number;
  readonly remaining: number;
  readonly eta: number;
  readonly adjacency?: Adjacency;
  readonly work?: Work;
}

/** Whether the plan's exact profile certifies this step [M55]. A verifier calls it for stored steps. */
export const isPlanPaid = (events: readonly DpEvent[], step: PlanStep): boolean =>
  step.remaining >= 0 && step.remaining <= step.mu2 && arePaid(compositions(events, step.adjacency, step.work), step);

const arePaid = (parts: readonly Composition[], { mu2, remaining, eta }: PlanStep): boolean =>
  parts.every((part) => isDominated(part, remaining, mu2, eta));

/** Whether δ(plan ⊕ N(v)) ≤ δ_Gauss(·; r) + η on all of [0, ∞); negative x follow from the other direction [M55]. */
function isDominated(part: Composition, remaining: number, mu2: number, eta: number): boolean {
  const [whole] = distributionOf([{ ...part, muSquared: part.muSquared + remaining }]).directions;
  if (whole === undefined) return false;
  if (part.lost.upper > eta) return false;
  let end = 1;
  while (whole.delta(end).upper > eta) {
    end *= 1.5;
    if (end > 1e6) return false;
  }
  return holdsBetween(whole, mu2, eta, { from: 0, to: end });
}

const PIECES = 64;
const MAX_DEPTH = 14;

function holdsBetween(
  whole: PrivacyLossDirection,
  mu2: number,
  eta: number,
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  const floor = (x: number): number => gaussianDelta(x, mu2) * (1 - 2e-12);
  const width = (to - from) / PIECES;
  const holds = (a: number, fa: number, b: number, fb: number, depth: number): boolean => {
    const [ga, gb] = [floor(a), floor(b)];
    if (fa > ga + eta || fb > gb + eta) return false;
    if (fa <= gb + eta || gapBound({ a, fa, ga }, { b, fb, gb }, mu2) <= eta) return true;
    if (depth === MAX_DEPTH) return false;
    const middle = (a + b) / 2;
    const fm = whole.delta(middle).upper;
    return holds(a, fa, middle, fm, depth + 1) && holds(middle, fm, b, fb, depth + 1);
  };
  let [a, fa] = [from, whole.delta(from).upper];
  for (let i = 1; i <= PIECES; i++) {
    const b = from + i * width;
    const fb = whole.delta(b).upper;
    if (!holds(a, fa, b, fb, 0)) return false;
    [a, fa] = [b, fb];
  }
  return true;
}

/** Largest height of the chord of f over the tangents of g on [a, b], both convex in u = e^x: a bound on f − g. */
function gapBound(
  { a, fa, ga }: { readonly a: number; readonly fa: number; readonly ga: number },
  { b, fb, gb }: { readonly b: number; readonly fb: number; readonly gb: number },
  mu2: number,
): number {
  const [ua, ub] = [Math.exp(a), Math.exp(b)];
  const [sa, sb] = [slope(a, mu2), slope(b, mu2)];
  const crossing = sb === sa ? (ua + ub) / 2 : (ga - gb + sb * ub - sa * ua) / (sb - sa);
  const at = (u: number): number =>
    fa + ((fb - fa) * (u - ua)) / (ub - ua) - Math.max(ga + sa * (u - ua), gb + sb * (u - ub));
  const inside = Math.min(ub, Math.max(ua, crossing));
  return Math.max(fa - ga, fb - gb, at(inside)) + 1e-15;
}

/** dδ_Gauss/du at u = e^x: −Φ(−μ/2 − x/μ). */
function slope(x: number, mu2: number): number {
  const mu = Math.sqrt(mu2);
  return -normalCdf(-mu / 2 - x / mu);
}
