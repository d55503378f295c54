import { type BlockRange, columnMu2, invalid, MAX_HORIZON, PrivacyError } from "@dosimeter/core";
import { isByCohort } from "../declaration/blocks.ts";
import type { Declaration } from "../declaration/declaration.ts";
import { type Fields, own } from "../input/check.ts";
import { eventOf } from "../noise/noise.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { periodsOf, taskKindOf } from "../plan/task-kinds.ts";

/**
 * Of how many blocks a running total will be that goes on; null for a plan that is asked once. INVALID_PARAMETER where its window is not the
 * blocks so far, one after the other, and for cohorts: the rows of one person are in many periods, and one column pays for none but its own.
 */
export function horizonOf(given: Fields, window: readonly BlockRange[] | null, declared: Declaration): number | null {
  const horizon = own(given, "horizon");
  if (horizon === undefined) return null;
  if (typeof horizon !== "number" || !Number.isInteger(horizon) || horizon < 2 || horizon > MAX_HORIZON)
    return invalid("horizon", horizon, `a whole number from 2 to ${MAX_HORIZON}`);
  const [blocks, ...others] = window ?? [];
  if (blocks === undefined) return invalid("horizon", horizon, "absent: this population has no blocks");
  if (isByCohort(declared))
    return invalid(
      "horizon",
      horizon,
      "absent: the blocks are cohorts, and the rows of one person lie in many periods",
    );
  if (others.length > 0 || blocks.to - blocks.from >= horizon)
    return invalid("horizon", horizon, "at least the number of blocks so far, without a gap");
  return horizon;
}

/** INVALID_PARAMETER where a row of a running total that goes on asks for other periods than the blocks. */
export function checkPeriods({ bins }: Fields, path: string, { blocks }: Declaration): void {
  if (bins !== undefined && bins !== blocks?.every) invalid(`${path}.bins`, bins, `absent or ${blocks?.every}`);
}

/** The block that a step of a running total adds. */
export const newestOf = (window: readonly BlockRange[]): readonly BlockRange[] =>
  window.slice(-1).map(({ to }) => ({ from: to, to }));

/**
 * A step of a running total: noise as for all periods, charged by the column of its newest block alone [M209]. UNSUPPORTED_QUERY for other
 * statistics, for found groups, and for noise that is paid in ε.
 */
export function onHorizon(
  statistic: BoundedStatistic,
  { blocks }: Declaration,
  horizon: number | null,
): BoundedStatistic {
  if (horizon === null) return statistic;
  const { task, noise, path, label, keys, column, sensitivity } = statistic;
  const periods = periodsOf(statistic);
  const refuse = (want: string): never => {
    throw new PrivacyError("UNSUPPORTED_QUERY", { name: path, got: label, want });
  };
  if (periods === null || keys !== undefined) return refuse("a running count or total over declared groups");
  if (noise.kind !== "gaussian") return refuse("paid in rho");
  const { from = 1, to = 0 } = statistic.window?.[0] ?? {};
  const step = to - from + 1;
  if ((taskKindOf(statistic).binned(task) ?? column) !== blocks?.column || step !== periods)
    return refuse(`over the periods of ${blocks?.column}, one for each ${blocks?.every}`);
  const mu2 = columnMu2(noise.mu2, { horizon, step });
  return { ...statistic, pays: mu2, events: [eventOf({ ...noise, mu2 }, sensitivity, periods)] };
}
