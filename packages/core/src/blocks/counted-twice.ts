import { toDouble } from "../amounts/double.ts";
import { type Decimal, formatRational, multiply, parseRational, rational } from "../amounts/rational.ts";
import type { DpEvent } from "../event.ts";

const times = (value: Decimal, numerator: bigint, denominator = 1n): string =>
  formatRational(multiply(parseRational(value), rational(numerator, denominator)));

const twice = (value: Decimal): string => times(value, 2n);
const half = (value: Decimal): string => times(value, 1n, 2n);

/** Covers the rounding of exp and of the products. */
const ROUND_UP = 1 + 1e-12;

/**
 * What events that bound one whole unit cost where only a part of its rows comes or goes: the unit is removed, and added with the rest. Exact but
 * for δ, which rounds up. Kinds that no filter prices stay as they are. [M168] [M307]
 */
export const countedTwice = (events: readonly DpEvent[]): readonly DpEvent[] => events.map(eventTwice);

function eventTwice(event: DpEvent): DpEvent {
  switch (event.kind) {
    case "pure":
    case "randomizedResponse":
    case "exponential":
    case "permuteAndFlip":
    case "shuffled":
      return { kind: "pure", epsilon: twice(event.epsilon) };
    case "approximate": {
      const epsilon = toDouble(parseRational(event.epsilon), "up");
      const delta = toDouble(parseRational(event.delta), "up");
      const both = delta === 0 ? 0 : (1 + Math.exp(epsilon)) * delta * ROUND_UP;
      return { kind: "approximate", epsilon: twice(event.epsilon), delta: Math.min(1, both) };
    }
    case "laplace":
    case "gaussian":
      return { kind: event.kind, noiseMultiplier: half(event.noiseMultiplier) };
    case "bandedMatrix":
    case "treeAggregation":
      return { ...event, noiseMultiplier: half(event.noiseMultiplier) };
    case "discreteLaplace":
      return { ...event, sensitivity: 2 * event.sensitivity };
    case "gdp":
      return { kind: "gdp", mu: twice(event.mu) };
    case "poissonSampled":
      // Priced as if it were not sampled.
      return eventTwice(event.event);
    case "repeated":
      return { ...event, event: eventTwice(event.event) };
    case "composed":
    case "parallel":
      // With other rows the unit may be in another part: both parts change.
      return { kind: "composed", events: event.events.map(eventTwice) };
    case "discreteGaussian":
    case "zcdp":
    case "rdp":
    case "sampledWithoutReplacement":
    case "poissonReplaced":
    case "gaussianMixture":
    case "truncatedPoisson":
    case "randomAllocation":
      return event;
    default:
      return event satisfies never;
  }
}
