import type { ReactNode } from "react";
import type { CopyTarget } from "./copy-as.ts";
import type { PlanRisk } from "./Risk.tsx";
import type { Planner } from "./use-planner.ts";

/** An earlier answer that would serve a row. */
export interface OwnedAnswer {
  /** ±, as text. */
  readonly error: string;
  readonly sentence: string;
  readonly isUsed: boolean;
  /** A new answer at the present price would be further off. */
  readonly isBetter: boolean;
  readonly use: (isUsed: boolean) => void;
}

/** A question from elsewhere, with the price of each of its rows where it had one there. */
export interface AskedOf {
  readonly text: string;
  readonly prices: readonly string[] | undefined;
}

/** What the surrounding page gives to the planner. */
export interface PlanBenchProperties {
  readonly planner: Planner;
  /** It becomes rows of the plan. */
  readonly asked?: AskedOf | undefined;
  /** More numbers in the line above the table. */
  readonly facts?: ReactNode;
  /** The same in short, for a phone. */
  readonly brief?: string | undefined;
  /** What must be read before anything else, below that line. */
  readonly alerts?: ReactNode;
  /** It has rows from the start: it is drawn once the table is there. */
  readonly isBegun?: boolean;
  /** More fields among the settings of the plan. */
  readonly settings?: ReactNode;
  readonly tools?: ReactNode;
  /** Cards below the table. */
  readonly side?: ReactNode;
  /** The earlier answer that a row could be, where there is one. */
  readonly ownedOf?: (id: string) => OwnedAnswer | undefined;
  readonly action?: ReactNode;
  /** Below the grid. */
  readonly more?: ReactNode;
  /** Hears whether a cell holds a text that the plan refused, so that the plan is not what the table shows. */
  readonly onRefused?: (isRefused: boolean) => void;
  /** Undefined while there is nothing to review. */
  readonly onReview?: (() => void) | undefined;
  readonly target?: CopyTarget | null;
  /** After the suggestions of an empty plan. */
  readonly start?: ReactNode;
  readonly risk: PlanRisk;
  /** A link to ask for more budget. */
  readonly askMore?: ReactNode;
  /** δ at which ways of adding up are compared, where the plan has none of its own. */
  readonly delta?: string | undefined;
}
