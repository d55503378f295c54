import type { PlanDraft } from "@dosimeter/query";

/** The steps done so far. */
export interface TourState {
  readonly draft: PlanDraft;
  readonly hasUseless: boolean;
  readonly isReviewed: boolean;
}

interface TourStep {
  readonly title: string;
  readonly text: string;
  readonly isDone: (state: TourState) => boolean;
}

/** Five steps; each ends when its action is done in any way. */
export const tourSteps: readonly TourStep[] = [
  {
    title: "Ask for something",
    text: "Add a statistic: pick a suggestion, or a variable and a statistic in the table. Nothing is read yet.",
    isDone: ({ draft }) => draft.rows.some((row) => row.isComplete),
  },
  {
    title: "Say how exact it must be",
    text: "Type the error you can live with into Error ±. Its price is found, and the other rows share what is left.",
    isDone: ({ draft }) => draft.rows.some((row) => row.mode !== "free" || row.target !== undefined),
  },
  {
    title: "Hold what must not move",
    text: "Press Space on Hold, or click it: a held row stays as it is when other rows change.",
    isDone: ({ draft }) => draft.rows.some((row) => row.mode === "share" || row.mode === "error"),
  },
  {
    title: "Look at Fitness",
    text: "Add a second statistic and read its grade. A useless row costs as much as a good one: give it a bigger share, coarser settings, or drop it.",
    isDone: ({ draft, hasUseless }) => draft.rows.filter((row) => row.isComplete).length > 1 && !hasUseless,
  },
  {
    title: "Review",
    text: "Review shows every row, its error and its cost once more. Only then is anything paid, once.",
    isDone: ({ isReviewed }) => isReviewed,
  },
];

/**
 * The step after the last one that is done or that the person passed over: no one is sent back. Null at the
 * end.
 */
export const currentStep = (state: TourState, passed = 0): number | null => {
  const next = Math.max(passed, tourSteps.findLastIndex(({ isDone }) => isDone(state)) + 1);
  return next < tourSteps.length ? next : null;
};
