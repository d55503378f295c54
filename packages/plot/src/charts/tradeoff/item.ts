import type { TradeoffFunction, TradeoffPoint } from "@dosimeter/tradeoff";
import type { TradeoffAxes } from "./axes.ts";

/** One entry of a plot, as plain data: a curve, or points and their lower hull. */
export interface TradeoffItem {
  readonly name: string;
  readonly curve: TradeoffFunction;
  /** Marks to draw; null for a line. */
  readonly points: readonly TradeoffPoint[] | null;
  readonly arePointsHidden: boolean;
  /** Whose colour and dashes it has; null for its own place in the list. */
  readonly place: number | null;
  /** Curves between which the truth lies, drawn as a band. */
  readonly band: { readonly lower: TradeoffFunction; readonly upper: TradeoffFunction } | null;
}

export interface TradeoffPlotOptions {
  /** A heading for the legend. */
  readonly legend?: string;
  /** How far points may lie above 1 − α or off convex; default 2⁻²⁶. */
  readonly tolerance?: number;
  readonly title?: string;
  readonly axes?: TradeoffAxes;
  /** Where log and probit axes begin; default 1e-6. */
  readonly from?: number;
  /** Mark the largest gap between true and false positives of each curve. */
  readonly advantage?: boolean;
}
