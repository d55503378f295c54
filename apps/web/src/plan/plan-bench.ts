import type { ReactNode } from "react";
import type { CopyTarget } from "./copy-as.ts";
import type { Planner } from "./use-planner.ts";

/** What the surrounding page gives to the planner. */
export interface PlanBenchProperties {
  readonly planner: Planner;
  /** More fields after ε, confidence and people. */
  readonly budget?: ReactNode;
  readonly side?: ReactNode;
  readonly action?: ReactNode;
  /** Below the grid. */
  readonly more?: ReactNode;
  /** Undefined while there is nothing to review. */
  readonly onReview?: (() => void) | undefined;
  readonly isReviewed?: boolean;
  readonly target?: CopyTarget | null;
  /** After the suggestions of an empty plan. */
  readonly start?: ReactNode;
  /** The meaning of the ε in the risk: the owner's promise, or this plan. */
  readonly scope: { readonly epsilon: number; readonly delta: number; readonly words: string };
  /** A link to ask for more budget. */
  readonly askMore?: ReactNode;
  /** δ at which ways of adding up are compared, where the plan has none of its own. */
  readonly delta?: string | undefined;
}
