import type { Declaration } from "../declaration/declaration.ts";
import { unitsToPublish } from "../noise/key-selection.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { inTheWhole } from "../plan/sample-share.ts";
import { isChosen } from "../plan/task-kinds.ts";
import { definitionOf } from "./registry.ts";
import { growth, rowsInSample } from "./sampling.ts";

/** Rows as declared: assumed or public, null when the owner says nothing. */
export function declaredRows({ size }: Pick<Declaration, "size">): number | null {
  if (size === undefined) return null;
  return "public" in size ? size.public : size.assumed;
}

/** Half-width of each answer at 1 − failureProbability; null when it depends on a number of rows that is not known [M85, M87]. */
export function accuracyOf(
  statistic: BoundedStatistic,
  failureProbability: number,
  rows: number | null,
): number | null {
  const kept = rowsPerGroup(statistic, rowsInSample(statistic, rows));
  const definition = definitionOf(statistic);
  const halfWidth = definition.accuracy(statistic, failureProbability, kept);
  const factor = definition.byRank !== undefined || isChosen(statistic) ? inTheWhole(statistic) : growth(statistic);
  return halfWidth === null ? null : halfWidth * factor;
}

/** Rows of one group: if all declared groups and values were alike, or of a found one just large enough to be published nearly always. */
export function rowsPerGroup({ groups, keys, part = 1 }: BoundedStatistic, rows: number | null): number | null {
  if (keys === undefined) return rows === null ? null : (rows * part) / groups.length;
  if (keys.rule === null) return rows;
  return unitsToPublish(keys.rule, 0.99) + keys.atLeast - 1;
}
