/** Whether an answer about some rows is shown, and how sure the interval of a shown one must be to hold among those that are shown. */
export interface Selected {
  /** Its rows cannot be distinguished from none: nothing is said. */
  readonly isMarked: boolean;
  readonly failureProbability: number;
}

interface Terms {
  readonly failureProbability: number;
  /** How many answers are marked or shown by the same rule. */
  readonly answers: number;
  /** Fewer rows than this are never shown, where an answer about them says nothing. */
  readonly atLeast?: number;
}

/** Part of the failure probability for being shown by noise alone. */
const BY_NOISE = 0.01;

/**
 * Every hiding of an answer by its noise goes through here, because to show only what noise lets through selects: an answer is marked
 * where `rows`, its noisy number of rows, is below what no rows exceed with probability min(β², β/k). One that just passes may have fewer
 * rows, so the smaller the chance that it was to pass, the wider is its interval: 1 − β of those that are shown hold [M352].
 * `halfWidth(p)` is exceeded in size by the noise of `rows` with probability at most p.
 */
export function selected(
  rows: number,
  halfWidth: (failureProbability: number) => number,
  { failureProbability: beta, answers, atLeast = 0 }: Terms,
): Selected {
  const beyond = (chance: number): number => halfWidth(Math.min(1, 2 * chance));
  const least = Math.min(beta * beta, beta / Math.max(1, answers));
  const sure = (1 - BY_NOISE) * beta;
  const threshold = Math.max(beyond(least), atLeast);
  if (!(rows >= threshold)) return { isMarked: true, failureProbability: (1 - BY_NOISE) * least };
  const isLikely = rows >= threshold + beyond((BY_NOISE * beta) / 2);
  if (!isLikely) return { isMarked: false, failureProbability: (1 - BY_NOISE) * least };
  const isNearlyCertain = rows >= threshold + beyond((BY_NOISE * beta) / 2) + beyond(BY_NOISE);
  return { isMarked: false, failureProbability: sure * (isNearlyCertain ? 1 - BY_NOISE : 1 / 2) };
}
