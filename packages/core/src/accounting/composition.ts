import type { Rational } from "../amounts/rational.ts";
import type { DpEvent } from "../event.ts";
import type { Adjacency } from "../filter/adjacency.ts";
import { unboundedWork, type Work } from "../work.ts";
import { type Characteristic, characteristicOf, effectiveDirection, laplaceCharacteristic } from "./characteristic.ts";
import { type LeafEvent, neededAdjacency, noise, type SpendClass, spendClasses } from "./classes.ts";
import { isKind, kindLosses } from "./kinds.ts";
import {
  attainedDistribution,
  hasExactDistribution,
  isSymmetric,
  type LossDistribution,
  lossDistribution,
} from "./loss-distribution.ts";
import type { Direction } from "./profile.ts";
import { revealed, revealedMass } from "./revealed.ts";
import { enlarge, type Interval, lower, upper } from "./rounding.ts";
import { cannotPrice, PAIR } from "./spends.ts";

/** One dominating pair in one direction, and how often it is spent. */
export interface LossSource {
  readonly count: number;
  readonly direction: Direction;
  readonly distribution: LossDistribution;
  /** μ, where the pair is exactly a Gaussian shift. */
  readonly mu?: number;
  /** ε, where it is the scalar Laplace mechanism's. */
  readonly laplace?: number;
  /** P(L = ∞) as a decimal, where it is known so. */
  readonly revealed?: Rational | undefined;
}

/** A list of spends in one direction, ready for its transform: the Gaussians collapse into one μ² [M37]. */
export interface Composition {
  readonly direction: Direction;
  readonly classes: readonly Characteristic[];
  readonly sources: readonly LossSource[];
  readonly muSquared: number;
  /** P(L = ∞): from above with all that was cut, from below without. */
  readonly lost: Interval;
  /** Number of spends. */
  readonly spends: number;
  /** Whether every distribution is exact, so that bounds from below hold too. */
  readonly isExact: boolean;
  /** What the list loses on some data, where that is known and it is not exact [M59]. */
  readonly below?: Composition;
  /** What every number read from it is counted on. */
  readonly work: Work;
}

/**
 * Both directions of a list under a relation, or one where they are equal. UNSUPPORTED_EVENT with the path of an event without a
 * dominating pair.
 */
export function compositions(
  events: readonly DpEvent[],
  adjacency?: Adjacency,
  work: Work = unboundedWork,
): readonly Composition[] {
  return composeClasses(spendClasses(events, "events", neededAdjacency(events) ?? adjacency), work);
}

export function composeClasses(classes: readonly SpendClass[], work: Work): readonly Composition[] {
  const isOneWay = classes.every(({ event }) => isSymmetric(event));
  const isExact = classes.every(({ event }) => hasExactDistribution(event));
  const isBelow = !isExact && classes.every(({ event }) => isKind(event) || hasExactDistribution(event));
  const directions: readonly Direction[] = isOneWay ? ["remove"] : ["remove", "add"];
  return directions.map((direction) => {
    const above = composeLosses(
      classes.map((spend) => sourceOf(spend, direction)),
      { isExact, work },
    );
    const attained = isBelow ? classes.map((spend) => attainedSource(spend, direction)) : [];
    const known = attained.filter((source) => source !== undefined);
    return known.length < classes.length ? above : { ...above, below: composeLosses(known, { isExact: true, work }) };
  });
}

/** Losses that an event has on some data. */
function attainedSource(spend: SpendClass, direction: Direction): LossSource | undefined {
  const instance = standIn(spend, direction, "below");
  if (instance !== undefined) return sourceOf(instance, direction);
  const distribution = attainedDistribution(spend.event, direction);
  return distribution && { count: spend.count, direction: effectiveDirection(spend.event, direction), distribution };
}

function standIn(spend: SpendClass, direction: Direction, side: "above" | "below"): SpendClass | undefined {
  const found = isKind(spend.event) ? kindLosses(spend.event, direction, side) : undefined;
  return found !== undefined && "kind" in found ? { ...spend, event: found as LeafEvent } : undefined;
}

function sourceOf(spend: SpendClass, direction: Direction): LossSource {
  const { event, count } = standIn(spend, direction, "above") ?? spend;
  const distribution = lossDistribution(event, direction);
  if (distribution === undefined) throw cannotPrice(spend, PAIR);
  const mu = muOf({ event });
  return {
    count,
    direction: effectiveDirection(event, direction),
    distribution,
    revealed: revealed(event, direction),
    ...(mu === undefined ? {} : { mu }),
    ...(event.kind === "laplace" ? { laplace: 1 / lower(event.noiseMultiplier) } : {}),
  };
}

/** The composition of pairs that are given by their distributions, all in one direction. */
export function composeLosses(
  sources: readonly LossSource[],
  { isExact, work }: Pick<Composition, "isExact" | "work">,
): Composition {
  let muSquared = 0;
  let spends = 0;
  const classes: Characteristic[] = [];
  for (const { count, direction, distribution, mu, laplace } of sources) {
    spends += count;
    if (mu !== undefined) {
      muSquared += count * mu * mu;
      continue;
    }
    classes.push(
      laplace === undefined
        ? characteristicOf(distribution, count, direction, work)
        : laplaceCharacteristic(laplace, count, work),
    );
  }
  return {
    direction: sources.find(({ direction }) => direction === "add")?.direction ?? "remove",
    classes,
    sources,
    muSquared: enlarge(muSquared, Math.ceil((4 + sources.length) / 2)),
    lost: revealedMass(
      sources.map(({ distribution: { infinite, cut }, revealed, count }) => ({
        exact: cut === 0 ? revealed : undefined,
        most: infinite,
        least: infinite - cut,
        count,
      })),
    ),
    spends,
    isExact,
    work,
  };
}

/** μ of an event whose dominating pair is exactly a Gaussian shift. */
export function muOf({ event }: Pick<SpendClass, "event">): number | undefined {
  if (event.kind === "gaussian") return 1 / noise(event);
  return event.kind === "gdp" ? upper(event.mu) : undefined;
}

const knownLogMgf = new WeakMap<Composition, Map<number, number>>();

/** ln of the moment generating function of the finite loss at θ. */
export function totalLogMgf(composition: Composition, theta: number): number {
  const known = knownLogMgf.get(composition) ?? new Map<number, number>();
  knownLogMgf.set(composition, known);
  let sum = known.get(theta);
  if (sum !== undefined) return sum;
  sum = (composition.muSquared * theta * (theta + 1)) / 2;
  for (const { count, logMgf } of composition.classes) {
    sum += count * logMgf(theta);
    if (sum > HOPELESS) break;
  }
  known.set(theta, sum);
  return sum;
}

/** Above this ln M a tilt is useless, and the sum stops early. */
const HOPELESS = 1e15;
