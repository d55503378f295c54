import { type Declaration, type Plan, practise } from "@dosimeter/query";

/** Practice off the page: 200 runs of a plan must not hold up typing. */
export interface PracticeJob {
  readonly plan: Plan;
  readonly declaration: Declaration;
  readonly people: number | null;
  readonly runs: number;
  readonly seed: number;
}

addEventListener("message", ({ data: { plan, declaration, ...options } }: MessageEvent<PracticeJob>) => {
  try {
    postMessage({ practice: practise(plan, declaration, options) });
  } catch (error) {
    postMessage({ fault: error instanceof Error ? error.message : "This plan could not be practised." });
  }
});
