import type { BoundedStatistic, NoiseFamily } from "../plan/bounded.ts";
import { type KeyTerms, pricedKeys } from "../plan/key-plan.ts";
import { eventOf, noiseAt } from "./noise.ts";

type Priced = Pick<BoundedStatistic, "noise" | "keys" | "events">;

/** What decides how a price becomes noise. */
export interface Unpriced extends Pick<BoundedStatistic, "sensitivity" | "top"> {
  readonly keys: KeyTerms | null;
  /** Integers that share the noise. */
  readonly integers: number;
}

/** The noise and events of a statistic at a price in units of ε or μ²; null where it is too small to select any group. */
export function pricedAt(statistic: Unpriced, family: NoiseFamily, units: bigint): Priced | null {
  const { sensitivity, top, keys, integers } = statistic;
  if (keys !== null) return pricedKeys(keys, family, units, sensitivity);
  const l1 = BigInt(top?.k ?? 1) * (top?.perChoice ?? 1n);
  const noise = noiseAt(family, units, top?.chosen === true ? { ...sensitivity, l1 } : sensitivity);
  return {
    noise,
    keys: null,
    events: [eventOf(noise, sensitivity, top?.chosen === true ? Number.POSITIVE_INFINITY : integers)],
  };
}
