import { eventOf } from "../noise/noise.ts";
import { noiseAt } from "../noise/noise-at.ts";
import type { BoundedStatistic, NoiseFamily } from "../plan/bounded.ts";
import { taskKindOf } from "../plan/task-kinds.ts";
import { definitionOf } from "../statistics/registry.ts";
import { type KeyTerms, pricedKeys } from "./key-plan.ts";

export type Priced = Pick<BoundedStatistic, "noise" | "keys" | "events">;

/** The parts of a statistic that decide how a price becomes noise. */
export interface Unpriced extends Pick<BoundedStatistic, "statistic" | "sensitivity" | "task"> {
  readonly keys?: KeyTerms | undefined;
  /** Integers that share the noise. */
  readonly integers: number;
}

/** The noise and events of a statistic at a price in units of ε or μ²; null where it is too small to select any group. */
export function pricedAt(statistic: Unpriced, family: NoiseFamily, units: bigint): Priced | null {
  const { sensitivity, task, keys, integers } = statistic;
  if (keys !== undefined) return pricedKeys(keys, family, units, sensitivity);
  const { table } = definitionOf(statistic);
  if (table !== undefined) return table.priced(task, sensitivity, family, units);
  const together = taskKindOf({ task }).choicesTogether(task);
  const noise = noiseAt(family, units, together === null ? sensitivity : { ...sensitivity, l1: together });
  return { noise, events: [eventOf(noise, sensitivity, together === null ? integers : Number.POSITIVE_INFINITY)] };
}
