import type { DpEvent } from "../event.ts";
import { isKind, plainEvent } from "./kinds.ts";
import { enlarge, lower, upper } from "./rounding.ts";

/** A bound by one simple pair: randomised response with ε and a mass δ, or a Gaussian with μ; ∞ where there is none. */
export interface SimpleLoss {
  readonly epsilon: number;
  readonly delta: number;
  readonly mu: number;
}

const NONE = Number.POSITIVE_INFINITY;
const NOTHING: SimpleLoss = { epsilon: 0, delta: 0, mu: 0 };

/** The simple pairs that dominate an event: sums for lists, the worst for parts of a partition [M40]. */
export function simpleLoss(event: DpEvent): SimpleLoss {
  if (isKind(event)) return simpleLoss(plainEvent(event));
  switch (event.kind) {
    case "pure":
    case "exponential":
    case "randomizedResponse":
      return pure(upper(event.epsilon), 0);
    case "approximate":
      return pure(upper(event.epsilon), upper(event.delta));
    case "laplace":
      return pure(enlarge(1 / lower(event.noiseMultiplier), 1), 0);
    case "discreteLaplace":
      return pure(enlarge(event.sensitivity / lower(event.scale), 1), 0);
    case "gaussian":
      return { epsilon: NONE, delta: 0, mu: 1 / lower(event.noiseMultiplier) };
    case "gdp":
      return { epsilon: NONE, delta: 0, mu: upper(event.mu) };
    case "repeated":
      return event.count === 0 ? NOTHING : times(simpleLoss(event.event), event.count);
    case "composed":
      return event.events.map(simpleLoss).reduce(together, NOTHING);
    case "parallel":
      return event.events.map(simpleLoss).reduce(
        (a, b) => ({
          epsilon: Math.max(a.epsilon, b.epsilon),
          delta: Math.max(a.delta, b.delta),
          mu: Math.max(a.mu, b.mu),
        }),
        NOTHING,
      );
    default:
      return { epsilon: NONE, delta: NONE, mu: NONE };
  }
}

const pure = (epsilon: number, delta: number): SimpleLoss => ({
  epsilon,
  delta,
  mu: epsilon === 0 && delta === 0 ? 0 : NONE,
});

const times = ({ epsilon, delta, mu }: SimpleLoss, count: number): SimpleLoss => ({
  epsilon: enlarge(epsilon * count, 1),
  delta: enlarge(delta * count, 1),
  mu: enlarge(mu * Math.sqrt(count), 2),
});

const together = (a: SimpleLoss, b: SimpleLoss): SimpleLoss => ({
  epsilon: enlarge(a.epsilon + b.epsilon, 1),
  delta: enlarge(a.delta + b.delta, 1),
  mu: enlarge(Math.hypot(a.mu, b.mu), 2),
});
