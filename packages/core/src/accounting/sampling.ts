import { invalid } from "../error.ts";
import { mixedLoss, unmixedLoss } from "./mixture.ts";
import { enlarge, shrink } from "./rounding.ts";

export interface SampleFrame {
  /** People in the sample; public. */
  readonly size: number;
  /** People the sample was drawn from, uniformly and secretly; public. */
  readonly population: number;
}

/**
 * What an (ε, δ) answer from a secret sample promises to the population: (ln(1 + (e^ε − 1)·m/n), δ·m/n), rounded up.
 * For samples without replacement under replace-one, or Poisson samples of rate m/n under add/remove [M48].
 */
export function amplifyBySampling(
  loss: { readonly epsilon: number; readonly delta: number },
  frame: SampleFrame,
): { readonly epsilon: number; readonly delta: number } {
  const rate = sampleRate(frame);
  return {
    epsilon: enlarge(mixedLoss(rate, loss.epsilon), 4),
    delta: Math.min(1, enlarge(loss.delta * rate, 2)),
  };
}

/**
 * The inverse: the (ε, δ) that answers from the sample may spend under a promise of (ε, δ) to the population; rounded
 * down, δ at most 1.
 */
export function functioningLoss(
  target: { readonly epsilon: number; readonly delta: number },
  frame: SampleFrame,
): { readonly epsilon: number; readonly delta: number } {
  const rate = sampleRate(frame);
  return {
    epsilon: shrink(unmixedLoss(rate, target.epsilon), 4),
    delta: Math.min(1, shrink(target.delta / rate, 2)),
  };
}

function sampleRate({ size, population }: SampleFrame): number {
  const check = (value: number, name: string): void => {
    if (!Number.isSafeInteger(value) || value < 1) {
      invalid(name, value, "an integer >= 1");
    }
  };
  check(size, "size");
  check(population, "population");
  if (size > population) {
    invalid("size", size, "at most the population");
  }
  return size / population;
}
