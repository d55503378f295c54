import { invalid } from "@dosimeter/core";
import { asLower, logGamma, normalCdf, normalQuantile, risingRoot } from "@dosimeter/core/internal";
import { checkCount, checkRate } from "./check.ts";
import type { TradeoffFunction, TradeoffPoint } from "./curve.ts";
import { DIGITS, roundDown } from "./estimate.ts";
import { upperQuantile } from "./gdp.ts";
import { scorePoints } from "./given.ts";
import { fromPoints } from "./points.ts";

/** The regularised incomplete beta function I_x(a, b), by its continued fraction; a, b > 0. Relative error about 1e-13. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b;
}

/** Lentz's evaluation of the continued fraction of I_x(a, b). */
function fraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < 20_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    const step = d * c;
    value *= step;
    if (Math.abs(step - 1) < 1e-16) break;
  }
  return value;
}

/** x with I_x(a, b) = p. */
function inverseIncompleteBeta(p: number, a: number, b: number): number {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  return risingRoot((x) => incompleteBeta(x, a, b) - p, 0, 1);
}

/** Pr[Binomial(n, rate) ≥ k]. */
function binomialTail(k: number, n: number, rate: number): number {
  if (k <= 0) return 1;
  return k > n ? 0 : incompleteBeta(rate, k, n - k + 1);
}

/** Exact two-sided limits for a proportion, k of n: each end misses with probability (1 − confidence)/2 [M78] (Clopper–Pearson 1934). */
export function clopperPearson(
  k: number,
  n: number,
  confidence: number,
): { readonly low: number; readonly high: number } {
  checkCount(n, "n");
  if (!Number.isSafeInteger(k) || k < 0 || k > n) invalid("k", k, `an integer from 0 to ${n}`);
  const half = missing(confidence) / 2;
  return {
    low: k === 0 ? 0 : inverseIncompleteBeta(half, k, n - k + 1),
    high: k === n ? 1 : 1 - inverseIncompleteBeta(half, n - k, k + 1),
  };
}

function missing(confidence: number): number {
  if (!(confidence > 0 && confidence < 1)) invalid("confidence", confidence, "a number in (0, 1)");
  return 1 - confidence;
}

/** What one threshold of an attack proves: any valid f has f(fprHigh) ≤ fnrHigh [M78] (Nasr et al. 2023). */
export interface ThresholdAudit {
  readonly fprHigh: number;
  readonly fnrHigh: number;
  readonly muLower: number;
  epsilonLower(delta: number): number;
}

/** Lower bounds on leakage from one threshold fixed beforehand, with both limits at the given two-sided confidence [M78]. */
export function auditThreshold(counts: {
  readonly falsePositives: number;
  readonly absent: number;
  readonly falseNegatives: number;
  readonly present: number;
  readonly confidence?: number;
}): ThresholdAudit {
  const { falsePositives, absent, falseNegatives, present, confidence = 0.95 } = counts;
  const fprHigh = clopperPearson(falsePositives, absent, confidence).high;
  const fnrHigh = clopperPearson(falseNegatives, present, confidence).high;
  return Object.freeze({
    fprHigh,
    fnrHigh,
    muLower: Math.max(0, upperQuantile(fprHigh) + upperQuantile(fnrHigh)),
    epsilonLower: (delta: number) => epsilonBelow({ alpha: fprHigh, beta: fnrHigh }, checkRate(delta, "delta")),
  });
}

function epsilonBelow({ alpha, beta }: TradeoffPoint, delta: number): number {
  const bound = (gain: number, cost: number) => (gain <= delta ? 0 : Math.max(0, Math.log((gain - delta) / cost)));
  return Math.max(bound(1 - alpha, beta), bound(1 - beta, alpha));
}

export interface AuditOptions {
  /** Simultaneous over all thresholds; default 0.95. */
  readonly confidence?: number;
  /** "dkw": one band for each rate (default); "clopperPearson": exact limits, the error split over the thresholds. */
  readonly band?: "dkw" | "clopperPearson";
  /** Decimal places, rounded down; 2 when left out. */
  readonly digits?: number;
}

export interface AuditFit {
  /** Points that the curve of the audited mechanism lies below, all at once with the stated confidence. */
  readonly band: TradeoffFunction;
  readonly confidence: number;
  /** A lower bound: no mechanism of smaller μ is consistent with the attack. */
  readonly muLower: number;
  /** A lower bound on ε for a δ. */
  epsilonLower(delta: number): number;
}

/**
 * What attack scores prove against a mechanism: a simultaneous band and lower bounds rounded down [M78]. This is evidence
 * of leakage, never a guarantee of privacy; to certify a curve use `estGdp` and `estEpsdelta`.
 */
export function fitAudit(
  scores: { readonly absent: readonly number[]; readonly present: readonly number[] },
  { confidence = 0.95, band = "dkw", digits = DIGITS }: AuditOptions = {},
): AuditFit {
  const points = scorePoints(scores.absent, scores.present);
  const [absent, present] = [scores.absent.length, scores.present.length];
  const error = missing(confidence);
  if (band !== "dkw" && band !== "clopperPearson") invalid("band", band, '"dkw" or "clopperPearson"');
  const widths = {
    alpha: Math.sqrt(Math.log(4 / error) / (2 * absent)),
    beta: Math.sqrt(Math.log(4 / error) / (2 * present)),
  };
  const each = 1 - error / points.length;
  const raised = points.map(({ alpha, beta }) =>
    band === "dkw"
      ? { alpha: Math.min(1, alpha + widths.alpha), beta: Math.min(1, beta + widths.beta) }
      : {
          alpha: clopperPearson(Math.round(alpha * absent), absent, each).high,
          beta: clopperPearson(Math.round(beta * present), present, each).high,
        },
  );
  const inside = raised
    .filter(({ alpha, beta }) => alpha + beta < 1)
    .concat({ alpha: 0, beta: 1 }, { alpha: 1, beta: 0 });
  const proved = inside.filter(({ alpha, beta }) => alpha > 0 && beta > 0);
  const mu = proved.reduce((most, { alpha, beta }) => Math.max(most, upperQuantile(alpha) + upperQuantile(beta)), 0);
  return Object.freeze({
    band: fromPoints(inside, { label: `attack, ${confidence} band` }),
    confidence,
    muLower: roundDown(asLower(mu, ROOM), digits),
    epsilonLower: (delta: number) =>
      roundDown(
        asLower(
          proved.reduce((most, point) => Math.max(most, epsilonBelow(point, checkRate(delta, "delta"))), 0),
          ROOM,
        ),
        digits,
      ),
  });
}

/** Room for two quantiles or logarithms, in units of the last place. */
const ROOM = 64;

/**
 * The one-run audit: of `guesses` out of `canaries`, `correct` were right; the greatest ε refuted at the significance
 * [M78] (Steinke–Nasr–Jagielski 2023, Theorem 5.2).
 */
export function oneRunAudit(run: {
  readonly canaries: number;
  readonly guesses: number;
  readonly correct: number;
  readonly delta: number;
  readonly significance?: number;
}): number {
  const { canaries, guesses, correct, delta, significance = 0.05 } = run;
  checkGuesses(run);
  checkRate(delta, "delta");
  const pValue = (epsilon: number) => {
    const rate = 1 / (1 + Math.exp(-epsilon));
    const tails = new Float64Array(correct + 2);
    for (let k = 0; k <= correct; k++) tails[k] = binomialTail(k, guesses, rate);
    const top = tails[correct] ?? 0;
    let worst = 0;
    if (delta > 0) for (let i = 1; i <= correct; i++) worst = Math.max(worst, ((tails[correct - i] ?? 0) - top) / i);
    return top + 2 * canaries * delta * worst;
  };
  if (pValue(0) >= significance) return 0;
  return risingRoot((epsilon) => pValue(epsilon) - significance, 0, 60);
}

/** The same for a family of Gaussian curves: the greatest μ that the run refutes [M78] (Mahloujifar et al. 2024). */
export function oneRunGaussianAudit(run: {
  readonly canaries: number;
  readonly guesses: number;
  readonly correct: number;
  readonly significance?: number;
}): number {
  checkGuesses(run);
  const shrink = (mu: number) => (rate: number) => normalCdf(normalQuantile(Math.min(1, rate)) - mu);
  const margin = (mu: number) => excessOf(run, shrink(mu));
  if (margin(0) <= 0) return 0;
  return risingRoot((mu) => -margin(mu), 0, 40);
}

/** Whether a run refutes a curve: true says that no mechanism with this curve gives this number of right guesses, at the significance. */
export function oneRunRefutes(
  run: {
    readonly canaries: number;
    readonly guesses: number;
    readonly correct: number;
    readonly significance?: number;
  },
  curve: TradeoffFunction,
): boolean {
  checkGuesses(run);
  return excessOf(run, (rate) => curve.inverse(1 - Math.min(1, rate))) > 0;
}

/** How far the recursion overshoots the share of guesses: above 0 the curve is refuted. `shrink` inverts α ↦ 1 − f(α). */
function excessOf(
  run: {
    readonly canaries: number;
    readonly guesses: number;
    readonly correct: number;
    readonly significance?: number;
  },
  shrink: (rate: number) => number,
): number {
  const { canaries, guesses, correct, significance = 0.05 } = run;
  const share = (significance * guesses) / canaries;
  let right = (share * correct) / guesses;
  let wrong = (share * (guesses - correct)) / guesses;
  for (let i = correct - 1; i >= 0; i--) {
    const next = Math.max(wrong, shrink(right));
    right += (i / (guesses - i)) * (next - wrong);
    wrong = next;
  }
  return right + wrong - guesses / canaries;
}

function checkGuesses(run: {
  readonly canaries: number;
  readonly guesses: number;
  readonly correct: number;
  readonly significance?: number;
}): void {
  checkCount(run.canaries, "canaries");
  checkCount(run.guesses, "guesses");
  if (run.guesses > run.canaries) invalid("guesses", run.guesses, `at most canaries: ${run.canaries}`);
  if (!Number.isSafeInteger(run.correct) || run.correct < 0 || run.correct > run.guesses) {
    invalid("correct", run.correct, `an integer from 0 to ${run.guesses}`);
  }
  const { significance = 0.05 } = run;
  if (!(significance > 0 && significance < 1)) invalid("significance", significance, "a number in (0, 1)");
}
