import {
  type DeltaAmount,
  deltaUnits,
  type EpsilonAmount,
  epsilonUnits,
  NO_DELTA,
  NO_EPSILON,
} from "../amounts/amount.ts";
import { plus } from "../amounts/arithmetic.ts";
import { ceilDivide, divide, multiply, parseRational, type Rational, rational } from "../amounts/rational.ts";
import type { DpEvent } from "../event.ts";
import type { Adjacency } from "./adjacency.ts";
import { type Mu2Step, pureEpsilon } from "./remaining-mu2.ts";

/** What events cost in both sums. A sum that cannot price every event is null: its rule cannot pay. */
export interface Price {
  readonly epsilon: EpsilonAmount | null;
  readonly delta: DeltaAmount;
  readonly mu2: readonly Mu2Step[] | null;
}

const FREE: Price = { epsilon: NO_EPSILON, delta: NO_DELTA, mu2: [] };
const UNPRICED: Price = { epsilon: null, delta: NO_DELTA, mu2: null };
const ONE = rational(1n);
const MU2_UNITS = 10n ** 12n;

/** The price of a charge: all its events as one step, each cost rounded up on its own. [M15]–[M19] */
export const priceEvents = (events: readonly DpEvent[], adjacency: Adjacency): Price =>
  together(events.map((event) => priceEvent(event, adjacency)));

/** The price of one event. Kinds without a price in ε or in μ² get null there; sampling is priced as if absent. */
export function priceEvent(event: DpEvent, adjacency: Adjacency): Price {
  switch (event.kind) {
    case "pure":
    case "randomizedResponse":
    case "exponential":
    case "permuteAndFlip":
      return pure(parseRational(event.epsilon));
    case "shuffled":
      // As if not shuffled, like a sample; that a report is missing shows in their public number.
      return adjacency === "addRemove" ? UNPRICED : pure(parseRational(event.epsilon));
    case "approximate":
      return { ...pure(parseRational(event.epsilon)), delta: deltaUnits(parseRational(event.delta), "up") };
    case "laplace":
      return pure(divide(ONE, parseRational(event.noiseMultiplier)));
    case "discreteLaplace":
      return pure(divide(rational(BigInt(event.sensitivity)), parseRational(event.scale)));
    case "gaussian": {
      const inverse = divide(ONE, parseRational(event.noiseMultiplier));
      return gaussian(multiply(inverse, inverse));
    }
    case "gdp": {
      const mu = parseRational(event.mu);
      return gaussian(multiply(mu, mu));
    }
    case "discreteGaussian":
    case "zcdp":
    case "rdp":
    case "poissonReplaced":
    case "gaussianMixture":
    case "truncatedPoisson":
    case "bandedMatrix":
    case "treeAggregation":
    case "randomAllocation":
      return UNPRICED;
    case "poissonSampled":
      return priceEvent(event.event, adjacency);
    case "sampledWithoutReplacement":
      // In a sample of fixed size one more row in the table replaces a row of the sample: the event's own bound does
      // not hold.
      return adjacency === "addRemove" ? UNPRICED : priceEvent(event.event, adjacency);
    case "repeated":
      return times(priceEvent(event.event, adjacency), BigInt(event.count));
    case "composed":
      return priceEvents(event.events, adjacency);
    case "parallel":
      return apart(
        event.events.map((part) => priceEvent(part, adjacency)),
        adjacency,
      );
    default:
      return event satisfies never;
  }
}

function pure(value: Rational): Price {
  const epsilon = epsilonUnits(value, "up");
  return { epsilon, delta: NO_DELTA, mu2: [{ kind: "pure", epsilon: pureEpsilon(epsilon), count: 1n }] };
}

function gaussian(muSquared: Rational): Price {
  const units = ceilDivide(muSquared.numerator * MU2_UNITS, muSquared.denominator);
  return { epsilon: null, delta: NO_DELTA, mu2: [{ kind: "subtract", cost: units > 0n ? units : 1n }] };
}

function together(prices: readonly Price[]): Price {
  let [epsilon, delta, mu2]: [EpsilonAmount | null, DeltaAmount, Mu2Step[] | null] = [NO_EPSILON, NO_DELTA, []];
  for (const price of prices) {
    epsilon = epsilon === null || price.epsilon === null ? null : plus(epsilon, price.epsilon);
    delta = plus(delta, price.delta);
    if (price.mu2 === null) mu2 = null;
    else mu2?.push(...price.mu2);
  }
  return { epsilon, delta, mu2 };
}

function times(price: Price, count: bigint): Price {
  if (count === 0n) return FREE;
  return {
    epsilon: price.epsilon === null ? null : ((price.epsilon * count) as EpsilonAmount),
    delta: (price.delta * count) as DeltaAmount,
    mu2: price.mu2?.map((step) => timesStep(step, count)) ?? null,
  };
}

function timesStep(step: Mu2Step, count: bigint): Mu2Step {
  if (step.kind === "subtract") return { ...step, cost: step.cost * count };
  if (step.kind === "pure") return { ...step, count: step.count * count };
  return { ...step, parts: step.parts.map((part) => part.map((inner) => timesStep(inner, count))) };
}

/** Parts of a partition by unit: one change touches one part under add/remove, two under replace (then unpriced). [M17] */
function apart(prices: readonly Price[], adjacency: Adjacency): Price {
  if (prices.length === 0) return FREE;
  if (adjacency !== "addRemove") return UNPRICED;
  let [epsilon, delta]: [EpsilonAmount | null, DeltaAmount] = [NO_EPSILON, NO_DELTA];
  const parts: (readonly Mu2Step[])[] = [];
  for (const price of prices) {
    epsilon = epsilon === null || price.epsilon === null ? null : price.epsilon > epsilon ? price.epsilon : epsilon;
    if (price.delta > delta) delta = price.delta;
    if (price.mu2 !== null) parts.push(price.mu2);
  }
  return { epsilon, delta, mu2: parts.length === prices.length ? [{ kind: "least", parts }] : null };
}
