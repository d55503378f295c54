import { logNormalQuantile } from "../numeric/special.ts";
import type { Work } from "../work.ts";
import { type Composition, totalLogMgf } from "./composition.ts";
import { type Contour, planContour, readContour, spectrumOf } from "./contour.ts";
import { gdpDeltaBetween } from "./gdp.ts";
import { isLaplacePower, laplacePower } from "./laplace-power.ts";
import { composedLattice, type LatticeOptions } from "./lattice-composition.ts";
import { asLower, asUpper, expUp, type Interval } from "./rounding.ts";
import { chernoff, type Saddle, saddleForDelta, saddleForEpsilon } from "./saddle.ts";

export interface PldOptions extends LatticeOptions {
  /** `lattice` asks for connect-the-dots even where the contour of closed transforms would be exact. */
  readonly engine?: "best" | "lattice";
  /** What the computation may cost; without bound where left out. */
  readonly work?: Work;
}

/** Bounds on δ of the finite part as a function of ε, good near one point; with their rounding, where it is known apart. */
export type Profile = (epsilon: number) => Interval & { readonly slack?: number };

/** A tilt serves until e^{θΔε} reaches e^NEAR. */
const NEAR = 2;

const UNKNOWN: Interval = { upper: asUpper(1, "exact"), lower: asLower(0, "exact") };

/** What an engine takes, and the δ that it then gives: undefined where it does not take the list. */
type Engine = (part: Composition) => Profile | undefined;

const gaussians: Engine = (part) =>
  part.classes.length === 0 ? (epsilon) => gdpDeltaBetween(between(part), epsilon) : undefined;

const oneSpend: Engine = ({ spends, muSquared, sources: [only], isExact }) =>
  spends === 1 && muSquared === 0 && only !== undefined
    ? certain(only.distribution.profile, isExact, () => UNKNOWN)
    : undefined;

/** Engines that answer at every ε, the first that takes a list is chosen; what none takes is read near a tilt. */
const closed: readonly Engine[] = [gaussians, oneSpend, laplaces];

/** The profile of the finite part near an ε, or near the ε of a δ. */
export function profiles(part: Composition, options: PldOptions): (near: Near) => Profile {
  for (const engine of options.engine === "lattice" ? [gaussians] : closed) {
    const found = engine(part);
    if (found !== undefined) return () => found;
  }
  return tilts(part, options);
}

/** Where a profile has to be sharp. */
export type Near = { readonly epsilon: number } | { readonly delta: number };

/** Answers near an earlier question reuse its spectrum. */
function tilts(part: Composition, options: PldOptions): (near: Near) => Profile {
  const made: Tilt[] = [];
  const logMgf = (theta: number): number => totalLogMgf(part, theta);
  const steepest = steepestTilt(part);
  return (near) => {
    const known = "epsilon" in near ? fromEarlier(made, near.epsilon) : undefined;
    if (known !== undefined) return known;
    const saddle =
      "epsilon" in near
        ? saddleForEpsilon(logMgf, near.epsilon, steepest)
        : saddleForDelta(logMgf, Math.log(near.delta), steepest);
    const profile = profileAt(part, saddle, options);
    if (made.length >= MAX_TILTS) made.shift();
    made.push({ profile, saddle });
    return profile;
  };
}

/** The profile of the nearest tilt, where it is near enough, or sharp here by its own account. */
function fromEarlier(made: readonly Tilt[], epsilon: number): Profile | undefined {
  const nearest = made.reduce<Tilt | undefined>(
    (best, tilt) => (best === undefined || distance(tilt, epsilon) < distance(best, epsilon) ? tilt : best),
    undefined,
  );
  if (nearest === undefined) return undefined;
  if (distance(nearest, epsilon) * nearest.saddle.theta < NEAR) return nearest.profile;
  const found = nearest.profile(epsilon);
  const { upper, lower, slack = upper - lower } = found;
  return slack <= (upper > TINY ? SHARP : BLUNT) * upper ? () => found : undefined;
}

function profileAt(part: Composition, saddle: Saddle, options: PldOptions): Profile {
  const bound = markov(totalLogMgf(part, saddle.theta), saddle.theta);
  if (options.engine !== "lattice" && bound(saddle.epsilon).upper === Number.MIN_VALUE) return bound;
  const lattice = (): Profile => composedLattice(part, saddle, options).delta;
  return certain(orLattice(transformed(part, saddle, options), lattice), part.isExact, bound);
}

/** The μ² of a list of Gaussians alone, as a sum of rounded squares. */
export const between = ({ muSquared, sources, isExact }: Composition): Interval => ({
  upper: asUpper(muSquared, "one-sided"),
  lower: asLower(isExact ? muSquared : 0, 8 + 2 * sources.length),
});

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
export function steepestTilt({ classes, muSquared }: Composition): number {
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
export function markov(logMgf: number, theta: number): Profile {
  return (epsilon) => {
    const margin = 1e-12 * (1 + Math.abs(logMgf) + theta * (1 + Math.abs(epsilon)));
    const log = chernoff(logMgf, theta, epsilon) + margin;
    return { upper: asUpper(Number.isNaN(log) ? 1 : expUp(Math.min(0, log)), "one-sided"), lower: asLower(0, "exact") };
  };
}

/** Units of the finite sum, for each spend to the power of three. */
const LAPLACE_WORK = 2;

/** Equal Laplace spends and nothing else but a mass at ∞: a finite sum, made when first asked. */
function laplaces(part: Composition): Profile | undefined {
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

/** A contour of closed transforms where it is exact, else the better of the lattice and a smoothed contour. */
function transformed(part: Composition, saddle: Saddle, options: PldOptions): Profile {
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
