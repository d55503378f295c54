import type { DpEvent } from "../event.ts";
import { bracketAbove, fallingRoot } from "../numeric/root.ts";
import { logNormalQuantile } from "../numeric/special.ts";
import type { Work } from "../work.ts";
import { type Composition, compositions, type LossSource, totalLogMgf } from "./composition.ts";
import { type Contour, largestLoss, planContour, readContour, spectrumOf } from "./contour.ts";
import { gdpDeltaBetween, gdpEpsilonBetween } from "./gdp.ts";
import { consistent } from "./invariants.ts";
import { isLaplacePower, laplacePower } from "./laplace-power.ts";
import { composedLattice, type LatticeOptions } from "./lattice-composition.ts";
import { checkDelta, checkEpsilon } from "./loss.ts";
import { asLower, asUpper, expUp, type Interval } from "./rounding.ts";
import { chernoff, type Saddle, saddleForDelta, saddleForEpsilon } from "./saddle.ts";

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

export interface PldOptions extends LatticeOptions {
  /** `lattice` asks for connect-the-dots even where the contour of closed transforms would be exact. */
  readonly engine?: "best" | "lattice";
  /** What the computation may cost; without bound where left out. */
  readonly work?: Work;
}

/** Errors: UNSUPPORTED_EVENT with the path of an event without a dominating pair; ADJACENCY_MISMATCH. */
export function privacyLossDistribution(events: readonly DpEvent[], options: PldOptions = {}): PrivacyLossDistribution {
  return distributionOf(compositions(events, undefined, options.work), options);
}

export function distributionOf(parts: readonly Composition[], options: PldOptions = {}): PrivacyLossDistribution {
  const directions = parts.map((part) => attained(composedDirection(part, options), part.below, options));
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

/** Bounds on δ of the finite part as a function of ε, good near one point; with their rounding, where it is known apart. */
type Profile = (epsilon: number) => Interval & { readonly slack?: number };

/** A tilt serves until e^{θΔε} reaches e^NEAR. */
const NEAR = 2;

const NOTHING: Interval = { upper: asUpper(0, "exact"), lower: asLower(0, "exact") };
const UNKNOWN: Interval = { upper: asUpper(1, "exact"), lower: asLower(0, "exact") };

/** One direction of a composition, with what a trade-off function needs in addition to its profile. */
export interface ComposedDirection extends PrivacyLossDirection {
  /** P(L = ∞). */
  readonly lost: number;
  /** The largest finite loss; ∞ where there is none. */
  readonly largest: number;
  /** An ε beyond which the finite part of δ is below e^`logDelta`. */
  readonly reach: (logDelta: number) => number;
}

export function composedDirection(part: Composition, options: PldOptions = {}): ComposedDirection {
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
  const finite: Profile = (epsilon) => {
    if (epsilon >= largest) return NOTHING;
    return near(epsilon, undefined)(epsilon);
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
      const profile = near(undefined, target);
      return invert(profile, { target, most }, part.isExact ? { largest } : { largest, upperOnly: true });
    },
  };
}

/** The μ² of a list of Gaussians alone, as a sum of rounded squares. */
const between = ({ muSquared, sources, isExact }: Composition): Interval => ({
  upper: asUpper(muSquared, "one-sided"),
  lower: asLower(isExact ? muSquared : 0, 8 + 2 * sources.length),
});

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

/** Chooses, for an ε or for a δ, the engine and the tilt; answers near a previous question reuse its spectrum. */
function profiles(
  part: Composition,
  options: PldOptions,
): (epsilon: number | undefined, delta: number | undefined) => Profile {
  const single = onlySpend(part);
  if (part.classes.length === 0) return () => (epsilon) => gdpDeltaBetween(between(part), epsilon);
  if (single !== undefined && options.engine !== "lattice") {
    return () => certain(single.distribution.profile, part.isExact, () => UNKNOWN);
  }
  const exact = laplaceProfile(part);
  if (exact !== undefined && options.engine !== "lattice") return () => exact;
  const steepest = steepestTilt(part);
  const logMgf = (theta: number): number => totalLogMgf(part, theta);
  const made: Tilt[] = [];
  return (epsilon, delta) => {
    if (epsilon !== undefined) {
      const nearest = made.reduce<Tilt | undefined>(
        (best, tilt) => (best === undefined || distance(tilt, epsilon) < distance(best, epsilon) ? tilt : best),
        undefined,
      );
      if (nearest !== undefined) {
        if (distance(nearest, epsilon) * nearest.saddle.theta < NEAR) return nearest.profile;
        const found = nearest.profile(epsilon);
        const { upper, lower, slack = upper - lower } = found;
        if (slack <= (upper > TINY ? SHARP : BLUNT) * upper) return () => found;
      }
    }
    const saddle =
      delta === undefined
        ? saddleForEpsilon(logMgf, epsilon as number, steepest)
        : saddleForDelta(logMgf, Math.log(delta), steepest);
    const bound = markov(logMgf(saddle.theta), saddle.theta);
    const isNone = options.engine !== "lattice" && bound(saddle.epsilon).upper === Number.MIN_VALUE;
    const lattice = (): Profile => composedLattice(part, saddle, options).delta;
    const profile = isNone ? bound : certain(orLattice(engine(part, saddle, options), lattice), part.isExact, bound);
    const tilt = { profile, saddle };
    if (made.length >= MAX_TILTS) made.shift();
    made.push(tilt);
    return tilt.profile;
  };
}

/** A profile that is sharp near its saddle. */
interface Tilt {
  readonly profile: Profile;
  readonly saddle: Saddle;
}

/** Relative rounding of δ up to which a tilt serves; a looser one where δ is below `TINY`. */
const SHARP = 1e-8;
const BLUNT = 1e-4;
const TINY = 1e-40;

/** Spectra kept for later questions. */
const MAX_TILTS = 64;

const distance = ({ saddle }: Tilt, epsilon: number): number => Math.abs(epsilon - saddle.epsilon);

/** Beyond this tilt every finite loss is at its largest value, to all digits. */
function steepestTilt({ classes, muSquared }: Composition): number {
  const least = classes.reduce(
    (low, { largest }) => (largest > 0 ? Math.min(low, largest) : low),
    Number.POSITIVE_INFINITY,
  );
  return muSquared > 0 || least === Number.POSITIVE_INFINITY ? 1e13 : Math.min(1e280, 60 / least);
}

/** Answers with Chernoff's bound where the numbers of a profile overflowed: a bound is never lost to a NaN. */
function certain(profile: Profile, isExact: boolean, otherwise: Profile): Profile {
  return (epsilon) => {
    const { upper, lower, slack = upper - lower } = profile(epsilon);
    if (!(upper <= 1)) return otherwise(epsilon);
    return {
      upper: asUpper(Math.max(upper, Number.MIN_VALUE), "of bounds"),
      lower: asLower(isExact && lower > 0 ? Math.min(lower, upper) : 0, "of bounds"),
      slack,
    };
  };
}

/** Connect-the-dots where another engine has failed. */
function orLattice(profile: Profile, lattice: () => Profile): Profile {
  let second: Profile | undefined;
  return (epsilon) => {
    const found = profile(epsilon);
    if (!Number.isNaN(found.upper)) return found;
    second ??= lattice();
    return second(epsilon);
  };
}

/** Chernoff's bound at one order [M36]. */
function markov(logMgf: number, theta: number): Profile {
  return (epsilon) => {
    const margin = 1e-12 * (1 + Math.abs(logMgf) + theta * (1 + Math.abs(epsilon)));
    const log = chernoff(logMgf, theta, epsilon) + margin;
    return { upper: asUpper(Number.isNaN(log) ? 1 : expUp(Math.min(0, log)), "one-sided"), lower: asLower(0, "exact") };
  };
}

/** Units of the finite sum, for each spend to the power of three. */
const LAPLACE_WORK = 2;

/** Equal Laplace spends and nothing else but a mass at ∞: a finite sum, made when first asked. */
function laplaceProfile(part: Composition): Profile | undefined {
  const { sources, muSquared } = part;
  const losing = sources.filter(
    ({ distribution }) => distribution.pieces.length > 0 || distribution.atoms.some(({ loss }) => loss !== 0),
  );
  const [only, second] = losing;
  const epsilon = only?.laplace;
  if (muSquared > 0 || only === undefined || epsilon === undefined || second !== undefined) return undefined;
  if (!isLaplacePower(epsilon, only.count)) return undefined;
  let built: Profile | undefined;
  return (at) => {
    part.work.spend(built === undefined ? LAPLACE_WORK * only.count ** 3 : only.count);
    built ??= laplacePower(epsilon, only.count);
    const found = built(at);
    return Number.isNaN(found.upper) ? UNKNOWN : found;
  };
}

function onlySpend({ sources, spends, muSquared }: Composition): LossSource | undefined {
  return spends === 1 && muSquared === 0 ? sources[0] : undefined;
}

function engine(part: Composition, saddle: Saddle, options: PldOptions): Profile {
  if (options.engine === "lattice") return composedLattice(part, saddle, options).delta;
  const exact = contour(part, saddle, false);
  if (exact !== undefined) return exact.delta;
  const lattice = composedLattice(part, saddle, options);
  if (lattice.excess === 0) return lattice.delta;
  const smooth = part.classes.every(({ work }) => work(saddle.theta, 0) < 200)
    ? contour(part, saddle, true)
    : undefined;
  return smooth !== undefined && smooth.excess < lattice.excess / 2 ? smooth.delta : lattice.delta;
}

function contour(
  part: Composition,
  saddle: Saddle,
  smooth: boolean,
): ({ readonly delta: Profile } & { readonly excess: number }) | undefined {
  const plan = planContour(part, saddle, smooth);
  if (plan === undefined) return undefined;
  const excess = ((plan.muSquared - part.muSquared) * (1 + plan.theta)) / 2;
  let built: Contour | undefined;
  const read: Profile = (epsilon) => {
    built ??= readContour(plan, spectrumOf(part, plan), part.spends);
    part.work.spend(plan.size);
    return built.delta(epsilon);
  };
  const added = plan.muSquared - part.muSquared;
  if (added === 0) return { delta: read, excess };
  return { delta: (epsilon) => withoutGaussian(read, epsilon, added), excess };
}

/** Bounds for X from those of X + G, G the Gaussian added: δ_X(ε) ≥ δ_{X+G}(ε + a) − P(G > a) for every a [M45]. */
function withoutGaussian(read: Profile, epsilon: number, added: number): ReturnType<Profile> {
  const { upper, slack = 0 } = read(epsilon);
  let lower = 0;
  for (const share of [0.3, 0.01]) {
    const tail = logNormalQuantile(Math.log(upper * share));
    const { lower: shifted } = read(epsilon + added / 2 - Math.sqrt(added) * tail);
    lower = Math.max(lower, shifted - upper * share * (1 + 1e-12));
  }
  return { upper, lower: asLower(lower, 2), slack };
}
