import type { DpEvent } from "../event.ts";
import { bracketAbove, fallingRoot } from "../numeric/root.ts";
import { type Composition, compositions, type LossSource, totalLogMgf } from "./composition.ts";
import { largestLoss } from "./contour.ts";
import { gdpEpsilonBetween } from "./gdp.ts";
import { consistent } from "./invariants.ts";
import { checkDelta, checkEpsilon } from "./loss.ts";
import { between, markov, type PldOptions, type Profile, profiles, steepestTilt } from "./profile-engines.ts";
import { asLower, asUpper, type Interval } from "./rounding.ts";
import { saddleForDelta, saddleForEpsilon } from "./saddle.ts";

/**
 * The exact composition of a fixed list of events, both directions kept apart to the end: the numbers are certified
 * intervals, valid as if the list had been fixed in advance [M45][M46]. All methods are pure; spectra are cached inside.
 */
export interface PrivacyLossDistribution {
  /** ε at δ: `upper` is Infinity where nothing can be promised. */
  readonly epsilon: (delta: number) => Interval;
  /** δ at ε ≥ 0. */
  readonly delta: (epsilon: number) => Interval;
  /** δ at any real ε, in one direction only; where a list is symmetric there is one direction. */
  readonly directions: readonly PrivacyLossDirection[];
}

export interface PrivacyLossDirection {
  readonly delta: (epsilon: number) => Interval;
  readonly epsilon: (delta: number) => Interval;
}

/** Errors: UNSUPPORTED_EVENT with the path of an event without a dominating pair; ADJACENCY_MISMATCH. */
export function privacyLossDistribution(events: readonly DpEvent[], options: PldOptions = {}): PrivacyLossDistribution {
  return distributionOf(compositions(events, undefined, options.work), options);
}

export function distributionOf(parts: readonly Composition[], options: PldOptions = {}): PrivacyLossDistribution {
  const directions = parts.map((part) => attained(composedDirection(part, options, LOOSE), part.below, options));
  const worst = (read: (d: PrivacyLossDirection) => Interval): Interval => {
    const all = directions.map(read);
    return {
      upper: asUpper(
        all.reduce((high, { upper }) => Math.max(high, upper), 0),
        "of bounds",
      ),
      lower: asLower(
        all.reduce((high, { lower }) => Math.max(high, lower), 0),
        "of bounds",
      ),
    };
  };
  return {
    directions,
    epsilon: (delta) => {
      checkDelta(delta);
      return worst((d) => d.epsilon(delta));
    },
    delta: (epsilon) => {
      checkEpsilon(epsilon);
      return worst((d) => d.delta(epsilon));
    },
  };
}

/** The bounds from above of a list with those from below of what it loses on some data [M59]. */
function attained(
  above: PrivacyLossDirection,
  part: Composition | undefined,
  options: PldOptions,
): PrivacyLossDirection {
  if (part === undefined) return above;
  const below = composedDirection(part, options);
  const joined = ({ upper }: Interval, { lower }: Interval): Interval => ({
    upper,
    lower: asLower(Math.min(upper, lower), "of bounds"),
  });
  return {
    delta: (epsilon) => joined(above.delta(epsilon), below.delta(epsilon)),
    epsilon: (delta) => joined(above.epsilon(delta), below.epsilon(delta)),
  };
}

/** Where one question is asked; a curve asks thousands. */
const LOOSE = 1.5;

const NOTHING: Interval = { upper: asUpper(0, "exact"), lower: asLower(0, "exact") };

/** One direction of a composition, with what a trade-off function needs in addition to its profile. */
export interface ComposedDirection extends PrivacyLossDirection {
  /** P(L = ∞). */
  readonly lost: number;
  /** The largest finite loss; ∞ where there is none. */
  readonly largest: number;
  /** An ε beyond which the finite part of δ is below e^`logDelta`. */
  readonly reach: (logDelta: number) => number;
}

/** A δ more than `loose` times its lower bound is read once more, from the tilt that its own question would take. */
export function composedDirection(
  part: Composition,
  options: PldOptions = {},
  loose = Number.POSITIVE_INFINITY,
): ComposedDirection {
  const largest = largestLoss(part);
  const lost = part.lost.upper;
  const sure = part.isExact ? part.lost.lower : 0;
  const near = profiles(part, options);
  const logMgf = (theta: number): number => totalLogMgf(part, theta);
  const checked = consistent(leastDelta(part));
  const whole = ({ upper, lower }: Interval): Interval => ({
    upper: asUpper(Math.min(1, asUpper(lost + (1 - lost) * upper, 2)), "of bounds"),
    lower: asLower(Math.max(0, sure + (1 - lost) * lower), 2),
  });
  let kept: { readonly log: number; readonly profile: Profile } | undefined;
  const finite: Profile = (epsilon) => {
    if (epsilon >= largest) return NOTHING;
    const found = near({ epsilon })(epsilon);
    if (!part.isExact || !(found.upper > loose * found.lower)) return found;
    const log = Math.log(found.upper);
    if (kept === undefined || Math.abs(kept.log - log) > 1) kept = { log, profile: near({ delta: found.upper }) };
    const second = kept.profile(epsilon);
    return {
      upper: asUpper(Math.min(found.upper, second.upper), "of bounds"),
      lower: asLower(Math.max(found.lower, second.lower), "of bounds"),
    };
  };
  /** What no transform has a part in: Chernoff's bound. */
  const plain: Profile = (epsilon) => {
    const { theta } = saddleForEpsilon(logMgf, epsilon, steepestTilt(part));
    return markov(logMgf(theta), theta)(epsilon);
  };
  return {
    lost,
    largest,
    reach(logDelta) {
      const { epsilon } = saddleForDelta(logMgf, logDelta, steepestTilt(part));
      return Math.min(largest, Math.max(0, epsilon));
    },
    delta(epsilon) {
      return checked(epsilon, whole(finite(epsilon)), () => whole(plain(epsilon)));
    },
    epsilon(delta) {
      const infinity = Number.POSITIVE_INFINITY;
      if (delta < lost || lost >= 1)
        return { upper: asUpper(infinity, "exact"), lower: asLower(delta < sure ? infinity : 0, "exact") };
      const target = lost === 0 ? delta : ((delta - lost) / (1 - lost)) * (1 - 2 ** -51);
      const most = lost === 0 ? delta : ((delta - sure) / (1 - lost)) * (1 + 2 ** -51);
      if (target === 0)
        return { upper: asUpper(largest, "one-sided"), lower: asLower(part.isExact && most === 0 ? largest : 0, 450) };
      if (part.classes.length === 0) return gdpEpsilonBetween(between(part), target, most);
      const profile = near({ delta: target });
      return invert(profile, { target, most }, part.isExact ? { largest } : { largest, upperOnly: true });
    },
  };
}

/** Atoms of an event beyond which its own δ is not worth its time. */
const LONG = 10_000;

/** A lower bound on δ of a list: that of the event which loses most by itself. */
function leastDelta({ sources, isExact }: Composition): (epsilon: number) => number {
  const total = ({ distribution: { infinite, profile } }: LossSource, epsilon: number): number =>
    infinite + (1 - infinite) * profile(epsilon).lower;
  let worst: LossSource | undefined;
  let most = 0;
  for (const source of sources) {
    if (source.count === 0 || source.distribution.atoms.length > LONG) continue;
    const distance = total(source, 0);
    if (distance > most) [most, worst] = [distance, source];
  }
  return isExact && worst !== undefined ? (epsilon) => total(worst, epsilon) : () => 0;
}

/** Above this an ε promises nothing, and rounding decides what is read there. */
const MAX_EPSILON = 1e12;

/** The ε at which a profile falls to `target` by its bound from above, and to `most` by the one from below; an answer below 0 is 0. */
function invert(
  profile: Profile,
  { target, most }: { readonly target: number; readonly most: number },
  { largest, upperOnly = false }: { readonly largest: number; readonly upperOnly?: boolean },
): Interval {
  const [log, mostLog] = [Math.log(target), Math.log(most)];
  const above = (epsilon: number): number => Math.log(profile(epsilon).upper) - log;
  if (above(0) <= 0) return NOTHING;
  const start = Number.isFinite(largest) ? largest : 1;
  const high = Number.isFinite(largest) ? largest : bracketAbove(above, 0, start, MAX_EPSILON);
  if (high === Number.POSITIVE_INFINITY) return { upper: asUpper(high, "exact"), lower: asLower(0, "exact") };
  const root = above(high) > 0 ? high : fallingRoot(above, 0, high, 4e-16);
  const upper = asUpper(Math.min(largest, asUpper(root, 1)), "of bounds");
  const below = (epsilon: number): number => Math.log(Math.max(profile(epsilon).lower, 1e-323)) - mostLog;
  for (const gap of upperOnly ? [] : [1e-11, 1e-8, 1e-5, 1e-3, 0.05, 0.5]) {
    const from = root * (1 - gap);
    if (below(from) > 0) {
      const width = Math.max(1e-15, 1e-4 * gap);
      return { upper, lower: asLower(fallingRoot(below, from, root, width) * (1 - width), 45) };
    }
  }
  return { upper, lower: asLower(0, "exact") };
}
