import { checkEpsilon, checkEpsilon0, checkShare } from "../check.ts";
import { type DifferenceLaw, differenceLaw } from "../difference.ts";

/**
 * The published model of Laplace noise calibrated to `epsilon0` in dimension `k`: a reading of the noise, never a guarantee [M101].
 * The release is ε₀-DP and is charged ε₀.
 */
export interface PublishedModel {
  readonly epsilon0: number;
  readonly k: number;
  /** P(T ≤ ε)/P(T ≤ ε₀) of Theorem 4.1, as published; 1 from ε₀ on. */
  confidence(epsilon: number): number;
  /** 1 − confidence, accurate where it is tiny; 0 from ε₀ on. */
  risk(epsilon: number): number;
  /** The ε at which the confidence is this; give a risk instead where the confidence is near 1. */
  epsilonForConfidence(confidence: number): number;
  /** The ε at which the risk is this. */
  epsilonForRisk(risk: number): number;
}

const MAX_STEPS = 100;
const ULPS = 4e-16;

/** The published model for ε₀ in (0, 600] and k in 1…10⁶; every function is good to 1e-14 relative. */
export function publishedModel({
  epsilon0,
  k = 1,
}: {
  readonly epsilon0: number;
  readonly k?: number;
}): PublishedModel {
  checkEpsilon0(epsilon0);
  const law = differenceLaw(k);
  const whole = law.cdf(epsilon0);

  const risk = (epsilon: number): number =>
    epsilon >= epsilon0 ? 0 : law.mass(checkEpsilon(epsilon), epsilon0) / whole;
  const confidence = (epsilon: number): number =>
    checkEpsilon(epsilon) >= epsilon0 ? 1 : Math.min(1, law.cdf(epsilon) / whole);
  const fromLeft = (share: number): number =>
    k === 1 ? -Math.log1p(share * Math.expm1(-epsilon0)) : solveCdf(law, share * whole, epsilon0);
  const fromRight = (share: number): number =>
    k === 1
      ? -Math.log(share + (1 - share) * Math.exp(-epsilon0))
      : epsilon0 - solveMassBelow(law, share * whole, epsilon0);
  return {
    epsilon0,
    k,
    confidence,
    risk,
    epsilonForConfidence: (share) => {
      checkShare("confidence", share);
      return clip(share === 1 ? epsilon0 : share > 0.5 ? fromRight(1 - share) : fromLeft(share), epsilon0);
    },
    epsilonForRisk: (share) => {
      checkShare("risk", share);
      return clip(share === 0 ? epsilon0 : share > 0.5 ? fromLeft(1 - share) : fromRight(share), epsilon0);
    },
  };
}

/** Newton from the left: the distribution function is concave, so the steps never overshoot. */
function solveCdf(law: DifferenceLaw, target: number, epsilon0: number): number {
  if (target === 0) return 0;
  let x = target / law.density(0);
  for (let step = 0; step < MAX_STEPS; step++) {
    const move = (target - law.cdf(Math.min(x, epsilon0))) / law.density(Math.min(x, epsilon0));
    x += move;
    if (Math.abs(move) <= ULPS * x) break;
  }
  return x;
}

/** The h with P(ε₀ − h < T ≤ ε₀) = target: the mass is convex in h, so Newton comes down from the right. */
function solveMassBelow(law: DifferenceLaw, target: number, epsilon0: number): number {
  let h = Math.min(epsilon0, target / law.density(epsilon0));
  for (let step = 0; step < MAX_STEPS; step++) {
    const move = (law.mass(epsilon0 - h, epsilon0) - target) / law.density(epsilon0 - h);
    h -= move;
    if (Math.abs(move) <= ULPS * epsilon0) break;
  }
  return h;
}

const clip = (x: number, most: number): number => Math.min(Math.max(x, 0), most);
