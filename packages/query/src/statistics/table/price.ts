import { eventOf } from "../../noise/noise.ts";
import { noiseAt } from "../../noise/noise-at.ts";
import type { BoundedStatistic, NoiseFamily, Sensitivity } from "../../plan/bounded.ts";
import type { TableTask } from "../../plan/task.ts";
import { histogramNoise, oneHistogram, stepUnits } from "./steps.ts";

/**
 * The noise of the counts of columns, and one event for each step: each has its own fixed part of the price, whatever the steps before it gave
 * [M202]. Null where the price is too small to be divided.
 */
export function pricedTable(
  task: TableTask,
  sensitivity: Sensitivity,
  family: NoiseFamily,
  units: bigint,
): Pick<BoundedStatistic, "noise" | "events"> | null {
  const steps = Object.values(stepUnits(units, task)).filter((_, at) => at === 0 || task.pairs.length > 0);
  if (steps.some((part) => part < 1n)) return null;
  const one = oneHistogram(sensitivity, task);
  const [columns = 0n] = steps;
  const drawn = histogramNoise(family, columns, task.columns.length, one);
  const whole = noiseAt(family, units, one);
  return {
    noise:
      drawn.kind === "laplace" && whole.kind === "laplace"
        ? { ...whole, scale: drawn.scale }
        : drawn.kind === "gaussian" && whole.kind === "gaussian"
          ? { ...whole, sigma: drawn.sigma }
          : whole,
    events: steps.map((part) => eventOf(noiseAt(family, part, one), one, Number.POSITIVE_INFINITY)),
  };
}
